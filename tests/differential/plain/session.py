"""Decisions E03 to E21 and E46: the session of a manifest, and what a runtime overlay makes of it."""

from __future__ import annotations

from typing import Any

from .javascript import (
    UNDEFINED,
    clone,
    coalesce,
    get,
    is_integer,
    is_object,
    is_plain,
    keys,
    maybe,
    nullish,
    own,
    strictly_equal,
)
from .verdict import normalised, read_dtype, reject

DTYPE_FIELDS = ("activationDtype", "mathDtype", "accumDtype", "outputDtype")
SCHEMA_DTYPES = {"activationDtype": "f16", "mathDtype": "f16", "accumDtype": "f32", "outputDtype": "f16"}
SCHEMA_DEFAULTS = {
    "compute": {"defaults": SCHEMA_DTYPES, "kernelProfiles": []},
    "kvcache": None,
    "decodeLoop": None,
}


def check_session(session: Any) -> None:
    """Decisions E03 to E09, on the manifest's session alone."""
    if not is_plain(session):
        reject("E03")
    _require_plain(session, "compute", "E04", "sessionDefaults")
    compute = session["compute"]
    _require_plain(compute, "defaults", "E05", "sessionDefaults.compute")
    for field in DTYPE_FIELDS:
        _require_dtype(compute["defaults"], field, "E06", "sessionDefaults.compute.defaults")
    if not isinstance(get(compute, "kernelProfiles"), list):
        reject("E07", "sessionDefaults.compute.kernelProfiles")
    _check_cache(session)
    if not own(session, "decodeLoop") or not (session["decodeLoop"] is None or is_plain(session["decodeLoop"])):
        reject("E09", "sessionDefaults.decodeLoop")


def _require_plain(parent: Any, key: str, decision: str, path: str) -> None:
    if not is_plain(get(parent, key)):
        reject(decision, f"{path}.{key}")


def _require_dtype(parent: Any, key: str, decision: str, path: str) -> None:
    if nullish(get(parent, key)):
        reject(decision, f"{path}.{key}")
    read_dtype(parent[key], decision, f"{path}.{key}")


def _check_cache(session: Any) -> None:
    cache = get(session, "kvcache")
    if cache is None:
        return
    if not is_plain(cache):
        reject("E08", "sessionDefaults.kvcache")
    _require_dtype(cache, "kvDtype", "E08", "sessionDefaults.kvcache")


def check_decode_loop(loop: Any) -> None:
    """Decisions E10 to E14, on the manifest's decode loop; null passes."""
    if loop is None:
        return
    _require_count(loop, "batchSize", "E10")
    _require_count(loop, "readbackInterval", "E11")
    _check_stop_mode(loop)
    for key in ("ringTokens", "ringStop", "ringStaging"):
        if own(loop, key):
            _require_count(loop, key, "E13")
    flag = get(loop, "disableCommandBatching")
    if flag is not UNDEFINED and not isinstance(flag, bool):
        reject("E14", "decodeLoop.disableCommandBatching")


def _require_count(loop: Any, key: str, decision: str) -> None:
    value = get(loop, key)
    if not is_integer(value) or value < 1:
        reject(decision, f"decodeLoop.{key}")


def _check_stop_mode(loop: Any) -> None:
    if normalised(get(loop, "stopCheckMode")) not in ("batch", "per-token"):
        reject("E12", "decodeLoop.stopCheckMode")


def check_overlay(overlay: Any) -> None:
    """Decision E15: an overlay that is an object has no members but session and executionPatch."""
    if is_object(overlay) and any(key not in ("session", "executionPatch") for key in keys(overlay)):
        reject("E15")


def resolve_session(manifest: Any, overlay: Any) -> Any:
    """Decisions E17 to E21: lay the overlay's session over the manifest's, over the schema's defaults."""
    runtime = coalesce(maybe(overlay, "session"), {})
    if is_object(runtime):
        runtime = _strip(clone(runtime), manifest)
    return merge(merge(SCHEMA_DEFAULTS, manifest), runtime)


def _strip(runtime: Any, manifest: Any) -> Any:
    if not is_plain(runtime):
        return runtime
    if is_plain(runtime.get("compute")):
        _strip_compute(runtime["compute"], manifest["compute"])
        if not runtime["compute"]:
            del runtime["compute"]
    for key in ("kvcache", "decodeLoop"):
        if runtime.get(key, UNDEFINED) is None and manifest[key] is not None:
            del runtime[key]
    return runtime


def _strip_compute(compute: Any, manifest: Any) -> None:
    defaults = compute.get("defaults")
    if is_plain(defaults):
        for field in DTYPE_FIELDS:
            if strictly_equal(defaults.get(field), SCHEMA_DTYPES[field]) and not nullish(manifest["defaults"][field]):
                del defaults[field]
        if not defaults:
            del compute["defaults"]
    if compute.get("kernelProfiles") == [] and manifest["kernelProfiles"]:
        del compute["kernelProfiles"]


def merge(base: Any, over: Any) -> Any:
    """Decision E21: undefined keeps, null replaces, plain objects recurse, everything else replaces."""
    if over is UNDEFINED:
        return clone(base)
    if not (is_plain(base) and is_plain(over)):
        return clone(over)
    result = clone(base)
    for key in over:
        if key in base or key != "__proto__":  # an assignment to `__proto__` makes no member, but changes one
            result[key] = merge(base.get(key, UNDEFINED), over[key])
    return result


def trace_session(resolved: Any, manifest: Any, overlay: Any) -> dict[str, dict[str, str]]:
    """Decision E46: for every leaf of the resolved session, where its value came from."""
    runtime = maybe(overlay, "session")
    return {
        ".".join(["sessionDefaults", *path]): {"source": _origin(path, manifest, runtime)}
        for path in _leaves(resolved, [])
    }


def _leaves(value: Any, path: list[str]) -> list[list[str]]:
    if not is_plain(value):
        return [path] if path else []
    return [leaf for key, item in value.items() for leaf in _leaves(item, [*path, key])]


def _origin(path: list[str], manifest: Any, runtime: Any) -> str:
    if maybe(runtime, *path) is not UNDEFINED:
        return "runtime.session"
    return "manifest" if maybe(manifest, *path) is not UNDEFINED else "derived"
