"""Values that have broken programs before, and the places of a request where they may stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import kernelpath as kp
from conformance.recorded import cases, catalog, pack

Call = Callable[[], kp.Result]


def nested(depth: int, wrap: Callable[[Any], Any]) -> Any:
    """Return a value inside so many others."""
    value: Any = 1
    for _ in range(depth):
        value = wrap(value)
    return value


HOSTILE: dict[str, Any] = {
    "lists 5,000 deep": nested(5_000, lambda value: [value]),
    "objects 5,000 deep": nested(5_000, lambda value: {"a": value}),
    "lists 150 deep": nested(150, lambda value: [value]),
    "objects 199 deep": nested(199, lambda value: {"a": value}),
    "objects 201 deep": nested(201, lambda value: {"a": value}),
    "1e21": 1e21,
    "an integer beyond floats": 10**400,
    "a negative integer beyond floats": -(10**400),
    "an integer of 5,000 digits": 10**5_000,
    "2**63": 2**63,
    "not a number": float("nan"),
    "infinity": float("inf"),
    "minus zero": -0.0,
    "a half": 0.5,
    "minus one": -1,
    "true": True,
    "null": None,
    "an empty text": "",
    "half a surrogate pair": "\ud800",
    "__proto__": {"__proto__": {"a": 1}, "constructor": {"prototype": None}},
    "a long text": "x" * 300_000,
    "a long list": [0] * 3_000,
    "a wide object": {str(number): number for number in range(3_000)},
    "a dtype": "f16",
    "a dtype in a list": ["f16"],
    "digits as keys": {"9" * 5_000: 1, "0": 2, "01": 3},
}
SESSION = ("sessionDefaults",)
PROFILE = ("sessionDefaults", "compute", "kernelProfiles", 0)
STEP = ("execution", "steps", 0)
PLACES: list[tuple[str | int, ...]] = [
    ("schema",), ("model",), ("defaultKernelPath",), ("extra",), SESSION, (*SESSION, "compute"), (*SESSION, "extra"),
    (*SESSION, "compute", "defaults"), (*SESSION, "compute", "defaults", "mathDtype"), (*SESSION, "compute", "extra"),
    (*SESSION, "compute", "kernelProfiles"), PROFILE, (*PROFILE, "kernelRef"), (*PROFILE, "kernelRef", "id"),
    (*PROFILE, "kernelRef", "version"), (*PROFILE, "precision"), (*PROFILE, "precision", "mathDtype"),
    (*SESSION, "kvcache"), (*SESSION, "kvcache", "kvDtype"), (*SESSION, "kvcache", "layout"),
    (*SESSION, "decodeLoop"), ("execution",), ("execution", "policies"), ("execution", "policies", "dtypeTransition"),
    ("execution", "steps"), STEP, (*STEP, "precision", "inputDtype"), (*STEP, "kernelRef", "digest"),
    *((*STEP, name) for name in ("id", "op", "kernel", "entry", "kernelRef", "src", "dst", "phase", "section", "layers",
                                 "precision", "kvIO", "constants", "weights", "toDtype", "fromDtype", "name")),
]  # fmt: skip


@cache
def inference() -> dict[str, Any]:
    """Return the inference section of a recorded case that compiles."""
    case = next(c for c in cases("presets") if c["fn"] == "compile" and c["expect"]["ok"] and c["expect"]["value"])
    found: dict[str, Any] = case["options"]["manifestInference"]
    return found


def placed(document: Any, place: tuple[str | int, ...], value: Any) -> Any:
    """Return a document with a value at a place; only the objects along the way are copied."""
    if not place:
        return value
    name, *rest = place
    if isinstance(document, list):
        copied = list(document)
        copied[int(name)] = placed(document[int(name)], tuple(rest), value)
        return copied
    inner = document.get(name) if isinstance(document, dict) else None
    return {**(document if isinstance(document, dict) else {}), name: placed(inner, tuple(rest), value)}


def calls(value: Any) -> Iterator[tuple[str, Call]]:
    """Yield a call of every public function with the value as each of its arguments, and at each of the places."""
    given = {"pack": pack(), "catalog": catalog()}
    good = inference()
    yield "compile", lambda: kp.compile(value, **given)
    yield "compile: runtime", lambda: kp.compile(good, runtime=value, **given)
    yield "compile: num_layers", lambda: kp.compile(good, num_layers=value, **given)
    yield "compile: model_id", lambda: kp.compile(good, model_id=value, **given)
    yield "contract", lambda: kp.contract(value, model_id=value, runtime=value, num_layers=value, **given)
    yield "graph", lambda: kp.graph(value, model_id=value, runtime=value, num_layers=value, **given)
    yield "graph: runtime", lambda: kp.graph(good, runtime=value, **given)
    yield "kernel path", lambda: kp.execution_from_kernel_path(value, **given)
    yield "apply", lambda: kp.apply(value, value, **given)
    yield "apply: config", lambda: kp.apply({"inference": good}, value, **given)
    manifest = {"inference": good, "modelId": value, "architecture": {"numLayers": value}}
    yield "apply: manifest", lambda: kp.apply(manifest, {"inference": {"session": value}, "other": value}, **given)
    yield from _overlays(value)
    for place in PLACES:
        changed = placed(good, place, value)
        yield f"compile {place}", lambda changed=changed: kp.compile(changed, num_layers=3, **given)
        yield f"contract {place}", lambda changed=changed: kp.contract(changed, **given)
        yield f"apply {place}", lambda changed=changed: kp.apply({"inference": changed}, {}, **given)


def _overlays(value: Any) -> Iterator[tuple[str, Call]]:
    given = {"pack": pack(), "catalog": catalog()}
    good = inference()
    for name in ("session", "executionPatch"):
        yield f"runtime.{name}", lambda name=name: kp.compile(good, runtime={name: value}, **given)
    for name in ("kernelPath", "session", "executionPatch", "modelOverrides", "compute", "kvcache"):
        config = {"inference": {name: value}}
        yield f"config.{name}", lambda config=config: kp.apply({"inference": good}, config, **given)
    for name in ("compute", "kvcache", "decodeLoop", "extra"):
        overlay = {"session": {name: value}}
        yield f"session.{name}", lambda overlay=overlay: kp.compile(good, runtime=overlay, **given)
    known = good["execution"]["steps"][0]["id"]
    for kind in ("set", "remove", "add"):
        patches = [value, [value], *([{"id": known, name: value}] for name in PATCHED)]
        for patch in patches:
            overlay = {"executionPatch": {kind: patch}}
            yield f"patch.{kind}", lambda overlay=overlay: kp.compile(good, runtime=overlay, **given)
    path = {"activationDtype": "f16", "preLayer": [{"op": "embed", "kernel": "rmsnorm.wgsl"}]}
    for place in KERNEL_PATH:
        changed = placed(path, place, value)
        yield f"path {place}", lambda changed=changed: kp.execution_from_kernel_path(changed, **given)


PATCHED = ("id", "step", "insertAfter", "insertBefore", "precision", "constants", "entry")
KERNEL_PATH: list[tuple[str | int, ...]] = [
    ("activationDtype",), ("outputDtype",), ("kvDtype",), ("preLayer",), ("decode",), ("prefill",), ("sampling",),
    ("preLayer", 0), *(("preLayer", 0, name) for name in ("op", "kernel", "entry", "weights", "constants")),
]  # fmt: skip
