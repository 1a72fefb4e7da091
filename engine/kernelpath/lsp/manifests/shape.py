"""What a pack says of the form of its documents: where items are, and which members are slots, ids and words.

Nothing of this is written here: it is read off the pack's tables, flows and expressions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kernelpath.language import Checked, Expression, Type
from kernelpath.language.ast import Binary, Call, Index, ListLiteral, Literal, Member, Name, children, walk
from kernelpath.language.types import JSON, MapOf, Record, Vocabulary, required
from kernelpath.lsp.checking.session import Model
from kernelpath.packs.cells import RAW
from kernelpath.packs.model import Column, Flow, Pack, Scope, Transition
from kernelpath.packs.model import Items as Table
from kernelpath.packs.pointers import pointer_of
from kernelpath.packs.reads import terms_of

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


def items_of(model: Model, document: str) -> Items | None:
    """Return the items of a document that the pack's flows visit; None where no flow says where its items are."""
    for flow in model.pack.flows.values():
        found = _items(model.pack, flow)
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
    reads = [name for other in flows for _, term in other.reads for name in _of_row(term.checked.expression, row)]
    rules = [rule for stage in pack.stages.values() if flow.name in stage.each for rule in stage.rules]
    slots = [rule.slot.checked.expression for rule in rules if isinstance(rule, Transition)]
    writes = [name for slot in slots for name in _of_row(slot, row)]
    names = [name for piece in _pieces(table.scope) for name in _of_row(piece.expression, row)]
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
        found = set(_of_row(column.term.checked.expression, raw))
        if len(found) == 1:
            members[column.name] = found.pop()
    return members


def _of_row(expression: Expression, row: str) -> list[str]:
    """Return the members that an expression reads of a variable."""
    return [node.name for node in walk(expression) if isinstance(node, Member) and _is_name(node.object, row)]


def _is_name(node: Expression, name: str) -> bool:
    return isinstance(node, Name) and node.name == name


def _pieces(scope: Scope) -> list[Checked]:
    return [piece for piece in scope.subject.checked.pieces if isinstance(piece, Checked)] if scope.subject else []


def words_of(model: Model, path: Path, column: Type | None) -> list[str]:
    """Return the words that the pack knows for a member: its vocabulary's, and those that rules compare it with.

    `path` are the members from the item on; rules may read it as a column or out of the raw item.
    """
    type_ = required(column) if column else None
    found: dict[str, None] = dict.fromkeys(type_.values) if isinstance(type_, Vocabulary) else {}
    for expression in _expressions(model.pack):
        for node in walk(expression):
            found.update(dict.fromkeys(_compared(node, path, model)))
    return list(found)


def _expressions(pack: Pack) -> Iterator[Expression]:
    """Yield the expressions of a pack: of its rules, its columns and its values."""
    for rule in pack.rules():
        yield from (term.checked.expression for term in terms_of(rule))
        yield from (term.checked.expression for _, term in rule.lets)
    for table in pack.items.values():
        yield from (column.term.checked.expression for column in table.columns)
        yield from (term.checked.expression for term in (table.over, table.when) if term)
    for value in pack.values.values():
        yield from (column.term.checked.expression for column in value.fields)
        yield from (term.checked.expression for term in (value.term, value.when) if term)


def _compared(node: Expression, path: Path, model: Model) -> Iterator[str]:
    """Yield the words that a node compares the member with, or the vocabulary that it is converted to."""
    if isinstance(node, Binary) and node.operator in ("==", "!=", "in", "not in") and _reads(node.left, path):
        texts = node.right.items if isinstance(node.right, ListLiteral) else (node.right,)
        yield from (text.value for text in texts if isinstance(text, Literal) and isinstance(text.value, str))
    elif isinstance(node, Call) and node.function in model.reader.terms.vocabularies and _reads(node, path):
        yield from model.reader.terms.vocabularies[node.function].values


def _reads(node: Expression, path: Path) -> bool:
    """Whether a node reads a path: its last members are the path's, or a text function of them."""
    node = _inner(node)
    for name in reversed(path):
        if not isinstance(node, Member) or node.name != name:
            return False
        node = node.object
    return isinstance(node, Name | Member)


def _inner(node: Expression) -> Expression:
    """Return what functions of one argument are of, such as `x` of `trim(text(x))`."""
    while isinstance(node, Call) and len(children(node)) == 1:
        node = children(node)[0]
    return node


