"""Say of every member of a merged object which of its layers it came from."""

from __future__ import annotations

from kernelpath.language import EvaluationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

MAX_DEPTH = 200
_ABSENT = object()
_DERIVED = {"source": "derived"}
_MOST_DIGITS = 16  # no list is longer than an index of these can say


def trace(merged: Any, layers: Sequence[Any], names: Sequence[str], prefix: str) -> dict[str, Any]:
    """Return, for the path of every leaf, the name of the first layer that has something there.

    A leaf is anything but an object; an empty object has none.
    """
    sources: dict[str, Any] = {}
    named = [(layer, {"source": name}) for layer, name in zip(layers, names, strict=True)]
    if isinstance(merged, dict):
        _leaves(merged, prefix, named, sources, 0)
    return sources


def _leaves(
    value: Mapping[str, Any],
    path: str,
    layers: list[tuple[Any, dict[str, str]]],
    sources: dict[str, Any],
    depth: int,
) -> None:
    if depth > MAX_DEPTH:
        raise EvaluationError(f"nested deeper than {MAX_DEPTH} levels")
    for key, member in value.items():
        below = [(_member(layer, key), name) for layer, name in layers]
        if isinstance(member, dict):
            _leaves(member, f"{path}.{key}", below, sources, depth + 1)
        else:
            found = next((name for layer, name in below if layer is not _ABSENT), dict(_DERIVED))
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
