"""Values as JSON text."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_DEPTH = 300
MAX_PARTS = 5_000_000
_INFINITE = "\ue000infinite\ue000"  # stands for a number beyond all doubles while the text is made


def json_text(value: Any) -> str:
    """Return a value as indented JSON with a line break at its end, its members in their order.

    A number that JSON text can hold and a double cannot, such as `1e400`, is infinite here; it is written as `1e999`.
    Raises InputErrors for a value that a pack made without end: one that holds another twice, that again one twice.
    """
    _refuse_endless(value)
    return _text(value, indent=2)


def json_line(value: Any) -> str:
    """Return a value as JSON in one line with a line break at its end; as for the rest see `json_text`."""
    _refuse_endless(value)
    return _text(value, separators=(",", ":"))


def _text(value: Any, **layout: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False, **layout) + "\n"
    except ValueError:
        text = json.dumps(_marked(value), **layout)
        return text.replace(json.dumps("-" + _INFINITE), "-1e999").replace(json.dumps(_INFINITE), "1e999") + "\n"


def _refuse_endless(value: Any) -> None:
    """Refuse a value that is nested too deep, or whose text would fill the memory."""
    from kernelpath.cli.inputs import unusable

    level, depth, parts = [value], 0, 0
    while level and depth <= MAX_DEPTH and parts <= MAX_PARTS:
        depth += 1
        inside: list[Any] = []
        for held in level:
            if isinstance(held, (list, tuple, dict)):
                parts += len(held)
                inside.extend(held.values() if isinstance(held, dict) else held)
            if parts > MAX_PARTS:
                break
        level = inside
    if depth > MAX_DEPTH:
        raise unusable("pack/answer", f"the answer is nested over {MAX_DEPTH} levels deep")
    if parts > MAX_PARTS:
        raise unusable("pack/answer", f"the answer has over {MAX_PARTS:,} parts")


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _marked(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_marked(item) for item in value]
    if value == float("inf"):
        return _INFINITE
    return "-" + _INFINITE if value == float("-inf") else value
