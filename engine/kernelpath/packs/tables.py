"""Read decision tables: rows that choose a value, that collect values, or that build an object member by member."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kernelpath.diagnostics import did_you_mean
from kernelpath.language import BOOL, Checked, Names, Type
from kernelpath.language.types import JSON, ListOf, MapOf, Optional, fits, required
from kernelpath.packs import documents
from kernelpath.packs.completeness import is_complete
from kernelpath.packs.documents import Node, Scalar, to_plain
from kernelpath.packs.matching import MAX_PATH, match_text, member_path
from kernelpath.packs.model import Row, Table, Term
from kernelpath.packs.terms import TermReader, place_of

BUILD, COLLECT = "build", "collect"
OBJECT = MapOf(JSON)


@dataclass(slots=True)
class TableReader:
    """Reads the table of one rule; `expected` is the type of the variable that it gives, None where that is unknown."""

    terms: TermReader
    root: documents.Mapping
    names: Names
    given: Sequence[Checked]
    expected: Type | None
    hit: str

    def read(self, base: dict[str, Any]) -> Table | None:
        """Return the table, or None after collecting what is wrong with it."""
        rows_node = self.root["rows"]
        assert isinstance(rows_node, documents.Sequence)
        self._check_kind()
        rows = [self._row(item) for item in rows_node]
        start = self._base()
        if any(row is None for row in rows) or ("base" in self.root and start is None):
            return None
        self._check_paths([(row, node) for row, node in zip(rows, rows_node, strict=True) if row])
        if self.hit in ("first", "unique"):
            check_always(self.terms, self.root, self.expected, [row.when for row in rows if row], "row")
        kept = tuple(row for row in rows if row)
        return Table(**base, variable=str(to_plain(self.root["table"])), hit=self.hit, base=start, rows=kept)

    def _check_kind(self) -> None:
        """Hold the variable to what the hit policy gives."""
        gives = {BUILD: ("builds", "an object", OBJECT), COLLECT: ("collects", "a list", ListOf(JSON))}
        if self.expected is None or self.hit not in gives:
            return
        does, what, type_ = gives[self.hit]
        wrong = not fits(type_, self.expected) if self.hit == BUILD else not isinstance(required(self.expected), ListOf)
        if wrong:
            message = f"a table that {does} gives {what}, but this is `{self.expected}`"
            self.terms.fault(self.root["table"], "pack/table", message)

    def _base(self) -> Term | None:
        node = self.root.get("base")
        if node is None:
            return None
        if self.hit != BUILD:
            self.terms.fault(node, "pack/table", f"a table with `hit: {self.hit}` has no base", "write `hit: build`")
        return self.terms.term(node, self.names, OBJECT, self.given)

    def _row(self, node: Node) -> Row | None:
        assert isinstance(node, documents.Mapping)
        when = self._condition(node)
        if when is None and ("when" in node or "match" in node):
            return None
        given = [*self.given, when.checked] if when else self.given
        value = self.terms.term(node["value"], self.names, self._value_type(), given)
        path = self._path(node)
        return Row(when, value, path, place_of(node)) if value and path is not None else None

    def _value_type(self) -> Type | None:
        if self.hit == BUILD:
            return JSON
        if self.expected is None:
            return None
        inner = required(self.expected)
        if self.hit == COLLECT:
            return inner.element if isinstance(inner, ListOf) else None
        return self.expected

    def _condition(self, node: documents.Mapping) -> Term | None:
        if "match" in node and "when" in node:
            message, help_text = "a row has `match` or `when`, not both", "make the condition an input"
            self.terms.fault(node.key("when") or node, "pack/match", message, help_text)
        if "match" in node:
            return self._match(node)
        return self.terms.term(node["when"], self.names, BOOL, self.given) if "when" in node else None

    def _match(self, node: documents.Mapping) -> Term | None:
        """Read `match: {input: value}` as the comparison that it stands for."""
        cells = node["match"]
        assert isinstance(cells, documents.Mapping)
        inputs = self.root.get("inputs")
        known = inputs.keys() if isinstance(inputs, documents.Mapping) else []
        for name, cell in cells.entries:
            if name.text not in known:
                near = did_you_mean(name.text, known)
                help_text = f"did you mean `{near}`?" if near else f"its inputs are: {', '.join(known)}"
                self.terms.fault(name, "pack/match", f"the table has no input `{name.text}`", help_text)
                return None
            if self.terms.refuse_odd(cell):
                return None
            if not self.terms.written(match_text({name.text: to_plain(cell)}), cell, self.names, BOOL, self.given):
                return None
        return self.terms.written(match_text(to_plain(cells)), node["match"], self.names, BOOL, self.given)

    def _path(self, node: documents.Mapping) -> tuple[str, ...] | None:
        path = node.get("path")
        if self.hit == BUILD and path is None:
            help_text = "say with `path: member` where in the object the row's value goes"
            self.terms.fault(node, "pack/path", "a row of a table with `hit: build` needs a `path`", help_text)
            return None
        if self.hit != BUILD:
            if path is not None:
                message = f"rows of a table with `hit: {self.hit}` have no path"
                self.terms.fault(node.key("path") or node, "pack/path", message, "write `hit: build`")
            return ()
        found = member_path(path.text) if isinstance(path, Scalar) else ()
        if not found:
            help_text = 'write names with dots between them, such as `a."b.c"`'
            self.terms.fault(path or node, "pack/path", "this is no path", help_text)
        elif len(found) > MAX_PATH:
            message = f"a path has at most {MAX_PATH} members, and this has {len(found)}"
            self.terms.fault(path or node, "pack/path", message)
            return None
        return found or None

    def _check_paths(self, rows: Sequence[tuple[Row, Node]]) -> None:
        """Refuse a row that puts a member into what another row sets as a whole."""
        whole = {row.path for row, _ in rows if row.path}
        for row, node in rows:
            above = next((row.path[:end] for end in range(1, len(row.path)) if row.path[:end] in whole), None)
            if above:
                assert isinstance(node, documents.Mapping)
                message = f"`{'.'.join(row.path)}` is inside `{'.'.join(above)}`, which another row sets"
                self.terms.fault(node["path"], "pack/path", message)


def check_always(
    terms: TermReader, root: documents.Mapping, expected: Type | None, whens: Sequence[Term | None], what: str
) -> None:
    """Refuse a rule that leaves a variable null that cannot be: one whose rows or candidates leave something out."""
    if expected is None or isinstance(expected, Optional) or expected == JSON:
        return
    name = root["resolve"] if "resolve" in root else root["table"]
    help_text = f"end with a {what} without `when`, or declare it `{expected}?`"
    conditions = [when.checked.expression for when in whens if when]
    if len(conditions) == len(whens) and not is_complete(conditions):
        message = f"`{to_plain(name)}` is `{expected}`, but null where no {what} applies"
        terms.fault(name, "pack/given", message, help_text)
