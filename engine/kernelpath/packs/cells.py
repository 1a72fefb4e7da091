"""Read the cells of a pack: its values, the tables of its items and its flows, each typed when it is first needed.

A cell's type may depend on other cells' types, whatever the order in which they are written. So each is read on
demand; one that needs itself is reported with the whole path.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kernelpath.diagnostics import Source
from kernelpath.diagnostics.render.printable import printable
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
    words_at,
)
from kernelpath.packs.documents import Node, Scalar, to_plain
from kernelpath.packs.model import Ask, Column, Flow, Items, Parts, Pass, Scope, Term, Text, Value
from kernelpath.packs.pointers import default_place, pointer_of
from kernelpath.packs.terms import place_of

REQUEST = "request"
#: What a column is made of, where a table goes over a list: its element as it was read.
RAW = "raw"
_NAME = re.compile("[a-z][A-Za-z0-9_]*", re.ASCII)
#: The most values and tables each of which needs the next.
MOST_IN_A_ROW = 100
#: Mistakes after which nobody can say what a table's rows bind.
_OF_ROWS = frozenset(("pack/variable", "pack/rows"))
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
    lost_in_circles: set[str] = field(default_factory=set)

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
        self.terms.owners = self._owners()
        for name in (*self.sections["items"], *self.sections["values"]):
            self._need(name)
        self.tables = {
            name: replace(table, scope=self._whole_scope(table.scope)) for name, table in self.tables.items()
        }
        for name, (key, node) in self.sections["flows"].items():
            self._read_flow(name, key, node)

    def _owners(self) -> dict[str, str]:
        """Return what has columns: tables, flows and their passes."""
        owners = dict.fromkeys(self.sections["items"], "table")
        for flow, (_, node) in self.sections["flows"].items():
            owners |= {flow: "flow", **{f"{flow}.{name}": "pass" for name in mapping_at(node, "passes")}}
        return owners

    def _lose(self, name: str) -> None:
        """Keep a table or a flow that is at fault: what reads its rows or its columns is not to blame."""
        self.terms.lost.add(name)

    def _whole_scope(self, scope: Scope) -> Scope:
        """Return a scope with the types of all cells, some of which were not known when it was read."""
        own = scope.own | scope.given.keys() | scope.whole.keys()
        return replace(scope, variables={**self.cells, **{name: scope.variables[name] for name in own}})

    def _declare_gives(self) -> None:
        """Declare what stages give: a value for a stage of the request, else a column of each table or pass."""
        for name, (key, node) in self.sections["stages"].items():
            given = {word.text: self.terms.type(value) for word, value in mapping_at(node, "gives").entries}
            words = [word for word, _ in mapping_at(node, "gives").entries]
            for word in words:
                self.terms.refuse_word(word)
            self._complete(node, key, "each", "stage")
            for each in words_at(node, "each"):
                own = self.gives.setdefault(each if each != REQUEST else f"{REQUEST} {name}", {})
                self._give(each, given, own, words, perhaps="when" in node)
            if not set(words_at(node, "each")) <= {REQUEST, *self.sections["items"], *self.sections["flows"]}:
                self.terms.lost |= given.keys()  # of what they are columns is not known
            elif "each" not in node:
                self.terms.lost |= given.keys()
                self.cells |= dict.fromkeys(given, UNKNOWN)

    def _give(
        self, each: str, given: Mapping[str, Type], own: dict[str, Type], words: list[Scalar], *, perhaps: bool
    ) -> None:
        """Declare what a stage gives for each of these; it is null elsewhere if the stage is `perhaps` asked."""
        for node in words:
            word, type_ = node.text, given[node.text]
            taken = self._taken_by(word) if each == REQUEST else self._bound_by(each, word)
            if word in own or taken:
                message = f"`{word}` is already {taken or 'given by another stage'}"
                self.terms.fault(node, "pack/given", message, "give it another name")
            if not taken or each == REQUEST:
                own[word] = type_
            if taken:
                continue
            type_ = optional(type_) if perhaps else type_
            for name in self._columns_of(each):
                self.cells[f"{name}.{word}" if name else word] = ListOf(type_) if name else type_

    def _taken_by(self, word: str) -> str | None:
        """Return what a name of the request stands for already."""
        sections = {
            "values": "value",
            "items": "table",
            "flows": "flow",
            "documents": "document",
            "constants": "constant",
        }
        section = next((each for each in sections if word in self.sections[each]), None)
        if section:
            return f"a {sections[section]}"
        return "given by another stage" if word in self.cells else None

    def _bound_by(self, each: str, word: str) -> str | None:
        """Return what the rows of a table, or the visits of a flow, bind a name to already."""
        flow = self.sections["flows"].get(each)
        table = str(to_plain(flow[1]["over"])) if flow and "over" in flow[1] else each
        entry = self.sections["items"].get(table)
        bound = [str(to_plain(entry[1][key])) for key in ("as", "key", "index") if key in entry[1]] if entry else []
        bound += [*mapping_at(entry[1], "with")] if entry else []
        bound += [*mapping_at(flow[1], "reads"), *mapping_at(flow[1], "pass")] if flow else []
        return f"a variable of {'flow' if flow else 'table'} `{each}`" if word in bound else None

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
            if not self._complete(node, key, "passes", "flow"):
                self._lose(name)
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
        if len(path) >= MOST_IN_A_ROW:
            self.cells[owner] = UNKNOWN
            self._refuse_row(key)
            return
        self.reading.append((owner, key))
        try:
            self._read_value(owner, key, node) if section == "values" else self._read_table(owner, key, node)
        finally:
            self.reading.pop()

    def _cycle(self, path: list[str]) -> None:
        self.lost_in_circles |= set(path)
        lines = [f"`{name}` (line {self._key(name).span.line})" for name in path]
        self.terms.fault(self._key(path[0]), "pack/cycle", circle_words(lines))

    def _refuse_row(self, key: Scalar) -> None:
        message = f"over {MOST_IN_A_ROW} values and tables need each other in a row, up to this one"
        if not any(found.rule == "pack/row" for found in self.terms.diagnostics):
            self.terms.fault(key, "pack/row", message)

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
        if not self._is_one_kind(node, key):
            self.cells[name] = UNKNOWN
            return
        ask = self._ask(node)
        facts = (when.checked,) if when else ()
        term = self._term(node["is"], said, facts=facts) if "is" in node else None
        record = self.row_types.get(name)
        fields = self._columns(node, {}, record) if record else ()
        if record and record != to_plain(node["type"]):
            said = UNKNOWN  # another record has this name
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

    def _is_one_kind(self, node: documents.Mapping, key: Scalar) -> bool:
        """Return whether a value is defined in just one way, with the keys that belong to it; says so if not."""
        kinds = [each for each in ("is", "fields", "ask") if each in node]
        if len(kinds) > 1:
            message = f"of the keys {', '.join(kinds)} only one may be here"
            self.terms.fault(node.key(kinds[1]) or key, "shape/several-shapes", message, "make two values of it")
        for word in ("with", "places"):
            if word in node and "ask" not in node:
                message = f"`{word}` belongs to a value with `ask`"
                self.terms.fault(node.key(word) or key, "shape/unknown-key", message, "say with `ask` which question")
                return False
        if "ask" in node and "type" in node and to_plain(node["type"]) != "json":
            message, help_text = "the answer of a question is `json`", "leave `type` out, and test the answer"
            self.terms.fault(node["type"], "pack/ask", message, help_text)
        if "fields" in node and not self._complete(node, key, "type", "value"):
            return False
        return len(kinds) == 1 or (not kinds and self._complete(node, key, "is", "value"))

    def _ask(self, node: documents.Mapping) -> Ask | None:
        if "ask" not in node:
            return None
        question = self.named(node["ask"], self.sections["questions"], "question", "questions")
        given: dict[str, Term] = {}
        for key, value in mapping_at(node, "with").entries:
            if (wanted := self._settable(key)) and (term := self._term(value, wanted)):
                given[key.text] = term
        places: Any = to_plain(node["places"]) if "places" in node else {}
        for key, value in mapping_at(node, "places").entries:
            self.named(key, {name: 1 for name in given if name in self.documents}, "document")
            self._refuse_place(value)
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
            help_text = "documents may be given, and values with `input: true`"
            self.terms.unknown(key, "document or input", key.text, known, help_text)
            return None
        self._need(key.text)
        return self.cells[key.text]

    def _stages_at(self, node: documents.Mapping, key: str) -> tuple[str, ...]:
        """Return the stages that a key names; `stage.table` is the stage over that table alone."""
        stages = self.sections["stages"]
        for item in items_at(node, key):
            own = stages.get(str(to_plain(item)))
            if own and own[1] is node:
                self.terms.fault(item, "pack/stage", f"stage `{to_plain(item)}` is after itself")
        known = {*stages, *(f"{name}.{each}" for name, (_, own) in stages.items() for each in words_at(own, "each"))}
        return tuple(
            name
            for item in items_at(node, key)
            if (name := self.named(item, dict.fromkeys(known), "stage", "stages")) is not None
        )

    # Tables of items

    def _read_table(self, name: str, key: Scalar, node: documents.Mapping) -> None:
        before = len(self.terms.diagnostics)
        like = self._liked(node)
        if "like" in node and like is None:
            self._lose(name)
            return
        node = self._inherited(node, like)
        if not self._complete(node, key, "of", "table") or not self._complete(node, key, "as", "table"):
            self._lose(name)
            return
        outer = self._outer(node)
        source, over, element = self._source(node, outer)
        record = self.row_types.get(name)
        own = Record(record, self.record_types[record]) if record else element
        self.cells[name] = ListOf(own)
        row = self.rows[name] = self._row(node, own, outer)
        if source in self.terms.lost or any(d.rule in _OF_ROWS for d in self.terms.diagnostics[before:]):
            self._lose(name)
            return
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
        if "fields" in node:
            message = "a table that is `like` another one has no columns of its own"
            self.terms.fault(node.key("fields") or node, "pack/items", message, "leave `like` out, or the columns")
        return name if name in self.rows else None

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
            if keyed:
                message, help_text = "the rows of a list have no keys", "name their places with `index: NAME`"
                self.terms.fault(node, "pack/rows", message, help_text)
            return type_.element
        if isinstance(type_, MapOf):
            if not keyed:
                self.terms.fault(node, "pack/items", f"this is a `{type_}`", "name its keys with `key: NAME`")
            return type_.value
        if type_ in (JSON, UNKNOWN):
            return type_
        self.terms.fault(node, "pack/items", f"a table goes over a list or a map, but this is `{type_}`")
        return UNKNOWN

    def _visible(self, table: str) -> dict[str, Type]:
        row = self.rows[table]
        return {**row.variables, **({row.index: INT} if row.index else {})}

    def _row(self, node: documents.Mapping, element: Type, outer: str | None) -> Row:
        names = [name for word in ("as", "key", "index") if isinstance(name := node.get(word), Scalar)]
        self._refuse_variables([*names, *(key for key, _ in mapping_at(node, "with").entries)])
        if outer:
            self._refuse_variables(names, self._visible(outer))
        variables = {str(to_plain(node["as"])): element}
        if "key" in node:
            variables[str(to_plain(node["key"]))] = STRING
        index = str(to_plain(node["index"])) if "index" in node else None
        if outer:
            variables |= self._visible(outer)
            variables |= {index: INT} if index else {}
        return Row(variables, index)

    def _refuse_variables(self, names: Sequence[Scalar], taken: Container[str] = frozenset()) -> bool:
        """Refuse variables that are words of the language, or that have the name of something else."""
        before = len(self.terms.diagnostics)
        seen: set[str] = set()
        for name in names:
            self.terms.refuse_word(name)
            if not _NAME.fullmatch(name.text):
                help_text = "a name starts with a small letter; letters, digits and `_` may follow"
                self.terms.fault(name, "pack/variable", f"`{printable(name.text)}` is not a name", help_text)
            if name.text in self.cells or name.text in self.terms.owners or name.text in taken or name.text in seen:
                self.terms.fault(name, "pack/variable", f"`{name.text}` is already a name", "choose another name")
            seen.add(name.text)
        return len(self.terms.diagnostics) > before

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
                if part == "at":
                    self._refuse_place(text)
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
        scalar = Scalar(text, text, "", Source(node.source.name, text), 0, len(text))
        found = self.terms.text(scalar, names)
        del self.terms.diagnostics[before:]
        return found

    def _refuse_place(self, node: Node) -> None:
        """Refuse a place that is not in a document; one that starts with an expression is known only in a request."""
        text = str(to_plain(node))
        name, mark, _ = text.partition("#")
        if text.startswith("{"):
            return
        if not mark:
            message, help_text = f"`{text}` is not a place", "a place is `document#/pointer`"
            self.terms.fault(node, "pack/place", message, help_text)
        elif name not in self.documents:
            self.terms.unknown(node, "document", name, self.documents)
        elif text.partition("#")[2][:1] not in ("", "/", "{"):
            pointer = printable(text.partition("#")[2].partition("{")[0])
            self.terms.fault(node, "pack/at", f"`{pointer}` is not a JSON pointer", "begin it with `/`")

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
        if not self._complete(node, key, "over", "flow") or "slots" not in node or "passes" not in node:
            self._lose(name)
            return
        over = self.named(node["over"], self.sections["items"], "table", "items")
        table = self.tables.get(over or "")
        entries = [*mapping_at(node, "reads").entries, *mapping_at(node, "pass").entries]
        mine = [word for word, _ in entries]
        if table is None or self._refuse_variables(mine, table.scope.own | table.scope.whole.keys()):
            self._lose(name)
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
        """Return the slots that another pass leaves, such as `shop.paint.slots`."""
        name = str(to_plain(node))
        if name.partition(".")[0] in self.terms.lost:
            return None
        known = [cell for cell in self.cells if cell.endswith(".slots")]
        if name not in known:
            self.terms.unknown(node, "slots", name, known)
            return None
        if not fits(self.cells[name], MapOf(optional(held))):
            self.terms.fault(node, "pack/flow", f"slots here hold `{held}`, and `{name}` is `{self.cells[name]}`")
        return name


def circle_words(names: Sequence[str]) -> str:
    """Return what is wrong with names that need each other, the last of which is the first."""
    if len(names) == 2:
        return f"{names[0]} needs itself"
    return f"these need each other in a circle: {' -> '.join(names)}"


def _placed(scope: Scope, at: Text | None) -> Scope:
    return replace(scope, at=at)


__all__ = ["NULL", "CellReader"]
