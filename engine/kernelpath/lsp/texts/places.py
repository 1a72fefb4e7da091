"""Places as editors count them: lines and characters from 0, characters in the code units that both sides agreed on.

Lines end as the protocol says, at ``\\n``, ``\\r\\n`` and ``\\r``, which is how `Source` counts them, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from kernelpath.diagnostics import Source, Span
from kernelpath.diagnostics.source import BYTE_ORDER_MARK

UTF16 = "utf-16"
_SIZES = {"utf-8": lambda text: len(text.encode("utf-8", "surrogatepass")), "utf-32": len}


def units(text: str, encoding: str = UTF16) -> int:
    """Return a text's length in the code units of an encoding.

    >>> [units("a\\U0001f600", encoding) for encoding in ("utf-8", "utf-16", "utf-32")]
    [5, 3, 2]
    """
    if text.isascii():
        return len(text)
    size = _SIZES.get(encoding)
    return size(text) if size else len(text) + sum(character > "\uffff" for character in text)


class Marked(Source):
    """A text that begins with a byte order mark in the editor, and is read without it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Places:
    """Converts between offsets in a source and an editor's places in it."""

    source: Source
    encoding: str = UTF16

    def offset(self, line: int, character: int) -> int:
        """Return the offset of a place; one outside the text gives the nearest inside."""
        if line >= self.source.line_count():
            return len(self.source.text)
        text = self.source.line(line + 1)
        character = max(0, character - self._mark(line))
        return self.source.offset(line + 1, 1) + min(_index(text, character, self.encoding), len(text))

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and character of an offset."""
        line, column = self.source.position(offset)
        return line - 1, units(self.source.line(line)[: column - 1], self.encoding) + self._mark(line - 1)

    def _mark(self, line: int) -> int:
        """Return how many units of a line the editor has before those that are read."""
        return units(BYTE_ORDER_MARK, self.encoding) if line == 0 and isinstance(self.source, Marked) else 0

    def bounds(self, span: Span) -> tuple[int, int]:
        """Return the offsets at which a span of this source begins and ends."""
        return self.source.offset(span.line, span.column), self.source.offset(span.end_line, span.end_column)


def _index(text: str, character: int, encoding: str) -> int:
    if text.isascii():
        return character
    index = total = 0
    while index < len(text) and total < character:
        total += units(text[index], encoding)
        index += 1
    return index
