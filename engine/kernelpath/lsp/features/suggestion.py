"""What an editor may offer while something is being written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

#: The kinds of suggestions, as editors show them with a sign each.
KINDS = ("key", "variable", "field", "function", "value", "keyword", "type", "file")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A text that may be put in place of `start` to `end` of the file; `rank` sorts before the label does."""

    label: str
    kind: str
    detail: str = ""
    doc: str = ""
    text: str = ""
    rank: int = 1
    start: int = 0
    end: int = 0


def placed(suggestions: Iterable[Suggestion], start: int, end: int) -> list[Suggestion]:
    """Return suggestions that replace a stretch of the file, each label once, in the order in which they are shown."""
    found: dict[str, Suggestion] = {}
    for suggestion in suggestions:
        text = suggestion.text or suggestion.label
        found.setdefault(suggestion.label, replace(suggestion, text=text, start=start, end=end))
    return sorted(found.values(), key=lambda suggestion: (suggestion.rank, suggestion.label))
