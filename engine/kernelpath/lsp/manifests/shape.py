"""What a pack says of the form of manifests: where its items are, and which members are slots, ids and words.

Nothing of this is written here: it is read off the pack's flows, records and expressions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kernelpath.language import Checked, Expression, Type
from kernelpath.language.ast import Binary, Call, ListLiteral, Literal, Member, Name, children, walk
from kernelpath.language.types import JSON, MapOf, Record, Vocabulary, required
from kernelpath.lsp.checking.session import Model
from kernelpath.packs.model import Flow, Pack, RecordShape, Scope, Term, Transition
from kernelpath.packs.reads import terms_of

_PREFIX = "manifest#"


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a flow: the path of their list, and the members that fields of their record are read from.

    `flow` is its name, the first of those that say where their items are written. `reads` and `writes` are members that
    name slots, `identity` the one that names the item.
    """

    flow: str
    path: tuple[str, ...]
    record: str
    members: Mapping[str, str]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    identity: str | None

    def field_of(self, member: str) -> str | None:
        """Return the record's field that is read from a member."""
        return next((field for field, name in self.members.items() if name == member), None)


def items_of(model: Model) -> Items | None:
    """Return the items of the pack's flows; None where no flow says where its items are written."""
    for flow in model.pack.flows.values():
        found = _items(model.pack, flow)
        if found is not None:
            return found
    return None


def _items(pack: Pack, flow: Flow) -> Items | None:
    scope = pack.scopes[pack.stages[flow.stage].scope]
    type_ = scope.variables.get(scope.item or "")
    record = pack.records.get(type_.name) if isinstance(type_, Record) else None
    if record is None or record.scope is None or scope.item is None:
        return None
    path = _place(pack.scopes[record.scope])
    members = _members(record, pack.scopes[record.scope])
    flows = [other for other in pack.flows.values() if pack.stages[other.stage].scope == scope.name or other is flow]
    reads = {field for other in flows for _, term in other.reads for field in _fields(term)}
    rules = pack.stages[flow.stage].rules
    writes = {field for rule in rules if isinstance(rule, Transition) for field in _fields(rule.slot)}
    names = [field for piece in _pieces(scope) for field in _fields_of(piece.expression)]
    identity = members.get(names[0]) if names else None
    if path is None:
        return None
    return Items(flow.name, path, record.name, members, _named(members, reads), _named(members, writes), identity)


def _named(members: Mapping[str, str], fields: set[str]) -> tuple[str, ...]:
    return tuple(members[field] for field in sorted(fields) if field in members)


def _place(scope: Scope) -> tuple[str, ...] | None:
    """Return the path of the list that a scope's items are written in, out of the texts of its `at`."""
    pieces = scope.at.checked.pieces if scope.at else ()
    texts = [piece for piece in pieces if isinstance(piece, str)]
    for piece in pieces:
        if isinstance(piece, Checked):
            texts += [str(node.value) for node in walk(piece.expression) if isinstance(node, Literal)]
    found = next((text for text in texts if text.startswith(_PREFIX) and text.endswith("/")), None)
    return tuple(found.removeprefix(_PREFIX).strip("/").split("/")) if found else None


def _members(record: RecordShape, scope: Scope) -> dict[str, str]:
    """Return the member of the raw item that each field is read from, where it is just one."""
    members: dict[str, str] = {}
    for field in record.fields:
        raw = {
            node.name
            for node in (walk(field.value.checked.expression) if field.value else ())
            if isinstance(node, Member) and isinstance(node.object, Name) and node.object.name == scope.item
        }
        if len(raw) == 1:
            members.setdefault(field.name, raw.pop())
    return members


def _fields(term: Term) -> list[str]:
    return _fields_of(term.checked.expression)


def _fields_of(expression: Expression) -> list[str]:
    return [n.name for n in walk(expression) if isinstance(n, Member) and isinstance(required(n.object.type), Record)]


def _pieces(scope: Scope) -> list[Checked]:
    return [piece for piece in scope.subject.checked.pieces if isinstance(piece, Checked)] if scope.subject else []


