"""Comparisons of formulas that the candidates of their leaves decide exactly."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from kernelpath.analysis.domain.formulas import Apply, Choice, Constant, Formula, Read, worked_out
from kernelpath.language import Type
from kernelpath.language.ast import Binary
from kernelpath.language.json_values import json_equal
from kernelpath.language.types import BOOL, FLOAT, INT, NULL, STRING, Vocabulary, required

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def same(left: Formula, right: Formula) -> Formula:
    """Return whether two values are equal, where one of them is no list and no object."""
    literals = tuple(side.value for side in (left, right) if isinstance(side, Constant))
    if len(literals) == 2:
        return Constant(worked_out(json_equal, literals))
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Choice):  # branch by branch, few variables meet
            return Choice(one.test, same(one.then, other), same(one.otherwise, other))
    return Apply("==", json_equal, (left, right), literals)


def compared(left: Formula, right: Formula, left_type: Type, right_type: Type) -> Formula | None:
    """Return whether two values are equal, None where both may be lists or objects: the domain keeps only some."""
    constants = [side.value for side in (left, right) if isinstance(side, Constant)]
    if constants:
        return same(left, right) if not any(isinstance(value, list | dict) for value in constants) else None
    if is_scalar(left_type) or is_scalar(right_type):
        return same(left, right)
    return None


def is_scalar(type_: Type) -> bool:
    """Return whether no value of a type is a list or an object."""
    type_ = required(type_)
    return type_ in (BOOL, INT, FLOAT, STRING, NULL) or (isinstance(type_, Vocabulary) and not type_.open)


def order(node: Binary, left: Formula, right: Formula) -> Formula | None:
    """Return an order of two numbers: of one and a literal, or of two that are read as they are."""
    constants = tuple(side.value for side in (left, right) if isinstance(side, Constant))
    numbers = all(required(side.type) in (INT, FLOAT) for side in (node.left, node.right))
    if len(constants) == 2:
        return Constant(worked_out(_ORDER[node.operator], constants))
    whole = all(
        required(side.type) == INT and is_plain(formula) for side, formula in ((node.left, left), (node.right, right))
    )
    if numbers and (constants or whole):
        return Apply("order", _ORDER[node.operator], (left, right), constants)
    return None


def is_plain(formula: Formula) -> bool:
    """Return whether a value is one of a leaf's own, or a literal."""
    if isinstance(formula, Choice):
        return is_plain(formula.then) and is_plain(formula.otherwise)
    return isinstance(formula, Constant | Read)
