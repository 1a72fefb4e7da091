"""Fold conditions: which are true or false whatever the input is, by their form and by what stands before them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kernelpath.analysis.lint.knowledge import Facts, Known, bare, comparison
from kernelpath.language import Checked, EvaluationError, Expression, interpret
from kernelpath.language.ast import (
    Binary,
    Call,
    Comprehension,
    Conditional,
    ListLiteral,
    Literal,
    Logic,
    Name,
    Quantifier,
    Unary,
    children,
    walk,
)
from kernelpath.language.types import BOOL, INT, NULL, STRING, Type, Vocabulary, required


def fold(node: Expression, known: Known) -> bool | None:
    """Return the value of a checked condition where it is always the same, else None."""
    if node in known.truths:
        return known.truths[node]
    match node:
        case Literal(value=bool() as value):
            return value
        case Unary(operator="not"):
            inner = fold(node.operand, known)
            return None if inner is None else not inner
        case Logic():
            return _logic(node, known)
        case Conditional():
            return _conditional(node, known)
        case Quantifier(kind="any" | "all"):
            return _quantifier(node, known)
    folded = _comparison(node, known)
    return _constant(node) if folded is None else folded


def _logic(node: Logic, known: Known) -> bool | None:
    decisive = node.operator == "or"
    values = []
    for operand in node.operands:
        value = fold(operand, known)
        if value is decisive:
            return decisive
        values.append(value)
        known = known.assuming(operand, not decisive)
    return None if None in values else not decisive


def _conditional(node: Conditional, known: Known) -> bool | None:
    test = fold(node.test, known)
    then = fold(node.then, known.assuming(node.test, True))
    otherwise = fold(node.otherwise, known.assuming(node.test, False))
    if test is not None:
        return then if test else otherwise
    return then if then == otherwise else None


def _quantifier(node: Quantifier, known: Known) -> bool | None:
    empty = isinstance(node.source, ListLiteral) and not node.source.items
    body = (node.kind == "all") if empty else fold(node.body, known)
    return body if body is (node.kind == "all") else None


def _comparison(node: Expression, known: Known) -> bool | None:
    """Fold a comparison by what is known of its subject: whatever would make it true or false is ruled out."""
    if isinstance(node, Binary) and node.operator in ("==", "!=") and bare(node.left) == bare(node.right):
        return node.operator == "==" if _equals_itself(node.left.type) else None
    for truth in (True, False):
        found = comparison(node, truth)
        if found is not None and _impossible(known.of(found[0]), found[1]):
            return not truth
    return None


def _impossible(before: Facts, wanted: Facts) -> bool:
    return before.both(wanted).contradicts()


def _equals_itself(type_: Type) -> bool:
    """Whether a value of the type is sure to equal itself: NaN, which JSON values may hold, does not."""
    inner = required(type_)
    return inner in (BOOL, INT, STRING, NULL) or (isinstance(inner, Vocabulary) and not inner.open)


def _constant(node: Expression) -> bool | None:
    """Evaluate a condition that reads nothing."""
    inside = list(walk(node))
    if node.type != BOOL or any(isinstance(part, Name | Comprehension | Quantifier) for part in inside):
        return None
    if any(isinstance(part, Call) and part.function == "source" for part in inside):
        return None
    try:
        value = interpret(Checked(node, BOOL, 1, frozenset(), frozenset()), {})
    except EvaluationError:
        return None
    return bool(value)


@dataclass(frozen=True, slots=True)
class Constant:
    """A condition inside an expression that always has one value."""

    node: Expression
    value: bool


def constants(node: Expression, known: Known) -> Iterator[Constant]:
    """Yield the conditions of an expression that are always true or always false, the innermost that say so.

    What comes from a pack function's body is passed over: it was written for all its callers.
    """
    if isinstance(node, Logic):
        yield from _in_logic(node, known)
    elif isinstance(node, Conditional):
        yield from _in_conditional(node, known)
    elif isinstance(node, Unary) and node.operator == "not":
        yield from _here_or_inside(node, known)
    elif isinstance(node, Quantifier | Comprehension):
        yield from _in_loop(node, known)
    else:
        for child in _written(node):
            yield from constants(child, known)


def _written(node: Expression) -> list[Expression]:
    """Return the sub-expressions that were written here: those of a function's body stand where the call stands."""
    return [child for child in children(node) if (child.start, child.end) != (node.start, node.end)]


def condition_constants(node: Expression, known: Known) -> Iterator[Constant]:
    """Yield the constants of a condition, the condition itself included."""
    inside = list(constants(node, known))
    value = None if inside else fold(node, known)
    yield from inside
    if value is not None:
        yield Constant(node, value)


def _here_or_inside(node: Unary, known: Known) -> Iterator[Constant]:
    if node.operand in _written(node):
        yield from condition_constants(node.operand, known)


def _in_logic(node: Logic, known: Known) -> Iterator[Constant]:
    for operand in node.operands:
        if operand in _written(node):
            yield from condition_constants(operand, known)
        known = known.assuming(operand, node.operator == "and")


def _in_conditional(node: Conditional, known: Known) -> Iterator[Constant]:
    if (node.test.start, node.test.end) == (node.start, node.end):
        return
    yield from condition_constants(node.test, known)
    yield from constants(node.then, known.assuming(node.test, True))
    yield from constants(node.otherwise, known.assuming(node.test, False))


def _in_loop(node: Quantifier | Comprehension, known: Known) -> Iterator[Constant]:
    yield from constants(node.source, known)
    if isinstance(node, Quantifier):
        yield from condition_constants(node.body, known)
        return
    if node.condition is not None:
        yield from condition_constants(node.condition, known)
        known = known.assuming(node.condition, True)
    yield from constants(node.value, known)
