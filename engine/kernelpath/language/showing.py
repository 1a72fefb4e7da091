"""How a value stands in a message."""

from __future__ import annotations

from kernelpath.language.json_values import canonical_text, is_list, scalar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_OBJECT = 80


def shown(value: Any) -> str:
    """Return the text of a value: strings as they are, lists joined by ", ", objects as JSON cut at 80 characters."""
    if isinstance(value, str):
        return value
    if is_list(value):
        return ", ".join(_cut(canonical_text(item)) if _is_container(item) else shown(item) for item in value)
    if isinstance(value, dict):
        return _cut(canonical_text(value))
    return scalar_text(value)


def _is_container(value: Any) -> bool:
    return isinstance(value, (list, tuple, dict))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_OBJECT else text[: MAX_OBJECT - 1] + "…"
