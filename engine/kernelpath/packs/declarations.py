"""Read what a pack declares before any rule: vocabularies, record types, functions, constants and documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelpath.language import BOOL, LanguageErrors, Names, Type, Vocabulary, check, parse
from kernelpath.language.builtins import DATA, DECLARED, DataFault
from kernelpath.language.constants import constant_faults
from kernelpath.language.parser import MAX_INTEGER
from kernelpath.language.signatures import library_records
from kernelpath.language.types import FLOAT, INT, JSON, NULL, STRING, UNKNOWN, ListOf, MapOf, Optional, Record, required
from kernelpath.packs.compose import Composer, as_entry
from kernelpath.packs.documents import Mapping as Entry
from kernelpath.packs.documents import Node, Scalar, node_at, to_plain
from kernelpath.packs.documents import Sequence as NodeList
from kernelpath.packs.files import Layer
from kernelpath.packs.functions import Function, expand, refuse_loops
from kernelpath.packs.libraries import known_libraries, load_modules
from kernelpath.packs.model import Document, Instead, Part, RecordShape, Term
from kernelpath.packs.terms import WORDS, TermReader, place_of

Entries = dict[str, tuple[Scalar, Entry]]
SECTIONS = (
    "vocabularies",
    "constants",
    "records",
    "functions",
    "documents",
    "values",
    "items",
    "flows",
    "stages",
    "questions",
    "rules",
)
#: A finding as expressions see it, in values that read `findings`.
FINDING = Record(
    "Finding",
    {
        "rule": STRING,
        "stage": STRING,
        "pass": STRING,
        "severity": STRING,
        "subject": STRING,
        "message": STRING,
        "decisions": ListOf(STRING, 20),
        "tags": ListOf(STRING, 20),
    },
)


@dataclass(slots=True)
class Declarations:
    """The declarations of a chain of packs, composed into one."""

    chain: list[Layer]
    digest: str
    root: Entry = field(init=False)
    terms: TermReader = field(default_factory=TermReader)
    sections: dict[str, Entries] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    data: dict[str, tuple[str, Any]] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    cells: dict[str, Type] = field(default_factory=dict)
    record_types: dict[str, dict[str, Type]] = field(default_factory=dict)
    row_types: dict[str, str] = field(default_factory=dict)
    libraries: tuple[str, ...] = ()
    fixes: dict[str, Any] = field(default_factory=dict)

    def _compose(self) -> None:
        composer = Composer(self.terms.diagnostics)
        root = self.root = composer.compose(self.chain)
        self._use(root)
        for name in SECTIONS:
            node = root.get(name)
            entries = node.entries if isinstance(node, Entry) else ()
            self.sections[name] = {key.text: (key, as_entry(value)) for key, value in entries}
        fixes: Any = to_plain(root["fixes"]) if "fixes" in root else {}
        self.fixes = fixes

    def _use(self, root: Entry) -> None:
        """Load the libraries that the pack uses."""
        known = known_libraries()
        used = [name for node in items_at(root, "uses") if (name := self.named(node, known, "library"))]
        self.libraries = tuple(module for name in used if (module := known[name]))
        load_modules(self.libraries)
        # of an unknown library nobody can say what it declares: its calls are not to blame
        self.terms.libraries = frozenset(used) if len(used) == len(items_at(root, "uses")) else None

    def _read_types(self) -> None:
        """Read vocabularies, then record types; records may name each other, so their fields are filled in second."""
        vocabularies = {}
        self._refuse_taken()
        for name, (_, node) in self.sections["vocabularies"].items():
            plain: Any = to_plain(node)
            if "values" in node:
                self.terms.refuse_odd(node["values"])
            vocabularies[name] = Vocabulary(name, tuple(plain.get("values", ())), bool(plain.get("open", False)))
        self._refuse_record_twice()
        named = [*self.sections["records"], *self.row_types.values()]
        self.record_types = {name: {} for name in named}
        types: dict[str, Type] = {**vocabularies, **library_records(), FINDING.name: FINDING}
        types |= {name: Record(name, fields) for name, fields in self.record_types.items()}
        self.terms.vocabularies, self.terms.types = vocabularies, types
        for name, (_, node) in self.sections["records"].items():
            for key, value in mapping_at(node, "fields").entries:
                self.record_types[name][key.text] = self.terms.type(as_typed(value)["type"])

    def _refuse_record_twice(self) -> None:
        """Name the record types that columns make; one that is declared elsewhere, too, gets a name of its own."""
        made = {name: f"record `{name}`" for name in self.sections["records"]}
        for section, what in (("items", "table"), ("values", "value")):
            for name, (key, node) in self.sections[section].items():
                record = row_type(node)
                if record in made:
                    message = f"the columns make a record type `{record}`, which {made[record]} is already"
                    self.terms.fault(
                        node.get("type") or node.get("as") or key, "pack/name", message, "give another `type`"
                    )
                    record = f"{record} of {name}"
                if record:
                    made[record] = f"that of {what} `{name}`"
                    self.row_types[name] = record

    def _refuse_taken(self) -> None:
        """Refuse names that mean something else already: words of the language, its functions, the engine's own."""
        words = dict.fromkeys(WORDS, "a word of the language")
        used = {None, *(self.terms.libraries or known_libraries())}
        declared = [name for name, each in DECLARED.items() if each.library in used]
        functions = dict.fromkeys(declared, "a function of the language")
        records = dict.fromkeys(library_records() if self.libraries else (), "a record of a library")
        classes = {**records, FINDING.name: "a name of the engine"}
        vocabularies = dict.fromkeys(self.sections["vocabularies"], "a vocabulary")
        taken: dict[str, str] = {}
        for section, what in (
            ("constants", "constant"),
            ("documents", "document"),
            ("items", "table"),
            ("flows", "flow"),
        ):
            for name, (key, _) in list(self.sections[section].items()):
                if self._refuse_name(key, {**words, **taken, "findings": "the list of findings"}):
                    del self.sections[section][name]
                    self.terms.lost.add(name)
                else:
                    taken[name] = f"a {what}"
        for section, known in (
            ("vocabularies", words | functions),
            ("functions", words | functions | vocabularies),
            ("values", words | taken | {"findings": "the list of findings"}),
            ("records", classes),
        ):
            for name, (key, _) in list(self.sections[section].items()):
                if self._refuse_name(key, known) and name in taken:
                    del self.sections[section][name]

    def _refuse_name(self, key: Scalar, taken: Mapping[str, str]) -> bool:
        """Return whether a name means something else already, after saying so."""
        if key.text in taken:
            self.terms.fault(key, "pack/name", f"`{key.text}` is already {taken[key.text]}", "choose another name")
        return key.text in taken

    def _read_functions(self) -> None:
        for name, (_, node) in self.sections["functions"].items():
            parameters = {key.text: self.terms.type(value) for key, value in mapping_at(node, "parameters").entries}
            for key, _ in mapping_at(node, "parameters").entries:
                self.terms.refuse_word(key)
            body = node["is"]
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
            self.terms.functions[name] = Function(name, tuple(parameters), expression, doc_of(node), body.text)

    def _read_constants(self) -> None:
        for name, (_, node) in self.sections["constants"].items():
            plain = to_plain(node["value"])
            self.cells[name] = self.terms.type(node["type"]) if "type" in node else literal_type(plain)
            self.constants[name] = plain
            self.terms.refuse_odd(node["value"])
            longest = _over_limit(plain, self.cells[name])
            if data_type(self.cells[name]) is not None:
                self._read_data(name, node["value"])
            elif longest is not None:
                message = f"this has {longest[0]:,} items, and the type has at most {longest[1]:,}"
                self.terms.fault(node["value"], "pack/length", message, "declare a longer list, or leave items out")
            elif not holds(plain, self.cells[name]):
                large = type(plain) is int and self.cells[name] == INT
                help_text = "an int must be within ±2**63" if large else None
                message = f"this is not a value of type `{self.cells[name]}`"
                self.terms.fault(node["value"], "pack/constant", message, help_text)

    def _read_data(self, name: str, node: Node) -> None:
        """Read what a library makes of the data of a constant; refuse what it cannot read."""
        wanted = data_type(self.cells[name]) or ""
        self.data[name] = (wanted, self.constants[name])
        try:
            self.constants[name] = DATA[wanted](self.constants[name])
        except DataFault as fault:
            self.terms.fault(deepest_at(node, fault.path), "pack/data", fault.message, None)

    def _read_documents(self) -> None:
        raw = self.terms.names({**self.cells, "file": JSON})
        for name, (key, node) in self.sections["documents"].items():
            type_ = self.terms.type(node["type"]) if "type" in node else JSON
            plain: Any = to_plain(node)
            self.cells[name] = type_
            self.documents[name] = Document(
                name=name,
                type=type_,
                doc=doc_of(node),
                optional=bool(plain.get("optional", False)),
                recognise=self._asked_of(node, "recognise", raw),
                resembles=self._asked_of(node, "resembles", raw),
                part=self._part(node, raw),
                completed=self.terms.term(node["completed"], raw) if "completed" in node else None,
                named=plain.get("named"),
                options=plain.get("options", {}),
                holds=self._contained(node),
                instead=self._instead(node, raw),
                resource=plain.get("resource"),
                shape=plain.get("shape"),
                over=plain.get("over"),
                place=place_of(key),
            )

    def _asked_of(self, node: Entry, key: str, raw: Names) -> Term | None:
        """Return a condition on a raw file."""
        return self.terms.term(node[key], raw, BOOL) if key in node else None

    def _part(self, node: Entry, raw: Names) -> Part | None:
        part = node.get("part")
        if not isinstance(part, Entry):
            return None
        term = self._asked_of(part, "when", raw)
        return Part(term, self._asked_of(part, "resembles", raw), str(to_plain(part["at"]))) if term else None

    def _contained(self, node: Entry) -> Mapping[str, str]:
        """Return the documents that are parts of one, and the pointer of each."""
        holds = node.get("holds")
        if not isinstance(holds, Entry):
            return {}
        for key, _ in holds.entries:
            self.named(key, self.sections["documents"], "document", "documents")
        found: Any = to_plain(holds)
        return dict(found)

    def _instead(self, node: Entry, raw: Names) -> Instead | None:
        instead = node.get("instead")
        if not isinstance(instead, Entry):
            return None
        of = self.named(instead["of"], self.sections["documents"], "document", "documents")
        term = self._asked_of(instead, "when", raw)
        return Instead(of, term, str(to_plain(instead["at"]))) if of and term else None

    def _records(self) -> dict[str, RecordShape]:
        """Return the record types that are declared as such; those of tables are made of their columns."""
        return {
            name: RecordShape(name, self.record_types[name], field_docs(node), doc_of(node), place_of(key))
            for name, (key, node) in self.sections["records"].items()
        }

    def named(self, node: Node, known: Mapping[str, Any], what: str, section: str | None = None) -> str | None:
        """Return the name that a scalar holds if it is known, else None after collecting the mistake."""
        name = str(to_plain(node))
        if name in known:
            return name
        otherwise = f"declare it under `{section}` in pack.yaml" if section else None
        self.terms.unknown(node, what, name, known, otherwise)
        return None


