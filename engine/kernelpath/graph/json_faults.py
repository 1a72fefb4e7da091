"""The first fault of a JSON text, found by reading it strictly: one clear message at its place, without recursion."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.diagnostics.render.printable import escape, printable
from kernelpath.diagnostics.wording import Wording
from kernelpath.graph import json_wording as wording
from kernelpath.graph.json_tokens import MARK, OTHER, STRING, TOKEN, skip_blanks

MAX_DEPTH = 200
MAX_DIGITS = 4300  # Python's own limit on reading integers, which guards against quadratic time

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_BAD_ESCAPE = re.compile(r'\\(?:u(?![0-9a-fA-F]{4})|[^"\\/bfnrtu])')
_CLOSING = {"{": "}", "[": "]"}
_INSIDE = {"{": "an object", "[": "a list"}
_CONSTANTS = ("NaN", "Infinity", "-Infinity")
_LITERALS = {"True": "true", "False": "false", "None": "null", "undefined": "null", "nil": "null", "Null": "null"}
_SHOWN = 30


class _Fault(Exception):
    """Reading stops at the first fault."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def first_fault(source: Source) -> Diagnostic | None:
    """Return what is first wrong with a JSON text, or None where it is JSON."""
    if skip_blanks(source.text, 0) == len(source.text):
        return wording.EMPTY.told(source.span(0, 0))
    try:
        _Reader(source).read()
    except _Fault as fault:
        return fault.diagnostic
    return None


