"""Built-ins on JSON values."""

from __future__ import annotations

from kernelpath.language import arithmetic, json_values, numerals
from kernelpath.language.builtins.declarations import builtin
from kernelpath.language.meter import Meter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_BOX = 'spread(null, ["a"])'


@builtin(
    "is_bool(x: json) -> bool",
    doc="Whether the value is true or false; a test that narrows.",
    examples=[("is_bool(true)", True), ("is_bool(1)", False)],
    python="type({0}) is bool",
    level="compare",
    narrows="bool",
)
def is_bool(x: Any) -> bool:
    return type(x) is bool


@builtin(
    "is_number(x: json) -> bool",
    doc="Whether the value is a number; a test that narrows to float.",
    examples=[("is_number(1.5)", True), ('is_number("1")', False), ("is_number(true)", False)],
    python="type({0}) in (int, float)",
    level="compare",
    narrows="float",
)
def is_number(x: Any) -> bool:
    return type(x) in (int, float)


@builtin(
    "is_integer(x: json) -> bool",
    doc="Whether the value is a finite whole number, `1.0` included; a test that narrows to int.",
    examples=[("is_integer(1.0)", True), ("is_integer(1.5)", False), ("is_integer(true)", False)],
    python="(type({0}) is int and -1e15 < {0:} < 1e15 or _is_integer({0:}))",
    narrows="int",
)
def is_integer(x: Any) -> bool:
    return json_values.is_integer(x)


@builtin(
    "is_string(x: json) -> bool",
    doc="Whether the value is a string; a test that narrows.",
    examples=[('is_string("a")', True), ("is_string(null)", False)],
    python="type({0}) is str",
    level="compare",
    narrows="string",
)
def is_string(x: Any) -> bool:
    return type(x) is str


@builtin(
    "is_list(x: json) -> bool",
    doc="Whether the value is a list; a test that narrows to `list<json>`.",
    examples=[("is_list([])", True), (f"is_list({_BOX})", False)],
    python="isinstance({0}, (list, tuple))",
    narrows="list<json>",
)
def is_list(x: Any) -> bool:
    return json_values.is_list(x)


@builtin(
    "is_object(x: json) -> bool",
    doc="Whether the value is an object; a test that narrows to `map<json>`.",
    examples=[(f"is_object({_BOX})", True), ("is_object([])", False), ("is_object(null)", False)],
    python="type({0}) is dict",
    level="compare",
    narrows="map<json>",
)
def is_object(x: Any) -> bool:
    return type(x) is dict


@builtin(
    "truthy(x: json) -> bool",
    doc='Whether JavaScript takes the value as true: not null, false, 0, NaN or "".',
    examples=[("truthy([])", True), ("truthy(0)", False), ('truthy("")', False), ('truthy("0")', True)],
    python="(type({0}) is dict or _truthy({0:}))",
)
def truthy(x: Any) -> bool:
    return json_values.is_truthy(x)


@builtin(
    "has(x: json, key: string) -> bool",
    doc="Whether the value is an object with this key, even if null stands under it.",
    examples=[(f'has({_BOX}, "0")', True), (f'has({_BOX}, "1")', False), ('has("text", "length")', False)],
    python="type({0}) is dict and {1:} in {0:}",
    level="and",
    narrows="map<json>",
)
def has(x: Any, key: str) -> bool:
    return json_values.has_key(x, key)


@builtin(
    "keys(m: map<T>) -> list<string>",
    doc="The keys of a map: those that are array indexes in ascending order, and then the others as they were written.",
    examples=[("keys(spread(null, [7, 8]))", ["0", "1"])],
    work={0: "wide"},
)
def keys(m: Mapping[str, Any]) -> list[str]:
    return json_values.ordered_keys(m)


@builtin(
    "values(m: map<T>) -> list<T>",
    doc="The values of a map, in the order of its keys.",
    examples=[("values(spread(null, [7, 8]))", [7, 8])],
    work={0: "wide"},
)
def values(m: Mapping[str, Any]) -> list[Any]:
    return [m[key] for key in json_values.ordered_keys(m)]


@builtin(
    "text(x: json) -> string",
    doc="The value as JavaScript's `String` writes it.",
    examples=[
        ("text(1.0)", "1"),
        ("text(1e21)", "1e+21"),
        ("text(null)", "null"),
        ("text([1, null, 2.5])", "1,,2.5"),
        (f"text({_BOX})", "[object Object]"),
    ],
    python="(type({0}) is str and {0:} or _text({0:}))",
    work={0: "deep"},
)
def text(x: Any) -> str:
    return json_values.plain_text(x)


