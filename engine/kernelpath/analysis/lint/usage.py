"""What of a pack is used, and by what: collected once, asked by the lints that look for what is not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.rule_text import nodes_of
from kernelpath.language import Checked, Expression
from kernelpath.language.ast import (
    Binary,
    Call,
    Conditional,
    ListLiteral,
    Literal,
    Member,
    Name,
    children,
    walk,
)
from kernelpath.language.types import ListOf, MapOf, Optional, Record, Type, Vocabulary
from kernelpath.packs import documents
from kernelpath.packs.documents import Node, Scalar
from kernelpath.packs.grammar import PACK, Path, role_at
from kernelpath.packs.model import Pack, Resolve, Rule, Table, Term, Text, Transition
from kernelpath.packs.reads import terms_in

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COMPARING = frozenset(("==", "!=", "in", "not in"))


@dataclass(frozen=True)
class Usage:
    """Answers what uses the names of a pack; in doubt, something is used."""

    linted: LintedPack

    @cached_property
    def expressions(self) -> list[Checked]:
        """Every checked expression of the pack, those inside messages included."""
        found: list[Checked] = []
        for term in terms_in(self.linted.models):
            pieces = term.checked.pieces if isinstance(term, Text) else (term.checked,)
            found += [piece for piece in pieces if isinstance(piece, Checked)]
        return found

    @cached_property
    def nodes(self) -> list[Expression]:
        """Every node of every expression."""
        return [node for checked in self.expressions for node in walk(checked.expression)]

    @cached_property
    def called(self) -> set[str]:
        """The names that any expression calls, as it was written: pack functions are not written out in it."""
        texts = [term.text for term in terms_in(self.linted.models)]
        texts += [function.text for model in self.linted.models for function in model.functions.values()]
        return {name for text in texts for name in re.findall(r"([A-Za-z_][A-Za-z0-9_]*)\s*\(", text)}

    @cached_property
    def names_read(self) -> set[str]:
        """The names that any expression reads, columns as `steps.emitted`, and those that fixes mention."""
        read = read_by(self.linted.models) | self._words_of_fixes
        return read | {name.partition(".")[0] for name in read} | set(self._whole_read(read))

    def _whole_read(self, read: set[str]) -> Iterator[str]:
        """Yield the values of tables as a whole that rules read under their short names."""
        for scope in (scope for model in self.linted.models for scope in model.scopes.values()):
            yield from (cell for word, cell in scope.whole.items() if word in read)

    @cached_property
    def _words_of_fixes(self) -> set[str]:
        nodes = [text.root.get("fix") for text in self.linted.rules]
        nodes += [layer.root.get("fixes") for layer in self.linted.layers]
        return {word for node in nodes if node is not None for word in words_of(node)}

    @cached_property
    def tables_used(self) -> set[str]:
        """The tables that stages and flows go over, that others are made of, or that an expression reads."""
        found = set(self.names_read)
        for model in self.linted.models:
            found |= {each for stage in model.stages.values() for each in stage.each}
            found |= {flow.over for flow in model.flows.values()}
            for table in model.items.values():
                found |= {name for name in (table.source, table.within, table.like) if name}
        return found

    @cached_property
    def fields_read(self) -> set[tuple[str, str]]:
        """The record fields that any expression reads, as (record, field); a column is read from its table, too."""
        members = (node for node in self.nodes if isinstance(node, Member))
        found = {(owner.name, node.name) for node in members for owner in [_inner(node.object.type)] if owner}
        tables = {name: table for model in self.linted.models for name, table in model.items.items()}
        columns = (node.name.split(".", 1) for node in self.nodes if isinstance(node, Name) and "." in node.name)
        return found | {(tables[name].record or "", column) for name, column in columns if name in tables}

    @cached_property
    def handed_on(self) -> set[str]:
        """The records that are used as a whole, so that any field may be: answered, compared, given to a built-in."""
        types = [type_ for node in self.nodes for type_ in _handed_on_by(node)]
        types += [type_ for model in self.linted.models for type_ in _results(model)]
        texts = [term for term in terms_in(self.linted.models) if isinstance(term, Text)]
        types += [piece.type for text in texts for piece in text.checked.pieces if isinstance(piece, Checked)]
        return {name for type_ in types for name in _records_in(type_)}

    @cached_property
    def conversions(self) -> set[str]:
        """The names that are called once functions are written out; a vocabulary's name is a conversion."""
        return {node.function for node in self.nodes if isinstance(node, Call)}

    def named_values(self, vocabulary: str) -> set[str]:
        """Return the values of a vocabulary that an expression names, or that may stand for one as plain text."""
        named = set()
        for node in self.nodes:
            if isinstance(node, Literal) and isinstance(node.value, str):
                parts = [part for part in parts_of(node.type) if isinstance(part, Vocabulary)]
                if not parts or parts[0].name == vocabulary:
                    named.add(node.value)
        return named

    @cached_property
    def plain_texts(self) -> set[str]:
        """The texts of constants and the parts of flows: each may be a value of a vocabulary."""
        models = self.linted.models
        constants = (value for model in models for value in model.constants.values())
        parts = [flow.parts for model in models for flow in model.flows.values() if flow.parts]
        found = {text for value in constants for text in texts_in(value, keys=True)}
        return found | {name for each in parts for name in (*each.order, each.repeated)}

    @cached_property
    def words_of_types(self) -> set[str]:
        """Every word of the types in the pack's pack.yaml files, the vocabularies of all types, and what is called."""
        scalars = [scalar for layer in self.linted.layers for path, scalar in _scalars(layer.root) if _is_type(path)]
        types = [type_ for model in self.linted.models for type_ in _types_in(model)]
        named = {part.name for type_ in types for part in parts_of(type_) if isinstance(part, Vocabulary)}
        return {word for scalar in scalars for word in _WORD.findall(scalar.text)} | named | self.called