def words_of(model: Model, path: tuple[str, ...], field: Type | None) -> list[str]:
    """Return the words that the pack knows for a member: its vocabulary's, and those that rules compare it with.

    `path` are the members from the item on; rules may read it as a field or out of the raw item.
    """
    type_ = required(field) if field else None
    found: dict[str, None] = dict.fromkeys(type_.values) if isinstance(type_, Vocabulary) else {}
    for expression in _expressions(model.pack):
        for node in walk(expression):
            found.update(dict.fromkeys(_compared(node, path, model)))
    return list(found)


def _expressions(pack: Pack) -> Iterator[Expression]:
    for rule in pack.rules():
        yield from (term.checked.expression for term in terms_of(rule))
        yield from (term.checked.expression for _, term in rule.lets)
    for record in pack.records.values():
        yield from (field.value.checked.expression for field in record.fields if field.value)
    for program in pack.programs.values():
        for entry in program.entries:
            yield from (term.checked.expression for term in (*entry.terms.values(), entry.when) if term)


def _compared(node: Expression, path: tuple[str, ...], model: Model) -> Iterator[str]:
    """Yield the words that a node compares the member with, or the vocabulary that it is converted to."""
    if isinstance(node, Binary) and node.operator in ("==", "!=", "in", "not in") and _reads(node.left, path):
        texts = node.right.items if isinstance(node.right, ListLiteral) else (node.right,)
        yield from (text.value for text in texts if isinstance(text, Literal) and isinstance(text.value, str))
    elif isinstance(node, Call) and node.function in model.reader.terms.vocabularies and _reads(node, path):
        yield from model.reader.terms.vocabularies[node.function].values


def _reads(node: Expression, path: tuple[str, ...]) -> bool:
    """Whether a node reads a path: its last members are the path's, or a text function of them."""
    while isinstance(node, Call) and len(children(node)) == 1:
        node = children(node)[0]
    for name in reversed(path):
        if not isinstance(node, Member) or node.name != name:
            return False
        node = node.object
    return isinstance(node, Name | Member)


def json_members(model: Model, path: tuple[str, ...]) -> list[str]:
    """Return the members that the pack's expressions read of a value at a path of the manifest.

    The path's last steps tell, or the value of the pack that is set to just this path.
    """
    for wanted in (path[-2:], path[-1:]):
        found = _members_of(model, wanted)
        if found:
            return found
    return []


def _members_of(model: Model, wanted: tuple[str, ...]) -> list[str]:
    names = _aliases(model.pack, wanted)
    found: dict[str, None] = {}
    for expression in _expressions(model.pack):
        for node in walk(expression):
            if isinstance(node, Member) and _is_json(node.object.type):
                named = isinstance(node.object, Name) and node.object.name in names
                if named or _reads(node.object, wanted):
                    found[node.name] = None
    return list(found)


def _aliases(pack: Pack, wanted: tuple[str, ...]) -> set[str]:
    """Return the values that programs set to a member at the end of a path, and the program's inputs of that name."""
    entries = [entry for program in pack.programs.values() for entry in program.entries if entry.verb == "set"]
    terms = [(name, term) for entry in entries for name, term in entry.terms.items()]
    found = {name for name, term in terms if wanted and _reads(term.checked.expression, wanted)}
    return found | set(wanted[-1:])


def item_members(model: Model, items: Items) -> list[str]:
    """Return the members that the pack reads of an item."""
    found = dict.fromkeys(items.members.values())
    for expression in _expressions(model.pack):
        for node in walk(expression):
            if isinstance(node, Member) and _is_raw(node.object, model, items):
                found[node.name] = None
    return list(found)


def _is_raw(node: Expression, model: Model, items: Items) -> bool:
    """Whether a node is an item as it was written: the raw scope's item, or the field that keeps it."""
    record = model.pack.records[items.record]
    scope = model.pack.scopes[record.scope] if record.scope else None
    if isinstance(node, Name):
        return scope is not None and node.name == scope.item and _is_json(node.type)
    owner = required(node.object.type) if isinstance(node, Member) else None
    return isinstance(owner, Record) and owner.name == items.record and _is_json(node.type)


def _is_json(type_: Type) -> bool:
    inner = required(type_)
    return inner == JSON or (isinstance(inner, MapOf) and inner.value == JSON)
