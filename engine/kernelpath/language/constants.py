"""Find what has no value, whatever an expression reads: a division by a zero that is written there, and the like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernelpath.language.ast import (
    Binary,
    Call,
    Comprehension,
    Conditional,
    Expression,
    Literal,
    Logic,
    Name,
    Quantifier,
    children,
)
from kernelpath.language.checker import Checked
from kernelpath.language.errors import EvaluationError, Problem
from kernelpath.language.interpreter import interpret

_OPEN = object()
_DIVISIONS = ("/", "//", "%")


def constant_faults(checked: Checked) -> list[Problem]:
    """Return a problem for each part that can be reached and whose evaluation fails on what is written there."""
    finder = _Finder()
    finder.value(checked.expression)
    return finder.problems


class _Finder:
    """Works out constant parts; a part that depends on what is read, or has no value, is open."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def value(self, node: Expression) -> Any:
        if isinstance(node, Literal):
            return node.value
        if isinstance(node, Conditional):
            return self.conditional(node)
        if isinstance(node, Logic):
            return self.logic(node)
        if isinstance(node, Binary) and node.operator == "??":
            left = self.value(node.left)
            return left if left is not None and left is not _OPEN else self.either(left, node.right)
        if isinstance(node, Quantifier | Comprehension):
            return self.loop(node)
        return self.operation(node, [self.value(inner) for inner in children(node)])

    def either(self, left: Any, right: Expression) -> Any:
        value = self.value(right)
        return _OPEN if left is _OPEN else value

    def conditional(self, node: Conditional) -> Any:
        """Look at the branch that is taken, at both if that is open."""
        test = self.value(node.test)
        if test is _OPEN:
            self.value(node.then)
            self.value(node.otherwise)
            return _OPEN
        return self.value(node.then if test else node.otherwise)

    def logic(self, node: Logic) -> Any:
        """Look at the operands up to one that decides."""
        outcome, known = node.operator == "or", True
        for operand in node.operands:
            value = self.value(operand)
            if value is outcome:
                return outcome if known else _OPEN
            known = known and value is not _OPEN
        return not outcome if known else _OPEN

    def loop(self, node: Quantifier | Comprehension) -> Any:
        """Look inside a loop that is entered."""
        source, *inside = children(node)
        items = self.value(source)
        for part in inside if items is _OPEN or items else ():
            self.value(part)
        return _OPEN

    def operation(self, node: Expression, operands: Sequence[Any]) -> Any:
        if isinstance(node, Name) or (isinstance(node, Call) and node.function == "source"):
            return _OPEN
        if any(value is _OPEN for value in operands):
            if _divides_by_zero(node, operands):
                self.fault(node, "division by zero")
            return _OPEN
        try:
            return interpret(Checked(node, node.type, 0, frozenset(), frozenset()), {})
        except EvaluationError as error:
            self.fault(node, error.message)
            return _OPEN

    def fault(self, node: Expression, why: str) -> None:
        self.problems.append(Problem(f"this never has a value: {why}", node.start, node.end))


def _divides_by_zero(node: Expression, operands: Sequence[Any]) -> bool:
    divides = isinstance(node, Binary) and node.operator in _DIVISIONS
    divides = divides or (isinstance(node, Call) and node.function == "ceil_div")
    return divides and operands[1] is not _OPEN and operands[1] == 0
