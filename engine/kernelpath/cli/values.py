"""Values as JSON text."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_INFINITE = "\ue000infinite\ue000"  # stands for a number beyond all doubles while the text is made


def json_text(value: Any) -> str:
    """Return a value as indented JSON with a line break at its end, its members in their order.

    A number that JSON text can hold and a double cannot, such as `1e400`, is infinite here; it is written as `1e999`.
    """
    try:
        return json.dumps(value, indent=2, allow_nan=False) + "\n"
    except ValueError:
        text = json.dumps(_marked(value), indent=2)
        return text.replace(json.dumps("-" + _INFINITE), "-1e999").replace(json.dumps(_INFINITE), "1e999") + "\n"


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _marked(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_marked(item) for item in value]
    if value == float("inf"):
        return _INFINITE
    return "-" + _INFINITE if value == float("-inf") else value
