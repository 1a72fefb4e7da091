"""Texts that people wrote, and places in them.

Lines and columns count from 1, columns in code points. A line ends at ``\\n``, ``\\r\\n`` or ``\\r``, as editors count.
"""

from __future__ import annotations

BYTE_ORDER_MARK = "\ufeff"
#: What stands for a file's name where a text came by standard input; a file of this name is called by a longer path.
STANDARD_INPUT = "<stdin>"


class Span:
    """A stretch of a file, from its first character up to and not including its end; spans of a file have an order."""

    __slots__ = ("column", "end_column", "end_line", "file", "line")

    def __init__(self, file: str, line: int, column: int, end_line: int, end_column: int) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.end_line = end_line
        self.end_column = end_column

    def _key(self) -> tuple[str, int, int, int, int]:
        return (self.file, self.line, self.column, self.end_line, self.end_column)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Span) and self._key() == other._key()

    def __lt__(self, other: Span) -> bool:
        return self._key() < other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Span{self._key()!r}"

    @property
    def short(self) -> str:
        """The place as people read it in a line: the file and the line."""
        return f"{self.file}:{self.line}"

    def to_dict(self) -> dict[str, object]:
        """Return the span as plain JSON."""
        return {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "endLine": self.end_line,
            "endColumn": self.end_column,
        }

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Source:
    """A named text; its table of lines is made when the first place in it is asked for."""

    __slots__ = ("_starts", "name", "text")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self._starts: list[int] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Source) and (self.name, self.text) == (other.name, other.text)

    def __hash__(self) -> int:
        return hash((self.name, self.text))

    def __repr__(self) -> str:
        return f"Source(name={self.name!r}, {len(self.text)} characters)"

    def line_starts(self) -> list[int]:
        """Return the offset at which each line starts; line 1 starts at offset 0."""
        if not self._starts:
            self._starts.extend(_line_starts(self.text))
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset in the text; offsets outside it give its nearest end."""
        from bisect import bisect_right  # not at import: a run without diagnostics never needs it

        offset = max(0, min(offset, len(self.text)))
        starts = self.line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column; places outside the text give the nearest one inside."""
        starts = self.line_starts()
        line = max(1, min(line, len(starts)))
        return min(starts[line - 1] + max(column, 1) - 1, self._line_end(line))

    def span(self, start: int, end: int) -> Span:
        """Return the span from one offset up to and not including another."""
        return Span(self.name, *self.position(start), *self.position(end))

    def line_count(self) -> int:
        """Return how many lines the text has; an empty text has one."""
        return len(self.line_starts())

    def line(self, line: int, first: int = 1, limit: int | None = None) -> str:
        """Return a line's text without its line break, from a column on, cut to a number of characters."""
        if not 1 <= line <= self.line_count():
            return ""
        start, end = self.line_starts()[line - 1] + first - 1, self._line_end(line)
        return self.text[start : end if limit is None else min(end, start + limit)]

    def line_length(self, line: int) -> int:
        """Return a line's length in code points, without its line break."""
        return self._line_end(line) - self.line_starts()[line - 1] if 1 <= line <= self.line_count() else 0

    def _line_end(self, line: int) -> int:
        starts = self.line_starts()
        if line == len(starts):
            return len(self.text)
        end = starts[line] - 1
        return end - 1 if self.text[end] == "\n" and self.text[end - 1 : end] == "\r" else end


def _line_starts(text: str) -> list[int]:
    if "\r" in text:
        return _line_starts_of_mixed(text)
    starts, at = [0], text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def _line_starts_of_mixed(text: str) -> list[int]:
    import re  # not at import: a run without diagnostics never needs it

    return [0, *(match.end() for match in re.finditer("\r\n|\n|\r", text))]
