"""Read what a pack declares before any rule: vocabularies, record types, functions, values and scopes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kernelpath.diagnostics import did_you_mean
from kernelpath.language import LanguageErrors, Names, Type, Vocabulary, check, parse
from kernelpath.language.builtins import DECLARED
from kernelpath.language.constants import constant_faults
from kernelpath.language.parser import MAX_INTEGER
from kernelpath.language.types import BOOL, FLOAT, INT, NULL, STRING, UNKNOWN, ListOf, MapOf, Optional, Record, required
from kernelpath.packs import documents
from kernelpath.packs.documents import Node, Scalar, to_plain
from kernelpath.packs.files import Layer
from kernelpath.packs.functions import Function, expand, refuse_loops
from kernelpath.packs.model import Scope
from kernelpath.packs.terms import WORDS, TermReader, check_scope_place, place_of

Entries = dict[str, tuple[Scalar, Node]]


@dataclass(slots=True)
class Declarations:
    """The declarations of a chain of packs; a later pack's entries replace an earlier one's of the same name."""

    chain: list[Layer]
    digest: str
    terms: TermReader = field(default_factory=TermReader)
    sections: dict[str, Entries] = field(default_factory=dict)
    values: dict[str, Type] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    scopes: dict[str, Scope] = field(default_factory=dict)
    record_types: dict[str, dict[str, Type]] = field(default_factory=dict)

    def _merged(self, section: str) -> Entries:
        merged: Entries = {}
        for layer in self.chain:
            node = layer.root.get(section)
            if isinstance(node, documents.Mapping):
                merged |= {key.text: (key, value) for key, value in node.entries}
        return merged

    def _read_types(self) -> None:
        """Read vocabularies, then record types; records may name each other, so their fields are filled in second."""
        vocabularies = {}
        self._refuse_taken()
        for name, (_, node) in self.sections["vocabularies"].items():
            plain: Any = to_plain(node)
            self.terms.refuse_odd(mapping_of(node)["values"])
            vocabularies[name] = Vocabulary(name, tuple(plain["values"]), bool(plain.get("open", False)))
        self.record_types = {name: {} for name in self.sections["records"]}
        types: dict[str, Type] = {**vocabularies}
        types |= {name: Record(name, fields) for name, fields in self.record_types.items()}
        self.terms.vocabularies, self.terms.types = vocabularies, types
        for name, (_, node) in self.sections["records"].items():
            for key, value in mapping_at(node, "fields").entries:
                self.record_types[name][key.text] = self.terms.type(mapping_of(value)["type"])

    def _refuse_taken(self) -> None:
        """Refuse names that mean something else already: words of the language, its functions, vocabularies."""
        words = dict.fromkeys(WORDS, "a word of the language")
        functions = dict.fromkeys(DECLARED, "a function of the language")
        vocabularies = dict.fromkeys(self.sections["vocabularies"], "a vocabulary")
        for section, taken in (
            ("vocabularies", words | functions),
            ("functions", words | functions | vocabularies),
            ("values", words),
            ("constants", words),
        ):
            for name, (key, _) in self.sections[section].items():
                if name in taken:
                    self.terms.fault(key, "pack/name", f"`{name}` is {taken[name]} already", "choose another name")

    def _read_functions(self) -> None:
        for name, (_, node) in self.sections["functions"].items():
            mapping = mapping_of(node)
            parameters = {key.text: self.terms.type(value) for key, value in mapping_at(node, "parameters").entries}
            for key, _ in mapping_at(node, "parameters").entries:
                self.terms.refuse_word(key)
            body = mapping["value"]
            assert isinstance(body, Scalar)
            try:
                expression = expand(parse(body.text), self.terms.functions)
                refuse_loops(expression)
                never = constant_faults(check(expression, self.terms.names(parameters)))
                if never:
                    raise LanguageErrors(never)
            except LanguageErrors as errors:
                self.terms.problems(body, errors.problems)
                expression = self.terms.unknown_value  # its calls are not to blame
            doc = str(to_plain(mapping["doc"])) if "doc" in mapping else ""
            self.terms.functions[name] = Function(name, tuple(parameters), expression, doc, body.text)

    def _read_values(self) -> None:
        for name, (_, node) in self.sections["constants"].items():
            mapping = mapping_of(node)
            self.values[name] = self.terms.type(mapping["type"])
            self.constants[name] = to_plain(mapping["value"])
            self._constant(mapping["value"], self.values[name])
        for name, (key, node) in self.sections["values"].items():
            if name in self.constants:
                self.terms.fault(key, "pack/value", f"`{name}` is already a constant")
            self.values[name] = self.terms.type(mapping_of(node)["type"])

    def _constant(self, node: Node, wanted: Type) -> None:
        """Check a constant against its type, and its texts for characters that cannot be seen."""
        self.terms.refuse_odd(node)
        value = to_plain(node)
        longest = _over_limit(value, wanted)
        if longest is not None:
            message = f"this has {longest[0]:,} items, and the type has at most {longest[1]:,}"
            self.terms.fault(node, "pack/length", message, "declare a longer list, or leave items out")
        elif not holds(value, wanted):
            help_text = "an int must be within ±2**63" if type(value) is int and wanted == INT else None
            self.terms.fault(node, "pack/constant", f"this is not a value of type `{wanted}`", help_text)

    def _read_scopes(self) -> None:
        for name, (_, node) in self.sections["scopes"].items():
            self.scopes[name] = self._scope(name, mapping_of(node))

    def _scope(self, name: str, node: documents.Mapping) -> Scope:
        used = self._used(node)
        for key in ("over", "item"):
            for entry in mapping_at(node, key).entries:
                self.terms.refuse_word(entry[0])
        if isinstance(index_node := node.get("index"), Scalar):
            self.terms.refuse_word(index_node)
        over = self.terms.term(mapping_at(node, "over").entries[0][1], self._all_values()) if "over" in node else None
        item, item_type = self._item(node, over.checked.type if over else UNKNOWN)
        locals_ = self._typed(node, "locals")
        given = self._typed(node, "given")
        variables = used | locals_ | given
        if item:
            variables[item] = item_type
        index = str(to_plain(node["index"])) if "index" in node else None
        if index:
            variables[index] = INT
        names = self.terms.names(variables)
        texts = {key: self.terms.text(node[key], names) if key in node else None for key in ("subject", "at")}
        if "at" in node:
            check_scope_place(self.terms, node["at"])
        doc = str(to_plain(node["doc"])) if "doc" in node else ""
        return Scope(
            name, variables, given, locals_, item, over, index, texts["subject"], texts["at"], doc, place_of(node)
        )

    def _all_values(self) -> Names:
        return self.terms.names(self.values)

    def _used(self, node: documents.Mapping) -> dict[str, Type]:
        used: dict[str, Type] = {}
        for item in items_at(node, "uses"):
            name = str(to_plain(item))
            if name in self.values:
                used[name] = self.values[name]
            else:
                self.terms.unknown(item, "value", name, self.values, "declare it under `values` in pack.yaml")
                used[did_you_mean(name, self.values) or name] = UNKNOWN  # so that its readers are not blamed, too
        return used

    def _typed(self, node: documents.Mapping, section: str) -> dict[str, Type]:
        for key in mapping_at(node, section).entries:
            self.terms.refuse_word(key[0])
        return {key.text: self.terms.type(value) for key, value in mapping_at(node, section).entries}

    def _item(self, node: documents.Mapping, over: Type) -> tuple[str | None, Type]:
        if "item" in node:
            key, value = mapping_at(node, "item").entries[0]
            return key.text, self.terms.type(value)
        if "over" in node:
            key, value = mapping_at(node, "over").entries[0]
            if isinstance(over, ListOf):
                return key.text, over.element
            if over is not UNKNOWN:
                self.terms.fault(value, "pack/scope", "a scope goes over a list")
            return key.text, UNKNOWN
        return None, UNKNOWN

    def _named(self, node: documents.Mapping, key: str, known: Mapping[str, Any], what: str) -> str | None:
        """Return the name that a key holds if it is known, else None after collecting the mistake."""
        name = str(to_plain(node[key]))
        if name in known:
            return name
        self.terms.unknown(node[key], what, name, known)
        return None


def _over_limit(value: Any, wanted: Type) -> tuple[int, int] | None:
    """Return how many items a list in a value has, and how many its type has at most, for the first that has more."""
    wanted = required(wanted)
    if isinstance(wanted, ListOf) and isinstance(value, list):
        if wanted.limit is not None and len(value) > wanted.limit:
            return len(value), wanted.limit
        return next((found for item in value if (found := _over_limit(item, wanted.element))), None)
    if isinstance(wanted, MapOf) and isinstance(value, dict):
        return next((found for item in value.values() if (found := _over_limit(item, wanted.value))), None)
    return None


def holds(value: Any, wanted: Type) -> bool:
    """Return whether a plain value is of a type, records left out.

    >>> holds(["a"], ListOf(STRING)), holds(True, INT)
    (True, False)
    """
    match wanted:
        case Optional(inner):
            return value is None or holds(value, inner)
        case ListOf(element):
            return isinstance(value, list) and all(holds(item, element) for item in value)
        case MapOf(inner):
            return isinstance(value, dict) and all(holds(item, inner) for item in value.values())
        case Vocabulary():
            return value in wanted.values
        case Record():
            return False
    if isinstance(value, int) and wanted in (INT, FLOAT) and abs(value) > MAX_INTEGER:
        return False
    kinds = {BOOL: (bool,), INT: (int,), FLOAT: (int, float), STRING: (str,), NULL: (type(None),)}
    return wanted not in kinds or type(value) in kinds[wanted]


def mapping_of(node: Node) -> documents.Mapping:
    """Return a node that the schema of pack.yaml made sure is a mapping."""
    assert isinstance(node, documents.Mapping)  # INVARIANT: pack.schema.json was checked before
    return node


def mapping_at(node: Node, key: str) -> documents.Mapping:
    """Return the mapping under a key, an empty one where the key is absent."""
    value = mapping_of(node).get(key)
    return mapping_of(value) if value is not None else documents.Mapping((), node.source, node.start, node.start)


def items_at(node: documents.Mapping, key: str) -> list[Node]:
    """Return the items of the list under a key, none where the key is absent."""
    value = node.get(key)
    return list(value.items) if isinstance(value, documents.Sequence) else []

