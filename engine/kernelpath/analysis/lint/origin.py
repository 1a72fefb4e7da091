"""Which expressions give the user's own text: documents and inputs, read and passed on unchanged.

Anything else that the pack or the engine makes on the way is not counted: it may well be one of a few known words.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property

from kernelpath.analysis.lint.knowledge import bare
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.language import Expression
from kernelpath.language.ast import Binary, Call, Conditional, Index, Member, Name
from kernelpath.language.types import JSON, STRING, Record, Type, Vocabulary, required
from kernelpath.packs.cells import RAW
from kernelpath.packs.model import Items, Scope, Term

PASSING = frozenset({"text", "trim", "lower", "upper", "elements", "object"})
_TEXTS = frozenset({"text", "trim", "lower", "upper"})


@dataclass(frozen=True)
class Found:
    """What holds input: names of values, tables and columns; variables of tables' rows; fields of records."""

    names: frozenset[str] = frozenset()
    rows: Mapping[str, frozenset[str]] = field(default_factory=dict)
    fields: Mapping[tuple[str, str], bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Origins:
    """Follows documents and inputs through a pack's values, tables and columns."""

    linted: LintedPack

    @cached_property
    def found(self) -> Found:
        """All that holds input; each round follows one more step, until a round finds nothing new."""
        found, before = self._round(Found()), Found()
        while found != before:
            found, before = self._round(found), found
        return found

    def _round(self, before: Found) -> Found:
        pack = self.linted.pack
        names = {document.name for document in pack.documents.values() if document.resource is None}
        names |= {value.name for value in pack.values.values() if value.input or self._is_given(value.term, before)}
        names |= {name for name, table in pack.items.items() if self._is_given(table.over, before)}
        rows = {name: self._row(table, before) for name, table in pack.items.items()}
        fields = {}
        for name, table in pack.items.items():
            for column in table.columns:
                given = self._is_given(column.term, before, self._made_of(table, before))
                fields[table.record or "", column.name] = given
                names |= {f"{name}.{column.name}"} if given else set()
        return Found(frozenset(names), rows, fields)

    def _is_given(self, term: Term | None, found: Found, row: Set[str] = frozenset()) -> bool:
        return term is not None and self._passes(term.checked.expression, found.names | row, {}, found.fields)

    def _row(self, table: Items, found: Found) -> frozenset[str]:
        """Return the variables of a table's rows that hold input: an element without columns, and a map's key."""
        outer = found.rows.get(table.within or "", frozenset())
        around = self.linted.pack.items[table.within].scope.own if table.within else frozenset()
        own = set(table.scope.row) - around - {table.scope.index}
        own -= {table.scope.item} if table.columns else set()
        return frozenset(outer | (own if self._is_given(table.over, found, outer) else set()))

    def _made_of(self, table: Items, found: Found) -> frozenset[str]:
        """Return what the columns of a table are made of that holds input."""
        if table.source is not None:
            return found.rows.get(table.source, frozenset())
        outer = found.rows.get(table.within or "", frozenset())
        given = self._is_given(table.over, found, outer)
        return frozenset(outer | found.rows.get(table.name, frozenset()) | ({RAW} if given else set()))

    @property
    def fields(self) -> Mapping[tuple[str, str], bool]:
        """Whether each column, as (record, column), is input."""
        return self.found.fields

    def in_scope(self, scope: Scope) -> frozenset[str]:
        """Return the variables of a scope that hold input."""
        flow = self.linted.pack.flows.get(scope.name)
        row = self.found.rows.get(flow.over if flow else scope.name, frozenset())
        return self.found.names | row

    def shows_text(self, node: Expression, scope: Scope, lets: Mapping[str, Expression]) -> bool:
        """Return whether an expression in a message shows input that may be any text."""
        node = bare(node)
        shown = node.arguments[0] if isinstance(node, Call) and node.function in _TEXTS else None
        free = _is_free(shown.type) if shown is not None else _is_text(node.type)
        return free and self._passes(node, self.in_scope(scope), lets, self.fields)

    def _passes(
        self, node: Expression, names: Set[str], lets: Mapping[str, Expression], fields: Mapping[tuple[str, str], bool]
    ) -> bool:
        node = bare(node)
        match node:
            case Name(name=name):
                return self._passes(lets[name], names, lets, fields) if name in lets else name in names
            case Member(object=inner):
                owner = required(inner.type)
                if isinstance(owner, Record) and (owner.name, node.name) in fields:
                    return fields[owner.name, node.name]
                return self._passes(inner, names, lets, fields)
            case Index(object=inner):
                return self._passes(inner, names, lets, fields)
            case Call(function=function, arguments=(inner,)) if function in PASSING:
                return self._passes(inner, names, lets, fields)
            case Binary(operator="??"):
                return any(self._passes(side, names, lets, fields) for side in (node.left, node.right))
            case Conditional():
                return any(self._passes(side, names, lets, fields) for side in (node.then, node.otherwise))
        return False


def _is_free(type_: Type) -> bool:
    inner = required(type_)
    return inner in (STRING, JSON) or (isinstance(inner, Vocabulary) and inner.open)


def _is_text(type_: Type) -> bool:
    """Whether a value is shown as text: bare JSON may as well be a number, which needs no back-ticks."""
    inner = required(type_)
    return inner == STRING or (isinstance(inner, Vocabulary) and inner.open)
