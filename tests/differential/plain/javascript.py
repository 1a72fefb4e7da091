"""The few JavaScript operations that the reference's decisions rest on, spelled out in Python.

JSON values are plain Python objects; `UNDEFINED` stands for a missing member. Source: ECMA-262; functions name
their sections.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

WHITE_SPACE = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
"""What String.prototype.trim removes: WhiteSpace and LineTerminator (ECMA-262 12.2 and 12.3)."""

_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)")
_RADIX = re.compile(r"0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Undefined:
    """The one value `undefined`; it is falsy."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Undefined()


class Crash(Exception):
    """The reference would fail here with an uncaught TypeError or RangeError."""


def is_number(value: Any) -> bool:
    """Tell whether `typeof value` is "number"; a bool is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def nullish(value: Any) -> bool:
    """Tell whether a value is null or undefined."""
    return value is None or value is UNDEFINED


def coalesce(*values: Any) -> Any:
    """Return `a ?? b ?? ...`: the first value that is neither null nor undefined, else the last."""
    for value in values:
        if not nullish(value):
            return value
    return values[-1]


def truthy(value: Any) -> bool:
    """Return ToBoolean(value): objects and arrays are always true, even empty ones."""
    if isinstance(value, (dict, list)):
        return True
    if isinstance(value, float) and math.isnan(value):
        return False
    return bool(value)


def is_object(value: Any) -> bool:
    """Tell whether a value is truthy and `typeof value` is "object"; arrays are objects."""
    return isinstance(value, (dict, list))


def is_plain(value: Any) -> bool:
    """Tell whether a value is an object but no array."""
    return isinstance(value, dict)


def get(value: Any, key: str) -> Any:
    """Read `value[key]`; null and undefined crash, other primitives have only the members that JSON can show."""
    if nullish(value):
        raise Crash(f"read {key} of {value}")
    if isinstance(value, dict):
        return value.get(key, UNDEFINED)
    if isinstance(value, (list, str)):
        return _indexed(value, key)
    return UNDEFINED


def _indexed(value: list[Any] | str, key: str) -> Any:
    if key == "length":
        return len(units(value)) if isinstance(value, str) else len(value)
    items = units(value) if isinstance(value, str) else value
    if is_array_index(key) and int(key) < len(items):
        return items[int(key)]
    return UNDEFINED


def maybe(value: Any, *keys: str) -> Any:
    """Read `value?.a?.b`: undefined as soon as a value on the way is null or undefined."""
    for key in keys:
        if nullish(value):
            return UNDEFINED
        value = get(value, key)
    return value


def own(value: Any, key: str) -> bool:
    """Return `Object.prototype.hasOwnProperty.call(value, key)` for values that are not null or undefined."""
    return get(value, key) is not UNDEFINED


def is_integer(value: Any) -> bool:
    """Return Number.isInteger(value): 1.0 is an integer, true and 1e400 are not."""
    if not is_number(value):
        return False
    number = as_double(value)
    return math.isfinite(number) and number == math.floor(number)


def as_double(value: int | float) -> float:
    """Return a JSON number as the double that a JavaScript parser reads."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def trim(text: str) -> str:
    """Return text.trim() (ECMA-262 22.1.3.32)."""
    return text.strip(WHITE_SPACE)


def to_string(value: Any) -> str:
    """Return String(value) for a JSON value (ECMA-262 7.1.17; arrays join with commas, null members as nothing)."""
    if value is UNDEFINED:
        return "undefined"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ",".join("" if nullish(item) else to_string(item) for item in value)
    return "[object Object]" if isinstance(value, dict) else number_text(value)


def number_text(value: int | float) -> str:
    """Return Number::toString in base 10 (ECMA-262 6.1.6.1.20): the shortest digits that read back equal."""
    number = as_double(value)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "0"
    return ("-" if number < 0 else "") + _positive_text(repr(abs(number)))


def _positive_text(shortest: str) -> str:
    mantissa, _, exponent = shortest.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    return _place_point(digits, point)


def _place_point(digits: str, point: int) -> str:
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    exponent = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return digits[0] + ("." + digits[1:] if count > 1 else "") + exponent


def to_number(value: Any) -> float:
    """Return Number(value) for a JSON value (ECMA-262 7.1.4)."""
    if value is UNDEFINED:
        return math.nan
    if value is None:
        return 0.0
    if isinstance(value, (bool, int, float)):
        return as_double(value)
    return _text_to_number(trim(to_string(value)))


def _text_to_number(text: str) -> float:
    if text == "":
        return 0.0
    if text in ("Infinity", "+Infinity"):
        return math.inf
    if text == "-Infinity":
        return -math.inf
    if _RADIX.fullmatch(text):
        return as_double(int(text, 0))
    return float(text) if _DECIMAL.fullmatch(text) else math.nan


def is_array_index(key: str) -> bool:
    """Tell whether a member name is an array index, which JavaScript objects list first."""
    return _ARRAY_INDEX.fullmatch(key) is not None and int(key) < 2**32 - 1


def units(text: str) -> list[str]:
    """Return the UTF-16 code units of a text, as one-unit texts."""
    data = text.encode("utf-16-le", "surrogatepass")
    return [chr(data[i] | data[i + 1] << 8) for i in range(0, len(data), 2)]


def keys(value: Any) -> list[str]:
    """Return Object.keys(value): array indices ascending, then the others in order of insertion."""
    if isinstance(value, dict):
        first = sorted((key for key in value if is_array_index(key)), key=int)
        return [*first, *(key for key in value if not is_array_index(key))]
    if isinstance(value, (list, str)):
        return [str(index) for index in range(len(units(value) if isinstance(value, str) else value))]
    return []


def spread(*values: Any) -> dict[str, Any]:
    """Return `{...a, ...b}`: texts and arrays give index members, other non-objects nothing."""
    result: dict[str, Any] = {}
    for value in values:
        for key in keys(value):
            result[key] = get(value, key)
    return result


def elements(value: Any) -> list[Any]:
    """Return what `for (const x of value)` visits; what cannot be iterated crashes."""
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return list(value)
    raise Crash("not iterable")


def stringify(value: Any) -> str:
    """Return JSON.stringify(value) for a JSON value; undefined members are left out."""
    if isinstance(value, list):
        return "[" + ",".join(stringify(item) for item in value) + "]"
    if isinstance(value, dict):
        shown = (key for key in keys(value) if value[key] is not UNDEFINED)
        return "{" + ",".join(f"{_quote(key)}:{stringify(value[key])}" for key in shown) + "}"
    if isinstance(value, str):
        return _quote(value)
    if is_number(value) and not math.isfinite(as_double(value)):
        return "null"
    return "null" if value is UNDEFINED else to_string(value)


def _quote(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(c, c if c >= " " else f"\\u{ord(c):04x}") for c in text) + '"'


def clone(value: Any, keep: Callable[[Any], bool] = lambda item: item is not UNDEFINED) -> Any:
    """Return a deep copy in which members that `keep` refuses are absent."""
    if isinstance(value, dict):
        return {key: clone(item, keep) for key, item in value.items() if keep(item)}
    if isinstance(value, list):
        return [clone(item, keep) for item in value]
    return value


def strictly_equal(one: Any, other: Any) -> bool:
    """Return `one === other` for JSON primitives: 1 and 1.0 are equal, 1 and true are not."""
    if is_number(one) and is_number(other):
        return as_double(one) == as_double(other)
    return type(one) is type(other) and not is_object(one) and bool(one == other)


def same_json(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are equal: numbers by value, a bool never equals a number, key order is ignored."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return strictly_equal(one, other)
