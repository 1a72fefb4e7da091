"""The tree of a JSON text, whole or half written, and where a cursor stands in it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from kernelpath.diagnostics import Source
from kernelpath.lsp.texts.cursor import Cursor
from kernelpath.packs.nodes import Mapping, Node, PlainScalar, Scalar, Sequence

MAX_DEPTH = 200
_TOKEN = re.compile(r'[ \t\r\n]*+(?:("(?:[^"\\\n]|\\.)*+"?)|([{}\[\]:,])|([^\s{}\[\]:,"]++))')
_CLOSED = re.compile(r'"(?:[^"\\\n]|\\.)*+"')
_WORDS: dict[str, PlainScalar] = {"true": True, "false": False, "null": None}


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come; `key` is the one whose value has not come."""

    is_mapping: bool
    start: int
    key: Scalar | None = None
    entries: list[tuple[Scalar, Node]] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class _Builder:
    """Builds nodes from tokens, passing over what does not fit."""

    source: Source
    frames: list[_Open] = field(default_factory=list)
    root: Node | None = None
    last: tuple[int, int] = (0, 0)

    def read(self) -> None:
        """Take every token of the text."""
        at = 0
        while (token := _TOKEN.match(self.source.text, at)) is not None:
            kind = token.lastindex or 0
            self.last = token.span(kind)
            at = token.end()
            if kind == 2:
                self._mark(token[2], token.start(2))
            else:
                self._scalar(token[kind], token.start(kind), at)

    def _mark(self, mark: str, at: int) -> None:
        if mark in "{[" and len(self.frames) < MAX_DEPTH:
            self.frames.append(_Open(mark == "{", at))
        elif mark in "}]" and any(frame.is_mapping == (mark == "}") for frame in self.frames):
            while self.close(at + 1) != (mark == "}"):
                pass
        elif mark == "," and self.frames and self.frames[-1].key is not None:
            self.add(self._null(at))

    def _null(self, at: int) -> Scalar:
        return Scalar(None, "", "", self.source, at, at)

    def close(self, end: int) -> bool:
        """Close the innermost collection; return whether it is a mapping."""
        done = self.frames.pop()
        if done.key is not None:
            done.entries.append((done.key, self._null(end)))
        node: Node = (
            Mapping(tuple(done.entries), self.source, done.start, end)
            if done.is_mapping
            else Sequence(tuple(done.items), self.source, done.start, end)
        )
        self.add(node)
        return done.is_mapping

    def add(self, node: Node) -> None:
        """Put a value where it belongs; one without a key has no place in a mapping."""
        if not self.frames:
            self.root = node if self.root is None else self.root
            return
        frame = self.frames[-1]
        if not frame.is_mapping:
            frame.items.append(node)
        elif frame.key is not None:
            frame.entries.append((frame.key, node))
            frame.key = None

    def _scalar(self, text: str, start: int, end: int) -> None:
        node = _scalar(text, self.source, start, end)
        frame = self.frames[-1] if self.frames else None
        is_key = frame is not None and frame.is_mapping and node.style == '"'
        if frame and is_key and (frame.key is None or self._colon_follows(end)):
            if frame.key is not None:
                frame.entries.append((frame.key, self._null(frame.key.end)))
            frame.key = node
        else:
            self.add(node)

    def _colon_follows(self, at: int) -> bool:
        text = self.source.text
        while at < len(text) and text[at] in " \t\r\n":
            at += 1
        return text[at : at + 1] == ":"


def _scalar(text: str, source: Source, start: int, end: int) -> Scalar:
    if text.startswith('"'):
        content = _string(text)
        return Scalar(content, content, '"', source, start, end)
    try:
        value: PlainScalar = _WORDS[text] if text in _WORDS else json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return Scalar(value if isinstance(value, int | float | bool) else None, text, "", source, start, end)


def _string(text: str) -> str:
    closed = text if len(text) > 1 and text.endswith('"') else text + '"'
    try:
        return str(json.loads(closed, strict=False))
    except ValueError:
        return text.strip('"')


def json_tree(source: Source) -> Node | None:
    """Return the tree of a JSON text, as much of it as can be made out; None for a text without a value."""
    builder = _Builder(source)
    builder.read()
    while builder.frames:
        builder.close(len(source.text))
    return builder.root


def json_cursor(text: str, offset: int) -> Cursor:
    """Return where a cursor stands at an offset of a JSON text; `quote` is empty outside a string."""
    builder = _Builder(Source("", text[:offset]))
    builder.read()
    start, end = builder.last
    word = text[start:end] if end == offset and text[start:end][:1] not in tuple("{}[]:,") else ""
    if _CLOSED.fullmatch(word):
        return Cursor((), False, word, start, "closed")
    if not word:
        return _json_cursor(builder, "", offset, "")
    before = _Builder(Source("", text[:start]))
    before.read()
    quote = '"' if word.startswith('"') else ""
    return _json_cursor(before, word.removeprefix(quote), start + len(quote), quote)


def _step(frame: _Open) -> str | int:
    if frame.is_mapping:
        return frame.key.text if frame.key else ""
    return len(frame.items)


def _json_cursor(builder: _Builder, text: str, start: int, quote: str) -> Cursor:
    frames = builder.frames
    is_key = bool(frames) and frames[-1].is_mapping and frames[-1].key is None
    steps = [_step(frame) for frame in frames]
    return Cursor(tuple(steps[:-1] if is_key else steps), is_key, text, start, quote)
