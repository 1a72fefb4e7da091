"""Built-ins on numbers."""

from __future__ import annotations

import math

from kernelpath.language import arithmetic
from kernelpath.language.builtins.declarations import Failure, builtin
from kernelpath.language.errors import EvaluationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@builtin(
    "min(a: int, b: int) -> int",
    "min(a: float, b: float) -> float",
    doc="The smaller of two numbers; NaN if one of them is.",
    examples=[("min(2, 1)", 1), ("min(2, 1.5)", 1.5)],
)
def min_(a: Any, b: Any) -> Any:
    return a if a != a or a <= b else b


@builtin(
    "max(a: int, b: int) -> int",
    "max(a: float, b: float) -> float",
    doc="The larger of two numbers; NaN if one of them is.",
    examples=[("max(2, 1)", 2), ("max(1, 1.5)", 1.5)],
)
def max_(a: Any, b: Any) -> Any:
    return a if a != a or a >= b else b


@builtin(
    "abs(x: int) -> int",
    "abs(x: float) -> float",
    doc="The number without its sign.",
    examples=[("abs(-3)", 3), ("abs(2.5)", 2.5)],
)
def abs_(x: Any) -> Any:
    return abs(x)


@builtin(
    "ceil_div(a: int, b: int) -> int",
    doc="The quotient rounded up.",
    examples=[("ceil_div(7, 4)", 2), ("ceil_div(8, 4)", 2), ("ceil_div(1, 0)", Failure("division by zero"))],
)
def ceil_div(a: int, b: int) -> int:
    if b == 0:
        raise EvaluationError("division by zero")
    return arithmetic.checked(-(-a // b))


@builtin(
    "floor(x: float) -> int",
    doc="The largest int that is not above the number.",
    examples=[("floor(2.5)", 2), ("floor(-2.5)", -3), ("floor(1e300)", Failure("integer overflow"))],
)
def floor(x: float) -> int:
    return arithmetic.truncated(math.floor(x) if math.isfinite(x) else x)


@builtin(
    "ceil(x: float) -> int",
    doc="The smallest int that is not below the number.",
    examples=[("ceil(2.5)", 3), ("ceil(-2.5)", -2)],
)
def ceil(x: float) -> int:
    return arithmetic.truncated(math.ceil(x) if math.isfinite(x) else x)


@builtin(
    "sqrt(x: float) -> float",
    doc="The square root; NaN for a negative number.",
    examples=[("sqrt(2.25)", 1.5), ("sqrt(9)", 3.0), ("text(sqrt(-1))", "NaN")],
)
def sqrt(x: float) -> float:
    return math.nan if x < 0 else math.sqrt(x)


@builtin(
    "is_power_of_two(x: int) -> bool",
    doc="Whether the int is 1, 2, 4, 8 and so on.",
    examples=[("is_power_of_two(64)", True), ("is_power_of_two(0)", False), ("is_power_of_two(-2)", False)],
)
def is_power_of_two(x: int) -> bool:
    return x > 0 and x & (x - 1) == 0
