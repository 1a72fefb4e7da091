"""Decisions E76 to E79: the layer pipeline, the session patch, and the trace of every step's fields."""

from __future__ import annotations

from typing import Any

from .flow import PRECISION_FIELDS, Origins
from .javascript import UNDEFINED, clone, get, is_object, maybe, truthy
from .patch import PatchTrace

PIPELINE_OPS = ("save", "load", "conv", "attention", "rmsnorm", "ffn", "residual_add", "cast", "noop")
PIPELINE_EXTRAS = (
    "name", "weight", "residual", "a", "b", "variant", "skipInputNorm", "probeStage", "fromDtype", "toDtype",
)  # fmt: skip
INHERITED = frozenset((
    "__proto__", "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString",
    "valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
))  # fmt: skip
"""Names that every JavaScript object inherits: the reference's trace writes those step ids where nobody reads them."""
BATCHING = ("batchSize", "stopCheckMode", "readbackInterval", "ringTokens", "ringStop", "ringStaging")


def build_pipeline(steps: list[Any]) -> dict[str, Any] | None:
    """Decision E76: the layer steps as a pipeline, or None where it has no words for one of them."""
    chosen = [step for step in steps if step["section"] == "layer"]
    if not chosen or any(step["op"] not in PIPELINE_OPS for step in chosen):
        return None
    return {"steps": [_pipeline_step(step) for step in chosen], "overrides": []}


def _pipeline_step(step: Any) -> dict[str, Any]:
    entry = {key: step[key] for key in ("op", "phase", "src", "dst")}
    entry |= {key: step[key] for key in PIPELINE_EXTRAS if get(step, key) is not UNDEFINED}
    return entry | {key: step["precision"][key] for key in ("inputDtype", "outputDtype")}


def session_patch(session: Any) -> dict[str, Any]:
    """Decision E77: the members of a runtime's inference section that a compiled session sets."""
    defaults = maybe(session, "compute", "defaults")
    values = {key: maybe(defaults, key) for key in PRECISION_FIELDS[1:]}
    patch: dict[str, Any] = {
        "compute": {"activationDtype": maybe(defaults, "activationDtype")},
        "session": {"compute": {"defaults": {key: value for key, value in values.items() if truthy(value)}}},
    }
    if truthy(maybe(session, "kvcache")):
        patch["kvcache"] = clone(session["kvcache"])
    loop = maybe(session, "decodeLoop")
    if truthy(loop):
        patch["batching"] = {key: get(loop, key) for key in BATCHING if get(loop, key) is not UNDEFINED}
        flag = get(loop, "disableCommandBatching")
        if flag is not UNDEFINED:
            patch["generation"] = {"disableCommandBatching": flag is True}
    return patch


def model_overrides(model: Any) -> Any:
    """Decision E78: a copy of the manifest's model section, where it is an object."""
    return clone(model) if is_object(model) else UNDEFINED


def trace_steps(
    steps: list[Any], origins: dict[str, Origins], patched: PatchTrace, session: dict[str, dict[str, str]]
) -> dict[str, dict[str, dict[str, str]]]:
    """Decision E79: for every field of every resolved step, where its value came from."""
    return {
        step["id"]: _trace_step(step, origins[step["id"]], patched, session)
        for step in steps
        if step["id"] not in INHERITED
    }


def _trace_step(
    step: Any, origins: Origins, patched: PatchTrace, session: dict[str, dict[str, str]]
) -> dict[str, dict[str, str]]:
    touched = patched.precision.get(step["id"], frozenset())
    trace = {}
    for name in PRECISION_FIELDS:
        by_patch = name in touched
        path = f"sessionDefaults.compute.defaults.{name}"
        trace[f"precision.{name}"] = {"source": _source(by_patch, origins.precision[name], path, session)}
    if origins.key_value is not None:
        source = _source(step["id"] in patched.key_value, origins.key_value, "sessionDefaults.kvcache.kvDtype", session)
        trace |= {f"kvIO.{name}": {"source": source} for name in ("readDtype", "writeDtype")}
    return trace


def _source(by_patch: bool, origin: str, path: str, session: dict[str, dict[str, str]]) -> str:
    if by_patch:
        return "runtime.patch"
    if origin == "session":
        return session.get(path, {"source": "derived"})["source"]
    return "manifest" if origin == "step" else origin
