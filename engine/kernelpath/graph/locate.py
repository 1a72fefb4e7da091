"""Where a JSON pointer's value and key are in the text, found only when somebody asks.

Each object or list on the way is gone through once and remembered, so that many questions about one document cost
little more than the first. Nothing recurses, and 50 MB are gone through flat.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kernelpath.diagnostics import Source, Span
from kernelpath.graph.json_tokens import children, key_text, skip_blanks, string_end, value_end
from kernelpath.graph.pointers import escaped, tokens

__all__ = ["Locator", "escaped", "tokens"]

Place = tuple[int, int]  # the offset of the key, or -1, and of the value


@dataclass(frozen=True, slots=True)
class Locator:
    """Finds places in one valid JSON text."""

    source: Source
    _known: dict[int, dict[str, Place]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def value_span(self, pointer: str) -> Span:
        """Return the span of a pointer's value; where it leads nowhere, of the innermost value on the way."""
        _, start = self._find(pointer)
        return self.source.span(start, value_end(self.source.text, start))

    def key_span(self, pointer: str) -> Span:
        """Return the span of the key that a pointer ends in, quotes included, or of the value where it has no key."""
        key, _ = self._find(pointer)
        if key < 0:
            return self.value_span(pointer)
        return self.source.span(key, string_end(self.source.text, key))

    def _find(self, pointer: str) -> Place:
        place = (-1, skip_blanks(self.source.text, 0))
        for token in tokens(pointer):
            child = self._children(place[1]).get(token)
            if child is None:
                break
            place = child
        return place

    def _children(self, at: int) -> dict[str, Place]:
        if at not in self._known:
            self._known[at] = self._scan(at)
        return self._known[at]

    def _scan(self, at: int) -> dict[str, Place]:
        text = self.source.text
        if text[at] == "[":
            return {str(index): place for index, place in enumerate(children(text, at))}
        # Of keys that are there twice the last counts, as for the reader.
        return {key_text(text, place[0]): place for place in children(text, at)} if text[at] == "{" else {}