@builtin(
    "number(x: json) -> float",
    doc="The value as JavaScript's `Number` reads it; NaN where it is no number.",
    examples=[
        ("number(null)", 0.0),
        ('number(" 12 ")', 12.0),
        ('number("0x10")', 16.0),
        ("number([5])", 5.0),
        ('text(number("five"))', "NaN"),
    ],
    work={0: "deep"},
)
def number(x: Any) -> float:
    if type(x) in (int, float, bool):
        return arithmetic.as_float(x)
    if x is None:
        return 0.0
    return numerals.text_number(json_values.plain_text(x))


@builtin(
    "canonical(x: json) -> string",
    doc="The value as JavaScript's `JSON.stringify` writes it: array-index keys first, no white space.",
    examples=[("canonical([1.0, null])", "[1,null]"), (f"canonical({_BOX})", '{"0":"a"}')],
    work={0: "deep"},
)
def canonical(x: Any) -> str:
    return json_values.canonical_text(x)


@builtin(
    "at(x: json, path: string) -> json",
    doc="What stands under a dotted path of keys, null where there is nothing.",
    examples=[(f'at({_BOX}, "0")', "a"), (f'at({_BOX}, "0.b")', None)],
    work={1: "wide"},
)
def at(x: Any, path: str) -> Any:
    for name in path.split("."):
        x = json_values.member(x, name)
    return x


@builtin(
    "merge(base: json, over: json) -> json",
    doc="`base` changed by `over`: two objects are merged key by key, and else `over` counts, null included. "
    "A key `__proto__` that `base` lacks is left out, as it is where JavaScript assigns it.",
    examples=[("merge(spread(null, [1, 2]), spread(null, [3]))", {"0": 3, "1": 2}), ("merge(1, null)", None)],
    work={0: "deep", 1: "deep"},
)
def merge(base: Any, over: Any) -> Any:
    return _merge(base, over, 0, json_values.Walk())


def _merge(base: Any, over: Any, depth: int, walk: json_values.Walk) -> Any:
    if type(base) is not dict or type(over) is not dict:
        return over
    walk.enter(base, depth)
    walk.enter(over, depth)
    merged = dict(base)
    for key, value in over.items():
        if key in base:
            merged[key] = _merge(base[key], value, depth + 1, walk)
        elif key != "__proto__":
            merged[key] = value
    return merged


@builtin(
    "spread(a: json, b: json) -> object",
    doc="The object `{...a, ...b}` of JavaScript: the members of `a`, and over them those of `b`.",
    examples=[('spread("ab", ["x"])', {"0": "x", "1": "b"}), ("spread(null, 5)", {})],
    work={0: "wide", 1: "wide", "result": "wide"},
)
def spread(a: Any, b: Any) -> dict[str, Any]:
    return {**_own_members(a), **_own_members(b)}


def _own_members(value: Any) -> Mapping[str, Any]:
    if type(value) is dict:
        return value
    if type(value) is str:
        units = "".join(json_values.taken_apart(value)).encode("utf-16-le", "surrogatepass")
        return {str(at // 2): chr(units[at] | units[at + 1] << 8) for at in range(0, len(units), 2)}
    return {str(at): item for at, item in enumerate(value)} if json_values.is_list(value) else {}


@builtin(
    "without(x: json, paths: list<string>) -> json",
    doc="The value without what stands under the dotted paths, and without objects that became empty by that.",
    examples=[('without(spread("ab", null), ["0", "5.x"])', {"1": "b"}), ('without(7, ["a"])', 7)],
    metered=True,
)
def without(meter: Meter, x: Any, paths: Sequence[str]) -> Any:
    for path in meter.over(paths):
        x = _without(meter, x, path.split("."))
    return x


def _without(meter: Meter, value: Any, names: list[str]) -> Any:
    """Remove one path, copying only the objects along it."""
    trail: list[tuple[dict[str, Any], str]] = []
    for name in names:
        if not json_values.has_key(value, name):
            return trail[0][0] if trail else value
        meter.charge(len(value))
        trail.append((value, name))
        value = value[name]
    rest: Any = {}
    for owner, name in reversed(trail):
        copied = {key: inner for key, inner in owner.items() if key != name or rest}
        if rest:
            copied[name] = rest
        rest = copied
    return rest
