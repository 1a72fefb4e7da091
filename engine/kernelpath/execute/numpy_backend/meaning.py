"""Evaluate a family's `meaning`: assignments over logical arrays, in the syntax of the rule language."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from kernelpath.execute.numpy_backend.arrays import BUILTINS, cut
from kernelpath.language import parse
from kernelpath.language.ast import Binary, Call, Conditional, Expression, Literal, Logic, Name, Unary

CONSTANTS = {"infinity": float("inf"), "pi": 3.141592653589793}

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class MeaningError(ValueError):
    """A meaning uses what its language does not have; the text says what."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """`target = value`; where the value is `set_slice(target, ...)`, only a part of the target changes."""

    target: str
    value: Expression

    @property
    def part(self) -> tuple[Expression, Expression, Expression] | None:
        """Return (axis, begin, value) where the assignment replaces a part of its own target."""
        value = self.value
        if isinstance(value, Call) and value.function == "set_slice" and value.arguments[0] == Name(self.target):
            _, axis, begin, inner = value.arguments
            return axis, begin, inner
        return None


@cache
def assignments(meaning: str) -> tuple[Assignment, ...]:
    """Parse a meaning: one assignment a line; a line that starts with white space goes on with the one before."""
    lines: list[str] = []
    for line in meaning.splitlines():
        if line[:1].isspace() and lines:
            lines[-1] += line
        elif line.strip():
            lines.append(line)
    return tuple(_assignment(line) for line in lines)


def _assignment(line: str) -> Assignment:
    target, equals, value = line.partition("=")
    if not equals or not target.strip().isidentifier():
        raise MeaningError(f"`{line}` is no assignment: write `name = expression`")
    return Assignment(target.strip(), parse(value))


def run(meaning: str, names: Mapping[str, Any], store: Callable[[str, Any], Any]) -> dict[str, Any]:
    """Evaluate a meaning and return all names with their new values.

    `names` holds the arrays of bindings and the numbers of dimensions and parameters. `store(target, value)` gives a
    value the precision of the binding that it is assigned to. A part that an assignment replaces is written in place.
    """
    values = dict(CONSTANTS, **names)
    for assignment in assignments(meaning):
        part = assignment.part
        if part is None:
            values[assignment.target] = store(assignment.target, evaluate(assignment.value, values))
            continue
        axis, begin, inner = (evaluate(each, values) for each in part)
        cut(values[assignment.target], axis, begin, begin + inner.shape[axis])[...] = store(assignment.target, inner)
    return values


def evaluate(node: Expression, values: Mapping[str, Any]) -> Any:
    """Evaluate an expression over arrays and numbers; raises MeaningError for what this reading does not have."""
    match node:
        case Literal():
            return node.value
        case Name():
            return _named(node.name, values)
        case Unary():
            operand = evaluate(node.operand, values)
            return -operand if node.operator == "-" else not operand
        case Binary():
            return _binary(node.operator)(evaluate(node.left, values), evaluate(node.right, values))
        case Logic():
            combine = all if node.operator == "and" else any
            return combine(evaluate(operand, values) for operand in node.operands)
        case Conditional():
            return evaluate(node.then if evaluate(node.test, values) else node.otherwise, values)
        case Call():
            return _builtin(node.function)(*(evaluate(argument, values) for argument in node.arguments))
        case _:
            raise MeaningError(f"a meaning has no {type(node).__name__}")


def _named(name: str, values: Mapping[str, Any]) -> Any:
    if name not in values:
        raise MeaningError(f"a meaning reads `{name}`, which is no binding, dimension or parameter")
    return values[name]


def _binary(symbol: str) -> Callable[[Any, Any], Any]:
    if symbol not in _OPERATORS:
        raise MeaningError(f"a meaning has no operator `{symbol}`")
    return _OPERATORS[symbol]


def _builtin(name: str) -> Callable[..., Any]:
    if name not in BUILTINS:
        raise MeaningError(f"a meaning has no built-in `{name}`")
    return BUILTINS[name]
