"""Write moves into the text of a document, and nothing else of it: its layout stays as its author has it."""

from __future__ import annotations

import json

from kernelpath.analysis.fixing.moves import REMOVED, Form, edited
from kernelpath.graph.locate import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from kernelpath.analysis.fixing.moves import Move
    from kernelpath.cli.inputs import Given
    from kernelpath.diagnostics import Span

Edit = tuple[int, int, str]


class Editing:
    """Writes moves into the text of a document; `place` is where its list of items is, as the pack's fixes say it."""

    def __init__(self, given: Given, declared: Mapping[str, Any], moves: Sequence[Move]) -> None:
        self.given = given
        self.text = given.document.source.text
        self.moves = moves
        self.form = Form.of(declared)
        self.list = given.pointer(declared["list"].partition("#")[2])
        self.items: Sequence[Any] = given.written(declared["list"].partition("#")[2]) or []
        self.after = edited(self.items, moves, self.form)
        self.places = {name: place for place, each in enumerate(self.items) if (name := self.form.name(each))}

    def written(self) -> str:
        """Return the text after the moves."""
        text = self.text
        for start, end, new in sorted(self._edits(), reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def difference(self) -> str:
        """Return what the moves change in the text, as a unified diff."""
        from difflib import unified_diff

        name = self.given.document.source.name
        lines = unified_diff(self.text.splitlines(), self.written().splitlines(), name, name, lineterm="")
        return "".join(f"{line}\n" for line in lines)

    def _edits(self) -> list[Edit]:
        kept = self.form.by_name(self.after)
        removed = [place for name, place in self.places.items() if name not in kept]
        edits = [self._gone(place, removed) for place in removed]
        for name, place in self.places.items():
            before, after = self.items[place], kept.get(name, self.items[place])
            changed = [each for each in {**before, **after} if before.get(each, REMOVED) != after.get(each, REMOVED)]
            edits += [self._member(f"{self.list}/{place}", member, after) for member in changed]
        return edits + self._added()

    def _offsets(self, span: Span) -> tuple[int, int]:
        source = self.given.document.source
        return source.offset(span.line, span.column), source.offset(span.end_line, span.end_column)

    def _at(self, pointer: str) -> tuple[int, int]:
        return self._offsets(self.given.document.locate(pointer))

    def _gone(self, place: int, removed: Sequence[int]) -> Edit:
        """Return the edit that takes an item away, with the comma and the blanks that set it off."""
        start, end = self._at(f"{self.list}/{place}")
        following = place + 1
        if following < len(self.items):
            return start, self._at(f"{self.list}/{following}")[0], ""
        kept = [each for each in range(place) if each not in removed]
        return (self._at(f"{self.list}/{kept[-1]}")[1] if kept else start), end, ""

    def _member(self, pointer: str, name: str, item: Any) -> Edit:
        """Return the edit that gives an item's member its new value, adds it, or takes it away."""
        start, end = self._at(pointer)
        if name not in json.loads(self.text[start:end]):
            return start + 1, start + 1, f"{_gap(self.text, start + 1)}{_literal(name)}: {_literal(item[name])},"
        value_start, value_end = self._at(f"{pointer}/{escaped(name)}")
        if name in item:
            return value_start, value_end, _literal(item[name])
        key = self.given.document.key_span(f"{pointer}/{escaped(name)}")
        return _without(self.text, self._offsets(key)[0], value_end)

    def _added(self) -> list[Edit]:
        """Return an edit for each added item, set before the item that follows it, indented as that one is."""
        edits: list[Edit] = []
        waiting: list[Any] = []
        for item in self.after:
            name = self.form.name(item)
            if isinstance(item, dict) and name not in self.places:
                waiting.append(item)
                continue
            if waiting and name is not None:
                start = self._at(f"{self.list}/{self.places[name]}")[0]
                gap = self.text[len(self.text[:start].rstrip()) : start]
                edits.append((start, start, "".join(f"{_literal(one)},{gap or ' '}" for one in waiting)))
                waiting = []
        return edits


def _literal(value: Any) -> str:
    """Return a value as JSON in which only what no text in UTF-8 can have is escaped: half of a surrogate pair."""
    return "".join(
        f"\\u{ord(character):04x}" if "\ud800" <= character <= "\udfff" else character
        for character in json.dumps(value, ensure_ascii=False)
    )


def _without(text: str, start: int, end: int) -> Edit:
    """Return the edit that takes a member away, and one of the commas beside it."""
    following = end + len(text[end:]) - len(text[end:].lstrip())
    if text[following : following + 1] == ",":
        after = following + 1
        return start, after + len(text[after:]) - len(text[after:].lstrip()), ""
    before = len(text[:start].rstrip())
    return (before - 1 if text[before - 1 : before] == "," else before), end, ""


def _gap(text: str, start: int) -> str:
    """Return the white space that follows a brace, to set a new member off as its neighbours are."""
    rest = text[start:]
    return rest[: len(rest) - len(rest.lstrip())]
