"""Find the cheapest set of moves after which no rule finds an error.

The search takes sets of moves by their cost. Whatever mends a graph must change what its first finding hangs on: the
step that is blamed, or what the slot that it reads holds. So a set that does not pass is only grown by moves that can
change one of these; a set that is cheapest among all is never missed, and most sets are never tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Any

from kernelpath.analysis.fixing.moves import Form, Move, edited, names_in
from kernelpath.diagnostics import Diagnostic

#: How many graphs are judged at most; a search that reaches it says so.
MOST_TRIALS = 20_000
MOST_EDITS = 6

Judge = Callable[[Sequence[Any]], Sequence[Diagnostic]]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to: the moves (None where none were found), how many graphs it judged, and what stayed open.

    `exhausted` says that there is no set of moves that passes, not only that none was reached.
    """

    moves: tuple[Move, ...] | None
    trials: int
    exhausted: bool
    open: tuple[Diagnostic, ...] = ()


def search(
    steps: Sequence[Any],
    moves: Sequence[Move],
    judge: Judge,
    form: Form,
    place: str,
    most: int = MOST_TRIALS,
) -> Found:
    """Return the cheapest moves after which `judge` finds no error.

    `form` says what a step reads and writes; `place` is the pointer of the list of steps, as findings have it.
    """
    order = count()
    waiting: list[tuple[int, int, tuple[Move, ...]]] = [(0, next(order), ())]
    seen: set[frozenset[tuple[object, ...]]] = {frozenset()}
    first: tuple[Diagnostic, ...] = ()
    trials, cut = 0, False
    while waiting and trials < most:
        cost, _, chosen = heappop(waiting)
        graph = edited(steps, chosen, form)
        errors = tuple(found for found in judge(graph) if found.severity == "error")
        trials += 1
        if not errors:
            return Found(chosen, trials, False)
        if not first:
            first = errors
            beyond = tuple(found for found in errors if not _relevant(found, graph, moves, form, place))
            if beyond:  # no move changes what these hang on, whatever else is mended
                return Found(None, trials, True, beyond)
        cut = cut or len(chosen) >= MOST_EDITS
        if len(chosen) < MOST_EDITS:
            for move in _relevant(errors[0], graph, moves, form, place):
                grown = (*chosen, move)
                key = frozenset(one.key for one in grown)
                if _fits(chosen, move) and key not in seen:
                    seen.add(key)
                    heappush(waiting, (cost + move.cost, next(order), grown))
    return Found(None, trials, not waiting and not cut, first)


def _fits(chosen: Sequence[Move], move: Move) -> bool:
    """Return whether a move may join the others: it sets no member that one of them sets already."""
    if move.add is not None:
        return move not in chosen
    return not any(
        other.add is None and other.anchor == move.anchor and _meet(other.path, move.path) for other in chosen
    )


def _meet(one: Sequence[str], other: Sequence[str]) -> bool:
    length = min(len(one), len(other))
    return tuple(one[:length]) == tuple(other[:length])


def _relevant(finding: Diagnostic, graph: Sequence[Any], moves: Sequence[Move], form: Form, place: str) -> list[Move]:
    """Return the moves that can change what a finding hangs on."""
    blamed = _blamed(finding, graph, place, form)
    if blamed is None:
        return []
    slots = set(names_in(blamed.get(form.reads)))
    steps = form.by_name(graph)
    return [move for move in moves if _touches(move, blamed, slots, steps, form)]


def _touches(move: Move, blamed: Mapping[str, Any], slots: set[str], steps: Mapping[str, Any], form: Form) -> bool:
    if move.anchor == blamed.get(form.identity):
        return True
    if move.add is not None:
        return not slots.isdisjoint(names_in(move.add.get(form.writes)))
    step = steps.get(move.anchor, {})
    return not slots.isdisjoint(names_in(step.get(form.writes))) or move.path[:1] == (form.writes,)


def _blamed(finding: Diagnostic, graph: Sequence[Any], place: str, form: Form) -> Mapping[str, Any] | None:
    """Return the step that a finding is about: the one its subject names, by its name or by its place."""
    subject = finding.subject or ""
    for step in graph:
        if isinstance(step, dict) and step.get(form.identity) == subject:
            return step
    if subject.isdecimal() and int(subject) < len(graph) and isinstance(graph[int(subject)], dict):
        step = graph[int(subject)]
        return step if isinstance(step, dict) else None
    return _pointed((finding.pointer or "").removeprefix(place), graph)


def _pointed(rest: str, graph: Sequence[Any]) -> Mapping[str, Any] | None:
    """Return the step that the rest of a pointer, below the list, leads into."""
    number = rest.split("/")[1] if rest.startswith("/") else ""
    step = graph[int(number)] if number.isdecimal() and int(number) < len(graph) else None
    return step if isinstance(step, dict) else None
