"""Decisions E67 to E75: the kernel path that the patched steps and the session give."""

from __future__ import annotations

from typing import Any

from .facts import Facts
from .flow import ACTIVATION
from .javascript import coalesce, get, maybe, nullish, own, stringify, to_string, trim, truthy
from .verdict import is_text, read_dtype, reject


def finiteness_fallback(default_path: Any, facts: Facts) -> str | None:
    """Decision E67: the kernel path to fall back to when values stop being finite."""
    if not is_text(default_path):
        return None
    for rule in facts.fallback:
        if rule["match"].get("kernelPathId", trim(default_path)) == trim(default_path):
            value: str | None = rule["value"]
            return value
    return None


def build_kernel_path(steps: list[Any], session: Any, model_id: Any, layers: int, fallback: str | None) -> Any:
    """Decisions E68 to E74: return the kernel path, or None where layer 0 has no steps."""
    activation = maybe(session, "compute", "defaults", "activationDtype")
    if nullish(activation):
        reject("E06", ACTIVATION)
    act = read_dtype(activation, "E06", ACTIVATION)
    cached = read_dtype(coalesce(maybe(session, "kvcache", "kvDtype"), act), "E68", "sessionDefaults.kvcache.kvDtype")
    decode, prefill = (_layer_steps(steps, 0, phase) for phase in ("decode", "prefill"))
    if not decode and not prefill:
        return None
    path: dict[str, Any] = {"id": f"{_name(model_id)}-execution-v0", "activationDtype": act, "kvDtype": cached}
    if fallback:
        path["finitenessFallbackKernelPathId"] = fallback
    path["decode"] = {"steps": decode or prefill}
    path["prefill"] = {"steps": prefill or decode}
    return {**path, **_extras(steps, path, layers)}


def _name(model_id: Any) -> str:
    return to_string(model_id) if truthy(model_id) else "model"


def _runs(step: Any, section: str, phases: tuple[str, ...]) -> bool:
    return step["op"] != "cast" and step["section"] == section and step["phase"] in phases


def _layer_steps(steps: list[Any], layer: int, phase: str) -> list[dict[str, Any]]:
    chosen = (step for step in steps if _runs_raw(step, "layer", (phase, "both")) and _covers(step["layers"], layer))
    return [_path_step(step) for step in chosen]


def _runs_raw(step: Any, section: str, phases: tuple[str, ...]) -> bool:
    named = isinstance(step["section"], str) and isinstance(step["phase"], str)
    return named and _runs(step, section, phases)


def _covers(layers: Any, layer: int) -> bool:
    return layers == "all" or any(layer == index for index in layers)


def _path_step(step: Any) -> dict[str, Any]:
    entry = coalesce(get(step, "entry"), "main")
    extras = {key: step[key] for key in ("weights", "constants") if own(step, key) and truthy(step[key])}
    return {"op": step["op"], "kernel": step["kernel"], "entry": entry, **extras}


def _extras(steps: list[Any], path: dict[str, Any], layers: int) -> dict[str, Any]:
    extras: dict[str, Any] = {"layerOverrides": _overrides(steps, path, layers)}
    every = ("prefill", "decode", "both")
    for section, phases in (("preLayer", every), ("postLayer", every), ("sampling", ("decode", "both"))):
        extras[section] = [_path_step(step) for step in steps if _in_section(step, section, phases)]
    return {key: value for key, value in extras.items() if value}


def _in_section(step: Any, section: str, phases: tuple[str, ...]) -> bool:
    if len(phases) == 3:
        return step["op"] != "cast" and bool(step["section"] == section)
    return _runs_raw(step, section, phases)


def _overrides(steps: list[Any], path: dict[str, Any], layers: int) -> list[dict[str, Any]]:
    base = tuple(stringify(path[phase]["steps"]) for phase in ("decode", "prefill"))
    overrides = []
    for layer in range(layers):
        decode, prefill = (_layer_steps(steps, layer, phase) for phase in ("decode", "prefill"))
        if (decode or prefill) and (stringify(decode), stringify(prefill)) != base:
            overrides.append({"layers": [layer], "steps": decode or prefill})
    return overrides


def check_attention_kernels(path: Any) -> None:
    """Decision E75: an attention kernel's name says which activation and cache dtypes it takes."""
    for step in _all_steps(path):
        kernel = step["kernel"]
        if kernel.startswith("attention") and (path["activationDtype"], path["kvDtype"]) != _wanted(kernel):
            reject("E75")


def _all_steps(path: Any) -> list[Any]:
    steps = [*path["decode"]["steps"], *path["prefill"]["steps"]]
    for section in ("preLayer", "postLayer", "sampling"):
        steps += path.get(section, [])
    for override in path.get("layerOverrides", []):
        steps += override["steps"]
    return steps


def _wanted(kernel: str) -> tuple[str, str]:
    if "_f16kv" in kernel:
        return "f32", "f16"
    return ("f16", "f16") if "_f16" in kernel else ("f32", "f32")
