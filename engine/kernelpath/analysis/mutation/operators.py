"""Mutation operators on expressions: one small change each, of the kind that an author makes by mistake."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from kernelpath.language import Expression, Vocabulary
from kernelpath.language.ast import (
    Binary,
    Call,
    Comprehension,
    Conditional,
    ListLiteral,
    Literal,
    Logic,
    Quantifier,
    Unary,
)
from kernelpath.language.types import Type, required

_OPERATORS = {
    "==": ("!=",),
    "!=": ("==",),
    "<": ("<=", ">"),
    "<=": ("<", ">"),
    ">": (">=", "<"),
    ">=": (">", "<"),
    "in": ("not in",),
    "not in": ("in",),
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "//": ("*",),
    "%": ("*",),
}


@dataclass(frozen=True, slots=True)
class Change:
    """One change of an expression: its kind, and for the changed node and each around it what stands there now."""

    kind: str
    steps: tuple[tuple[Expression, Expression], ...]

    @property
    def expression(self) -> Expression:
        """The whole changed expression."""
        return self.steps[-1][1]


def changes(node: Expression, near: Type | None = None) -> Iterator[Change]:
    """Yield every change of an expression; `near` is the type that a literal is compared with."""
    for kind, changed in _here(node, near):
        yield Change(kind, ((node, changed),))
    for name, place, child in _children(node):
        if isinstance(node, ListLiteral) and isinstance(child, Literal):
            continue  # an item that is left out is noticed, or not, just as one that is changed
        for change in changes(child, _compared(node)):
            inner = change.expression
            value = getattr(node, name)
            new: Any = inner if place is None else (*value[:place], inner, *value[place + 1 :])
            yield Change(change.kind, (*change.steps, (node, replace(node, **{name: new}))))


def _children(node: Expression) -> Iterator[tuple[str, int | None, Expression]]:
    for each in fields(node):
        value = getattr(node, each.name)
        if isinstance(value, Expression):
            yield each.name, None, value
        elif isinstance(value, tuple):
            yield from ((each.name, place, item) for place, item in enumerate(value) if isinstance(item, Expression))


def _compared(node: Expression) -> Type | None:
    """Return the vocabulary that a node's literals are values of: of the other side, or of the list they are in."""
    if isinstance(node, Binary):
        sides = [required(side.type) for side in (node.left, node.right)]
        return next((side for side in sides if isinstance(side, Vocabulary)), None)
    found = getattr(required(node.type), "element", None) if isinstance(node, ListLiteral) else required(node.type)
    return found if isinstance(found, Vocabulary) else None


def _here(node: Expression, near: Type | None) -> Iterator[tuple[str, Expression]]:
    match node:
        case Literal():
            yield from _literal(node, near)
        case Logic():
            yield "operator", replace(node, operator="or" if node.operator == "and" else "and")
            for place in range(len(node.operands)):
                rest = (*node.operands[:place], *node.operands[place + 1 :])
                yield "operand left out", rest[0] if len(rest) == 1 else replace(node, operands=rest)
        case Binary(operator="??"):
            yield "null default left out", node.left
            yield "null default alone", node.right
        case Binary():
            for operator in _OPERATORS.get(node.operator, ()):
                yield "operator", replace(node, operator=operator)
        case Unary(operator="not"):
            yield "operator", node.operand
        case ListLiteral():
            for place in range(len(node.items)):
                yield "literal", replace(node, items=(*node.items[:place], *node.items[place + 1 :]))
        case Conditional():
            yield "branch", node.then
            yield "branch", node.otherwise
        case Quantifier() if node.kind != "count":
            yield "operator", replace(node, kind="all" if node.kind == "any" else "any")
        case Comprehension() if node.condition is not None:
            yield "condition left out", replace(node, condition=None)
        case Call() if node.function in ("lower", "upper", "trim"):
            yield "call left out", node.arguments[0]


def _literal(node: Literal, near: Type | None) -> Iterator[tuple[str, Expression]]:
    value = node.value
    words = required(node.type) if isinstance(required(node.type), Vocabulary) else near
    if isinstance(value, bool):
        yield "literal", replace(node, value=not value)
    elif isinstance(value, int | float):
        yield "literal", replace(node, value=value + 1)
        yield "literal", replace(node, value=value - 1)
    elif isinstance(value, str) and isinstance(words, Vocabulary):
        others = [word for word in words.values if word != value]
        if others:
            place = words.values.index(value) if value in words.values else 0
            yield "vocabulary value", replace(node, value=others[place % len(others)])
    elif isinstance(value, str):
        yield "literal", replace(node, value=f"{value}~")
