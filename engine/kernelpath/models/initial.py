"""The first manifest of a model: the steps of its architecture, with kernels chosen by a decision table.

Steps, kernels and their conditions are data: kernels/architectures/shared/graph.yaml and selection.yaml.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kernelpath.graph.catalog import Kernel, load_catalog
from kernelpath.models import errors
from kernelpath.models.expressions import evaluate
from kernelpath.models.model import Model
from kernelpath.models.tables import graph_table, selection_table

SCHEMA = "doppler.execution/v0"
HALF, SUBGROUP = "shader-f16", "subgroup"
_LAYER = "{L}"
_PHASES = ("decode", "prefill")

Step = dict[str, Any]
Catalog = Mapping[str, Kernel]


@dataclass(frozen=True, slots=True)
class _Choice:
    """What the rows of the selection table see of one model on one device."""

    model: Model
    catalog: Catalog
    values: Mapping[str, object]

    def expression(self, text: str, more: Mapping[str, object] | None = None) -> Any:
        known = {**self.values, **(more or {})}
        return evaluate(text, selection_table()["inputs"], lambda name: known[name])


def initial_manifest(
    model: Model,
    features: Collection[str],
    catalog: Catalog | str = "doppler-0.1.7",
    keep: str = "stored",
    kv_dtype: str | None = None,
) -> dict[str, Any]:
    """Return the inference section of a manifest for a model.

    `features` are those of the device, as WebGPU names them. Kernels are those of `catalog`, a shipped catalogue's name
    or what `load_catalog` gives. `keep` is how weights are kept: "stored" at the file's dtypes where one of these
    kernels reads them, "f16" or "f32"; `kv_dtype` is that of the KV cache, by default f16 where the device has it.
    Raises `ModelErrors` where no row of the table gives a kernel of the catalogue.
    """
    kernels = load_catalog(catalog) if isinstance(catalog, str) else catalog
    choice = _Choice(model, kernels, _device_values(model, features, keep, kv_dtype))
    steps = [step for number, template in enumerate(_templates(choice)) for step in _steps(choice, template, number)]
    activation = choice.expression(selection_table()["activation_dtype"])
    session = {
        "compute": {
            "defaults": dict.fromkeys(("activationDtype", "mathDtype", "accumDtype", "outputDtype"), activation),
            "kernelProfiles": [{"kernelRef": reference} for reference in _distinct_references(steps)],
        },
        "kvcache": {"kvDtype": choice.values["kv"]},
        "decodeLoop": None,
    }
    return {"schema": SCHEMA, "sessionDefaults": session, "execution": {"steps": steps}}


def _device_values(model: Model, features: Collection[str], keep: str, kv_dtype: str | None) -> dict[str, object]:
    architecture, table = model.architecture, selection_table()
    device = {"half": HALF in features, "subgroup": SUBGROUP in features or f"{SUBGROUP}s" in features}
    return {
        **device,
        "keep": keep,
        "kv": kv_dtype or evaluate(table["kv_dtype"], table["inputs"], device.__getitem__),
        **{f"norm_{short}": on for short, on in architecture["norms"].items()},
        **{name: architecture[name] for name in ("activation", "final_softcap", "head_dim")},
    }


def _templates(choice: _Choice) -> Iterator[Mapping[str, Any]]:
    """Yield the graph's steps that apply, layer steps once for each phase: decode first, as kernel paths list them."""
    steps = [step for step in graph_table()["steps"] if choice.expression(step.get("when", "true"))]
    layer = [step for step in steps if step["section"] == "layer"]
    first = steps.index(layer[0])
    yield from steps[:first]
    for phase in _PHASES:
        yield from ({**step, "phase": phase} for step in layer)
    yield from steps[first + len(layer) :]


def _steps(choice: _Choice, template: Mapping[str, Any], number: int) -> list[Step]:
    """Return the step of a template, or none where it is implied and the catalogue has no kernel for it."""
    section, phase, op = template["section"], template["phase"], template["op"]
    try:
        row = _select(choice, op, "prefill" if op.endswith("_prefill") else phase, template.get("weights"))
    except errors.ModelErrors:
        if template.get("implied"):
            return []
        raise
    kernel, _, entry = row["kernel"].partition("#")
    step: Step = {"id": f"{section}_{phase}_{number}_{op}", "phase": phase, "section": section, "op": op}
    step |= {"src": "state", "dst": "state", "kernel": kernel, "entry": entry}
    step["kernelRef"] = _reference(choice.catalog[row["kernel"]])
    step |= {name: given[name] for name, given in (("weights", template), ("constants", row)) if name in given}
    return [{**step, "layers": "all"}]


def _select(choice: _Choice, op: str, phase: str, weight: str | None) -> dict[str, Any]:
    """Return the first row that applies to an op and whose kernel the catalogue has, its kernel's name filled in."""
    more = {"phase": "prefill" if phase == "prefill" else "decode", **_weight_seen(choice.model, weight)}
    for row in selection_table()["rows"]:
        kernel = row["kernel"].replace("{weight}", str(more["weight"]))
        if op in row["ops"] and kernel in choice.catalog and choice.expression(row.get("when", "true"), more):
            return {**row, "kernel": kernel}
    raise errors.no_kernel(op, phase, sorted({**choice.values, **more}.items()))


def _weight_seen(model: Model, name: str | None) -> dict[str, object]:
    """Return the stored dtype of a step's weight, "mixed" where layers differ, and its row length."""
    if name is None:
        return {"weight": "", "columns": 0}
    layers = range(model.architecture["num_layers"]) if _LAYER in name else (0,)
    weights = [model.weights[name.replace(_LAYER, str(layer))] for layer in layers]
    dtypes = {weight.dtype for weight in weights}
    return {"weight": dtypes.pop() if len(dtypes) == 1 else "mixed", "columns": weights[0].shape[-1]}


def _reference(kernel: Any) -> dict[str, str]:
    return {"id": kernel.reference, "version": kernel.version, "digest": kernel.digest}


def _distinct_references(steps: list[Step]) -> list[dict[str, str]]:
    return list({reference["id"]: reference for reference in (step["kernelRef"] for step in steps)}.values())


def whole_manifest(
    model: Model, architecture: Mapping[str, Any], features: Collection[str], catalog: Catalog | str, keep: str
) -> dict[str, Any]:
    """Return a whole manifest for a model: its name, the section that describes it, and its graph.

    As for the rest see `initial_manifest`.
    """
    inference = initial_manifest(model, features, catalog, keep)
    return {"modelId": model.name, "architecture": dict(architecture), "inference": inference}
