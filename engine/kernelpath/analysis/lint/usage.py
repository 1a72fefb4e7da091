"""What of a pack is used, and by what: collected once, asked by the lints that look for what is not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from kernelpath.analysis.lint.linted import LintedPack, terms_in
from kernelpath.analysis.rule_text import nodes_of
from kernelpath.language import Checked, Expression
from kernelpath.language.ast import Call, Literal, Member, walk
from kernelpath.language.types import ListOf, MapOf, Optional, Record, Type, Vocabulary
from kernelpath.packs import documents
from kernelpath.packs.declarations import mapping_of
from kernelpath.packs.documents import Node, Scalar
from kernelpath.packs.files import Layer
from kernelpath.packs.model import Entry, Pack, Text

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WRITES = ("set", "collect", "keep", "into", "decision")


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

    def read_in_scope(self, scope: str) -> set[str]:
        """Return the variables of a scope that its rules, messages, records, flows or fixes read."""
        parts = [part for model in self.linted.models for part in _parts_of_scope(model, scope)]
        return read_by(parts) | self._fix_words(scope)

    def _fix_words(self, scope: str) -> set[str]:
        fixes = (text.root.get("fix") for text in self.linted.rules if text.rule.scope == scope)
        return {word for node in fixes if node is not None for word in words_of(node)}

    @cached_property
    def values_read(self) -> set[str]:
        """The workspace values and constants that anything reads or that a caller gives."""
        models = self.linted.models
        read = read_by([part for m in models for part in (m.programs, m.flows, m.scopes, m.records)])
        for layer in self.linted.layers:
            for section in ("flows", "scopes"):
                node = layer.root.get(section)
                read |= words_of(node) if node is not None else set()
        for program in (program for model in models for program in model.programs.values()):
            read |= set(program.inputs)
            read |= {word for entry in program.entries for word in _words_read(entry)}
        return read

    @cached_property
    def fields_read(self) -> set[tuple[str, str]]:
        """The record fields that any expression reads, as (record, field)."""
        members = (node for node in self.nodes if isinstance(node, Member))
        return {(owner.name, node.name) for node in members for owner in [_inner(node.object.type)] if owner}

    @cached_property
    def handed_on(self) -> set[str]:
        """The records that an operation of the engine is given, which may read any field."""
        programs = [program for model in self.linted.models for program in model.programs.values()]
        entries = [entry for program in programs for entry in program.entries]
        types = [term.checked.type for entry in entries if entry.verb == "run" for term in entry.terms.values()]
        return {part.name for type_ in types for part in parts_of(type_) if isinstance(part, Record)}

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
        """The texts of constants, of entries' settings and of flows: each may be a value of a vocabulary."""
        models = self.linted.models
        entries = (e for model in models for program in model.programs.values() for e in program.entries)
        constants = (value for model in models for value in model.constants.values())
        parts = [flow.parts for model in models for flow in model.flows.values() if flow.parts]
        plain = (*constants, *(entry.settings for entry in entries))
        found = {text for value in plain for text in texts_in(value, keys=True)}
        return found | {name for each in parts for name in (*each.order, each.repeated)}

    @cached_property
    def words_of_types(self) -> set[str]:
        """Every word of every pack.yaml outside prose, what vocabularies and constants hold left out."""
        return {word for layer in self.linted.layers for word in _words_of_layer(layer)} | self.called


def _words_of_layer(layer: Layer) -> Iterator[str]:
    for key, value in layer.root.entries:
        if key.text == "constants":
            for _, constant in mapping_of(value).entries:
                declared = mapping_of(constant).get("type")
                yield from words_of(declared) if declared else ()
        elif key.text not in ("vocabularies", "summary"):
            yield from words_of(value)


def _parts_of_scope(model: Pack, scope: str) -> Iterator[object]:
    """Yield the parts of a model that see a scope's variables."""
    yield model.scopes[scope]
    yield from (rule for rule in model.rules() if rule.scope == scope)
    yield from (record for record in model.records.values() if record.scope == scope)
    yield from (flow for flow in model.flows.values() if model.stages[flow.stage].scope == scope)


def read_by(parts: Iterable[object]) -> set[str]:
    """Return the variables that parts of a model read, values and provenance alike."""
    return {name for part in parts for term in terms_in(part) for name in term.checked.variables | term.checked.sources}


def words_of(node: Node) -> set[str]:
    """Return the words of all texts in a tree, keys and `doc` left out."""
    if isinstance(node, documents.Mapping):
        return {word for key, value in node.entries if key.text != "doc" for word in words_of(value)}
    return {w for each in nodes_of(node) if each is not node for w in words_of(each)} | (
        set(_WORD.findall(node.text)) if isinstance(node, Scalar) else set()
    )


def _words_read(entry: Entry) -> Iterator[str]:
    """Yield the words of an entry's settings that may name what it reads; targets of writing are left out."""
    for key, setting in entry.settings.items():
        if key in _WRITES:
            continue
        for text in texts_in(setting):
            yield from _WORD.findall(text)


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


def parts_of(type_: Type) -> Iterator[Type]:
    """Yield a type and the types inside it; the fields of a record are not inside."""
    yield type_
    match type_:
        case Optional(inner=inner) | ListOf(element=inner) | MapOf(value=inner):
            yield from parts_of(inner)


def _inner(type_: Type) -> Record | None:
    found = type_.inner if isinstance(type_, Optional) else type_
    return found if isinstance(found, Record) else None
