"""One source line with marks under it, cut to a window round them where the line is long."""

from __future__ import annotations

from dataclasses import dataclass

from kernelpath.diagnostics.render.printable import cell, width
from kernelpath.diagnostics.source import Source, Span

WINDOW = 120
_LEAD = 40
_CUT = "..."


@dataclass(frozen=True, slots=True)
class Snippet:
    """A source line as shown, and the mark to print under it."""

    line: int
    text: str
    mark: str


def snippet(source: Source, span: Span, sign: str) -> Snippet | None:
    """Return the first line of a span with `sign` repeated under it, or None where the file has no such line.

    A span of several lines is marked to the end of its first. An empty span gets one sign. At most `WINDOW`
    characters of a line are shown.
    """
    if not 1 <= span.line <= source.line_count():
        return None
    length = source.line_length(span.line)
    column = min(max(span.column, 1), length + 1)
    end = min(span.end_column, length + 1) if span.end_line == span.line else length + 1
    first = 1 if length <= WINDOW else max(1, min(column - _LEAD, length + 1 - WINDOW))
    cells = [cell(character) for character in source.line(span.line, first, WINDOW)]
    before, marked = cells[: column - first], cells[column - first : max(end, column) - first]
    head, tail = _CUT if first > 1 else "", _CUT if first + len(cells) <= length else ""
    return Snippet(
        line=span.line,
        text=(head + "".join(cells) + tail).rstrip(),
        mark=" " * width(head + "".join(before)) + sign * max(1, width("".join(marked))),
    )
