"""Read the cells of a pack: its values, the tables of its items and its flows, each typed when it is first needed.

A cell's type may depend on other cells' types, whatever the order in which they are written. So each is read on
demand; one that needs itself is reported with the whole path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kernelpath.language import BOOL, STRING, Checked, LanguageErrors, Names, Type
from kernelpath.language.types import INT, JSON, NULL, UNKNOWN, ListOf, MapOf, Record, fits, optional
from kernelpath.packs import documents
from kernelpath.packs.columns import paths_read
from kernelpath.packs.compose import as_entry
from kernelpath.packs.declarations import (
    FINDING,
    Declarations,
    as_typed,
    doc_of,
    items_at,
    mapping_at,
    row_type,
    words_at,
)
from kernelpath.packs.documents import Node, Scalar, to_plain
from kernelpath.packs.model import Ask, Column, Flow, Items, Parts, Pass, Scope, Term, Text, Value
from kernelpath.packs.pointers import default_place, pointer_of
from kernelpath.packs.terms import place_of

REQUEST = "request"
#: What a column is made of, where a table goes over a list: its element as it was read.
RAW = "raw"
_INHERITED = ("as", "key", "index", "subject", "within")


@dataclass(slots=True)
class Row:
    """What one row of a table binds: its variables in the order of the row's parts, with their types."""

    variables: dict[str, Type]
    index: str | None


