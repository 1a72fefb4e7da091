"""Whether some conditions leave nothing out: in every combination of the finite values that they ask of, one holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from kernelpath.language import Expression
from kernelpath.language.ast import Binary, Conditional, ListLiteral, Literal, Logic, Unary
from kernelpath.language.types import BOOL, Optional, Type, Vocabulary, required

Value = str | bool | None
#: Of more combinations nothing is said.
MAX_COMBINATIONS = 10_000
_EQUAL, _AMONG = ("==", "!="), ("in", "not in")


def is_complete(conditions: Sequence[Expression]) -> bool:
    """Return whether one of the conditions holds, whatever the input is; False if that is not known.

    Values of closed vocabularies and truth values are gone through. Any other condition may hold or not.
    """
    subjects = _Subjects()
    for condition in conditions:
        subjects.take(condition)
    domains = list(subjects.domains.values())
    if prod(map(len, domains)) > MAX_COMBINATIONS:
        return False
    combinations = (dict(zip(subjects.domains, values, strict=True)) for values in product(*domains))
    return all(any(_holds(condition, values) for condition in conditions) for values in combinations)


@dataclass(slots=True)
class _Subjects:
    """What conditions ask of, each with all values that it may have."""

    domains: dict[Expression, tuple[Value, ...]] = field(default_factory=dict)

    def take(self, node: Expression) -> None:
        """Take in what a condition asks of."""
        if inside := _inside(node):
            for part in inside:
                self.take(part)
            return
        for subject in _compared(node) or [node]:
            self._add(subject, _values(subject.type) or (False, True))

    def _add(self, subject: Expression, values: Iterable[Value]) -> None:
        """Note the values of a subject; where a test before it narrows its type, it has fewer of them."""
        if not isinstance(subject, Literal):
            self.domains[subject] = tuple(dict.fromkeys([*self.domains.get(subject, ()), *values]))


def _inside(node: Expression) -> tuple[Expression, ...]:
    """Return the conditions that a condition is made of."""
    match node:
        case Logic(operands=operands):
            return operands
        case Unary(operator="not", operand=operand):
            return (operand,)
        case Conditional(test=test, then=then, otherwise=otherwise):
            return (test, then, otherwise)
    return ()


def _compared(node: Expression) -> list[Expression] | None:
    """Return both sides of a comparison of finite values, literals among them; None of any other condition."""
    if not isinstance(node, Binary) or node.operator not in (*_EQUAL, *_AMONG):
        return None
    right = [node.right] if node.operator in _EQUAL else list(getattr(node.right, "items", ()))
    if node.operator in _AMONG and not isinstance(node.right, ListLiteral):
        return None
    sides = [node.left, *right]
    return sides if all(isinstance(side, Literal) or _values(side.type) for side in sides) else None


def _values(type_: Type) -> tuple[Value, ...]:
    """Return all values of a type, none if they are not few."""
    inner, null = required(type_), (None,) if isinstance(type_, Optional) else ()
    if isinstance(inner, Vocabulary) and not inner.open:
        return (*null, *inner.values)
    return (*null, False, True) if inner == BOOL else ()


def _holds(node: Expression, values: Mapping[Expression, Value]) -> bool:
    match node:
        case Logic(operator="and", operands=operands):
            return all(_holds(operand, values) for operand in operands)
        case Logic(operands=operands):
            return any(_holds(operand, values) for operand in operands)
        case Unary(operator="not", operand=operand):
            return not _holds(operand, values)
        case Conditional(test=test, then=then, otherwise=otherwise):
            return _holds(then if _holds(test, values) else otherwise, values)
    if (sides := _compared(node)) is not None:
        left, *others = (_value(side, values) for side in sides)
        among = any(left == other and type(left) is type(other) for other in others)
        return among == (node.operator in ("==", "in"))  # type: ignore[attr-defined]
    return _value(node, values) is True


def _value(node: Expression, values: Mapping[Expression, Value]) -> object:
    return node.value if isinstance(node, Literal) else values[node]