def _types_in(model: Pack) -> Iterator[Type]:
    yield from model.cells.values()
    yield from (type_ for shape in model.records.values() for type_ in shape.fields.values())
    yield from (type_ for scope in model.scopes.values() for type_ in scope.variables.values())


def _handed_on_by(node: Expression) -> Iterator[Type]:
    """Yield the types of what a node takes as a whole."""
    match node:
        case Call(function=function) if function != "length":
            yield from (argument.type for argument in node.arguments)
        case Binary(operator=operator) if operator in _COMPARING:
            yield from (node.left.type, node.right.type)
        case Conditional() | ListLiteral():
            yield from (inner.type for inner in children(node) if not _records_in(inner.type) <= _records_in(node.type))


def _results(model: Pack) -> Iterator[Type]:
    """Yield the types of what leaves a model as JSON: answers, what is asked with, and what rules give."""
    terms: list[Term | None] = []
    for question in model.questions.values():
        terms += [question.answer, question.otherwise, *question.inputs.values(), *question.shows.values()]
    for value in model.values.values():
        terms += value.ask.given.values() if value.ask else ()
        yield from _untyped([(value.type, value.term)])
        yield from _untyped([(column.type, column.term) for column in value.fields])
    for table in model.items.values():
        yield from _untyped([(column.type, column.term) for column in table.columns])
    terms += [term for rule in model.rules() for term in _given_by(rule)]
    yield from (term.checked.type for term in terms if term)


def _untyped(typed: Iterable[tuple[Type, Term | None]]) -> Iterator[Type]:
    """Yield the types of expressions whose records a declared type forgets, as `json` does."""
    for said, term in typed:
        if term and not _records_in(term.checked.type) <= _records_in(said):
            yield term.checked.type


def _given_by(rule: Rule) -> list[Term | None]:
    match rule:
        case Resolve():
            return [candidate.value for candidate in rule.candidates]
        case Table():
            return [rule.base, *(row.value for row in rule.rows)]
        case Transition():
            return [rule.value]
    return []


def _records_in(type_: Type) -> set[str]:
    return {part.name for part in parts_of(type_) if isinstance(part, Record)}


def read_by(part: object) -> set[str]:
    """Return the variables that a part of a model reads, values and provenance alike."""
    return {name for term in terms_in(part) for name in term.checked.variables | term.checked.sources}


def words_of(node: Node) -> set[str]:
    """Return the words of all texts in a tree, keys and `doc` left out."""
    if isinstance(node, documents.Mapping):
        return {word for key, value in node.entries if key.text != "doc" for word in words_of(value)}
    return {w for each in nodes_of(node) if each is not node for w in words_of(each)} | (
        set(_WORD.findall(node.text)) if isinstance(node, Scalar) else set()
    )


def _scalars(node: Node, path: Path = ()) -> Iterator[tuple[Path, Scalar]]:
    if isinstance(node, Scalar):
        yield path, node
    elif isinstance(node, documents.Mapping):
        for key, value in node.entries:
            yield from _scalars(value, (*path, key.text))
    else:
        for index, item in enumerate(node.items):
            yield from _scalars(item, (*path, index))


def texts_in(value: object, keys: bool = False) -> Iterator[str]:
    """Yield the texts in a plain value, and its keys if wanted."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from value if keys else ()
        yield from texts_in(list(value.values()), keys)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner, keys)


def _is_type(path: Path) -> bool:
    found = role_at(PACK, path)
    return found is not None and found.kind == "type"


def parts_of(type_: Type) -> Iterator[Type]:
    """Yield a type and the types inside it; the fields of a record are not inside."""
    yield type_
    match type_:
        case Optional(inner=inner) | ListOf(element=inner) | MapOf(value=inner):
            yield from parts_of(inner)


def _inner(type_: Type) -> Record | None:
    found = type_.inner if isinstance(type_, Optional) else type_
    return found if isinstance(found, Record) else None
