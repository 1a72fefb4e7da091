"""Built-ins on lists."""

from __future__ import annotations

from kernelpath.language import arithmetic
from kernelpath.language.builtins.declarations import Failure, builtin
from kernelpath.language.meter import Meter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


@builtin(
    "duplicates(xs: list<string>) -> list<string>",
    doc="The values that occur more than once, each once, in the order in which they first occur again.",
    examples=[('duplicates(["a", "b", "b", "a", "b"])', ["b", "a"]), ('duplicates(["a"])', [])],
    work={0: "deep"},
)
def duplicates(xs: Sequence[str]) -> list[str]:
    seen: set[str] = set()
    again: dict[str, None] = {}
    for x in xs:
        if x in seen:
            again[x] = None
        seen.add(x)
    return list(again)


@builtin(
    "unique(xs: list<T>) -> list<T>",
    doc="The items without those that equal an earlier one. Comparing lists and objects counts against the budget.",
    examples=[('unique(["b", "a", "b"])', ["b", "a"]), ("unique([[1], [2], [1]])", [[1], [2]])],
    metered=True,
    work={0: "deep"},
)
def unique(meter: Meter, xs: Sequence[Any]) -> list[Any]:
    seen: set[tuple[bool, Any]] = set()
    containers: list[Any] = []
    kept = []
    for x in xs:
        if type(x) in (list, tuple, dict):
            new = not meter.found_in(x, containers)
            containers.extend([x] if new else [])
        else:
            key = (isinstance(x, bool), x)
            new = x != x or key not in seen
            seen.add(key)
        kept.extend([x] if new else [])
    return kept


@builtin(
    "index_of(xs: list<T>, x: T) -> int?",
    doc="The place of the first item that equals `x`, counted from 0; null where there is none.",
    examples=[('index_of(["a", "b"], "b")', 1), ('index_of(["a"], "z")', None)],
    metered=True,
)
def index_of(meter: Meter, xs: Sequence[Any], x: Any) -> int | None:
    return meter.place_in(xs, x)


@builtin(
    "sorted(xs: list<string>) -> list<string>",
    "sorted(xs: list<int>) -> list<int>",
    "sorted(xs: list<float>) -> list<float>",
    doc="The items in ascending order: strings by code points, NaN last.",
    examples=[('sorted(["b", "B", "a"])', ["B", "a", "b"]), ("sorted([3, 1, 2])", [1, 2, 3])],
    work={0: "deep"},
)
def sorted_(xs: Sequence[Any]) -> list[Any]:
    return sorted(xs, key=lambda x: (x != x, x))


@builtin(
    "sum(xs: list<int>) -> int",
    "sum(xs: list<float>) -> float",
    doc="The sum of the numbers, added from left to right; 0 for an empty list.",
    examples=[("sum([1, 2, 3])", 6), ("sum([])", 0), ("sum([9223372036854775807, 2])", Failure("integer overflow"))],
    work={0: "wide"},
)
def sum_(xs: Sequence[Any]) -> Any:
    total: Any = 0
    for x in xs:
        total = total + x
        if type(total) is int:
            arithmetic.checked(total)
    return total


@builtin(
    "range(n: int) -> list<int>",
    doc="The ints from 0 up to, but without, `n`. They count against the budget.",
    examples=[
        ("range(3)", [0, 1, 2]),
        ("range(-1)", []),
        ("range(1000001)", Failure("the budget of 1,000,000 steps is spent")),
    ],
    metered=True,
)
def range_(meter: Meter, n: int) -> list[int]:
    meter.charge(max(n, 0))
    return list(range(n))


@builtin(
    "first(xs: list<T>) -> T?",
    doc="The first item, null for an empty list.",
    examples=[("first([7, 8])", 7), ("first([])", None)],
)
def first(xs: Sequence[Any]) -> Any:
    return xs[0] if xs else None


@builtin(
    "last(xs: list<T>) -> T?",
    doc="The last item, null for an empty list.",
    examples=[("last([7, 8])", 8), ("last([])", None)],
)
def last(xs: Sequence[Any]) -> Any:
    return xs[-1] if xs else None
