"""From parser events to nodes, without recursion; tags, a second document and other surprises are refused.

Anchors, aliases and merge keys are refused, too, unless a file may share parts: then an alias is the node itself, and
counts as if it were written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.diagnostics.render.printable import printable
from kernelpath.diagnostics.wording import Wording
from kernelpath.packs import yaml_wording as wording
from kernelpath.packs.nodes import Mapping, Node, PlainScalar, Scalar, Sequence
from kernelpath.packs.scalars import MAX_DIGITS, resolve

MAX_DEPTH = 100
MAX_NODES = 500_000
MAX_MISTAKES = 100
_KINDS = {bool: "a truth value", int: "a number", float: "a number", type(None): "null"}
_QUOTED = frozenset("'\"|>")


class Stopped(Exception):
    """The file went past a limit, which is among the mistakes; a hostile file costs nothing more."""


@dataclass(slots=True)
class Open:
    """A collection whose end has not come yet; `nodes` alternates keys and values where it is a mapping.

    `step` is how many nodes an item has, `before` how many the file had when the collection opened, and `height` how
    deep it is so far.
    """

    start: int
    step: int
    anchor: str | None
    before: int
    nodes: list[Node] = field(default_factory=list)
    height: int = 1


@dataclass(frozen=True, slots=True)
class _Shared:
    """What an anchor names: a node, how many nodes it is written out, and how deep it is."""

    node: Node
    count: int
    height: int


class Composer:
    """Builds one document's tree from its events and collects what is wrong with it."""

    def __init__(self, source: Source, sharing: bool = False) -> None:
        self.source = source
        self.root: Node | None = None
        self.mistakes: list[Diagnostic] = []
        self.open: list[Open] = []
        self._sharing = sharing
        self._anchors: dict[str, _Shared] = {}
        self._count = 0
        self._documents = 0
        self._handlers = {
            "DocumentStartEvent": self._document,
            "AliasEvent": self._alias,
            "ScalarEvent": self._scalar,
            "SequenceStartEvent": lambda event: self._start(event, 1),
            "MappingStartEvent": lambda event: self._start(event, 2),
            "SequenceEndEvent": self._sequence,
            "MappingEndEvent": self._mapping,
        }

    def take(self, event: Any) -> None:
        """Take the next event of the parser; raises Stopped."""
        handler = self._handlers.get(type(event).__name__)
        if handler is not None:
            handler(event)

    def _document(self, event: Any) -> None:
        self._documents += 1
        at = event.start_mark.index
        if event.version or event.tags:
            self._wrong(wording.DIRECTIVE, at, at + 1)
        if self._documents == 2:
            first = self.root.span if self.root else None
            self._mistaken(wording.SECOND_DOCUMENT.told(self.source.span(at, at + 3), first))

    def _alias(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        shared = self._anchors.get(event.anchor)
        if self._sharing and shared:
            self._counted(shared.count, start)
            self._refuse_depth(len(self.open) + shared.height, start)
            self._add(shared.node, shared.height)
            return
        self._wrong(wording.UNKNOWN_ALIAS if self._sharing else wording.ALIAS, start, end)
        self._add(Scalar(None, "", "", self.source, start, end))

    def _scalar(self, event: Any) -> None:
        text, style = event.value, event.style
        start, end = event.start_mark.index, event.end_mark.index
        self._counted(1, start)
        if event.anchor or event.tag:
            self._refuse_properties(event)
        if style in _QUOTED:
            value = text
            end = self._block_end(start, end) if style in "|>" else end
        else:
            style, value = "", self._resolved(text, start, end)
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            self._wrong(wording.SURROGATE, start, end)
        node = Scalar(value, text, style, self.source, start, end)
        if event.anchor:
            self._anchors[event.anchor] = _Shared(node, 1, 0)
        self._add(node)

    def _block_end(self, start: int, end: int) -> int:
        """Return where a block scalar ends: the parser runs on over blank lines."""
        return start + len(self.source.text[start:end].rstrip())

    def _resolved(self, text: str, start: int, end: int) -> PlainScalar:
        try:
            return resolve(text)
        except OverflowError:
            self._wrong(wording.LONG_INTEGER, start, end, limit=f"{MAX_DIGITS:,}")
            return None

    def _start(self, event: Any, step: int) -> None:
        start = event.start_mark.index
        self._refuse_depth(len(self.open) + 1, start)
        self.open.append(Open(start, step, event.anchor, self._count))
        self._counted(1, start)
        if event.anchor or event.tag:
            self._refuse_properties(event)

    def _sequence(self, event: Any) -> None:
        done = self.open.pop()
        self._close(done, Sequence(tuple(done.nodes), self.source, done.start, self._end(event, done)))

    def _mapping(self, event: Any) -> None:
        done = self.open.pop()
        entries = tuple(self._entries(done.nodes))
        self._close(done, Mapping(entries, self.source, done.start, self._end(event, done)))

    def _close(self, done: Open, node: Node) -> None:
        if done.anchor:
            self._anchors[done.anchor] = _Shared(node, self._count - done.before, done.height)
        self._add(node, done.height)

    def _end(self, event: Any, done: Open) -> int:
        """A bracket ends a flow collection; a block one ends with its last node, not where the next line starts."""
        start, end = event.start_mark.index, event.end_mark.index
        if end > start and self.source.text[done.start] in "[{":
            return int(end)
        return max(done.nodes[-1].end, done.start) if done.nodes else done.start

    def _entries(self, nodes: list[Node]) -> list[tuple[Scalar, Node]]:
        seen: dict[str, Scalar] = {}
        entries = []
        merged: list[tuple[Scalar, Node]] = []
        for place in range(0, len(nodes), 2):
            key, value = nodes[place], nodes[place + 1]
            if not isinstance(key, Scalar):
                self._wrong(wording.COLLECTION_KEY, key.start, key.end)
            elif self._sharing and key.text == "<<" and not key.style:
                merged.extend(self._merged(value))
            elif self._is_new(key, seen):
                seen[key.text] = key
                entries.append((key, value))
        return [*_first_of_each(merged, seen), *entries] if merged else entries

    def _merged(self, value: Node) -> Iterator[tuple[Scalar, Node]]:
        """Yield the entries of the mapping, or of the mappings, that a merge key brings in."""
        for node in value.items if isinstance(value, Sequence) else (value,):
            if isinstance(node, Mapping):
                yield from node.entries
            else:
                self._wrong(wording.MERGED_VALUE, node.start, node.end)

    def _is_new(self, key: Scalar, seen: dict[str, Scalar]) -> bool:
        """Whether a key may stand in its mapping; says why where it may not."""
        text = key.text
        if text == "<<" and not key.style:
            self._wrong(wording.MERGE_KEY, key.start, key.end)
        elif not isinstance(key.value, str):
            self._wrong(wording.KEY_TYPE, key.start, key.end, found=printable(text), kind=_KINDS[type(key.value)])
        elif text in seen:
            first = seen[text].span
            self._mistaken(wording.DUPLICATE_KEY.told(key.span, first, found=printable(text), line=first.line))
        else:
            return True
        return False

    def _refuse_properties(self, event: Any) -> None:
        at = event.start_mark.index
        if event.anchor and not self._sharing:
            self._wrong(wording.ANCHOR, at, at + 1)
        elif event.tag:
            self._wrong(wording.TAG, at, at + 1)

    def _add(self, node: Node, height: int = 0) -> None:
        if self.open:
            owner = self.open[-1]
            owner.nodes.append(node)
            if height >= owner.height:
                owner.height = height + 1
        elif self.root is None:
            self.root = node

    def _counted(self, more: int, at: int) -> None:
        self._count += more
        if self._count > MAX_NODES:
            self._wrong(wording.TOO_MANY, at, at + 1, limit=f"{MAX_NODES:,}")
            raise Stopped

    def _refuse_depth(self, depth: int, at: int) -> None:
        if depth > MAX_DEPTH:
            self._wrong(wording.TOO_DEEP, at, at + 1, limit=MAX_DEPTH)
            raise Stopped

    def _wrong(self, mistake: Wording, start: int, end: int, **names: object) -> None:
        self._mistaken(mistake.told(self.source.span(start, end), None, **names))

    def _mistaken(self, mistake: Diagnostic) -> None:
        if len(self.mistakes) >= MAX_MISTAKES:
            raise Stopped
        self.mistakes.append(mistake)


def _first_of_each(merged: list[tuple[Scalar, Node]], own: dict[str, Scalar]) -> list[tuple[Scalar, Node]]:
    """Return the merged entries that the mapping has not itself; of equal keys the first counts."""
    found: dict[str, tuple[Scalar, Node]] = {}
    for key, value in merged:
        if key.text not in own:
            found.setdefault(key.text, (key, value))
    return list(found.values())
