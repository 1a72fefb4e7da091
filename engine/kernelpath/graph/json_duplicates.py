"""The keys that one JSON object sets twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.diagnostics.render.printable import printable
from kernelpath.graph import json_wording as wording
from kernelpath.graph.json_tokens import MARK, STRING, TOKEN, key_text, string_end

MAX_DUPLICATES = 100
_SHOWN = 60


def duplicates(source: Source) -> Iterator[Diagnostic]:
    """Yield a warning for each key of a valid JSON text that its object has had before, in the order of the text.

    Of over `MAX_DUPLICATES` the first are told.
    """
    text = source.text
    for first, again in islice(_repeats(text), MAX_DUPLICATES):
        span, earlier = (source.span(at, string_end(text, at)) for at in (again, first))
        found = printable(key_text(text, again))[:_SHOWN]
        yield wording.DUPLICATE_KEY.told(span, earlier, found=found, first=earlier.line, line=span.line)


def _repeats(text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of a key and of the same key before it."""
    seen: list[dict[str, int]] = []  # of each object that is open, and an empty one for each list
    last_string = -1
    for token in TOKEN.finditer(text):
        start = token.start(token.lastindex or 0)
        if token.lastindex == STRING:
            last_string = start
        elif token.lastindex == MARK and text[start] in "{[":
            seen.append({})
        elif token.lastindex == MARK and text[start] in "}]":
            seen.pop()
        elif token.lastindex == MARK and text[start] == ":":
            first = seen[-1].setdefault(key_text(text, last_string), last_string)
            if first != last_string:
                seen[-1][key_text(text, last_string)] = last_string
                yield first, last_string
