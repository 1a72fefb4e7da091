"""What may come next in an expression: names, members, functions, and values of vocabularies inside strings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kernelpath.language import Type, Vocabulary
from kernelpath.language.ast import Call
from kernelpath.language.builtins import DECLARED
from kernelpath.language.signatures import signatures
from kernelpath.language.types import JSON, UNKNOWN, ListOf, MapOf, Optional, Record, fits, required
from kernelpath.lsp.checking.session import Model
from kernelpath.lsp.features.describe import column_of, describe, doc, parameters
from kernelpath.lsp.features.suggestion import Suggestion
from kernelpath.lsp.features.tokens import DOTS, Token, enclosing, operand, tokens
from kernelpath.lsp.symbols.environment import Environment, type_of
from kernelpath.lsp.symbols.expressions import dotted_symbol
from kernelpath.packs.columns import path_of

_KEYWORDS = ("and", "or", "not", "in", "if", "then", "else", "any", "all", "count", "for", "true", "false", "null")
_DESCRIBED = ("value", "variable", "given", "table")
_LOOPS = ("any", "all", "count")
_FOR = re.compile(r"\bfor\s+([A-Za-z]\w*)\s+in\s+([\w.?]+)")


@dataclass(slots=True)
class Writing:
    """An expression up to the cursor, what follows it, and the sign that its scalar is quoted with."""

    model: Model
    environment: Environment
    text: str
    after: str = ""
    quote: str = ""
    texts: Sequence[str] = ()

    def suggestions(self) -> tuple[int, list[Suggestion]]:
        """Return how many characters before the cursor are replaced, and by what."""
        found = tokens(self.text)
        last = found[-1] if found else None
        if last and last.kind == "open":
            return len(last.text) - 1, list(self._words(found[:-1]))
        partial = last.text if last and last.kind == "word" and last.end == len(self.text) else ""
        before = found[:-1] if partial else found
        if before and before[-1].text in DOTS:
            return len(partial), list(self._members(before))
        return len(partial), [*self._quoted(before), *self._names(before)]

    def _type(self, before: Sequence[Token], start: int, end: int) -> Type:
        """Return the type of the tokens from `start` up to `end`."""
        if start >= end:
            return UNKNOWN
        text = self.text[before[start].start : before[end - 1].end]
        known = self._with_loops(before)
        return type_of(self.model, text, known.names, known.given)

    def _with_loops(self, before: Sequence[Token]) -> Environment:
        """Return the environment with the variables of loops around the cursor."""
        variables = dict(self.environment.names.variables)
        names = self.environment.names
        for name, source in self._loops(before):
            list_type = type_of(self.model, source, replace(names, variables=variables), self.environment.given)
            variables[name] = list_type.element if isinstance(list_type, ListOf) else UNKNOWN
        return replace(self.environment, names=replace(names, variables=variables))

    def _loops(self, before: Sequence[Token]) -> Iterator[tuple[str, str]]:
        for at, token in enumerate(before[:-3]):
            if token.text in _LOOPS and before[at + 2].text == "in":
                colon = next((t for t in before[at + 3 :] if t.text == ":"), None)
                if colon:
                    yield before[at + 1].text, self.text[before[at + 3].start : colon.start]
        for found in _FOR.finditer(self.text + self.after):
            yield found[1], found[2]

    def _members(self, before: Sequence[Token]) -> Iterator[Suggestion]:
        """Members of what stands before the dot, then the functions that take it."""
        start = operand(before, len(before) - 1)
        yield from self._columns("".join(token.text for token in before[start:-1]))
        type_ = self._type(before, start, len(before) - 1)
        inner = required(type_)
        if isinstance(inner, Record):
            for name, field in inner.fields.items():
                about = describe(self.model, ("field", inner.name, name))
                yield Suggestion(name, "field", str(field), about, rank=0)
        if inner == JSON or isinstance(inner, MapOf):
            value = inner.value if isinstance(inner, MapOf) else JSON
            owners = [self.text[before[start].start : before[-1].start], *self._read_from(before, start)]
            names = {name for owner in owners for name in self._json_members(owner)}
            yield from (Suggestion(name, "field", str(value), rank=0) for name in names)
        if not isinstance(type_, Optional) and type_ != UNKNOWN and before[-1].text == ".":
            yield from (_builtin(name) for name in DECLARED if _takes(name, type_))

    def _read_from(self, before: Sequence[Token], start: int) -> Iterator[str]:
        """Yield what a column is made of, where one stands before the dot: its expression, or the name in it."""
        owner = required(self._type(before, start, len(before) - 3)) if len(before) - 3 > start else UNKNOWN
        column = column_of(self.model, owner.name, before[-2].text) if isinstance(owner, Record) else None
        if column is not None:
            yield column.term.text
            node = column.term.checked.expression
            while isinstance(node, Call) and len(node.arguments) == 1:
                node = node.arguments[0]
            yield path_of(node) or column.term.text

    def _columns(self, owner: str) -> Iterator[Suggestion]:
        """The next part of each dotted name that begins so: a table's columns, a flow's passes and what they leave."""
        prefix = owner.replace("?.", ".") + "."
        found: dict[str, str] = {}
        for name, type_ in self.environment.names.variables.items():
            if name.startswith(prefix):
                part, _, rest = name.removeprefix(prefix).partition(".")
                found.setdefault(part, "" if rest else str(type_))
        for part, detail in found.items():
            symbol = dotted_symbol(self.model, prefix + part)
            about = describe(self.model, symbol) if symbol else ""
            yield Suggestion(part, "field" if detail else "value", detail or "pass", about, rank=0)

    def _json_members(self, owner: str) -> list[str]:
        """Return the members that other expressions of the pack read of the same value."""
        pattern = re.compile(rf"(?<![\w.]){re.escape(owner)}\??\.([A-Za-z]\w*)\b(?!\()")
        return sorted({name for text in self.texts for name in pattern.findall(text)})

    def _names(self, before: Sequence[Token]) -> Iterator[Suggestion]:
        known = self._with_loops(before)
        cells = self.model.reader.cells
        for name, type_ in known.names.variables.items():
            if name.isidentifier():  # columns have dots, and come behind their tables
                symbol = known.origins.get(name)
                about = describe(self.model, symbol) if symbol and symbol[0] in _DESCRIBED else ""
                yield Suggestion(name, "variable", str(type_), about, rank=1 if name in cells else 0)
        for name in self.model.reader.sections["flows"] if cells.keys() <= known.names.variables.keys() else ():
            yield Suggestion(name, "variable", "flow", describe(self.model, ("flow", name)), rank=1)
        for name in self.model.reader.terms.functions:
            node = self.model.reader.sections["functions"][name][1]
            detail = f"{name}({', '.join(parameters(node))})"
            yield Suggestion(name, "function", detail, doc(node), f"{name}(", rank=2)
        for name, vocabulary in self.model.reader.terms.vocabularies.items():
            detail = f"{name}(s: string) -> {vocabulary.name}?"
            yield Suggestion(name, "function", detail, describe(self.model, ("vocabulary", name)), f"{name}(", rank=3)
        yield from (replace(_builtin(name), rank=3) for name in DECLARED)
        yield Suggestion("source", "function", "source(variable) -> string", text="source(", rank=3)
        yield from (Suggestion(word, "keyword", rank=4) for word in _KEYWORDS)

    def _words(self, before: Sequence[Token]) -> Iterator[Suggestion]:
        """The values of the vocabulary that a string is compared with, or must be of."""
        vocabulary = self._vocabulary(before)
        if vocabulary is not None:
            for value in vocabulary.values:
                yield Suggestion(value, "value", vocabulary.name, rank=0)

    def _quoted(self, before: Sequence[Token]) -> Iterator[Suggestion]:
        """The same values where no quote is written yet."""
        mark = "'" if self.quote == '"' else '"'
        wrap = "'" if not before and not self.quote else ""
        for word in self._words(before):
            text = f"{wrap}{mark}{word.label}{mark}{wrap}"
            yield replace(word, label=f"{mark}{word.label}{mark}", text=text)

    def _vocabulary(self, before: Sequence[Token]) -> Vocabulary | None:
        last = before[-1].text if before else ""
        if last in ("==", "!=", "??"):
            return _vocabulary_of(self._type(before, operand(before, len(before) - 1), len(before) - 1))
        at = enclosing(before)
        if at is None or last not in (",", before[at].text):
            wanted = self.environment.expected if last in ("", "then", "else", ":") else None
            return _vocabulary_of(wanted)
        if before[at].text == "[":
            return self._listed(before, at)
        return self._argument(before, at)

    def _listed(self, before: Sequence[Token], at: int) -> Vocabulary | None:
        """The vocabulary of what is looked up in a list that begins at a bracket."""
        if at == 0 or before[at - 1].text != "in":
            return _vocabulary_of(self.environment.expected)
        end = at - 2 if at > 1 and before[at - 2].text == "not" else at - 1
        return _vocabulary_of(self._type(before, operand(before, end), end))

    def _argument(self, before: Sequence[Token], at: int) -> Vocabulary | None:
        """The vocabulary of a call's argument: the called one itself, or that of the call's other arguments."""
        function = before[at - 1].text if at > 0 else ""
        named = self.model.reader.terms.vocabularies.get(function)
        if named is not None and function not in DECLARED:
            return named
        comma = next((n for n in range(at + 1, len(before)) if before[n].text == ","), None)
        return _vocabulary_of(self._type(before, at + 1, comma)) if comma else None


def _vocabulary_of(type_: Type | None) -> Vocabulary | None:
    inner = required(type_) if type_ else UNKNOWN
    if isinstance(inner, ListOf):
        inner = required(inner.element)
    return inner if isinstance(inner, Vocabulary) else None


def _builtin(name: str) -> Suggestion:
    declared = DECLARED[name]
    return Suggestion(name, "function", declared.signatures[0], declared.doc, f"{name}(", rank=2)


def _takes(name: str, type_: Type) -> bool:
    """Return whether a built-in takes a value of a type first."""
    first = [signature.parameters[0] for signature in signatures(name) if signature.parameters]
    shapes = [ListOf if isinstance(p, ListOf) else MapOf if isinstance(p, MapOf) else None for p in first]
    return any(
        isinstance(type_, shape) if shape else fits(type_, parameter)
        for shape, parameter in zip(shapes, first, strict=True)
    )
