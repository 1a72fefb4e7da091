"""Where a cursor stands in a YAML file, whole or half written: found line by line, by indentation."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kernelpath.lsp.texts.flow import Flow, scan_flow

Step = str | int
Path = tuple[Step, ...]

_ITEM = re.compile(r"-(?: +|$)")
_KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#"'\[\]{},&*!|>%@`-][^#\n]*?|-[^\s#][^#\n]*?)[ \t]*:(?=[ \t]|$)"""
)
_BLOCK = re.compile(r"[|>][-+0-9]*[ \t]*(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Cursor:
    """A cursor's place: the keys and indices that lead to it, and whether a key or a value is being written there.

    `path` ends in the key whose value is written; where a key is written, it is the path of the mapping. `text` is the
    value up to the cursor without quotes and escapes (or the key so far), `start` the offset at which it begins, and
    `quote` the sign that it is written in.
    """

    path: Path
    is_key: bool
    text: str
    start: int
    quote: str = ""


@dataclass(slots=True)
class _Open:
    """A level that is open: its indentation and its key or index; `value` is where its value begins, if it has one."""

    indent: int
    step: Step
    value: int = -1
    quote: str = ""


@dataclass(slots=True)
class _Lines:
    """Goes through lines from the first, keeping the levels that are open."""

    text: str
    end: int
    levels: list[_Open] = field(default_factory=list)

    def run(self) -> Cursor:
        """Go through the lines up to the one that the cursor is in."""
        at = 0
        while True:
            stop = self.text.find("\n", at)
            stop = len(self.text) if stop < 0 else stop
            if stop >= self.end:
                return self._cursor(at)
            self._line(at, stop)
            at = stop + 1

    def _line(self, at: int, stop: int) -> None:
        line = self.text[at:stop]
        indent = len(line) - len(line.lstrip(" "))
        if not line.strip() or line.lstrip().startswith("#") or self._continues(indent, line[indent:], at):
            return
        self._enter(at + indent, stop, indent)

    def _continues(self, indent: int, line: str, at: int) -> bool:
        """Whether a line goes on with the value of the innermost level: a block's, a quoted or a bracketed one."""
        if not self.levels or self.levels[-1].value < 0:
            return False
        level = self.levels[-1]
        value = self.text[level.value : at]
        if indent <= level.indent:
            return value[:1] in "{[" and line[:1] in "]}" and not scan_flow(value).closed
        if _BLOCK.match(value.partition("\n")[0]):
            return True
        if value[:1] in ("'", '"'):
            return not _closed_quote(value)
        return value[:1] not in "{[" or not scan_flow(value).closed

    def _enter(self, at: int, stop: int, indent: int) -> None:
        """Open the levels that a line opens: its dashes, then its key."""
        while (dash := _ITEM.match(self.text, at, stop)) is not None:
            self._close(indent, is_item=True)
            last = self._last_index(indent)
            self.levels.append(_Open(indent, last + 1, dash.end()))
            indent += dash.end() - at
            at = dash.end()
        key = _KEY.match(self.text, at, stop)
        if key is None:
            return
        self._close(indent, is_item=False)
        value = key.end()
        while value < stop and self.text[value] in " \t":
            value += 1
        if self.levels and isinstance(self.levels[-1].step, int):
            self.levels[-1].value = -1
        self.levels.append(_Open(indent, _unquoted(key[1]), value if value < stop else -1))

    def _close(self, indent: int, *, is_item: bool) -> None:
        """Close what ends where a line begins at an indentation; a list may stand as deep as its key."""
        while self.levels:
            level = self.levels[-1]
            same_list = is_item and isinstance(level.step, int) and level.indent == indent
            owner = is_item and isinstance(level.step, str) and level.indent == indent
            if level.indent < indent or same_list or owner:
                return
            self.levels.pop()

    def _last_index(self, indent: int) -> int:
        if self.levels and isinstance(self.levels[-1].step, int) and self.levels[-1].indent == indent:
            step = self.levels.pop().step
            assert isinstance(step, int)
            return step
        return -1

    def _cursor(self, at: int) -> Cursor:
        line = self.text[at : self.end]
        indent = len(line) - len(line.lstrip(" "))
        if line.strip() and self._continues(indent, line[indent:], at):
            return self._in_value()
        if not line.strip() and self._in_block(indent, at):
            return self._in_value()
        self._enter(at + indent, self.end, indent)
        last = self.levels[-1] if self.levels else None
        opened_here = last is not None and (last.value >= at or self._key_is_here(at))
        if opened_here:
            return self._in_value()
        return self._key(at, indent)

    def _in_block(self, indent: int, at: int) -> bool:
        level = self.levels[-1] if self.levels else None
        if level is None or level.value < 0 or indent <= level.indent:
            return False
        return bool(_BLOCK.match(self.text[level.value : at].partition("\n")[0])) or self._continues(indent, "", at)

    def _key_is_here(self, at: int) -> bool:
        """Whether the cursor's line has a key, whose value is empty so far."""
        before = self.text[at : self.end].rstrip(" \t")
        return before.endswith(":") and len(before) < self.end - at

    def _key(self, at: int, indent: int) -> Cursor:
        """The cursor stands where a key is written, or where the first text of a value is."""
        line = self.text[at : self.end]
        self._close(indent, is_item=line.lstrip().startswith("-"))
        start = at + indent
        return Cursor(self._path(), True, self.text[start : self.end], start)

    def _path(self) -> Path:
        return tuple(level.step for level in self.levels)

    def _in_value(self) -> Cursor:
        level = self.levels[-1]
        start = level.value if 0 <= level.value <= self.end else self.end
        written = self.text[start : self.end]
        if _BLOCK.match(written.partition("\n")[0]) and "\n" in written:
            return Cursor(self._path(), False, written.partition("\n")[2], start + written.index("\n") + 1, "|")
        if written[:1] in ("{", "["):
            return self._in_flow(scan_flow(written), start)
        if isinstance(level.step, int) and not _KEY.match(self.text, start, self.end) and written[:1] not in ("'", '"'):
            return Cursor(self._path(), True, written, start)  # an item may turn out to be a mapping
        return _value(self._path(), written, start)

    def _in_flow(self, flow: Flow, start: int) -> Cursor:
        path = (*self._path(), *flow.path)
        written = flow.text
        if flow.is_key:
            return Cursor(path, True, written, start + flow.start)
        return _value(path, written, start + flow.start)


def _value(path: Path, written: str, start: int) -> Cursor:
    quote = written[:1] if written[:1] in ("'", '"') else ""
    if quote and _closed_quote(written):
        return Cursor(path, False, written, start, "closed")
    text = written[1:] if quote else written
    return Cursor(path, False, decoded(text, quote), start + len(quote), quote)


def decoded(text: str, quote: str) -> str:
    """Return what a piece of a scalar stands for, as far as expressions need it."""
    if quote == "'":
        return text.replace("''", "'")
    return re.sub(r'\\(["\\/])', r"\1", text) if quote == '"' else text


def _closed_quote(value: str) -> bool:
    quote = value[0]
    body = r"""'(?:[^']|'')*'(?!')""" if quote == "'" else r'"(?:[^"\\]|\\.)*"'
    return re.match(body, value, re.S) is not None


def _unquoted(key: str) -> str:
    return decoded(key[1:-1], key[0]) if key[:1] in ("'", '"') and len(key) > 1 else key.strip()


def cursor_at(text: str, offset: int) -> Cursor:
    """Return where a cursor stands at an offset of a YAML text, which may be broken anywhere."""
    return _Lines(text, max(0, min(offset, len(text)))).run()
