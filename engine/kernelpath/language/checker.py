"""Give every node of an expression its type, and report what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kernelpath.language import wording
from kernelpath.language.ast import (
    Binary,
    Call,
    Comprehension,
    Conditional,
    Expression,
    Index,
    ListLiteral,
    Literal,
    Logic,
    Member,
    Name,
    Quantifier,
    Unary,
    walk,
)
from kernelpath.language.check_access import check_index, check_member, check_name
from kernelpath.language.check_calls import check_call
from kernelpath.language.check_operators import check_binary, check_list, check_negation
from kernelpath.language.coercion import coerced, strangers, unified
from kernelpath.language.cost import cost
from kernelpath.language.errors import LanguageErrors, Problem
from kernelpath.language.narrowing import Scope, facts
from kernelpath.language.types import (
    BOOL,
    FLOAT,
    INT,
    NULL,
    STRING,
    UNKNOWN,
    ListOf,
    Optional,
    Type,
    Vocabulary,
    fits,
    required,
)
from kernelpath.language.unparser import unparse


@dataclass(frozen=True)
class Names:
    """What an expression may name: variables, vocabularies (each is also a function), resolved variables, libraries.

    The built-ins of all libraries may be called if `libraries` is None.
    """

    variables: Mapping[str, Type] = field(default_factory=dict)
    vocabularies: Mapping[str, Vocabulary] = field(default_factory=dict)
    resolved: frozenset[str] = frozenset()
    libraries: frozenset[str] | None = None


@dataclass(frozen=True)
class Checked:
    """A well-typed expression: typed nodes, the static bound on its cost, and what it reads."""

    expression: Expression
    type: Type
    cost: int
    variables: frozenset[str]
    sources: frozenset[str]


def check(expression: Expression, names: Names, expected: Type | None = None, given: Sequence[Checked] = ()) -> Checked:
    """Return the expression with its types; raise LanguageErrors with all its problems.

    `expected` is the type that it must have, and `given` are conditions that are true wherever it is evaluated.
    """
    checker = Checker(names)
    scope = Scope(dict(names.variables))
    for condition in given:
        scope = scope.knowing(facts(condition.expression, True))
    typed = checker.check(expression, scope)
    if expected is not None:
        typed = checker.needed(typed, expected)
    if checker.problems:
        raise LanguageErrors(sorted(checker.problems, key=lambda problem: (problem.start, problem.end)))
    return _summary(typed, names)


def _summary(typed: Expression, names: Names) -> Checked:
    inside = list(walk(typed))
    sources = {node.arguments[0] for node in inside if isinstance(node, Call) and node.function == "source"}
    read = {node.name for node in inside if isinstance(node, Name) and not any(node is source for source in sources)}
    named = frozenset(node.name for node in sources if isinstance(node, Name))
    return Checked(typed, typed.type, cost(typed), frozenset(read & set(names.variables)), named)


class Checker:
    """Collects the problems of one expression while its nodes get their types."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.problems: list[Problem] = []

    def check(self, node: Expression, scope: Scope) -> Expression:
        """Return the node with its type; `unknown` where it has a problem."""
        return _CHECKS[type(node)](self, node, scope)

    def problem(self, node: Expression, words: wording.Wording) -> None:
        """Report a mistake at a node."""
        self.problems.append(Problem(words[0], node.start, node.end, words[1]))

    def failed(self, node: Expression, words: wording.Wording) -> Expression:
        """Report a mistake at a node, and return it without a type."""
        self.problem(node, words)
        return replace(node, type=UNKNOWN)

    def needed(self, node: Expression, wanted: Type) -> Expression:
        """Return a checked node as one of type `wanted`, or report that it is none."""
        fitted = coerced(node, wanted)
        if fitted is not None:
            return fitted
        self.misfit(node, wanted)
        return replace(node, type=UNKNOWN)

    def misfit(self, node: Expression, wanted: Type) -> None:
        """Report why a checked node does not fit a type."""
        foreign = strangers(node, wanted)
        for literal, vocabulary in foreign:
            self.problem(literal, wording.not_a_value(str(literal.value), vocabulary.name, vocabulary.values))
        if foreign:
            return
        if isinstance(node.type, Optional) and fits(node.type.inner, required(wanted)):
            self.problem(node, wording.maybe_null(unparse(node), str(node.type), str(wanted)))
        else:
            self.problem(node, wording.wrong_type(str(node.type), str(wanted)))

    def condition(self, node: Expression, scope: Scope) -> Expression:
        """Check a node that must be boolean."""
        return self.needed(self.check(node, scope), BOOL)

    def loop_source(self, node: Expression, scope: Scope, place: str) -> tuple[Expression, Type]:
        """Check the list of a loop; return it and the type of its items."""
        source = self.check(node, scope)
        if isinstance(source.type, ListOf):
            return source, source.type.element
        if source.type != UNKNOWN:
            optional_list = isinstance(source.type, Optional) and isinstance(source.type.inner, ListOf)
            maybe = wording.maybe_null(unparse(source), str(source.type))
            self.problem(source, maybe if optional_list else wording.not_a_list(str(source.type), place))
        return source, UNKNOWN

    def loop_scope(self, node: Quantifier | Comprehension, item: Type, scope: Scope) -> Scope:
        """Return the scope inside a loop; its variable must be new, so that a name means one thing."""
        if node.variable in scope.variables:
            self.problem(node, wording.shadowed(node.variable))
        return scope.binding(node.variable, item)


