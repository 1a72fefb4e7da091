"""Which operations cost what they look at: the interpreter and the compiler charge the same ones, and only in loops."""

from __future__ import annotations

from kernelpath.language.ast import Binary, Call, Expression, ListLiteral, Literal
from kernelpath.language.builtins import DECLARED
from kernelpath.language.types import BOOL, FLOAT, INT, NULL, ListOf, Record, Vocabulary, is_text, required

DEEP, WIDE = "deep", "wide"
RESULT = "result"
_ORDERED = {"==", "!=", "<", "<=", ">", ">="}


def operand_work(node: Expression) -> dict[int, str]:
    """Return how the operands of a node are charged: by their places, those that are not free."""
    if isinstance(node, Call) and node.function in DECLARED:
        work = DECLARED[node.function].work
        return {
            place: work[place]
            for place, argument in enumerate(node.arguments)
            if place in work and not _is_small(argument)
        }
    if not isinstance(node, Binary) or node.operator not in (*_ORDERED, "+"):
        return {}
    if node.operator == "+":
        return {place: WIDE for place, operand in enumerate((node.left, node.right)) if not _is_small(operand)}
    if _is_small(node.left) or _is_small(node.right):
        return {}
    return {0: WIDE if is_text(required(node.left.type)) else DEEP}


def result_work(node: Expression) -> str | None:
    """Return how the result of a node is charged, None where it is free."""
    return DECLARED[node.function].work.get(RESULT) if isinstance(node, Call) and node.function in DECLARED else None


def is_searched(node: Binary) -> bool:
    """Return whether an `in` looks through items that are not all written there."""
    items = node.right
    return not (isinstance(items, ListLiteral) and all(isinstance(item, Literal) for item in items.items))


def grows(node: Binary) -> bool:
    """Return whether a `+` of texts may double what it is given: one side is often written there."""
    return not isinstance(node.left, Literal) and not isinstance(node.right, Literal)


def is_unlimited(node: Binary) -> bool:
    """Return whether a `+` of lists may be of lists of any length."""
    return any(isinstance(side.type, ListOf) and side.type.limit is None for side in (node.left, node.right))


def _is_small(node: Expression) -> bool:
    """Return whether a value is written there, or of a type whose values are all small."""
    inner = required(node.type)
    closed = isinstance(inner, Vocabulary) and not inner.open
    return isinstance(node, Literal) or closed or isinstance(inner, Record) or inner in (BOOL, INT, FLOAT, NULL)
