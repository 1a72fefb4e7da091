"""What is known of expressions where others are known to be true or false.

Expressions are pure, so equal expressions have equal values, and what is known of one holds wherever it stands again.
Known are the truth of whole conditions, and, of anything that is compared with literals, which ones it may equal, which
kinds of JSON value it may be, and, of whole numbers, the range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kernelpath.language import Expression
from kernelpath.language.ast import Binary, Call, Convert, ListLiteral, Literal, Logic, Quantifier, Unary
from kernelpath.language.types import BOOL, INT, Optional, Vocabulary, required

Value = tuple[str, object]
KINDS = frozenset({"null", "bool", "number", "string", "list", "object"})
TESTS = {
    "is_bool": "bool",
    "is_number": "number",
    "is_integer": "number",
    "is_string": "string",
    "is_list": "list",
    "is_object": "object",
}
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_NEGATED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "==", "in": "not in", "not in": "in"}


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one expression: `among` None stands for any value; the bounds are those of a whole number."""

    among: frozenset[Value] | None = None
    excluded: frozenset[Value] = frozenset()
    kinds: frozenset[str] = KINDS
    low: int | None = None
    high: int | None = None

    def both(self, other: Facts) -> Facts:
        """Return what is known where both hold."""
        among = other.among if self.among is None else self.among if other.among is None else self.among & other.among
        lows = [bound for bound in (self.low, other.low) if bound is not None]
        highs = [bound for bound in (self.high, other.high) if bound is not None]
        kinds = self.kinds & other.kinds
        return Facts(among, self.excluded | other.excluded, kinds, max(lows, default=None), min(highs, default=None))

    def either(self, other: Facts) -> Facts:
        """Return what is known where one of them holds, nobody knows which."""
        among = None if self.among is None or other.among is None else self.among | other.among
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Facts(among, self.excluded & other.excluded, self.kinds | other.kinds, low, high)

    def may_be(self, value: Value) -> bool:
        """Return whether the expression may equal a literal."""
        if value in self.excluded or (self.among is not None and value not in self.among):
            return False
        return value[0] in self.kinds and self._in_range(value)

    def _in_range(self, value: Value) -> bool:
        number = value[1]
        if isinstance(number, int | float) and value[0] == "number":
            return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)
        return self.low is None and self.high is None

    def contradicts(self) -> bool:
        """Return whether no value at all is left."""
        empty = self.low is not None and self.high is not None and self.low > self.high
        return empty or not self.kinds or (self.among is not None and not any(map(self.may_be, self.among)))


def value_of(literal: Literal) -> Value:
    """Return a literal as JSON equality sees it: 1 and 1.0 are one value, 1 and true are not."""
    if literal.value is None:
        return ("null", None)
    if isinstance(literal.value, bool):
        return ("bool", literal.value)
    return ("string" if isinstance(literal.value, str) else "number", literal.value)


@dataclass(frozen=True, slots=True)
class Known:
    """The truth of conditions, and the facts of what is compared with literals."""

    truths: Mapping[Expression, bool] = field(default_factory=dict)
    facts: Mapping[Expression, Facts] = field(default_factory=dict)

    def of(self, node: Expression) -> Facts:
        """Return what is known of an expression, by its type and by what was found out."""
        return _by_type(node).both(self.facts.get(node, Facts()))

    def assuming(self, node: Expression, truth: bool) -> Known:
        """Return what is known where a condition has a truth value as well."""
        known = replace(self, truths={**self.truths, node: truth})
        match node:
            case Unary(operator="not"):
                return known.assuming(node.operand, not truth)
            case Logic() if (node.operator == "and") == truth:
                for operand in node.operands:
                    known = known.assuming(operand, truth)
                return known
            case Logic():
                return known._joined([self.assuming(operand, truth) for operand in node.operands])
        found = comparison(node, truth)
        return known._with(*(found or (node, Facts(among=frozenset({("bool", truth)})))))

    def _with(self, subject: Expression, facts: Facts) -> Known:
        before = self.facts.get(subject, Facts())
        return replace(self, facts={**self.facts, subject: before.both(facts)})

    def _joined(self, cases: list[Known]) -> Known:
        """Return what holds in each of the cases, one of which is true."""
        joined = {}
        for subject in cases[0].facts:
            facts = cases[0].facts[subject]
            for case in cases[1:]:
                facts = facts.either(case.facts.get(subject, Facts()))
            joined[subject] = facts
        return replace(self, facts={**self.facts, **joined})


def comparison(node: Expression, truth: bool) -> tuple[Expression, Facts] | None:
    """Return what a comparison with literals, or a test of a kind, says of its subject where it is true or false."""
    if isinstance(node, Call) and node.function in TESTS:
        return _of_test(node, truth)
    if not isinstance(node, Binary):
        return None
    operator, subject, other = node.operator, bare(node.left), node.right
    if isinstance(subject, Literal):
        if operator in ("in", "not in"):
            return None
        operator, subject, other = _FLIPPED.get(operator, operator), bare(node.right), node.left
    operator = operator if truth else _NEGATED.get(operator, operator)
    values = _literals(other, operator)
    if values is None or isinstance(subject, Literal):
        return None
    if operator in ("==", "in"):
        return subject, Facts(among=frozenset(values), kinds=frozenset(kind for kind, _ in values))
    if operator in ("!=", "not in"):
        nulls = {"null"} if ("null", None) in values else set()
        return subject, Facts(excluded=frozenset(values), kinds=KINDS - nulls)
    return _of_order(subject, operator, values[0][1])


def bare(node: Expression) -> Expression:
    """Return a node without the conversions that the checker put around it."""
    return bare(node.operand) if isinstance(node, Convert) else node


def _literals(node: Expression, operator: str) -> list[Value] | None:
    node = bare(node)
    if operator in ("in", "not in"):
        items = [bare(item) for item in node.items] if isinstance(node, ListLiteral) else [node]
        literals = [item for item in items if isinstance(item, Literal)]
        return [value_of(item) for item in literals] if len(literals) == len(items) else None
    return [value_of(node)] if isinstance(node, Literal) else None


def _of_order(subject: Expression, operator: str, value: object) -> tuple[Expression, Facts] | None:
    """Bounds are kept of whole numbers only: anything else may be no number at all."""
    if subject.type != INT or type(value) is not int or operator not in _FLIPPED:
        return None
    low = {">": value + 1, ">=": value}.get(operator)
    high = {"<": value - 1, "<=": value}.get(operator)
    return subject, Facts(kinds=frozenset({"number"}), low=low, high=high)


def _of_test(node: Call, truth: bool) -> tuple[Expression, Facts] | None:
    kind = TESTS[node.function]
    if truth:
        return bare(node.arguments[0]), Facts(kinds=frozenset({kind}))
    if node.function in ("is_integer", "is_number"):  # what is no whole number may be another one
        return None
    return bare(node.arguments[0]), Facts(kinds=KINDS - {kind})


def _by_type(node: Expression) -> Facts:
    """Return what the type and the form of an expression say: counts and lengths are no less than 0."""
    inner = required(node.type)
    null = frozenset({("null", None)}) if isinstance(node.type, Optional) else frozenset()
    if isinstance(inner, Vocabulary) and not inner.open:
        values = frozenset(("string", value) for value in inner.values)
        return Facts(among=values | null)
    if inner == BOOL:
        return Facts(among=frozenset({("bool", True), ("bool", False)}) | null)
    if isinstance(node, Quantifier) or (isinstance(node, Call) and node.function == "length"):
        return Facts(low=0)
    return Facts()
