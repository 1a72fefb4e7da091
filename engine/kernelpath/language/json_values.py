"""JSON values at run time: equality, lenient access, key order, text.

A list is a Python list or tuple, a map a dict.
"""

from __future__ import annotations

from kernelpath.language.errors import EvaluationError
from kernelpath.language.numerals import number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

MAX_DEPTH = 200
MAX_PIECES = 200_000
MAX_TEXT = 64_000_000
"""Characters of the text of a value."""
MAX_PARTS = 1_000_000
"""Items and members that an operation goes through: a value may hold one part in many places."""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPES |= {chr(code): f"\\u{code:04x}" for code in range(0x20) if chr(code) not in _ESCAPES}
_MAX_ARRAY_INDEX = 2**32 - 2


def too_deep() -> EvaluationError:
    """Return the error for a value nested beyond the limit."""
    return EvaluationError(f"nested deeper than {MAX_DEPTH} levels")


class Walk:
    """Counts the parts of a value that an operation goes through."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_PARTS

    def enter(self, value: Any, depth: int) -> None:
        """Count the parts of a list or a map at a depth, or raise EvaluationError."""
        if depth >= MAX_DEPTH:
            raise too_deep()
        self.left -= len(value)
        if self.left < 0:
            raise EvaluationError(f"a value of over {MAX_PARTS:,} parts")

    def bounded(self, text: str) -> str:
        """Return the text of a part, or raise EvaluationError for one of many megabytes."""
        if len(text) > MAX_TEXT:
            raise EvaluationError(f"a value whose text has over {MAX_TEXT:,} characters")
        return text


def taken_apart(text: str) -> list[str]:
    """Return the characters of a text; a text of many megabytes would make as many values."""
    if len(text) > MAX_PIECES:
        raise EvaluationError(f"a text of over {MAX_PIECES:,} characters is not taken apart")
    return list(text)


def json_equal(left: Any, right: Any) -> bool:
    """Return whether two values are equal as JSON: 1 is 1.0, true is not 1, NaN is not NaN, key order is nothing."""
    if isinstance(left, (list, tuple, dict)):
        return _parts_equal(left, right, 0, Walk())
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


def _parts_equal(left: Any, right: Any, depth: int, walk: Walk) -> bool:
    if isinstance(left, (list, tuple)):
        if not isinstance(right, (list, tuple)) or len(left) != len(right):
            return False
        walk.enter(left, depth)
        return all(_parts_equal(one, other, depth + 1, walk) for one, other in zip(left, right, strict=True))
    if isinstance(left, dict):
        if not isinstance(right, dict) or left.keys() != right.keys():
            return False
        walk.enter(left, depth)
        return all(_parts_equal(value, right[key], depth + 1, walk) for key, value in left.items())
    return json_equal(left, right)


def json_in(value: Any, items: Iterable[Any]) -> bool:
    """Return whether a value equals one of the items, as JSON."""
    return any(json_equal(value, item) for item in items)


def is_integer(value: Any) -> bool:
    """Return whether a JSON value is a whole number that a float can reach, as Number.isInteger has it."""
    if type(value) is float:
        return value.is_integer()
    if type(value) is not int:
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def is_list(value: Any) -> bool:
    """Return whether a value is a list."""
    return isinstance(value, (list, tuple))


def member(value: Any, name: str) -> Any:
    """Return an own member of a JSON object, null where there is none or it is no object."""
    return value.get(name) if type(value) is dict else None


def item(value: Any, index: int) -> Any:
    """Return an item of a list, null where the index is out of range or it is no list."""
    if isinstance(value, (list, tuple)) and 0 <= index < len(value):
        return value[index]
    return None


def element(value: Any, index: Any) -> Any:
    """Return what a JSON value has at a string or int index, null where it has nothing."""
    if type(index) is str:
        return member(value, index)
    return item(value, int(index)) if is_integer(index) else None


def is_truthy(value: Any) -> bool:
    """Return whether JavaScript takes a JSON value as true."""
    if isinstance(value, (list, tuple, dict)):
        return True
    return bool(value) and value == value


def has_key(value: Any, name: str) -> bool:
    """Return whether a JSON value is an object with such an own key."""
    return type(value) is dict and name in value


def ordered_keys(value: Mapping[str, Any]) -> list[str]:
    """Return the keys in JavaScript's order: array indexes ascending, and then the others as they were inserted."""
    keys = list(value)
    if not any(key[:1].isdigit() for key in keys):
        return keys
    indexes = sorted((key for key in keys if _is_array_index(key)), key=int)
    return [*indexes, *(key for key in keys if not _is_array_index(key))]


def _is_array_index(key: str) -> bool:
    if not (key.isascii() and key.isdigit()) or len(key) > 10:
        return False
    return (key == "0" or key[0] != "0") and int(key) <= _MAX_ARRAY_INDEX


def plain_text(value: Any) -> str:
    """Return String(value) of JavaScript."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return _list_text(value, 0, Walk())
    if isinstance(value, dict):
        return "[object Object]"
    return scalar_text(value)


def _list_text(value: Any, depth: int, walk: Walk) -> str:
    walk.enter(value, depth)
    texts = []
    for item in value:
        nested = isinstance(item, (list, tuple))
        texts.append("" if item is None else _list_text(item, depth + 1, walk) if nested else plain_text(item))
    return walk.bounded(",".join(texts))


def scalar_text(value: Any) -> str:
    """Return the text of null, a bool or a number."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value)


def canonical_text(value: Any) -> str:
    """Return JSON.stringify(value) of JavaScript."""
    return _canonical(value, 0, Walk())


def _canonical(value: Any, depth: int, walk: Walk) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (list, tuple, dict)):
        walk.enter(value, depth)
        return walk.bounded(_container_text(value, depth + 1, walk))
    text = scalar_text(value)
    return "null" if text in ("NaN", "Infinity", "-Infinity") else text


def _container_text(value: Any, depth: int, walk: Walk) -> str:
    if isinstance(value, dict):
        members = (f"{_quoted(key)}:{_canonical(value[key], depth, walk)}" for key in ordered_keys(value))
        return "{" + ",".join(members) + "}"
    return "[" + ",".join(_canonical(item, depth, walk) for item in value) + "]"


def _quoted(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(_ESCAPES.get(character) or _unpaired(character) for character in text) + '"'


def _unpaired(character: str) -> str:
    return f"\\u{ord(character):04x}" if "\ud800" <= character <= "\udfff" else character
