"""From parser events to nodes, without recursion; anchors, aliases, tags and other surprises are refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.diagnostics.render.printable import printable
from kernelpath.diagnostics.wording import Wording
from kernelpath.packs import yaml_wording as wording
from kernelpath.packs.nodes import Mapping, Node, PlainScalar, Scalar, Sequence
from kernelpath.packs.scalars import MAX_DIGITS, resolve

MAX_DEPTH = 100
_KINDS = {bool: "a truth value", int: "a number", float: "a number", type(None): "null"}


class TooDeep(Exception):
    """Nesting went past `MAX_DEPTH`; composing stops, so that a hostile file costs nothing more."""


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come yet; `nodes` alternates keys and values where it is a mapping."""

    is_mapping: bool
    start: int
    nodes: list[Node] = field(default_factory=list)


class Composer:
    """Builds one document's tree from its events and collects what is wrong with it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.root: Node | None = None
        self.mistakes: list[Diagnostic] = []
        self._open: list[_Open] = []
        self._documents = 0

    def take(self, event: Any) -> None:
        """Take the next event of the parser; raises TooDeep."""
        handler = getattr(self, f"_{type(event).__name__}", None)
        if handler is not None:
            handler(event)

    def _DocumentStartEvent(self, event: Any) -> None:
        self._documents += 1
        at = event.start_mark.index
        if event.version or event.tags:
            self._wrong(wording.DIRECTIVE, at, at + 1)
        if self._documents == 2:
            first = self.root.span if self.root else None
            self.mistakes.append(wording.SECOND_DOCUMENT.told(self.source.span(at, at + 3), first))

    def _AliasEvent(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        self._wrong(wording.ALIAS, start, end)
        self._add(Scalar(None, "", "", self.source, start, end))

    def _ScalarEvent(self, event: Any) -> None:
        style = event.style if event.style in ("'", '"', "|", ">") else ""
        start, end = self._bounds(event, style)
        self._refuse_properties(event)
        if not event.value.isascii() and any("\ud800" <= character <= "\udfff" for character in event.value):
            self._wrong(wording.SURROGATE, start, end)
        value = event.value if style else self._resolved(event.value, start, end)
        self._add(Scalar(value, event.value, style, self.source, start, end))

    def _bounds(self, event: Any, style: str) -> tuple[int, int]:
        start, end = event.start_mark.index, min(event.end_mark.index, len(self.source.text))
        if style in ("|", ">"):  # the parser runs on over blank lines
            end = start + len(self.source.text[start:end].rstrip())
        return start, end

    def _resolved(self, text: str, start: int, end: int) -> PlainScalar:
        try:
            return resolve(text)
        except OverflowError:
            self._wrong(wording.LONG_INTEGER, start, end, limit=f"{MAX_DIGITS:,}")
            return None

    def _SequenceStartEvent(self, event: Any) -> None:
        self._start(event, is_mapping=False)

    def _MappingStartEvent(self, event: Any) -> None:
        self._start(event, is_mapping=True)

    def _start(self, event: Any, *, is_mapping: bool) -> None:
        start = event.start_mark.index
        self._refuse_properties(event)
        if len(self._open) >= MAX_DEPTH:
            self._wrong(wording.TOO_DEEP, start, start + 1, limit=MAX_DEPTH)
            raise TooDeep
        self._open.append(_Open(is_mapping, start))

    def _SequenceEndEvent(self, event: Any) -> None:
        done = self._open.pop()
        self._add(Sequence(tuple(done.nodes), self.source, done.start, self._end(event, done)))

    def _MappingEndEvent(self, event: Any) -> None:
        done = self._open.pop()
        pairs = zip(done.nodes[::2], done.nodes[1::2], strict=True)
        entries = self._entries(list(pairs))
        self._add(Mapping(tuple(entries), self.source, done.start, self._end(event, done)))

    def _end(self, event: Any, done: _Open) -> int:
        """A bracket ends a flow collection; a block one ends with its last node, not where the next line starts."""
        start, end = event.start_mark.index, event.end_mark.index
        if self.source.text[done.start : done.start + 1] in ("[", "{") and end > start:
            return int(end)
        return max(done.nodes[-1].end, done.start) if done.nodes else done.start

    def _entries(self, pairs: list[tuple[Node, Node]]) -> list[tuple[Scalar, Node]]:
        seen: dict[str, Scalar] = {}
        entries = []
        for key, value in pairs:
            if not isinstance(key, Scalar):
                self._wrong(wording.COLLECTION_KEY, key.start, key.end)
            elif self._is_new(key, seen):
                seen[key.text] = key
                entries.append((key, value))
        return entries

    def _is_new(self, key: Scalar, seen: dict[str, Scalar]) -> bool:
        """Whether a key may stand in its mapping; says why where it may not."""
        if key.text == "<<" and not key.style:
            self._wrong(wording.MERGE_KEY, key.start, key.end)
        elif not isinstance(key.value, str):
            self._wrong(wording.KEY_TYPE, key.start, key.end, found=printable(key.text), kind=_KINDS[type(key.value)])
        elif key.text in seen:
            first = seen[key.text].span
            found = printable(key.text)
            self.mistakes.append(wording.DUPLICATE_KEY.told(key.span, first, found=found, line=first.line))
        else:
            return True
        return False

    def _refuse_properties(self, event: Any) -> None:
        at = event.start_mark.index
        if event.anchor:
            self._wrong(wording.ANCHOR, at, at + 1)
        elif event.tag:
            self._wrong(wording.TAG, at, at + 1)

    def _add(self, node: Node) -> None:
        if self._open:
            self._open[-1].nodes.append(node)
        elif self.root is None:
            self.root = node

    def _wrong(self, mistake: Wording, start: int, end: int, **names: object) -> None:
        self.mistakes.append(mistake.told(self.source.span(start, end), None, **names))