def row_type(node: Entry) -> str | None:
    """Return the name of the record type that columns make, None if there are none."""
    if "fields" not in node or not ("type" in node or "as" in node):
        return None
    return str(to_plain(node["type"])) if "type" in node else str(to_plain(node["as"])).capitalize()


def as_typed(node: Node) -> Entry:
    """Return `{type: node}` for a type that stands alone, and a mapping as it is."""
    if isinstance(node, Entry):
        return node
    name = Scalar("type", "type", "", node.source, node.start, node.start)
    return Entry(((name, node),), node.source, node.start, node.end)


def field_docs(node: Entry) -> dict[str, str]:
    """Return the docs of a record's fields, by name."""
    return {key.text: doc_of(as_typed(value)) for key, value in mapping_at(node, "fields").entries}


def literal_type(value: Any) -> Type:
    """Return the type of a literal whose type is not said.

    >>> str(literal_type(["a", "b"])), str(literal_type({"a": [1]}))
    ('list<string>', 'map<json>')
    """
    kinds: dict[type, Type] = {bool: BOOL, int: INT, float: FLOAT, str: STRING}
    if type(value) in kinds:
        return kinds[type(value)]
    if isinstance(value, list):
        return ListOf(_common([literal_type(item) for item in value]), len(value))
    return MapOf(JSON) if isinstance(value, dict) else JSON