def json_members(model: Model, document: str, path: Path) -> list[str]:
    """Return the members that the pack's expressions read of a value at a path of a document.

    They read it by this very path, or by another that ends in the same members: a value may be made of several parts.
    """
    here = "/".join((f"{document}#", *path))
    found = dict.fromkeys(name for name, place in _places(model) if place == here)
    if len(path) > 1 or not found:  # a short ending alone is that of many paths
        for wanted in (path[-2:], path[-1:]):
            found.update(dict.fromkeys(_members_of(model, wanted) if wanted else ()))
    return list(found)


def _places(model: Model) -> Iterator[tuple[str, str]]:
    """Yield the members that expressions read out of documents, each with the place that it is a member of."""
    pack = model.pack
    for expression in _expressions(pack):
        for node in walk(expression):
            if isinstance(node, Member):
                place = pointer_of(node.object, pack.values, pack.items, pack.documents)
                if place is not None:
                    yield node.name, place


def _members_of(model: Model, wanted: Path) -> list[str]:
    names = {name for name, value in model.pack.values.items() if value.term and _is_path(value.term.checked, wanted)}
    found: dict[str, None] = {}
    for expression in _expressions(model.pack):
        for node in walk(expression):
            if isinstance(node, Member) and _is_json(node.object.type):
                named = isinstance(node.object, Name) and node.object.name in (*names, *wanted[-1:])
                if named or _reads(node.object, wanted):
                    found[node.name] = None
    return list(found)


def _is_path(term: Checked, wanted: Path) -> bool:
    return _reads(term.expression, wanted)


def item_members(model: Model, items: Items) -> list[str]:
    """Return the members that the pack reads of an item, as an element of the list or through the row made of it."""
    table = model.pack.items[items.table]
    found = dict.fromkeys(items.members.values())
    kept = {column.name for column in table.columns if _is_name(_inner(column.term.checked.expression), items.raw)}
    for column in table.columns:
        found.update(dict.fromkeys(_of_row(column.term.checked.expression, items.raw)))
    for rule in model.pack.rules():
        is_raw = not set(model.pack.stages[rule.stage].each).isdisjoint(items.tables)
        for term in (*terms_of(rule), *(term for _, term in rule.lets)):
            found.update(dict.fromkeys(_of_row(term.checked.expression, items.raw) if is_raw else ()))
    for expression in _expressions(model.pack):
        found.update(dict.fromkeys(_of_kept(expression, items.record, kept)))
    return list(found)


def _of_kept(expression: Expression, record: str | None, kept: set[str]) -> Iterator[str]:
    """Yield the members that are read of a column that keeps the whole element."""
    for node in walk(expression):
        if isinstance(node, Member) and isinstance(node.object, Member) and node.object.name in kept:
            owner = required(node.object.object.type)
            if isinstance(owner, Record) and owner.name == record:
                yield node.name


def _is_json(type_: Type) -> bool:
    inner = required(type_)
    return inner == JSON or (isinstance(inner, MapOf) and inner.value == JSON)


@dataclass(frozen=True, slots=True)
class Lookup:
    """How items name an entry of shipped data: its key is the members on both sides of a separator."""

    document: str
    separator: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def lookups(model: Model, items: Items) -> list[Lookup]:
    """Return how columns look shipped data up by the members of an item, as `catalog[raw.file + "#" + raw.entry]`."""
    found: list[Lookup] = []
    for column in model.pack.items[items.table].columns:
        for node in walk(column.term.checked.expression):
            if isinstance(node, Index) and isinstance(node.object, Name) and _is_shipped(model, node.object.name):
                found += _lookups(node.object.name, node.index, items.raw)
    return found


def _is_shipped(model: Model, name: str) -> bool:
    return name in model.pack.documents and model.pack.documents[name].resource is not None


def _lookups(document: str, key: Expression, raw: str) -> Iterator[Lookup]:
    parts = list(_summands(key))
    for place, part in enumerate(parts):
        if isinstance(part, Literal) and isinstance(part.value, str):
            before = [name for other in parts[:place] for name in _of_row(other, raw)]
            after = [name for other in parts[place + 1 :] for name in _of_row(other, raw)]
            yield Lookup(document, part.value, tuple(dict.fromkeys(before)), tuple(dict.fromkeys(after)))


def _summands(node: Expression) -> Iterator[Expression]:
    if isinstance(node, Binary) and node.operator == "+":
        yield from _summands(node.left)
        yield from _summands(node.right)
    else:
        yield node