@dataclass(slots=True)
class CellReader(Declarations):
    """Reads values, items and flows of a composed pack."""

    values: dict[str, Value] = field(default_factory=dict)
    tables: dict[str, Items] = field(default_factory=dict)
    flows: dict[str, Flow] = field(default_factory=dict)
    rows: dict[str, Row] = field(default_factory=dict)
    gives: dict[str, dict[str, Type]] = field(default_factory=dict)
    reading: list[tuple[str, Scalar]] = field(default_factory=list)

    def _read_cells(self) -> None:
        """Read everything that has a name in expressions."""
        self.cells["findings"] = ListOf(FINDING)
        self._declare_gives()
        self._declare_slots()
        self._declare_whole()
        for section in ("values", "items"):
            for name in self.sections[section]:
                self.cells.setdefault(name, UNKNOWN)
        self.terms.columns = frozenset(name for name in self.cells if "." in name)
        for name in (*self.sections["items"], *self.sections["values"]):
            self._need(name)
        self.tables = {
            name: replace(table, scope=self._whole_scope(table.scope)) for name, table in self.tables.items()
        }
        for name, (key, node) in self.sections["flows"].items():
            self._read_flow(name, key, node)

    def _whole_scope(self, scope: Scope) -> Scope:
        """Return a scope with the types of all cells, some of which were not known when it was read."""
        own = scope.own | scope.given.keys() | scope.whole.keys()
        return replace(scope, variables={**self.cells, **{name: scope.variables[name] for name in own}})

    def _declare_gives(self) -> None:
        """Declare what stages give: a value for a stage of the request, else a column of each table or pass."""
        for name, (key, node) in self.sections["stages"].items():
            given = {word.text: self.terms.type(value) for word, value in mapping_at(node, "gives").entries}
            for word, _ in mapping_at(node, "gives").entries:
                self.terms.refuse_word(word)
            self._complete(node, key, "each", "stage")
            for each in words_at(node, "each"):
                own = self.gives.setdefault(each if each != REQUEST else f"{REQUEST} {name}", {})
                self._give(each, given, own, key)

    def _give(self, each: str, given: Mapping[str, Type], own: dict[str, Type], key: Scalar) -> None:
        for word, type_ in given.items():
            taken = word in self.cells if each == REQUEST else word in own
            if taken or (each == REQUEST and word in self.sections["values"]):
                self.terms.fault(key, "pack/given", f"`{word}` is given here and elsewhere", "give it another name")
            own[word] = type_
            for name in self._columns_of(each):
                self.cells[f"{name}.{word}" if name else word] = ListOf(type_) if name else type_

    def _columns_of(self, each: str) -> list[str]:
        """Return what a column that is given for each of these is a column of, an empty name for the request."""
        if each == REQUEST:
            return [""]
        if each in self.sections["flows"]:
            passes = mapping_at(self.sections["flows"][each][1], "passes")
            return [f"{each}.{name}" for name in passes]
        return [each]

    def _declare_slots(self) -> None:
        for name, (key, node) in self.sections["flows"].items():
            if self._complete(node, key, "slots", "flow"):
                held = self.terms.type(node["slots"])
                for pass_ in mapping_at(node, "passes"):
                    self.cells[f"{name}.{pass_}.slots"] = MapOf(held)

    def _declare_whole(self) -> None:
        """Declare the values that belong to a table as a whole: values with a dot in their names."""
        for table, (_, node) in self.sections["items"].items():
            for key, value in mapping_at(node, "with").entries:
                self.sections["values"][f"{table}.{key.text}"] = (key, as_entry(value))

    def _complete(self, node: documents.Mapping, key: Scalar, wanted: str, what: str) -> bool:
        """Return whether an entry has a key that it cannot do without; says so if it has not."""
        if wanted not in node:
            self.terms.fault(key, "shape/missing-key", f"the key `{wanted}` of {what} `{key.text}` is missing")
        return wanted in node

    # Types on demand

    def _need(self, name: str) -> None:
        """Read a value or a table of this name, unless it was read; a cell that needs itself is reported."""
        owner = name if name in self.sections["values"] else name.partition(".")[0]
        section = next((each for each in ("values", "items") if owner in self.sections[each]), None)
        if section is None or owner in self.values or owner in self.tables:
            return
        key, node = self.sections[section][owner]
        path = [known for known, _ in self.reading]
        if owner in path:
            if self.cells[owner] == UNKNOWN:  # a type that is said does not depend on what it is made of
                self._cycle([*path[path.index(owner) :], owner])
            return
        self.reading.append((owner, key))
        try:
            self._read_value(owner, key, node) if section == "values" else self._read_table(owner, key, node)
        finally:
            self.reading.pop()

    def _cycle(self, path: list[str]) -> None:
        lines = [f"`{name}` (line {self._key(name).span.line})" for name in path]
        key = self._key(path[0])
        self.terms.fault(key, "pack/cycle", f"the type depends on itself: {' -> '.join(lines)}", "say its `type`")

    def _key(self, name: str) -> Scalar:
        return next(self.sections[each][name][0] for each in ("values", "items") if name in self.sections[each])

    def _needs_of(self, node: Node | None) -> None:
        """Read the cells that an expression names."""
        if not isinstance(node, Scalar):
            return
        try:
            paths = paths_read(self.terms.expression(node.text))
        except LanguageErrors:
            return
        for path in sorted(paths):
            self._need(path if path in self.sections["values"] else path.partition(".")[0])

    def _term(
        self,
        node: Node,
        expected: Type | None = None,
        variables: Mapping[str, Type] | None = None,
        facts: tuple[Checked, ...] = (),
    ) -> Term | None:
        self._needs_of(node)
        return self.terms.term(node, self._names(variables or {}), expected, facts)

    def _names(self, variables: Mapping[str, Type]) -> Names:
        return self.terms.names({**self.cells, **variables})

    def _optional_term(self, node: documents.Mapping, key: str, expected: Type | None) -> Term | None:
        return self._term(node[key], expected) if key in node else None

    # Values

    def _read_value(self, name: str, key: Scalar, node: documents.Mapping) -> None:
        said = self.terms.type(node["type"]) if "type" in node else None
        if said is not None:
            self.cells[name] = said
        when = self._optional_term(node, "when", BOOL)
        ask = self._ask(node)
        made = "ask" in node or "fields" in node
        if not made and not self._complete(node, key, "is", "value"):
            return
        facts = (when.checked,) if when else ()
        term = self._term(node["is"], said, facts=facts) if "is" in node else None
        record = str(to_plain(node["type"])) if "fields" in node and "type" in node else None
        fields = self._columns(node, {}, record) if record in self.record_types and record else ()
        found = said or (term.checked.type if term else JSON if ask else UNKNOWN)
        type_ = optional(found) if when else found
        otherwise = self._optional_term(node, "otherwise", type_ if type_ != UNKNOWN else None)
        self.cells[name] = type_
        self.values[name] = Value(
            name=name,
            type=type_,
            term=term,
            fields=fields,
            ask=ask,
            when=when,
            otherwise=otherwise,
            after=self._stages_at(node, "after"),
            input=bool(to_plain(node["input"])) if "input" in node else False,
            doc=doc_of(node),
            decisions=words_at(node, "decisions"),
            place=place_of(key),
        )

    def _ask(self, node: documents.Mapping) -> Ask | None:
        if "ask" not in node:
            return None
        question = self.named(node["ask"], self.sections["questions"], "question", "questions")
        given: dict[str, Term] = {}
        for key, value in mapping_at(node, "with").entries:
            if (wanted := self._settable(key)) and (term := self._term(value, wanted)):
                given[key.text] = term
        places: Any = to_plain(node["places"]) if "places" in node else {}
        for name, term in given.items():
            place = pointer_of(term.checked.expression, self.values, self.tables, self.documents)
            if place is not None and name in self.documents:
                places = {name: place, **places}
        return Ask(question, given, places) if question else None

    def _settable(self, key: Scalar) -> Type | None:
        """Return the type of a document or an input, which whoever asks a question may give."""
        inputs = {name for name, (_, node) in self.sections["values"].items() if "input" in node}
        known = [*self.documents, *sorted(inputs)]
        if key.text not in known:
            self.terms.unknown(key, "input", key.text, known, "a value with `input: true` may be given, and a document")
            return None
        self._need(key.text)
        return self.cells[key.text]

    def _stages_at(self, node: documents.Mapping, key: str) -> tuple[str, ...]:
        """Return the stages that a key names; `stage.table` is the stage over that table alone."""
        stages = self.sections["stages"]
        known = {*stages, *(f"{name}.{each}" for name, (_, own) in stages.items() for each in words_at(own, "each"))}
        return tuple(
            name
            for item in items_at(node, key)
            if (name := self.named(item, dict.fromkeys(known), "stage", "stages")) is not None
        )

    # Tables of items

    def _read_table(self, name: str, key: Scalar, node: documents.Mapping) -> None:
        like = self._liked(node)
        node = self._inherited(node, like)
        if not self._complete(node, key, "of", "table") or not self._complete(node, key, "as", "table"):
            return
        outer = self._outer(node)
        source, over, element = self._source(node, outer)
        record = row_type(node)
        own = Record(record, self.record_types[record]) if record else element
        self.cells[name] = ListOf(own)
        row = self.rows[name] = self._row(node, own, outer)
        when = self._optional_term(node, "when", BOOL)
        after = self._stages_at(node, "after")
        columns = self._columns(node, self._read_from(node, source, element, outer), record) if record else ()
        given = self.gives.get(name, {})
        whole = {word: f"{name}.{word}" for word in mapping_at(node, "with")}
        for cell in whole.values():
            self._need(cell)
        variables = {**row.variables, **({row.index: INT} if row.index else {})}
        variables |= {word: self.cells[cell] for word, cell in whole.items()}
        scope = replace(self._scope(name, key, node, variables, {}, given, row, over), whole=whole)
        self.tables[name] = Items(
            name=name,
            scope=scope,
            over=over,
            source=source,
            within=outer,
            like=like,
            record=record,
            columns=columns,
            when=when,
            after=after,
            doc=doc_of(node),
            decisions=words_at(node, "decisions"),
            place=place_of(key),
        )

    def _liked(self, node: documents.Mapping) -> str | None:
        if "like" not in node:
            return None
        name = self.named(node["like"], self.sections["items"], "table", "items")
        if name:
            self._need(name)
        return name

    def _inherited(self, node: documents.Mapping, like: str | None) -> documents.Mapping:
        """Return an entry with the variables of the table that it is like."""
        if like is None:
            return node
        other = self.sections["items"][like][1]
        more = tuple(entry for entry in other.entries if entry[0].text in _INHERITED and entry[0].text not in node)
        return documents.Mapping((*node.entries, *more), node.source, node.start, node.end)

    def _outer(self, node: documents.Mapping) -> str | None:
        if "within" not in node:
            return None
        name = self.named(node["within"], self.sections["items"], "table", "items")
        if name:
            self._need(name)
        return name if name in self.rows else None

    def _source(self, node: documents.Mapping, outer: str | None) -> tuple[str | None, Term | None, Type]:
        """Return the table whose rows a table's rows are made of, or the expression of their list, and their type."""
        of = node["of"]
        text = to_plain(of)
        if isinstance(text, str) and text in self.sections["items"] and "fields" in node:
            self._need(text)
            return text, None, UNKNOWN
        visible = self._visible(outer) if outer else {}
        term = self._term(of, None, visible)
        if term is None:
            return None, None, UNKNOWN
        return None, term, self._element(of, term.checked.type, "key" in node)

    def _element(self, node: Node, type_: Type, keyed: bool) -> Type:
        if isinstance(type_, ListOf):
            return type_.element
        if isinstance(type_, MapOf):
            if not keyed:
                self.terms.fault(node, "pack/items", f"this is a `{type_}`", "name its keys with `key: NAME`")
            return type_.value
        if type_ not in (JSON, UNKNOWN):
            self.terms.fault(node, "pack/items", f"a table goes over a list or a map, not a `{type_}`")
        return type_

    def _visible(self, table: str) -> dict[str, Type]:
        row = self.rows[table]
        return {**row.variables, **({row.index: INT} if row.index else {})}

    def _row(self, node: documents.Mapping, element: Type, outer: str | None) -> Row:
        for word in ("as", "key", "index"):
            if isinstance(name := node.get(word), Scalar):
                self.terms.refuse_word(name)
                if name.text in self.cells:
                    self.terms.fault(name, "pack/name", f"`{name.text}` is already a name", "choose another name")
        variables = {str(to_plain(node["as"])): element}
        if "key" in node:
            variables[str(to_plain(node["key"]))] = STRING
        index = str(to_plain(node["index"])) if "index" in node else None
        if outer:
            variables |= self._visible(outer)
            variables |= {index: INT} if index else {}
        return Row(variables, index)

    def _read_from(
        self, node: documents.Mapping, source: str | None, element: Type, outer: str | None
    ) -> dict[str, Type]:
        """Return what columns are made of: the row of another table, or the list's element under the name `raw`."""
        if source is not None:
            return self._visible(source) if source in self.rows else {}
        own = self._row(node, element, outer)
        rest = {name: type_ for name, type_ in own.variables.items() if name != to_plain(node["as"])}
        return {RAW: element, **rest, **({own.index: INT} if own.index else {})}

    def _columns(self, node: documents.Mapping, visible: Mapping[str, Type], record: str) -> tuple[Column, ...]:
        """Read the columns of a table's rows."""
        found = []
        for key, value in mapping_at(node, "fields").entries:
            entry = as_entry(value)
            said = self.terms.type(entry["type"]) if "type" in entry else None
            term = self._term(entry["is"], said, visible) if self._complete(entry, key, "is", "column") else None
            type_ = said or (term.checked.type if term else UNKNOWN)
            self.record_types[record][key.text] = type_
            if term:
                found.append(Column(key.text, type_, term, doc_of(entry), words_at(entry, "decisions"), place_of(key)))
        return tuple(found)

    def _scope(
        self,
        name: str,
        key: Scalar,
        node: documents.Mapping,
        variables: Mapping[str, Type],
        locals_: Mapping[str, Type],
        given: Mapping[str, Type],
        row: Row,
        over: Term | None,
    ) -> Scope:
        visible = {**self.cells, **variables, **locals_, **given}
        names = self.terms.names(visible)
        texts: dict[str, Text | None] = {}
        for part in ("subject", "at"):
            if isinstance(text := node.get(part), Scalar):
                self._needs_of_text(text)
                names = self.terms.names({**self.cells, **variables, **locals_, **given})
                texts[part] = self.terms.text(text, names)
        if "at" not in texts and over is not None:
            texts["at"] = self._default_place(over, node, names)
        return Scope(
            name=name,
            variables=visible,
            given=given,
            locals=locals_,
            row=tuple(row.variables),
            index=row.index,
            subject=texts.get("subject"),
            at=texts.get("at"),
            doc=doc_of(node),
            place=place_of(key),
        )

    def _default_place(self, over: Term, node: documents.Mapping, names: Names) -> Text | None:
        text = default_place(over.checked.expression, node, self.values, self.tables, self.documents)
        if text is None:
            return None
        before = len(self.terms.diagnostics)
        of = node["of"]
        scalar = Scalar(text, text, "", of.source, of.start, of.end)
        found = self.terms.text(scalar, names)
        del self.terms.diagnostics[before:]
        return found

    def _needs_of_text(self, node: Scalar) -> None:
        try:
            pieces = self.terms.message(node.text).pieces
        except LanguageErrors:
            return
        for piece in pieces:
            for path in sorted(paths_read(piece)) if not isinstance(piece, str) else ():
                self._need(path if path in self.sections["values"] else path.partition(".")[0])

    # Flows

    def _read_flow(self, name: str, key: Scalar, node: documents.Mapping) -> None:
        if not self._complete(node, key, "over", "flow") or "slots" not in node:
            return
        over = self.named(node["over"], self.sections["items"], "table", "items")
        table = self.tables.get(over or "")
        if table is None:
            return
        held = self.terms.type(node["slots"])
        row = self.rows[table.name]
        reads = mapping_at(node, "reads")
        locals_ = {word.text: optional(held) for word, _ in reads.entries}
        word = self._word(node)
        if word:
            locals_[word[0]] = word[1]
        given = self.gives.get(name, {})
        variables = {**row.variables, **({row.index: INT} if row.index else {})}
        texts = self._with_texts(node, self.sections["items"][table.name][1])
        variables |= {word: self.cells[cell] for word, cell in table.scope.whole.items()}
        scope = replace(self._scope(name, key, texts, variables, locals_, given, row, None), whole=table.scope.whole)
        if "at" not in texts:
            scope = _placed(scope, table.scope.at)
        names = self.terms.names(scope.variables)
        read = [(entry.text, self.terms.term(value, names, STRING)) for entry, value in reads.entries]
        self.flows[name] = Flow(
            name=name,
            over=table.name,
            scope=scope,
            reads=tuple((variable, term) for variable, term in read if term),
            visits=self.terms.term(node["visits"], names, BOOL) if "visits" in node else None,
            type=held,
            word=word[0] if word else None,
            parts=self._parts(node, names),
            passes=self._passes(name, node, held),
            doc=doc_of(node),
            decisions=words_at(node, "decisions"),
            place=place_of(key),
        )

    def _with_texts(self, node: documents.Mapping, table: documents.Mapping) -> documents.Mapping:
        """Return a flow's entry with the subject and the place of the table's rows, unless it says its own."""
        more = tuple(e for e in table.entries if e[0].text in ("subject", "at") and e[0].text not in node)
        return documents.Mapping((*node.entries, *more), node.source, node.start, node.end)

    def _word(self, node: documents.Mapping) -> tuple[str, Type] | None:
        """Return the variable that holds a pass's name, and its type."""
        entries = mapping_at(node, "pass").entries
        if not entries:
            return None
        key, value = entries[0]
        self.terms.refuse_word(key)
        return key.text, self.terms.type(value)

    def _parts(self, flow: documents.Mapping, names: Names) -> Parts | None:
        """Return the parts of an unrolled flow, None of one that goes through its rows in their order."""
        if "unroll" not in flow:
            return None
        node, repeat = mapping_at(flow, "unroll"), mapping_at(mapping_at(flow, "unroll"), "repeat")
        of, on = self.terms.term(node["by"], names), self.terms.term(repeat["on"], names, JSON)
        count = self._term(repeat["count"], INT)
        if of is None or on is None or count is None:
            return None
        split: Any = to_plain(repeat["split"]) if "split" in repeat else {}
        return Parts(of, words_at(node, "order"), str(to_plain(repeat["part"])), on, count, split)

    def _passes(self, flow: str, node: documents.Mapping, held: Type) -> dict[str, Pass]:
        found = {}
        for key, value in mapping_at(node, "passes").entries:
            entry = as_typed(value)
            start = entry.get("start")
            terms: dict[str, Term] = {}
            for slot, inner in start.entries if isinstance(start, documents.Mapping) else ():
                if term := self._term(inner, optional(held)):  # a slot that starts with null is unwritten
                    terms[slot.text] = term
            start_from = self._slots(start, held) if isinstance(start, Scalar) else None
            carry = self._slots(entry["carry"], held) if "carry" in entry else None
            settles = str(to_plain(entry["until"])) == "fixed_point" if "until" in entry else False
            found[key.text] = Pass(key.text, terms, start_from, carry, settles, place_of(key))
        return found

    def _slots(self, node: Node, held: Type) -> str | None:
        """Return the slots that another pass leaves, such as `visits.prefill.slots`."""
        name = str(to_plain(node))
        known = [cell for cell in self.cells if cell.endswith(".slots")]
        if name not in known:
            self.terms.unknown(node, "slots", name, known)
            return None
        if not fits(self.cells[name], MapOf(optional(held))):
            self.terms.fault(node, "pack/flow", f"slots here hold `{held}`, and `{name}` is `{self.cells[name]}`")
        return name


def _placed(scope: Scope, at: Text | None) -> Scope:
    return replace(scope, at=at)


__all__ = ["NULL", "CellReader"]
