"""The reference's apply, and its derivation of an execution graph from a kernel path: decisions E81 to E89."""

from __future__ import annotations

from typing import Any

from .compilation import POLICIES, SCHEMA, compile_request, has_execution
from .facts import Facts
from .javascript import (
    UNDEFINED,
    clone,
    coalesce,
    elements,
    get,
    is_integer,
    is_object,
    maybe,
    nullish,
    own,
    spread,
    to_number,
    to_string,
    truthy,
)
from .session import merge
from .steps import derive_reference
from .verdict import normalised, reject

_HALF_NAMES = ("bf16", "fp16", "float16")


def apply_request(options: dict[str, Any], facts: Facts) -> dict[str, Any]:
    """Apply a manifest's execution graph to a runtime config: the config that results, and the compiled state."""
    config, manifest = (options.get(key, UNDEFINED) for key in ("runtimeConfig", "manifest"))
    inference = maybe(manifest, "inference")
    if not truthy(config) or not truthy(inference) or not has_execution(inference):
        return _unchanged(config)
    runtime = maybe(config, "inference")
    chosen = maybe(runtime, "kernelPath")
    if truthy(chosen):
        inference = _replace(inference, chosen, facts)
    state = compile_request(_compile_options(manifest, inference, runtime), facts)
    if state is None:
        return _unchanged(config)
    patch = _config_patch(state["runtimeInferencePatch"], runtime)
    result = merge(coalesce(runtime, {}), patch)
    return {"runtimeConfig": spread(config) | {"inference": result}, "executionV0State": state}


def _unchanged(config: Any) -> dict[str, Any]:
    return {"runtimeConfig": None if config is UNDEFINED else config, "executionV0State": None}


def _replace(inference: Any, chosen: Any, facts: Facts) -> Any:
    derived = derive_execution(chosen, facts)
    if derived is None:
        return inference
    return spread(inference) | derived | {"defaultKernelPath": chosen}


def _compile_options(manifest: Any, inference: Any, runtime: Any) -> dict[str, Any]:
    overlay = {key: maybe(runtime, key) for key in ("session", "executionPatch")}
    return {
        "manifestInference": inference,
        "runtimeInference": {key: value for key, value in overlay.items() if truthy(value)},
        "modelId": get(manifest, "modelId"),
        "numLayers": _layer_count(maybe(manifest, "architecture", "numLayers")),
    }


def _layer_count(declared: Any) -> int:
    count = to_number(coalesce(declared, 0))
    return int(count) if is_integer(count) else 0


def _config_patch(compiled: dict[str, Any], runtime: Any) -> dict[str, Any]:
    patch = dict(compiled)
    if maybe(runtime, "kernelPath") is not UNDEFINED:
        patch.pop("kernelPath", None)
        patch.pop("kernelPathSource", None)
        for key in ("compute", "kvcache"):
            if key in patch:
                patch[key] = merge(patch[key], maybe(runtime, key))
    elif "kernelPath" in patch:
        patch["kernelPathSource"] = "manifest"
    if "modelOverrides" in patch:
        patch["modelOverrides"] = merge(patch["modelOverrides"], coalesce(maybe(runtime, "modelOverrides"), {}))
    return patch


def derive_request(options: dict[str, Any], facts: Facts) -> dict[str, Any] | None:
    """Derive an execution graph from the kernel path that the options name."""
    return derive_execution(options.get("kernelPath", UNDEFINED), facts)


def derive_execution(chosen: Any, facts: Facts) -> dict[str, Any] | None:
    """Decision E83: the schema, session and execution graph of a kernel path, given by id or in full."""
    path = facts.paths.get(chosen) if isinstance(chosen, str) else chosen
    if not is_object(path) or nullish(get(path, "activationDtype")):
        reject("E83")
    steps = _derive_steps(path, facts)
    if not steps:
        return None
    return {
        "schema": SCHEMA,
        "sessionDefaults": _derive_session(path, steps),
        "execution": {"steps": steps, "policies": dict(POLICIES)},
    }


def _derive_steps(path: Any, facts: Facts) -> list[dict[str, Any]]:
    decode = _listed(maybe(path, "decode", "steps"))
    prefill = _listed(maybe(path, "prefill", "steps")) or decode
    groups = (
        ("preLayer", "both", _listed(get(path, "preLayer"))),
        ("layer", "decode", decode),
        ("layer", "prefill", prefill),
        ("postLayer", "both", _listed(get(path, "postLayer"))),
        ("sampling", "decode", _listed(get(path, "sampling"))),
    )
    steps: list[dict[str, Any]] = []
    for section, phase, group in groups:
        for step in group:
            steps.append(_derive_step(step, section, phase, len(steps), facts))
    return steps


def _listed(value: Any) -> list[Any]:
    return elements(coalesce(value, []))


def _derive_step(step: Any, section: str, phase: str, index: int, facts: Facts) -> dict[str, Any]:
    reference = derive_reference(get(step, "kernel"), get(step, "entry"), facts)
    if reference is None:
        reject("E83")
    derived = {
        "id": f"{section}_{phase}_{index}_{to_string(get(step, 'op'))}",
        "phase": phase,
        "section": section,
        "op": get(step, "op"),
        "src": "state",
        "dst": "state",
        "kernelRef": reference,
        "kernel": step["kernel"],
    }
    return (
        derived
        | {key: clone(step[key]) for key in ("entry", "weights", "constants") if own(step, key)}
        | {"layers": "all"}
    )


def _derive_session(path: Any, steps: list[dict[str, Any]]) -> dict[str, Any]:
    act = _path_dtype(path["activationDtype"])
    output, cached = (get(path, key) for key in ("outputDtype", "kvDtype"))
    references = list({tuple(step["kernelRef"].values()): step["kernelRef"] for step in steps}.values())
    defaults = {"activationDtype": act, "mathDtype": act, "accumDtype": "f32"}
    defaults["outputDtype"] = act if nullish(output) else _path_dtype(output)
    return {
        "compute": {"defaults": defaults, "kernelProfiles": [{"kernelRef": dict(item)} for item in references]},
        "kvcache": {"kvDtype": act if nullish(cached) else _path_dtype(cached)},
        "decodeLoop": None,
    }


def _path_dtype(value: Any) -> str:
    text = normalised(value)
    return "f16" if text in _HALF_NAMES else text


__all__ = ["apply_request", "derive_execution", "derive_request"]
