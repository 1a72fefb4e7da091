"""Where each character of a YAML scalar's text stands in the file, for all five styles.

The rules are those of YAML 1.2, chapter 7.3 (flow scalars) and 8.1 (block scalars), as its parsers read them. A style's
reader yields `(character, offset)` pairs: the text as it is read, and where each character of it was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

_BLANK = " \t"
_BREAK = re.compile("\r\n|\r|\n")
_ESCAPE_LENGTH = {"x": 2, "u": 4, "U": 8}
_ESCAPES = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r",
            "e": "\x1b", " ": " ", '"': '"', "\\": "\\", "/": "/", "N": "\x85", "_": "\xa0",
            "L": "\u2028", "P": "\u2029"}  # fmt: skip

Placed = Iterator[tuple[str, int]]


def source_offsets(source: str, start: int, end: int, style: str, text: str) -> list[int]:
    """Return an offset in the source for each character of a scalar's text, and one for the place after its last.

    INVARIANT: the characters that the reader yields are the text that the parser made of them.
    """
    if style in ("|", ">"):
        pairs = list(_block(source, start, style, text))
        after = _after(source, pairs, end)
    elif style:
        reader = _single_quoted if style == "'" else _double_quoted
        pairs, after = list(reader(source, start + 1, end - 1)), end - 1
    else:
        pairs, after = list(_plain(source, start, end)), end
    if "".join(character for character, _ in pairs) != text:
        raise AssertionError(f"the map of a scalar at offset {start} disagrees with the parser")
    return [*(offset for _, offset in pairs), after]


def _after(source: str, pairs: list[tuple[str, int]], end: int) -> int:
    """The place after a block's last character: a line break counts whole."""
    if not pairs:
        return end
    last = pairs[-1][1]
    return last + _break_length(source, last) if source[last] in "\r\n" else last + 1


def _break_length(source: str, at: int) -> int:
    return 2 if source.startswith("\r\n", at) else 1


def _plain(source: str, at: int, end: int, doubled: str = "") -> Placed:
    """Read what folds its lines and has no escapes but a character that is written twice."""
    while at < end:
        if source[at] in _BLANK or source[at] in "\r\n":
            gap_end, folded = _fold(source, at, end)
            yield from folded
            at = gap_end
        else:
            yield source[at], at
            at += 2 if source[at] == doubled else 1


def _single_quoted(source: str, at: int, end: int) -> Placed:
    return _plain(source, at, end, doubled="'")


def _double_quoted(source: str, at: int, end: int) -> Placed:
    while at < end:
        if source[at] == "\\" and source[at + 1] in "\r\n":
            at, folded = _continued(source, at + 1, end)
            yield from folded
        elif source[at] == "\\":
            character, length = _escape(source, at)
            yield character, at
            at += length
        elif source[at] in _BLANK or source[at] in "\r\n":
            at, folded = _fold(source, at, end)
            yield from folded
        else:
            yield source[at], at
            at += 1


def _escape(source: str, at: int) -> tuple[str, int]:
    letter = source[at + 1]
    digits = _ESCAPE_LENGTH.get(letter, 0)
    if digits:
        return chr(int(source[at + 2 : at + 2 + digits], 16)), 2 + digits
    return _ESCAPES[letter], 2


def _fold(source: str, at: int, end: int) -> tuple[int, list[tuple[str, int]]]:
    """Read white space inside a flow scalar: blanks stay, one line break becomes a space, further ones stay."""
    blanks_end = at
    while blanks_end < end and source[blanks_end] in _BLANK:
        blanks_end += 1
    if blanks_end == end or source[blanks_end] not in "\r\n":
        return blanks_end, [(source[place], place) for place in range(at, blanks_end)]
    after, breaks = _breaks(source, blanks_end, end)
    return after, [("\n", place) for place in breaks[1:]] or [(" ", breaks[0])]


def _continued(source: str, at: int, end: int) -> tuple[int, list[tuple[str, int]]]:
    """Read past an escaped line break: it goes, with the next line's leading blanks; empty lines after it stay."""
    after, breaks = _breaks(source, at, end)
    return after, [("\n", place) for place in breaks[1:]]


def _breaks(source: str, at: int, end: int) -> tuple[int, list[int]]:
    """Skip line breaks and the blanks that lead the lines after them; return where that ends, and the breaks."""
    breaks = []
    while at < end and source[at] in _BLANK + "\r\n":
        if source[at] in "\r\n":
            breaks.append(at)
            at += _break_length(source, at)
        else:
            at += 1
    return at, breaks


def _block(source: str, start: int, style: str, text: str) -> Placed:
    """Read a block scalar line by line; yields no more than its text has, which is what chomping leaves."""
    indent = _block_indent(source, start, text)
    lines = _block_lines(source, start, indent)
    return islice(_folded(source, lines, indent) if style == ">" else _literal(source, lines, indent), len(text))


def _block_indent(source: str, start: int, text: str) -> int:
    """How many columns the block is indented by: the blanks that its first line with text has lost in reading.

    Neither the header nor the parent's indentation is needed, because the parser has read the text already.
    """
    lead = len(text) - len(text.lstrip("\n"))
    if lead == len(text):
        return len(source)  # no line has text: all are shorter than this
    first, end = next(islice(_lines(source, start), lead, None))
    return _leading(source[first:end]) - _leading(text[lead:].split("\n", 1)[0])


def _leading(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _block_lines(source: str, start: int, indent: int) -> Iterator[tuple[int, int]]:
    """The block's lines as (start, end without the break): up to the first that is indented less and not blank."""
    for first, end in _lines(source, start):
        line = source[first:end]
        if _leading(line) < min(indent, len(line)):
            return
        yield first, end


def _lines(source: str, start: int) -> Iterator[tuple[int, int]]:
    """The lines after the one that holds a block's header, to the end of the file."""
    found = _BREAK.search(source, start)
    while found:
        first = found.end()
        found = _BREAK.search(source, first)
        yield first, found.start() if found else len(source)


def _literal(source: str, lines: Iterable[tuple[int, int]], indent: int) -> Placed:
    for start, end in lines:
        yield from ((source[place], place) for place in range(min(start + indent, end), end))
        yield "\n", end


def _folded(source: str, lines: Iterable[tuple[int, int]], indent: int) -> Placed:
    """Join lines that begin with text by spaces; lines that begin with a blank keep the breaks around them."""
    pending: list[int] = []  # breaks since the last line with text
    previous_indented: bool | None = None
    for start, end in lines:
        first = min(start + indent, end)
        if first < end:
            indented = source[first] in _BLANK
            yield from _joined(pending, previous_indented, indented)
            yield from ((source[place], place) for place in range(first, end))
            pending, previous_indented = [end], indented
        else:
            pending.append(end)
    yield from (("\n", place) for place in pending)


def _joined(breaks: list[int], before: bool | None, after: bool) -> Placed:
    if before is None or before or after:
        yield from (("\n", place) for place in breaks)
    elif len(breaks) == 1:
        yield " ", breaks[0]
    else:
        yield from (("\n", place) for place in breaks[1:])
