"""The names in one expression: variables, fields, functions and vocabulary values, with their types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kernelpath.language import Expression, LanguageErrors, Type
from kernelpath.language.ast import Call, Comprehension, Literal, Member, Name, Quantifier, children, walk
from kernelpath.language.builtins import DECLARED
from kernelpath.language.checker import Checker
from kernelpath.language.narrowing import Scope, facts
from kernelpath.language.types import UNKNOWN, ListOf, Record, Vocabulary, required
from kernelpath.lsp.checking.session import Model
from kernelpath.lsp.checking.terms import parsed, parsed_message
from kernelpath.lsp.symbols.environment import Environment
from kernelpath.lsp.symbols.occurrence import Occurrence, Symbol
from kernelpath.packs.columns import path_of

Spans = Mapping[tuple[int, int], Type]


def expression_names(model: Model, environment: Environment, text: str) -> list[Occurrence]:
    """Return the names of an expression, at offsets into its text; none where it cannot be parsed."""
    try:
        return list(_names(model, environment, parsed(text), text))
    except LanguageErrors:
        return []


def message_names(model: Model, environment: Environment, text: str) -> list[Occurrence]:
    """Return the names of a message template's expressions, at offsets into the template."""
    try:
        pieces = parsed_message(text).pieces
    except LanguageErrors:
        return []
    return [name for p in pieces if not isinstance(p, str) for name in _names(model, environment, p, text)]


def _names(model: Model, environment: Environment, expression: Expression, text: str) -> Iterator[Occurrence]:
    reader = _Reader(model, environment, text, typed_spans(model, environment, expression))
    yield from reader.read(expression, {})


def typed_spans(model: Model, environment: Environment, expression: Expression) -> Spans:
    """Return the types of an expression's parts by their spans, as far as they can be known."""
    try:
        whole = model.reader.terms.whole(expression)
    except LanguageErrors:
        whole = expression
    scope = Scope(dict(environment.names.variables))
    for condition in environment.given:
        scope = scope.knowing(facts(condition.expression, True))
    checker = Checker(environment.names)
    typed = checker.check(whole, scope)
    if environment.expected is not None:
        typed = checker.needed(typed, environment.expected)
    spans: dict[tuple[int, int], Type] = {}
    for node in walk(typed):
        if node.type != UNKNOWN:
            spans.setdefault((node.start, node.end), node.type)
    return spans


@dataclass(slots=True)
class _Reader:
    """Goes through a tree as it was written, so that calls of pack functions are still there."""

    model: Model
    environment: Environment
    text: str
    types: Spans

    def read(self, node: Expression, loops: Mapping[str, Symbol]) -> Iterator[Occurrence]:
        """Yield the names in a node; `loops` are the variables that loops around it bind."""
        match node:
            case Name():
                yield self._occurrence(node.start, node.name, self._variable(node.name, loops), node)
            case Member() if self._column(node, loops) is not None:
                yield from self._dotted(node)
                return
            case Member():
                owner = required(self.types.get((node.object.start, node.object.end), UNKNOWN))
                symbol = ("field", owner.name, node.name) if isinstance(owner, Record) else None
                yield self._occurrence(node.end - len(node.name), node.name, symbol, node)
            case Call():
                yield self._call(node)
            case Literal(value=str()):
                yield from self._word(node)
            case Quantifier() | Comprehension():
                yield from self._loop(node, loops)
                return
        for child in children(node):
            yield from self.read(child, loops)

    def _column(self, node: Member, loops: Mapping[str, Symbol]) -> str | None:
        """Return the dotted name of a column, None of any other member."""
        path = path_of(node)
        known = path in self.model.reader.terms.columns and path in self.environment.names.variables
        return path if path and known and path.partition(".")[0] not in loops else None

    def _dotted(self, node: Member) -> Iterator[Occurrence]:
        """Yield the names in a column: the table or the flow, then the pass, then the column itself."""
        parts: list[Member | Name] = [node]
        while isinstance(parts[0], Member):
            assert isinstance(parts[0].object, Member | Name)  # INVARIANT: its path has dots only
            parts.insert(0, parts[0].object)
        for part in parts:
            path = path_of(part) or ""
            yield self._occurrence(part.end - len(part.name), part.name, dotted_symbol(self.model, path), part)

    def _occurrence(self, start: int, name: str, symbol: Symbol | None, node: Expression) -> Occurrence:
        type_ = self.types.get((node.start, node.end))
        return Occurrence(start, start + len(name), symbol, type_, text=self.text[node.start : node.end])

    def _variable(self, name: str, loops: Mapping[str, Symbol]) -> Symbol | None:
        return loops.get(name) or self.environment.origins.get(name)

    def _call(self, node: Call) -> Occurrence:
        start = node.start
        if node.method:
            start = self.text.find(node.function, node.arguments[0].end)
        return self._occurrence(start, node.function, function_symbol(self.model, node.function), node)

    def _word(self, node: Literal) -> Iterator[Occurrence]:
        type_ = required(self.types.get((node.start, node.end), UNKNOWN))
        if isinstance(type_, Vocabulary):
            symbol = ("word", type_.name, str(node.value))
            yield Occurrence(node.start + 1, node.end - 1, symbol, type_, text=self.text[node.start : node.end])

    def _loop(self, node: Quantifier | Comprehension, loops: Mapping[str, Symbol]) -> Iterator[Occurrence]:
        """Read a loop: its list outside its variable's reach, the rest inside."""
        start = self._binding(node)
        source = self.types.get((node.source.start, node.source.end), UNKNOWN)
        type_ = source.element if isinstance(source, ListOf) else UNKNOWN
        symbol = ("loop", node.variable, str(start))
        yield Occurrence(start, start + len(node.variable), symbol, type_, declares=True, text=node.variable)
        yield from self.read(node.source, loops)
        inside = {**loops, node.variable: symbol}
        for child in children(node):
            if child is not node.source:
                yield from self.read(child, inside)

    def _binding(self, node: Quantifier | Comprehension) -> int:
        """Return where a loop's variable is written: before `in` and the list."""
        before = node.start if isinstance(node, Quantifier) else node.value.end
        pattern = re.compile(rf"(?:\bany|\ball|\bcount|\bfor)\s+({re.escape(node.variable)})\s+in\b")
        found = pattern.search(self.text, before, node.source.start)
        return found.start(1) if found else node.start


def dotted_symbol(model: Model, path: str) -> Symbol | None:
    """Return what a dotted name, or what stands before one of its dots, stands for."""
    first, _, rest = path.partition(".")
    if path in model.origins:
        return model.origins[path]
    if first in model.reader.sections["flows"]:
        return ("pass", first, rest) if rest else ("flow", first)
    return None


def function_symbol(model: Model, name: str) -> Symbol | None:
    """Return what a called name is: a function of the pack, a built-in, or a vocabulary's conversion."""
    if name in model.reader.terms.functions:
        return ("function", name)
    if name in DECLARED or name == "source":
        return ("builtin", name)
    return ("vocabulary", name) if name in model.reader.terms.vocabularies else None
