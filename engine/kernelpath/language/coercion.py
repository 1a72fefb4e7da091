"""Make an expression fit a type: string literals become vocabulary values, ints become floats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kernelpath.language.ast import Binary, Conditional, Convert, Expression, ListLiteral, Literal
from kernelpath.language.types import (
    FLOAT,
    INT,
    STRING,
    ListOf,
    Optional,
    Type,
    Vocabulary,
    fits,
    join,
    required,
)


def coerced(node: Expression, wanted: Type) -> Expression | None:
    """Return the expression as one of type `wanted`, or None if it does not fit."""
    if fits(node.type, wanted):
        return node
    target = required(wanted)
    if isinstance(node, Literal) and type(node.value) is str and isinstance(target, Vocabulary):
        return replace(node, type=Vocabulary(target.name, target.values)) if node.value in target.values else None
    if (node.type, target) == (INT, FLOAT):
        return Convert(node, start=node.start, end=node.end, type=FLOAT)
    return _coerced_inside(node, wanted)


def _coerced_inside(node: Expression, wanted: Type) -> Expression | None:
    target = required(wanted)
    if isinstance(node, ListLiteral) and isinstance(target, ListOf):
        items = [coerced(item, target.element) for item in node.items]
        if any(item is None for item in items):
            return None
        limit = len(node.items)
        return replace(node, items=tuple(item for item in items if item), type=ListOf(target.element, limit))
    if isinstance(node, Conditional):
        then, otherwise = coerced(node.then, wanted), coerced(node.otherwise, wanted)
        return None if then is None or otherwise is None else replace(node, then=then, otherwise=otherwise, type=wanted)
    if isinstance(node, Binary) and node.operator == "??":
        left, right = coerced(node.left, Optional(target)), coerced(node.right, wanted)
        return None if left is None or right is None else replace(node, left=left, right=right, type=wanted)
    return None


def text_literals(node: Expression) -> Iterator[Literal | None]:
    """Yield the string literals that are the value of a node; None where anything else is."""
    if isinstance(node, Literal) and type(node.value) is str:
        yield node
    elif isinstance(node, ListLiteral):
        for item in node.items:
            yield from text_literals(item)
    elif isinstance(node, Conditional):
        yield from text_literals(node.then)
        yield from text_literals(node.otherwise)
    elif isinstance(node, Binary) and node.operator == "??":
        yield from text_literals(node.left)
        yield from text_literals(node.right)
    else:
        yield None


def is_text_literal(node: Expression) -> bool:
    """Return whether a node is made of string literals only, so that a vocabulary decides about its values."""
    return None not in list(text_literals(node)) and required(node.type) == STRING


def strangers(node: Expression, wanted: Type) -> list[tuple[Literal, Vocabulary]]:
    """Return the string literals in a node that the vocabulary in `wanted` does not have."""
    target = required(wanted)
    while isinstance(target, ListOf):
        target = required(target.element)
    if not isinstance(target, Vocabulary):
        return []
    literals = [literal for literal in text_literals(node) if literal is not None and literal.type == STRING]
    return [(literal, target) for literal in literals if literal.value not in target.values]


def join_types(found: Type, given: Type, node: Expression) -> Type | None:
    """Return the type that `found` and `given` join to, where a text literal takes on the vocabulary found."""
    if isinstance(required(found), Vocabulary) and is_text_literal(node) and not strangers(node, found):
        return found
    return join(found, given)


def unified(nodes: tuple[Expression, ...]) -> tuple[tuple[Expression, ...], Type] | tuple[Expression, Expression]:
    """Return the nodes at their common type; or the first two that have none."""
    found: Type | None = None
    for node in sorted(nodes, key=is_text_literal):
        joined = node.type if found is None else join_types(found, node.type, node)
        if joined is None:
            return next(other for other in nodes if join(other.type, node.type) is None), node
        found = joined
    assert found is not None
    fitted = tuple(coerced(node, found) for node in nodes)
    for node, result in zip(nodes, fitted, strict=True):
        if result is None:
            return nodes[0], node
    return tuple(result for result in fitted if result is not None), found