def _common(types: Sequence[Type]) -> Type:
    return types[0] if types and all(other == types[0] for other in types) else JSON


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
    if isinstance(value, int) and wanted in (INT, FLOAT) and abs(value) > MAX_INTEGER:
        return False
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
    kinds = {BOOL: (bool,), INT: (int,), FLOAT: (int, float), STRING: (str,), NULL: (type(None),)}
    return wanted not in kinds or type(value) in kinds[wanted]


def data_type(wanted: Type) -> str | None:
    """Return the name of a type whose values a library makes of data; None for any other type."""
    return wanted.name if isinstance(wanted, Record) and wanted.name in DATA else None


def deepest_at(node: Node, path: Sequence[str | int]) -> Node:
    """Return the node that a path leads to, or the last one on the way that is there."""
    for length in range(len(path), -1, -1):
        try:
            return node_at(node, path[:length])
        except (LookupError, TypeError):
            continue
    return node


def doc_of(node: Entry) -> str:
    """Return the doc of an entry, empty if it has none."""
    return str(to_plain(node["doc"])) if "doc" in node else ""


def words_at(node: Entry, key: str) -> tuple[str, ...]:
    """Return the words of the list under a key; one word may stand without a list."""
    plain = to_plain(node[key]) if key in node else ()
    return (plain,) if isinstance(plain, str) else tuple(plain)  # type: ignore[arg-type]


def mapping_of(node: Node) -> Entry:
    """Return a node that the schema of pack.yaml made sure is a mapping."""
    assert isinstance(node, Entry)  # INVARIANT: pack.schema.json was checked before
    return node


def mapping_at(node: Node, key: str) -> Entry:
    """Return the mapping under a key, an empty one if the key is absent."""
    value = mapping_of(node).get(key)
    return mapping_of(value) if value is not None else Entry((), node.source, node.start, node.start)


def items_at(node: Entry, key: str) -> list[Node]:
    """Return the items of the list under a key, none if the key is absent; one item may stand without a list."""
    value = node.get(key)
    return list(value.items) if isinstance(value, NodeList) else [value] if value is not None else []


__all__ = ["FINDING", "UNKNOWN", "Declarations"]
