"""What may be written in a manifest: members, slots, the items' names, and the words that the rules know."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from kernelpath.lsp.features.describe import describe
from kernelpath.lsp.features.suggestion import Suggestion, placed
from kernelpath.lsp.manifests.shape import item_members, json_members, lookups, words_of
from kernelpath.lsp.manifests.view import View
from kernelpath.lsp.texts.cursor import Cursor
from kernelpath.packs.documents import Mapping, Scalar, node_at


def manifest_complete(view: View, offset: int) -> list[Suggestion]:
    """Return what may be written at an offset of a manifest."""
    cursor = view.document.cursor(offset)
    if view.what is None or cursor.quote == "closed":
        return []
    found = _keys(view, cursor) if cursor.is_key else _values(view, cursor)
    return placed(_quoted(found, cursor), cursor.start, offset)


def _quoted(found: Iterable[Suggestion], cursor: Cursor) -> Iterator[Suggestion]:
    """Put quotes around what is not written inside them yet, and an opening value behind a key."""
    for suggestion in found:
        text = suggestion.label if cursor.quote else json.dumps(suggestion.label, ensure_ascii=False)
        behind = ": " if cursor.is_key and not cursor.quote else ""
        yield Suggestion(
            suggestion.label, suggestion.kind, suggestion.detail, suggestion.doc, text + behind, suggestion.rank
        )


def _keys(view: View, cursor: Cursor) -> Iterator[Suggestion]:
    """The members that rules read here, then those that other items have, without those that are there."""
    inside = view.inside_item(cursor.path)
    taken = _taken(view, cursor)
    known = _known_members(view, cursor, inside)
    for rank, names in enumerate((known, _used_members(view, inside))):
        for name in names:
            if name and name not in taken:
                yield Suggestion(name, "key", doc=_about(view, inside, name), rank=rank)


def _known_members(view: View, cursor: Cursor, inside: tuple[str, ...] | None) -> list[str]:
    if view.model is None:
        return []
    if inside == () and view.items:
        return item_members(view.model, view.items)
    if view.what is None:
        return []
    steps = tuple(step for step in cursor.path if isinstance(step, str))
    return json_members(view.model, view.what.name, inside or (*view.what.at, *steps))


def _used_members(view: View, inside: tuple[str, ...] | None) -> list[str]:
    """Return the members that items of this manifest have at the same path."""
    found: dict[str, None] = {}
    for node in view.nodes if inside is not None else ():
        try:
            inner = node_at(node, inside or ())
        except LookupError:
            continue
        found.update(dict.fromkeys(inner.keys() if isinstance(inner, Mapping) else ()))
    return list(found)


def _taken(view: View, cursor: Cursor) -> set[str]:
    try:
        node = node_at(view.document.root, cursor.path) if view.document.root else None
    except LookupError:
        return set()
    return set(node.keys()) - {cursor.text} if isinstance(node, Mapping) else set()


def _about(view: View, inside: tuple[str, ...] | None, name: str) -> str:
    field = view.items.field_of(name) if view.items and inside == () else None
    record = view.items.record if view.items else None
    return describe(view.model, ("field", record, field)) if field and view.model and record else ""


def _values(view: View, cursor: Cursor) -> Iterator[Suggestion]:
    inside = view.inside_item(cursor.path)
    member = next((step for step in reversed(cursor.path) if isinstance(step, str)), "")
    if inside and view.items and inside[-1] in (*view.items.reads, *view.items.writes):
        yield from _slots(view, cursor)
    elif inside is None and view.items and member == view.items.identity:
        yield from (Suggestion(name, "value", "step", rank=0) for name in view.names)
    else:
        yield from (Suggestion(word, "value", rank=0) for word in _words(view, cursor, inside))
        yield from (Suggestion(name, "value", detail, rank=1) for name, detail in _looked_up(view, inside))
    if inside:
        yield from (Suggestion(text, "value", "used here", rank=2) for text in _used_values(view, cursor, inside))


def _slots(view: View, cursor: Cursor) -> Iterator[Suggestion]:
    """The slots that items write, and those that hold something at the start."""
    writers: dict[str, int] = {}
    for use in view.uses:
        if use.writes and use.scalar.start != cursor.start - 1:
            writers[use.slot] = writers.get(use.slot, 0) + 1
    for slot in _first_slots(view):
        yield Suggestion(slot, "variable", "there at the start", rank=0)
    for slot, count in writers.items():
        yield Suggestion(slot, "variable", f"written by {count} step{'s' if count > 1 else ''}", rank=0)


def _first_slots(view: View) -> list[str]:
    flows = view.model.pack.flows.values() if view.model and view.items else ()
    own = [flow for flow in flows if view.items and flow.over == view.items.table]
    return list(dict.fromkeys(slot for flow in own for each in flow.passes.values() for slot in each.start))


def _words(view: View, cursor: Cursor, inside: tuple[str, ...] | None) -> list[str]:
    if view.model is None:
        return []
    steps = inside or tuple(step for step in cursor.path if isinstance(step, str))[-2:]
    field = view.items.field_of(steps[0]) if view.items and inside and len(steps) == 1 else None
    types = view.model.reader.record_types.get(view.items.record or "", {}) if view.items else {}
    return words_of(view.model, steps, types.get(field or "")) if steps else []


def _looked_up(view: View, inside: tuple[str, ...] | None) -> Iterator[tuple[str, str]]:
    """Yield the parts of the keys of shipped data that a member is one of, with the data's name."""
    if view.model is None or view.items is None or inside is None or len(inside) != 1:
        return
    for lookup in lookups(view.model, view.items):
        keys = view.judge.shipped(lookup.document)
        for side, members in ((0, lookup.before), (2, lookup.after)):
            if inside[0] in members:
                parts = dict.fromkeys(key.partition(lookup.separator)[side] for key in keys)
                yield from ((part, lookup.document) for part in parts)


def _used_values(view: View, cursor: Cursor, inside: tuple[str, ...]) -> list[str]:
    """Return the texts that other items have at the same path."""
    found: dict[str, None] = {}
    for node in view.nodes:
        try:
            scalar = node_at(node, inside)
        except LookupError:
            continue
        if isinstance(scalar, Scalar) and isinstance(scalar.value, str) and scalar.start != cursor.start - 1:
            found[scalar.text] = None
    return list(found)
