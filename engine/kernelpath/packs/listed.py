"""Which list of a document a pack's flows visit, and which members of its items name slots and the items themselves.

Nothing of this is declared as such: it is read off the pack's tables, flows and expressions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kernelpath.language import Checked, Expression
from kernelpath.language.ast import Literal, Member, Name, walk
from kernelpath.packs.cells import RAW
from kernelpath.packs.model import Column, Flow, Pack, Scope, Transition
from kernelpath.packs.model import Items as Table

_LIST = re.compile(r"(\w+)#((?:/[^/{}#]+)+)/")
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a flow: the document and the path of their list, and the member that each column is made of.

    `flow` is its name, the first of those that say where their items are written. `record` is the type of a row that
    has columns. `raw` is the variable that an element of the list goes by, and `tables` are those in whose rules it
    does. `reads` and `writes` are members that name slots, `identity` the one that names the item.
    """

    document: str
    path: Path
    flow: str
    table: str
    record: str | None
    members: Mapping[str, str]
    raw: str
    tables: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    identity: str | None

    def field_of(self, member: str) -> str | None:
        """Return the column that is made of a member."""
        return next((column for column, name in self.members.items() if name == member), None)


def items_of(pack: Pack, document: str) -> Items | None:
    """Return the items of a document that the pack's flows visit; None if no flow says where its items are."""
    for flow in pack.flows.values():
        found = _items(pack, flow)
        if found is not None and found.document == document:
            return found
    return None


def _items(pack: Pack, flow: Flow) -> Items | None:
    table = pack.items[flow.over]
    source = pack.items[table.source] if table.source else table
    place = _place(table.scope) or _place(source.scope)
    if place is None or table.scope.item is None:
        return None
    raw = (source.scope.item or RAW) if table.source else RAW if table.columns else table.scope.item
    members = _members(table.columns, raw)
    row = table.scope.item
    flows = [other for other in pack.flows.values() if other.over == flow.over]
    reads = [name for other in flows for _, term in other.reads for name in members_read(term.checked.expression, row)]
    rules = [rule for stage in pack.stages.values() if flow.name in stage.each for rule in stage.rules]
    slots = [rule.slot.checked.expression for rule in rules if isinstance(rule, Transition)]
    writes = [name for slot in slots for name in members_read(slot, row)]
    names = [name for piece in _pieces(table.scope) for name in members_read(piece.expression, row)]
    made = dict.fromkeys(members.get(name, "" if table.columns else name) for name in names)
    return Items(
        document=place[0],
        path=place[1],
        flow=flow.name,
        table=table.name,
        record=table.record,
        members=members,
        raw=raw,
        tables=_alike(pack, source),
        reads=_named(members, reads, table),
        writes=_named(members, writes, table),
        identity=next(iter(made), None) or None,
    )


def _alike(pack: Pack, table: Table) -> tuple[str, ...]:
    """Return a table and those with its variables."""
    first = table.like or table.name
    return tuple(name for name, other in pack.items.items() if first in (name, other.like))


def _named(members: Mapping[str, str], columns: list[str], table: Table) -> tuple[str, ...]:
    found = {members.get(name, "") if table.columns else name for name in columns}
    return tuple(sorted(found - {""}))


def _place(scope: Scope) -> tuple[str, Path] | None:
    """Return the document and the path of the list that a scope's items are in, out of the texts of its `at`."""
    pieces = scope.at.checked.pieces if scope.at else ()
    texts = [piece for piece in pieces if isinstance(piece, str)]
    for piece in pieces:
        if isinstance(piece, Checked):
            texts += [str(node.value) for node in walk(piece.expression) if isinstance(node, Literal)]
    found = next((match for text in texts if (match := _LIST.fullmatch(text))), None)
    return (found[1], tuple(found[2].strip("/").split("/"))) if found else None


def _members(columns: tuple[Column, ...], raw: str) -> dict[str, str]:
    """Return the member of the raw item that each column is made of, where it is just one."""
    members: dict[str, str] = {}
    for column in columns:
        found = set(members_read(column.term.checked.expression, raw))
        if len(found) == 1:
            members[column.name] = found.pop()
    return members


def members_read(expression: Expression, row: str) -> list[str]:
    """Return the members that an expression reads of a variable."""
    return [node.name for node in walk(expression) if isinstance(node, Member) and is_name(node.object, row)]


def is_name(node: Expression, name: str) -> bool:
    return isinstance(node, Name) and node.name == name


def _pieces(scope: Scope) -> list[Checked]:
    return [piece for piece in scope.subject.checked.pieces if isinstance(piece, Checked)] if scope.subject else []
