"""What a pack says of the form of its documents: where items are, and which members are slots, ids and words.

Nothing of this is written here: it is read off the pack's tables, flows and expressions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kernelpath.language import Checked, Expression, Type
from kernelpath.language.ast import Binary, Call, Index, ListLiteral, Literal, Member, Name, children, walk
from kernelpath.language.types import JSON, MapOf, Record, Vocabulary, required
from kernelpath.lsp.checking.session import Model
from kernelpath.packs.listed import Items, Path, is_name, members_read
from kernelpath.packs.model import Pack
from kernelpath.packs.pointers import pointer_of
from kernelpath.packs.reads import terms_of


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
    kept = {column.name for column in table.columns if is_name(_inner(column.term.checked.expression), items.raw)}
    for column in table.columns:
        found.update(dict.fromkeys(members_read(column.term.checked.expression, items.raw)))
    for rule in model.pack.rules():
        is_raw = not set(model.pack.stages[rule.stage].each).isdisjoint(items.tables)
        for term in (*terms_of(rule), *(term for _, term in rule.lets)):
            found.update(dict.fromkeys(members_read(term.checked.expression, items.raw) if is_raw else ()))
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
            before = [name for other in parts[:place] for name in members_read(other, raw)]
            after = [name for other in parts[place + 1 :] for name in members_read(other, raw)]
            yield Lookup(document, part.value, tuple(dict.fromkeys(before)), tuple(dict.fromkeys(after)))


def _summands(node: Expression) -> Iterator[Expression]:
    if isinstance(node, Binary) and node.operator == "+":
        yield from _summands(node.left)
        yield from _summands(node.right)
    else:
        yield node