@dataclass(slots=True)
class _Reader:
    """Reads token by token; `state` is what may come next, and `opened` the offsets of the open brackets.

    States: `value` (a value must come), `first` (a value or `]`), `key`, `first key` (a key or `}`), `colon`,
    `next` (a comma or the closing bracket), `end`.
    """

    source: Source
    state: str = "value"
    opened: list[int] = field(default_factory=list)

    def read(self) -> None:
        """Read to the end of the text; raises _Fault."""
        at, start = 0, 0
        while (found := TOKEN.match(self.source.text, at)) is not None:
            kind = found.lastindex or OTHER
            start, at = found.span(kind)
            self._token(kind, start, at)
        if self.state != "end":
            self._ended(start)

    def _token(self, kind: int, start: int, end: int) -> None:
        if kind == OTHER or self.source.text[start] in "/#'":
            self._strange(start)
        if self.state == "colon":
            self._colon(start, end)
        elif self.state in ("key", "first key"):
            self._key(kind, start, end)
        elif self.state in ("value", "first"):
            self._value(kind, start, end)
        else:
            self._after_value(start, end)

    def _strange(self, start: int) -> None:
        """Comments, single quotes, strings that do not end, and blanks that are not JSON's."""
        text = self.source.text
        if text[start] == '"':
            self._string_fault(start)
        if text[start] == "#" or text.startswith(("//", "/*"), start):
            self._fail(wording.COMMENT, start, start + (1 if text[start] == "#" else 2))
        if text[start] == "'":
            self._fail(wording.SINGLE_QUOTE, start, start + 1)
        if text[start] != "/":
            self._fail(wording.STRANGE, start, start + 1)

    def _string_fault(self, start: int) -> None:
        text = self.source.text
        at = start + 1
        while at < len(text):
            if text[at] in "\n\r":
                self._fail(wording.LINE_BREAK, at, at, start)
            if text[at] < " ":
                self._fail(wording.CONTROL, at, at + 1, found=escape(text[at]))
            at += 2 if text[at] == "\\" and text[at + 1 : at + 2] >= " " else 1
        self._fail(wording.UNCLOSED_STRING, start, start + 1)

    def _colon(self, start: int, end: int) -> None:
        if self.source.text[start] != ":":
            self._fail(wording.MISSING_COLON, start, end)
        self.state = "value"

    def _key(self, kind: int, start: int, end: int) -> None:
        mark = self.source.text[start]
        if kind == STRING:
            self._check_string(start, end)
            self.state = "colon"
        elif mark == "}" and self.state == "first key":
            self._close(start)
        elif mark == "}":
            self._fail_comma(start, "}")
        elif mark == ",":
            self._fail(wording.LONE_COMMA, start, end)
        elif kind == MARK or mark.isdigit():
            self._fail(wording.KEY_TYPE, start, end)
        else:
            self._fail(wording.BARE_KEY, start, end)

    def _value(self, kind: int, start: int, end: int) -> None:
        mark = self.source.text[start]
        if kind == STRING:
            self._check_string(start, end)
            self._done()
        elif mark in "{[":
            self._open(start)
        elif mark == "]" and self.state == "first":
            self._close(start)
        elif kind == MARK:
            self._misplaced(mark, start, end)
        else:
            self._word(start, end)

    def _misplaced(self, mark: str, start: int, end: int) -> None:
        """A mark where a value belongs."""
        if mark in "]}" and self._before(start) == ",":
            self._fail_comma(start, mark)
        self._fail(wording.LONE_COMMA if mark == "," else wording.STRAY, start, end)

    def _after_value(self, start: int, end: int) -> None:
        mark = self.source.text[start]
        if self.state == "end":
            self._fail(wording.EXTRA, start, end)
        opening = self.source.text[self.opened[-1]]
        if mark == ",":
            self.state = "key" if opening == "{" else "value"
        elif mark == _CLOSING[opening]:
            self._close(start)
        elif mark in "]}":
            self._fail(wording.MISMATCH, start, end, self.opened[-1], closing=_CLOSING[opening])
        else:
            self._fail(wording.MISSING_COMMA, start, end)

    def _open(self, start: int) -> None:
        if len(self.opened) == MAX_DEPTH:
            self._fail(wording.TOO_DEEP, start, start + 1, limit=MAX_DEPTH)
        self.opened.append(start)
        self.state = "first key" if self.source.text[start] == "{" else "first"

    def _close(self, start: int) -> None:
        opening = self.source.text[self.opened[-1]]
        if self.source.text[start] != _CLOSING[opening]:
            self._fail(wording.MISMATCH, start, start + 1, self.opened[-1], closing=_CLOSING[opening])
        self.opened.pop()
        self._done()

    def _done(self) -> None:
        self.state = "next" if self.opened else "end"

    def _check_string(self, start: int, end: int) -> None:
        place = _first_bad_escape(self.source.text, start, end)
        if place is not None:
            self._fail(wording.ESCAPE, place, place + 2)

    def _word(self, start: int, end: int) -> None:
        word = self.source.text[start:end]
        if word not in ("true", "false", "null"):
            self._check_number(word, start, end)
        self._done()

    def _check_number(self, word: str, start: int, end: int) -> None:
        number = _NUMBER.fullmatch(word)
        if number is None:
            self._not_a_value(word, start, end)
        elif not (number[1] or number[2]) and len(word.lstrip("-")) > MAX_DIGITS:
            self._fail(wording.LONG_INTEGER, start, end, limit=f"{MAX_DIGITS:,}")

    def _not_a_value(self, word: str, start: int, end: int) -> None:
        if word in _CONSTANTS:
            self._fail(wording.CONSTANT, start, end)
        if word in _LITERALS:
            self._fail(wording.LITERAL, start, end, meant=_LITERALS[word])
        self._fail(wording.NUMBER if word[0] in "+-.0123456789" else wording.BARE_WORD, start, end)

    def _ended(self, last: int) -> None:
        end = len(self.source.text.rstrip(" \t\n\r"))
        if not self.opened:
            self._fail(wording.NO_VALUE, end, end, last)
        opening = self.source.text[self.opened[-1]]
        names = {"what": _INSIDE[opening], "closing": _CLOSING[opening]}
        self._fail(wording.TRUNCATED, end, end, self.opened[-1], **names)

    def _before(self, at: int) -> str:
        """The last character before an offset that is not white space."""
        while at > 0 and self.source.text[at - 1] in " \t\n\r":
            at -= 1
        return self.source.text[at - 1 : at]

    def _fail_comma(self, at: int, closing: str) -> None:
        comma = self.source.text.rindex(",", 0, at)
        self._fail(wording.TRAILING_COMMA, comma, comma + 1, closing=closing)

    def _fail(self, mistake: Wording, start: int, end: int, second: int | None = None, **values: object) -> None:
        text = self.source.text
        shown = text[start : min(max(end, start), start + _SHOWN)]
        names: dict[str, object] = {"found": printable(shown), **values}
        place = None if second is None else self.source.span(second, second + 1)
        raise _Fault(mistake.told(self.source.span(start, end), place, **names))


def _first_bad_escape(text: str, start: int, end: int) -> int | None:
    at = text.find("\\", start, end)
    while at >= 0:
        if _BAD_ESCAPE.match(text, at):
            return at
        at = text.find("\\", at + 2, end)
    return None
