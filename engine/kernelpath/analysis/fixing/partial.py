"""Fix what edits reach if they do not reach everything, and say what remains.

A graph may have errors that no edit of its steps mends: the session is at fault, the schema, a pin that the catalogue
lacks. They are no reason to withhold the edits for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kernelpath.analysis.fixing.moves import Form, Move, edited
from kernelpath.analysis.fixing.search import MOST_TRIALS, Found, Judge, search
from kernelpath.diagnostics import ERROR, Diagnostic

#: How many graphs are tried for each of several errors alone, to tell apart those that moves reach and the others.
MOST_ALONE = 300

Key = tuple[str, str | None]


def mend(
    steps: Sequence[Any],
    moves: Sequence[Move],
    judge: Judge,
    form: Form,
    place: str,
    most: int = MOST_TRIALS,
) -> Found:
    """Return the cheapest moves that leave no error, else those that leave only errors that no moves mend.

    `place` is the pointer of the list that they edit. What they leave is `open`; `trials` counts the graphs of all
    searches, which are `most` at most.
    """
    searches = _Searches(steps, moves, judge, form, place, most)
    first = {key(found): found for found in judge(steps) if found.severity == ERROR}
    alone = {each: searches.run(MOST_ALONE, first.keys() - {each}) for each in first} if len(first) > 1 else {}
    left = tuple(first[each] for each, found in alone.items() if found.moves is None)
    if any(found.moves is None and found.exhausted for found in alone.values()):
        whole = Found(None, 0, True, left)  # what cannot be mended alone cannot be mended with the others
    else:
        whole = searches.run(searches.left - (searches.left // 4 if left else 0))
    if whole.moves is None and 0 < len(left) < len(first):
        part = searches.run(searches.left, map(key, left))
        whole = replace(part, open=_still(judge(edited(steps, part.moves, form)), left)) if part.moves else whole
    return replace(whole, trials=most - searches.left)


def _still(found: Sequence[Diagnostic], left: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return those of the errors that were left out which are still found: moves for others may mend some, too."""
    known = {key(each) for each in found if each.severity == ERROR}
    return tuple(each for each in left if key(each) in known)


@dataclass(slots=True)
class _Searches:
    """Searches over one graph, which may try so many graphs together."""

    steps: Sequence[Any]
    moves: Sequence[Move]
    judge: Judge
    form: Form
    place: str
    left: int

    def run(self, most: int, but: Iterable[Key] = ()) -> Found:
        """Search for moves that mend all errors but those of some keys."""
        ignored = set(but)

        def judge(graph: Sequence[Any]) -> list[Diagnostic]:
            return [found for found in self.judge(graph) if key(found) not in ignored]

        found = search(self.steps, self.moves, judge, self.form, self.place, min(most, self.left))
        self.left -= found.trials
        return found


def key(found: Diagnostic) -> Key:
    """Return what tells a finding from others in another state of the graph: its rule, and what it blames."""
    return found.rule, found.subject


__all__ = ["key", "mend"]
