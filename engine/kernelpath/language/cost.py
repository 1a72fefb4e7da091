"""The static bound on what an expression may cost: its nodes, and loops times the bound of their lists."""

from __future__ import annotations

from kernelpath.language.ast import Binary, Call, Comprehension, Expression, Quantifier, children
from kernelpath.language.types import ListOf
from kernelpath.language.work import is_searched, operand_work

_FASTER = 100
_OF_ANYTHING = 10
UNBOUNDED = 10_000
"""The length that a list of unknown length is taken to have."""


def cost(node: Expression) -> int:
    """Return the bound, in evaluated nodes."""
    inside = [cost(child) for child in children(node)]
    if isinstance(node, (Quantifier, Comprehension)):
        return 1 + inside[0] + list_bound(node.source) * sum(inside[1:])
    return 1 + _work(node) + sum(inside)


def _work(node: Expression) -> int:
    """Return what an operation costs for what it looks through, which takes less for each item than a loop does."""
    if isinstance(node, Binary) and node.operator in ("in", "not in"):
        return _looked_through(node.right) if is_searched(node) else 0
    if not isinstance(node, Call):
        return 0
    operands = node.arguments if node.function == "index_of" else [node.arguments[at] for at in operand_work(node)]
    return sum(_looked_through(operand) for operand in operands)


def _looked_through(node: Expression) -> int:
    return list_bound(node) // _FASTER if isinstance(node.type, ListOf) else _OF_ANYTHING


def list_bound(node: Expression) -> int:
    """Return the largest length that the list of a loop is taken to have."""
    limit = node.type.limit if isinstance(node.type, ListOf) else None
    return UNBOUNDED if limit is None else limit
