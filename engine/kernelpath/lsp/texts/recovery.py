"""The tree of a half-written YAML file: what cannot be read is blanked out, so that all the rest keeps its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.packs.documents import DocumentErrors, Mapping, Node, read_yaml

MAX_REPAIRS = 24
_SECTION = re.compile(r"^(?=[^\s#\-}\]])", re.M)
_ITEM = re.compile(r"^[ \t]*(?:- +)+", re.M)
_ENTRY = re.compile(r"^[ \t]*(?:- +)*(?:[\w\-.\"'/]+)[ \t]*:(?=[ \t]|$)", re.M)


def recovered(source: Source) -> Node | None:
    """Return the tree of a text, of what is left of it where it cannot be read as it is; None where nothing is left.

    Offsets in the tree are those of the text.
    """
    try:
        return read_yaml(source)
    except DocumentErrors:
        masked = "".join(_repaired(chunk) for chunk in _sections(source.text))
    try:
        return read_yaml(Source(source.name, masked))
    except DocumentErrors:
        masked = _repaired(masked)
    try:
        return read_yaml(Source(source.name, masked))
    except DocumentErrors:
        return None


def _sections(text: str) -> Iterator[str]:
    """Cut a text where a line begins in the first column, so that a fault stays in its section."""
    starts = [0, *(found.start() for found in _SECTION.finditer(text) if found.start()), len(text)]
    for start, end in pairwise(starts):
        yield text[start:end]


def _repaired(text: str) -> str:
    """Return the text with as little blanked out as makes it readable; all of it where nothing helps."""
    for _ in range(MAX_REPAIRS):
        if not text.strip():
            return text
        source = Source("", text)
        try:
            root = read_yaml(source)
        except DocumentErrors as errors:
            text = _without(source, errors.diagnostics[0])
        else:
            return text if isinstance(root, Mapping) else _blank(text, 0, len(text))
    return _blank(text, 0, len(text))


def _without(source: Source, fault: Diagnostic) -> str:
    """Blank out the value of the line that is at fault, or the line and what hangs below it."""
    line = _line_at_fault(source, fault)
    start = source.offset(line, 1)
    end = start + source.line_length(line)
    entry = _ENTRY.match(source.text, start, end)
    if entry and source.text[entry.end() : end].strip():
        return _blank(source.text, entry.end(), end)
    item = _ITEM.match(source.text, start, end)
    if item and source.text[item.end() : end].strip():
        return _blank(source.text, item.end(), end)  # the items behind it keep their places in the list
    if not source.text[start:end].strip():
        return _blank(source.text, 0, len(source.text))
    return _blank(source.text, start, _block_end(source, line))


def _line_at_fault(source: Source, fault: Diagnostic) -> int:
    """A bracket that is never closed is at fault where it opens, not where its end is missed."""
    spans = [fault.span, *(label.span for label in fault.secondary if fault.rule == "yaml/unclosed-bracket")]
    line = min((span.line for span in spans if span), default=1)
    while line > 1 and not source.line(line).strip():
        line -= 1
    return line


def _block_end(source: Source, line: int) -> int:
    """Return the offset after a line and the lines below it that are indented deeper."""
    depth = _indent(source.line(line))
    last = line
    while last < source.line_count() and (_indent(source.line(last + 1)) > depth or not source.line(last + 1).strip()):
        last += 1
    return source.offset(last, 1) + source.line_length(last)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^\r\n]", " ", text[start:end]) + text[end:]
