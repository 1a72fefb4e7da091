"""Built-ins that take JSON apart and put it together."""

from __future__ import annotations

from kernelpath.language.builtins.declarations import Failure, builtin
from kernelpath.language.errors import EvaluationError
from kernelpath.language.json_values import taken_apart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


@builtin(
    "elements(x: json) -> list<json>",
    doc="The items of a list, the characters of a text; of anything else the empty list.",
    examples=[("elements([1, 2])", [1, 2]), ('elements("ab")', ["a", "b"]), ("elements(null)", [])],
    work={"result": "wide"},
)
def elements(x: Any) -> Sequence[Any]:
    if type(x) in (list, tuple):
        return x  # type: ignore[no-any-return]
    return taken_apart(x) if isinstance(x, str) else []


@builtin(
    "object(x: json) -> object",
    doc="The value itself where it is an object, else an object without members.",
    examples=[('object(member("a", 1))', {"a": 1}), ("object([1])", {}), ("object(null)", {})],
)
def object_(x: Any) -> dict[str, Any]:
    return x if type(x) is dict else {}


@builtin(
    "member(name: string, value: json) -> object",
    doc="The object with this one member; `spread` joins several.",
    examples=[('member("a", 1)', {"a": 1}), ('spread(member("a", 1), member("b", 2))', {"a": 1, "b": 2})],
)
def member(name: str, value: Any) -> dict[str, Any]:
    return {name: value}


@builtin(
    "mapping(keys: list<string>, values: list<T>) -> map<T>",
    doc="The map from each key to the value at its place; of equal keys the last counts.",
    examples=[
        ('mapping(["a", "b"], [1, 2])', {"a": 1, "b": 2}),
        ('mapping(["a", "a"], [1, 2])', {"a": 2}),
        ('mapping(["a"], [1, 2])', Failure("`mapping` needs as many keys as values, and got 1 and 2")),
    ],
    work={0: "wide"},
)
def mapping(keys: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    if len(keys) != len(values):
        raise EvaluationError(f"`mapping` needs as many keys as values, and got {len(keys)} and {len(values)}")
    return dict(zip(keys, values, strict=True))


@builtin(
    "first_positions(xs: list<string>) -> map<int>",
    doc="Where each text stands first in the list, counted from 0.",
    examples=[('first_positions(["a", "b", "a"])', {"a": 0, "b": 1}), ("first_positions([])", {})],
    work={0: "wide"},
)
def first_positions(xs: Sequence[str]) -> dict[str, int]:
    last = len(xs) - 1
    return {xs[place]: place for place in range(last, -1, -1)}


@builtin(
    "omit(m: map<T>, names: list<string>) -> map<T>",
    doc="The map without the members of these names.",
    examples=[('omit(member("a", 1), ["a", "z"])', {}), ('omit(member("a", 1), [])', {"a": 1})],
    work={0: "wide", 1: "wide"},
)
def omit(m: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    dropped = frozenset(names)
    return m if dropped.isdisjoint(m) else {name: value for name, value in m.items() if name not in dropped}
