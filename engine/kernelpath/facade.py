"""The public functions: what tools and tests build on."""

from __future__ import annotations

import gc

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.loading import load
from kernelpath.evaluate.program import run_program
from kernelpath.graph.catalog import check_catalog, load_catalog, load_presets
from kernelpath.graph.fresh import fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kernelpath.evaluate.program import Outcome
    from kernelpath.evaluate.report import Report
    from kernelpath.graph.catalog import Kernel

    Catalog = str | Mapping[str, Kernel]

DEFAULT_PACK = "execution-v0"
DEFAULT_CATALOG = "doppler-0.1.7"
#: What each of the programs that can be asked is given; a pack's program of that name may take no other input.
INPUTS: dict[str, tuple[str, ...]] = {
    "compile": ("inference", "runtime", "model_id", "num_layers"),
    "apply": ("manifest", "runtime_config"),
    "contract": ("inference", "model_id"),
    "graph": ("inference", "runtime", "model_id", "num_layers"),
    "kernel_path": ("chosen_path",),
}
__all__ = [
    "INPUTS",
    "Applied",
    "Result",
    "apply",
    "compile",
    "contract",
    "execution_from_kernel_path",
    "graph",
    "load_catalog",
    "load_pack",
]


class Result:
    """What a request gives: `value` is None where a rule found an error; `diagnostics` are in evaluation order.

    `asked` counts the items that were taken through a stage with checks: if it is 0, nothing was looked at. `unasked`
    says which checks the errors that were found kept from being asked.
    """

    __slots__ = ("asked", "diagnostics", "ok", "unasked", "value")

    def __init__(self, ok: bool, value: Any, report: Report) -> None:
        self.ok = ok
        self.value = value
        self.diagnostics = tuple(report.diagnostics)
        self.asked = report.asked
        self.unasked = tuple(report.unasked)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Result)
        return same and (self.ok, self.value, self.diagnostics) == (other.ok, other.value, other.diagnostics)  # type: ignore[attr-defined]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(ok={self.ok}, diagnostics={self.diagnostics})"


class Applied(Result):
    """What applying a manifest gives; `runtime_config` and `state` are None where a rule found an error."""

    __slots__ = ()

    @property
    def runtime_config(self) -> Any:
        """The runtime config with the compiled inference section."""
        return self._member("runtimeConfig")

    @property
    def state(self) -> Any:
        """The compiled graph, None where the manifest has none."""
        return self._member("executionV0State")

    def _member(self, name: str) -> Any:
        return self.value.get(name) if isinstance(self.value, dict) else None


def load_pack(name_or_path: str) -> CompiledPack:
    """Return a pack by its shipped name or its folder; raises PackErrors with every mistake in its files."""
    pack = load(name_or_path)
    for name, given in INPUTS.items():
        strange = [each for each in pack.meta["programs"].get(name, {"inputs": ()})["inputs"] if each not in given]
        if strange:
            raise _not_given(name, strange, given)
    return pack


def compile(
    manifest_inference: Any,
    *,
    pack: CompiledPack | str = DEFAULT_PACK,
    runtime: Any = None,
    model_id: Any = "model",
    num_layers: Any = 0,
    catalog: Catalog = DEFAULT_CATALOG,
) -> Result:
    """Compile a manifest's inference section under a runtime overlay.

    `value` is the compiled graph as a plain dict, or None where the section has no execution graph. Inputs are any JSON
    values and are never changed; the value may have parts in common with them, so copy it before you change it. Raises
    PackErrors where the pack or the catalogue itself cannot be used.
    """
    inputs = {"inference": manifest_inference, "runtime": runtime, "model_id": model_id, "num_layers": num_layers}
    return _result(_run("compile", pack, catalog, inputs))


def apply(
    manifest: Any,
    runtime_config: Any,
    *,
    pack: CompiledPack | str = DEFAULT_PACK,
    catalog: Catalog = DEFAULT_CATALOG,
) -> Applied:
    """Apply a manifest's execution graph to a runtime config; raises as `compile` does."""
    inference = runtime_config.get("inference") if isinstance(runtime_config, dict) else None
    chosen = inference.get("kernelPath") if isinstance(inference, dict) else None
    inputs = {"manifest": manifest, "runtime_config": runtime_config, "presets": _presets(chosen)}
    outcome = _run("apply", pack, catalog, inputs)
    return Applied(outcome.report.ok, outcome.value, outcome.report)


def contract(
    manifest_inference: Any,
    *,
    pack: CompiledPack | str = DEFAULT_PACK,
    runtime: Any = None,
    model_id: Any = "model",
    num_layers: Any = 0,
    catalog: Catalog = DEFAULT_CATALOG,
) -> Result:
    """Check that every step of a manifest can be pinned and has dtypes; `ok` says that the check was made.

    The verdict is in `value["ok"]`, what led to it in `diagnostics`. It takes what `compile` takes, so that one request
    fits both, but judges the manifest alone: overlay and layers do not matter. Raises as `compile` does.
    """
    outcome = _run("contract", pack, catalog, {"inference": manifest_inference, "model_id": model_id})
    return Result(True, outcome.value, outcome.report)


def graph(
    manifest_inference: Any,
    *,
    pack: CompiledPack | str = DEFAULT_PACK,
    runtime: Any = None,
    model_id: Any = "model",
    num_layers: Any = 0,
    catalog: Catalog = DEFAULT_CATALOG,
) -> Result:
    """Check the slots and the phase boundary of a graph; as with `contract`, the verdict is in `value["ok"]`."""
    inputs = {"inference": manifest_inference, "runtime": runtime, "model_id": model_id, "num_layers": num_layers}
    outcome = _run("graph", pack, catalog, inputs)
    return Result(True, outcome.value, outcome.report)


def execution_from_kernel_path(
    id_or_path: Any, *, pack: CompiledPack | str = DEFAULT_PACK, catalog: Catalog = DEFAULT_CATALOG
) -> Result:
    """Derive schema, session and execution graph from a kernel path, given by its id or in full."""
    inputs = {"chosen_path": id_or_path, "presets": _presets(id_or_path)}
    return _result(_run("kernel_path", pack, catalog, inputs))


def _run(program: str, pack: CompiledPack | str, catalog: Catalog, inputs: Mapping[str, Any]) -> Outcome:
    compiled = pack if isinstance(pack, CompiledPack) else load_pack(pack)
    kernels = load_catalog(catalog) if isinstance(catalog, str) else check_catalog(catalog)
    values = {"presets": load_presets(), **inputs, "catalog": kernels}
    # A large graph makes many objects and no cycles, so the cycle collector's passes over them are for nothing.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return run_program(compiled, program, values)
    finally:
        if collecting:
            gc.enable()


def _not_given(program: str, strange: list[str], given: tuple[str, ...]) -> Exception:
    from kernelpath.diagnostics import ERROR, Diagnostic
    from kernelpath.packs.folders import PackErrors

    named = ", ".join(f"`{name}`" for name in strange)
    message = f"program `{program}` takes {named}, which nothing gives it"
    return PackErrors([Diagnostic("pack/program", (), ERROR, message, help=f"its inputs are {', '.join(given)}")])


def _presets(chosen: Any) -> Mapping[str, Any]:
    """Return the presets, the chosen one as a copy: parts of it are parts of the answer."""
    presets = load_presets()
    known = isinstance(chosen, str) and chosen in presets
    return {**presets, chosen: fresh(presets[chosen])} if known else presets


def _result(outcome: Outcome) -> Result:
    return Result(outcome.report.ok, outcome.value, outcome.report)
