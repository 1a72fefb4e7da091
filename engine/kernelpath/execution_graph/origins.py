"""Say of every member of a merged object which of its layers it came from."""

from __future__ import annotations

from kernelpath.language import EvaluationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MAX_DEPTH = 200
_ABSENT = object()
_MOST_DIGITS = 16  # no list is longer than an index of these can say


def trace(settings: Mapping[str, Any], resolved: Any, **layers: Any) -> Mapping[str, Any]:
    """Return `sources`: for the path of every leaf, the name of the first layer that has something there.

    A leaf is anything but an object; an empty object has none. `settings["layers"]` gives each layer's name in the
    trace, in order; `settings["otherwise"]` is for leaves that none of them has.
    """
    names = [(layers[key], {"source": name}) for key, name in settings["layers"].items()]
    sources: dict[str, Any] = {}
    if isinstance(resolved, dict):
        _leaves(resolved, settings["prefix"], [(layer, name) for layer, name in names], sources, settings, 0)
    return {"sources": sources}


def _leaves(
    value: Mapping[str, Any],
    path: str,
    layers: list[tuple[Any, dict[str, str]]],
    sources: dict[str, Any],
    settings: Mapping[str, Any],
    depth: int,
) -> None:
    if depth > MAX_DEPTH:
        raise EvaluationError(f"nested deeper than {MAX_DEPTH} levels")
    for key, member in value.items():
        below = [(_member(layer, key), name) for layer, name in layers]
        if isinstance(member, dict):
            _leaves(member, f"{path}.{key}", below, sources, settings, depth + 1)
        else:
            found = next((name for layer, name in below if layer is not _ABSENT), {"source": settings["otherwise"]})
            sources[f"{path}.{key}"] = found


def _member(layer: Any, key: str) -> Any:
    """Return a layer's member as JavaScript finds it: of an object by key, of a list or text by index or length."""
    if isinstance(layer, dict):
        return layer.get(key, _ABSENT)
    if isinstance(layer, (list, tuple, str)):
        if key == "length":
            return len(layer)
        index = int(key) if len(key) < _MOST_DIGITS and key.isdecimal() else -1
        return layer[index] if 0 <= index < len(layer) and str(index) == key else _ABSENT
    return _ABSENT


def pick_sources(settings: Mapping[str, Any], sources: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return, for each name of `settings["paths"]`, the source of its path, else `settings["otherwise"]`."""
    nothing = {settings["member"]: settings["otherwise"]}
    return {name: sources.get(path, nothing)[settings["member"]] for name, path in settings["paths"].items()}
