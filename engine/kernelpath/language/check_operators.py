"""Check operators and list literals."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernelpath.language import wording
from kernelpath.language.ast import Binary, Convert, Expression, ListLiteral, Literal, Unary, is_written_out
from kernelpath.language.coercion import coerced, is_text_literal, strangers, unified
from kernelpath.language.narrowing import Scope
from kernelpath.language.types import (
    BOOL,
    FLOAT,
    INT,
    JSON,
    NOTHING,
    NULL,
    STRING,
    UNKNOWN,
    ListOf,
    MapOf,
    Optional,
    Type,
    Vocabulary,
    is_json_like,
    is_number,
    is_open,
    is_text,
    join,
    required,
)
from kernelpath.language.unparser import unparse

if TYPE_CHECKING:
    from kernelpath.language.checker import Checker


def check_binary(checker: Checker, node: Binary, scope: Scope) -> Expression:
    """Check an operator with two operands."""
    left = checker.check(node.left, scope)
    if node.operator in ("in", "not in"):
        right = _check_container(checker, node.right, left, scope)
    else:
        right = checker.check(node.right, scope)
    node = replace(node, left=left, right=right)
    if node.operator == "??":
        return _check_default(checker, node)
    if node.operator in ("in", "not in"):
        return _check_membership(checker, node)
    if node.operator in ("==", "!="):
        return _check_equality(checker, node)
    return _check_order(checker, node) if node.operator in ("<", "<=", ">", ">=") else _check_arithmetic(checker, node)


def _check_container(checker: Checker, node: Expression, left: Expression, scope: Scope) -> Expression:
    if isinstance(node, ListLiteral):
        return check_list(checker, node, scope, mixed=is_open(required(left.type)))
    return checker.check(node, scope)


def check_list(checker: Checker, node: ListLiteral, scope: Scope, mixed: bool = False) -> Expression:
    """Check a list literal; its items must be of one type, or any JSON where `mixed`."""
    items = tuple(checker.check(item, scope) for item in node.items)
    if not items:
        return replace(node, type=ListOf(NOTHING, 0))
    named = next((item for item in items if isinstance(required(item.type), Vocabulary)), None)
    foreign = [named and _strangers(checker, item, named) for item in items if is_text_literal(item)]
    if named is not None and True in foreign:
        return replace(node, items=items, type=ListOf(named.type, len(items)))
    joined = unified(items)
    if not isinstance(joined[0], Expression):
        assert isinstance(joined[1], Type)
        return replace(node, items=joined[0], type=ListOf(joined[1], len(items)))
    if mixed and all(is_json_like(item.type) for item in items):
        return replace(node, items=items, type=ListOf(JSON, len(items)))
    first, second = joined[0], joined[1]
    assert isinstance(second, Expression)
    checker.problem(second, wording.no_common_type(str(first.type), str(second.type), "the items of a list"))
    return replace(node, items=items, type=ListOf(UNKNOWN, len(items)))


def _check_default(checker: Checker, node: Binary) -> Expression:
    left, right = node.left, node.right
    if UNKNOWN in (left.type, right.type):
        return replace(node, type=UNKNOWN)
    if not _holds_null(left.type):
        if is_written_out(node, left) or is_written_out(node, right):
            return left
        return checker.failed(node, wording.needless_default(unparse(left)))
    present = NOTHING if left.type == NULL else required(left.type)
    joined = unified((replace(left, type=present), right))
    if isinstance(joined[0], Expression):
        words = wording.no_common_type(str(present), str(right.type), "the sides of `??`")
        return checker.failed(node, words)
    assert isinstance(joined[1], Type)
    if present == INT and joined[1] == FLOAT:
        return checker.failed(node, wording.no_common_type("int", "float", "the sides of `??`"))
    return replace(node, right=joined[0][1], type=joined[1])


def _strangers(checker: Checker, literal: Expression, other: Expression) -> bool:
    """Report the string literals that the vocabulary of the other side does not have."""
    found = strangers(literal, other.type)
    for stranger, vocabulary in found:
        checker.problem(stranger, wording.not_a_value(str(stranger.value), vocabulary.name, vocabulary.values))
    return bool(found)


def _vocabulary_of(type_: Type) -> Vocabulary | None:
    inner = required(type_)
    while isinstance(inner, ListOf):
        inner = required(inner.element)
    return inner if isinstance(inner, Vocabulary) else None


def _named(checker: Checker, node: Binary) -> Binary | None:
    """Give string literals the vocabulary of the other side; None if they are none of its values."""
    left, right = node.left, node.right
    for literal, other in ((left, right), (right, left)):
        vocabulary = _vocabulary_of(other.type)
        if vocabulary is None or not is_text_literal_or_list(literal):
            continue
        if _strangers(checker, literal, replace(other, type=vocabulary)):
            return None
        closed = Vocabulary(vocabulary.name, vocabulary.values)
        named = coerced(literal, ListOf(closed) if isinstance(literal.type, ListOf) else closed) or literal
        return replace(node, left=named) if literal is left else replace(node, right=named)
    return node


def is_text_literal_or_list(node: Expression) -> bool:
    """Return whether a node is a string literal, or a list of nothing else."""
    if isinstance(node, ListLiteral):
        return bool(node.items) and all(is_text_literal(item) for item in node.items)
    return is_text_literal(node)


def _check_membership(checker: Checker, node: Binary) -> Expression:
    left, right = node.left, node.right
    if isinstance(right.type, Optional) and isinstance(right.type.inner, ListOf):
        return checker.failed(node, wording.maybe_null(unparse(right), str(right.type)))
    if not isinstance(right.type, ListOf):
        if right.type != UNKNOWN:
            checker.problem(right, wording.not_a_list(str(right.type), f"`{node.operator}`"))
        return replace(node, type=BOOL)
    named = _named(checker, node)
    if named is not None and not comparable(left.type, right.type.element):
        checker.problem(node, wording.never_equal(str(left.type), str(right.type.element)))
    return replace(_unconverted(named or node), type=BOOL)


def _check_equality(checker: Checker, node: Binary) -> Expression:
    left, right = node.left, node.right
    named = _named(checker, node)
    if named is None:
        return replace(node, type=BOOL)
    for one, other in ((left, right), (right, left)):
        if other.type == NULL and not _holds_null(one.type):
            if is_written_out(node, other):
                return Literal(node.operator == "!=", start=node.start, end=node.end, type=BOOL)
            return replace(checker.failed(node, wording.never_null(unparse(one))), type=BOOL)
    if not comparable(left.type, right.type):
        checker.problem(node, wording.never_equal(str(left.type), str(right.type)))
    return replace(_unconverted(named), type=BOOL)


def _holds_null(type_: Type) -> bool:
    return isinstance(type_, Optional) or is_open(type_) or type_ in (NULL, UNKNOWN)


def comparable(left: Type, right: Type) -> bool:
    """Return whether values of the two types can be equal."""
    left, right = required(left), required(right)
    if UNKNOWN in (left, right) or NOTHING in (left, right) or NULL in (left, right):
        return True
    if is_open(left) or is_open(right):
        return is_json_like(left) and is_json_like(right)
    if isinstance(left, Vocabulary) and isinstance(right, Vocabulary):
        return left.name == right.name or bool(set(left.values) & set(right.values))
    if isinstance(left, ListOf) and isinstance(right, ListOf):
        return comparable(left.element, right.element)
    if isinstance(left, MapOf) and isinstance(right, MapOf):
        return comparable(left.value, right.value)
    return left == right or (is_text(left) and is_text(right)) or (is_number(left) and is_number(right))


def _unconverted(node: Binary) -> Binary:
    """Compare numbers as they are: an int and a float have an exact order, so neither is converted."""
    return replace(node, left=_unconverted_side(node.left), right=_unconverted_side(node.right))


def _unconverted_side(node: Expression) -> Expression:
    if not isinstance(node, Convert):
        return node
    inner = node.operand
    return inner if inner.type == INT else replace(inner, type=node.type)


def _check_order(checker: Checker, node: Binary) -> Expression:
    left, right = node.left, node.right
    if UNKNOWN in (left.type, right.type):
        return replace(node, type=BOOL)
    if (is_number(left.type) and is_number(right.type)) or (is_text(left.type) and is_text(right.type)):
        return replace(_unconverted(node), type=BOOL)
    return _cannot(checker, node)


def _cannot(checker: Checker, node: Binary) -> Expression:
    """Report that an operator does not take its operands: because of null, or because of their types."""
    for side, other in ((node.left, node.right), (node.right, node.left)):
        inner = required(side.type)
        both = is_number(inner) and is_number(required(other.type))
        if isinstance(side.type, Optional) and (both or inner == required(other.type)):
            checker.problem(side, wording.maybe_null(unparse(side), str(side.type)))
            return replace(node, type=UNKNOWN)
    return checker.failed(node, wording.cannot_operate(node.operator, str(node.left.type), str(node.right.type)))


def check_negation(checker: Checker, node: Unary, scope: Scope) -> Expression:
    """Check `-x`."""
    operand = checker.check(node.operand, scope)
    node = replace(node, operand=operand, type=operand.type)
    if operand.type == UNKNOWN or is_number(operand.type):
        return node
    if isinstance(operand.type, Optional) and is_number(operand.type.inner):
        return checker.failed(node, wording.maybe_null(unparse(operand), str(operand.type)))
    return checker.failed(node, wording.cannot_negate(str(operand.type)))


def _check_arithmetic(checker: Checker, node: Binary) -> Expression:
    left, right = node.left, node.right
    if UNKNOWN in (left.type, right.type):
        return replace(node, type=UNKNOWN)
    if is_number(left.type) and is_number(right.type):
        type_ = INT if left.type == right.type == INT and node.operator != "/" else FLOAT
        return replace(node, left=coerced(left, type_) or left, right=coerced(right, type_) or right, type=type_)
    if node.operator == "+" and is_text(left.type) and is_text(right.type):
        return replace(node, type=STRING)
    if node.operator == "+" and isinstance(left.type, ListOf) and isinstance(right.type, ListOf):
        return _check_concatenation(checker, node, left.type, right.type)
    return _cannot(checker, node)


def _check_concatenation(checker: Checker, node: Binary, left: ListOf, right: ListOf) -> Expression:
    joined = unified((node.left, node.right))
    if isinstance(joined[0], Expression):
        return _cannot(checker, node)
    type_ = join(left, right) or joined[1]
    assert isinstance(joined[1], ListOf)
    limit = None if left.limit is None or right.limit is None else left.limit + right.limit
    element = type_.element if isinstance(type_, ListOf) else joined[1].element
    return replace(node, left=joined[0][0], right=joined[0][1], type=ListOf(element, limit))
