"""The static bound on what an expression may cost: its nodes, and loops times the bound of their lists."""

from __future__ import annotations

from kernelpath.language.ast import Call, Comprehension, Expression, Quantifier, children
from kernelpath.language.builtins import DECLARED
from kernelpath.language.types import ListOf

UNBOUNDED = 10_000
"""The length that a list of unknown length is taken to have."""


def cost(node: Expression) -> int:
    """Return the bound, in evaluated nodes."""
    inside = [cost(child) for child in children(node)]
    if isinstance(node, (Quantifier, Comprehension)):
        return 1 + inside[0] + list_bound(node.source) * sum(inside[1:])
    own = DECLARED[node.function].cost if isinstance(node, Call) and node.function in DECLARED else 1
    return own + sum(inside)


def list_bound(node: Expression) -> int:
    """Return the largest length that the list of a loop is taken to have."""
    limit = node.type.limit if isinstance(node.type, ListOf) else None
    return UNBOUNDED if limit is None else limit
