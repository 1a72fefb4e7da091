"""Evaluate a checked expression by walking its tree: this is what expressions mean, and it can record every value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from keyword import iskeyword
from typing import Any

from kernelpath.language import arithmetic, json_values
from kernelpath.language.ast import (
    Binary,
    Call,
    Comprehension,
    Conditional,
    Convert,
    Expression,
    Index,
    ListLiteral,
    Literal,
    Logic,
    Member,
    Name,
    Quantifier,
    Unary,
)
from kernelpath.language.builtins import DECLARED
from kernelpath.language.checker import Checked
from kernelpath.language.lengths import joined_lists, joined_texts
from kernelpath.language.meter import Meter
from kernelpath.language.types import FLOAT, INT, STRING, ListOf, Record, Vocabulary, required
from kernelpath.language.work import DEEP, grows, is_searched, is_unlimited, operand_work, result_work

Recorder = Callable[[Expression, object], None]


def attribute(name: str) -> str:
    """Return the Python attribute that holds a record's field."""
    return f"{name}_" if iskeyword(name) else name


def interpret(
    checked: Checked,
    environment: Mapping[str, object],
    sources: Mapping[str, str] | None = None,
    recorder: Recorder | None = None,
) -> Any:
    """Return the value of an expression; raise EvaluationError where it has none.

    `environment` has the variables, `sources` the provenance texts, and `recorder` is given each node and its value.
    """
    return _Interpreter(environment, sources or {}, recorder).value(checked.expression)


class _Interpreter:
    def __init__(
        self, environment: Mapping[str, object], sources: Mapping[str, str], recorder: Recorder | None
    ) -> None:
        self.variables = dict(environment)
        self.sources = sources
        self.recorder = recorder
        self.meter = Meter()
        self.loops = 0

    def value(self, node: Expression) -> Any:
        result = _EVALUATE[type(node)](self, node)
        if self.recorder is not None:
            self.recorder(node, result)
        return result

    def literal(self, node: Literal) -> Any:
        return node.value

    def name(self, node: Name) -> Any:
        return self.variables[node.name]

    def member(self, node: Member) -> Any:
        owner = self.value(node.object)
        if owner is None:
            return None
        if isinstance(required(node.object.type), Record):
            return getattr(owner, attribute(node.name))
        return json_values.member(owner, node.name)

    def index(self, node: Index) -> Any:
        owner, index = self.value(node.object), self.value(node.index)
        return json_values.item(owner, index) if node.index.type == INT else json_values.member(owner, index)

    def call(self, node: Call) -> Any:
        if node.function == "source":
            argument = node.arguments[0]
            assert isinstance(argument, Name)
            return self.sources[argument.name]
        arguments = self.operands(node, node.arguments)
        declaration = DECLARED.get(node.function)
        if declaration is None:
            vocabulary = required(node.type)
            assert isinstance(vocabulary, Vocabulary)
            return arguments[0] if arguments[0] in vocabulary.values else None
        metered = (self.meter,) if declaration.metered else ()
        return self.charged(result_work(node), declaration.implementation(*metered, *arguments))

    def operands(self, node: Expression, operands: Sequence[Expression]) -> list[Any]:
        """Return the values of a node's operands; in a loop, those that it looks through are charged."""
        work = operand_work(node) if self.loops else {}
        return [self.charged(work.get(place), self.value(operand)) for place, operand in enumerate(operands)]

    def charged(self, work: str | None, value: Any) -> Any:
        """Return a value, after charging it where it counts."""
        if not self.loops or work is None:
            return value
        return self.meter.deep(value) if work == DEEP else self.meter.wide(value)

    def unary(self, node: Unary) -> Any:
        operand = self.value(node.operand)
        if node.operator == "not":
            return not operand
        return arithmetic.negate(operand) if node.type == INT else -operand

    def binary(self, node: Binary) -> Any:
        if node.operator == "??":
            left = self.value(node.left)
            return left if left is not None else self.value(node.right)
        left, right = self.operands(node, (node.left, node.right))
        if self.loops and node.operator in ("in", "not in") and is_searched(node):
            return self.meter.found_in(left, right) is (node.operator == "in")
        return _OPERATE[node.operator](node, left, right)

    def logic(self, node: Logic) -> Any:
        outcome = node.operator == "or"
        for operand in node.operands:
            if self.value(operand) is outcome:
                return outcome
        return not outcome

    def conditional(self, node: Conditional) -> Any:
        return self.value(node.then if self.value(node.test) else node.otherwise)

    def quantifier(self, node: Quantifier) -> Any:
        count = 0
        for item in self.meter.over(self.value(node.source)):
            holds = self.inside(node, item, node.body)
            if node.kind == "any" and holds:
                return True
            if node.kind == "all" and not holds:
                return False
            count += holds
        return count if node.kind == "count" else node.kind == "all"

    def inside(self, node: Quantifier | Comprehension, item: Any, part: Expression) -> Any:
        """Return the value of a part of a loop for an item."""
        self.variables[node.variable] = item
        self.loops += 1
        value = self.value(part)
        self.loops -= 1
        return value

    def list_literal(self, node: ListLiteral) -> list[Any]:
        return [self.value(item) for item in node.items]

    def comprehension(self, node: Comprehension) -> list[Any]:
        result = []
        for item in self.meter.over(self.value(node.source)):
            if node.condition is None or self.inside(node, item, node.condition):
                result.append(self.inside(node, item, node.value))
        return result

    def convert(self, node: Convert) -> Any:
        operand = self.value(node.operand)
        return arithmetic.as_float(operand) if node.type == FLOAT else arithmetic.as_int(operand)


_EVALUATE: dict[type[Expression], Callable[[_Interpreter, Any], Any]] = {
    Literal: _Interpreter.literal,
    Name: _Interpreter.name,
    Member: _Interpreter.member,
    Index: _Interpreter.index,
    Call: _Interpreter.call,
    Unary: _Interpreter.unary,
    Binary: _Interpreter.binary,
    Logic: _Interpreter.logic,
    Conditional: _Interpreter.conditional,
    Quantifier: _Interpreter.quantifier,
    ListLiteral: _Interpreter.list_literal,
    Comprehension: _Interpreter.comprehension,
    Convert: _Interpreter.convert,
}


def _add(node: Binary, left: Any, right: Any) -> Any:
    if isinstance(node.type, ListOf):
        return joined_lists(left, right) if is_unlimited(node) else [*left, *right]
    if node.type == STRING:
        return joined_texts(left, right) if grows(node) else left + right
    return arithmetic.add(left, right) if node.type == INT else left + right


def _subtract(node: Binary, left: Any, right: Any) -> Any:
    return arithmetic.subtract(left, right) if node.type == INT else left - right


def _multiply(node: Binary, left: Any, right: Any) -> Any:
    return arithmetic.multiply(left, right) if node.type == INT else left * right


_OPERATE: dict[str, Callable[[Binary, Any, Any], Any]] = {
    "==": lambda _, left, right: json_values.json_equal(left, right),
    "!=": lambda _, left, right: not json_values.json_equal(left, right),
    "in": lambda _, left, right: json_values.json_in(left, right),
    "not in": lambda _, left, right: not json_values.json_in(left, right),
    "<": lambda _, left, right: left < right,
    "<=": lambda _, left, right: left <= right,
    ">": lambda _, left, right: left > right,
    ">=": lambda _, left, right: left >= right,
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": lambda _, left, right: arithmetic.divide(left, right),
    "//": lambda _, left, right: arithmetic.floor_divide(left, right),
    "%": lambda _, left, right: arithmetic.remainder(left, right),
}