def _check_literal(checker: Checker, node: Literal, scope: Scope) -> Expression:
    types: dict[type, Type] = {bool: BOOL, int: INT, float: FLOAT, str: STRING}
    return replace(node, type=types.get(type(node.value), NULL))


def _check_unary(checker: Checker, node: Unary, scope: Scope) -> Expression:
    if node.operator == "not":
        return replace(node, operand=checker.condition(node.operand, scope), type=BOOL)
    return check_negation(checker, node, scope)


def _check_logic(checker: Checker, node: Logic, scope: Scope) -> Expression:
    operands = []
    for operand in node.operands:
        typed = checker.condition(operand, scope)
        scope = scope.knowing(facts(typed, node.operator == "and"))
        operands.append(typed)
    return replace(node, operands=tuple(operands), type=BOOL)


def _check_conditional(checker: Checker, node: Conditional, scope: Scope) -> Expression:
    test = checker.condition(node.test, scope)
    then = checker.check(node.then, scope.knowing(facts(test, True)))
    otherwise = checker.check(node.otherwise, scope.knowing(facts(test, False)))
    joined = unified((then, otherwise))
    if isinstance(joined[0], Expression):
        words = wording.no_common_type(str(then.type), str(otherwise.type), "the branches of `if`")
        return checker.failed(replace(node, test=test, then=then, otherwise=otherwise), words)
    (then, otherwise), type_ = joined[0], joined[1]
    assert isinstance(type_, Type)
    return replace(node, test=test, then=then, otherwise=otherwise, type=type_)


def _check_quantifier(checker: Checker, node: Quantifier, scope: Scope) -> Expression:
    source, item = checker.loop_source(node.source, scope, f"`{node.kind}`")
    body = checker.condition(node.body, checker.loop_scope(node, item, scope))
    return replace(node, source=source, body=body, type=INT if node.kind == "count" else BOOL)


def _check_comprehension(checker: Checker, node: Comprehension, scope: Scope) -> Expression:
    source, item = checker.loop_source(node.source, scope, "`for`")
    inside = checker.loop_scope(node, item, scope)
    condition = None
    if node.condition is not None:
        condition = checker.condition(node.condition, inside)
        inside = inside.knowing(facts(condition, True))
    value = checker.check(node.value, inside)
    limit = source.type.limit if isinstance(source.type, ListOf) else None
    return replace(node, source=source, condition=condition, value=value, type=ListOf(value.type, limit))


_CHECKS: dict[type[Expression], Callable[[Checker, Any, Scope], Expression]] = {
    Literal: _check_literal,
    Name: check_name,
    Member: check_member,
    Index: check_index,
    Call: check_call,
    Unary: _check_unary,
    Binary: check_binary,
    Logic: _check_logic,
    Conditional: _check_conditional,
    Quantifier: _check_quantifier,
    ListLiteral: check_list,
    Comprehension: _check_comprehension,
}
