"""Arithmetic on ints that stay within ±2**63, and on floats as IEEE 754 has them."""

from __future__ import annotations

import math

from kernelpath.language.errors import EvaluationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LIMIT = 2**63


def checked(value: int) -> int:
    """Return an int that is in range, or raise EvaluationError."""
    if -_LIMIT <= value <= _LIMIT:
        return value
    raise EvaluationError("integer overflow")


def add(left: int, right: int) -> int:
    """Return the sum of two ints."""
    return checked(left + right)


def subtract(left: int, right: int) -> int:
    """Return the difference of two ints."""
    return checked(left - right)


def multiply(left: int, right: int) -> int:
    """Return the product of two ints."""
    return checked(left * right)


def negate(value: int) -> int:
    """Return the negative of an int."""
    return checked(-value)


def divide(left: float, right: float) -> float:
    """Return the quotient of two numbers as a float."""
    if right == 0:
        raise EvaluationError("division by zero")
    return as_float(left) / as_float(right)


def floor_divide(left: Any, right: Any) -> Any:
    """Return the quotient rounded down; an int for two ints."""
    if right == 0:
        raise EvaluationError("division by zero")
    result = left // right
    return checked(result) if type(result) is int else result


def remainder(left: Any, right: Any) -> Any:
    """Return what rounding the quotient down leaves, with the sign of `right`; an int for two ints."""
    if right == 0:
        raise EvaluationError("division by zero")
    result = left % right
    return checked(result) if type(result) is int else result


def as_float(value: float) -> float:
    """Return a number as a float; an int beyond the range of floats gives an infinity."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def as_int(value: float) -> int:
    """Return a whole number as an int."""
    return int(value)


def truncated(value: float) -> int:
    """Return a float without its fraction, or raise EvaluationError where that is no int."""
    if not math.isfinite(value):
        raise EvaluationError("not a finite number")
    return checked(int(value))
