"""Patterns for `matches`: a subset of Python's `re` that decides by the next character alone.

A pattern is accepted only if its position automaton (Glushkov 1961) is deterministic, and if in addition each step of
it comes from one operator only (strong one-unambiguity, Brüggemann-Klein and Wood 1998). Then a backtracking matcher
has nothing to go back to, and takes linear time.
"""

from __future__ import annotations

from itertools import pairwise

from kernelpath.language.pattern_syntax import Alternatives, Characters, Part, PatternProblem, Repeat, Sequence, read

MAX_POSITIONS = 1000
MAX_EDGES = 20_000


def check_pattern(pattern: str) -> PatternProblem | None:
    """Return what is wrong with a pattern, or None."""
    try:
        automaton = _Automaton()
        _, first, _ = automaton.add(read(pattern))
        automaton.refuse_overlap(first)
        for following in automaton.follow:
            automaton.refuse_overlap(following)
    except PatternProblem as problem:
        return problem
    return None


_Ends = tuple[bool, list[int], list[int]]


class _Automaton:
    """The positions of a pattern, with counted repeats written out, and which may follow which."""

    def __init__(self) -> None:
        self.characters: list[Characters] = []
        self.follow: list[list[int]] = []
        self.edges: set[tuple[int, int]] = set()

    def add(self, part: Part) -> _Ends:
        """Add a part; return whether it may be empty, and its first and last positions."""
        if isinstance(part, Characters):
            return self._add_characters(part)
        if isinstance(part, Sequence):
            return self._add_sequence(part)
        return self._add_alternatives(part) if isinstance(part, Alternatives) else self._add_repeat(part)

    def _add_characters(self, part: Characters) -> _Ends:
        if len(self.characters) >= MAX_POSITIONS:
            what = f"the pattern has more than {MAX_POSITIONS:,} positions, its repeats written out"
            raise PatternProblem(what, part.place)
        self.characters.append(part)
        self.follow.append([])
        here = [len(self.characters) - 1]
        return False, here, here

    def _add_sequence(self, part: Sequence) -> _Ends:
        empty, first, last = True, list[int](), list[int]()
        for inner in part.parts:
            inner_empty, inner_first, inner_last = self.add(inner)
            self._connect(last, inner_first)
            first = first + inner_first if empty else first
            last = last + inner_last if inner_empty else inner_last
            empty = empty and inner_empty
        return empty, first, last

    def _add_alternatives(self, part: Alternatives) -> _Ends:
        empty, first, last = False, list[int](), list[int]()
        for inner in part.parts:
            inner_empty, inner_first, inner_last = self.add(inner)
            if empty and inner_empty:
                raise PatternProblem("two alternatives of the pattern may be empty", part.place)
            empty, first, last = empty or inner_empty, first + inner_first, last + inner_last
        return empty, first, last

    def _add_repeat(self, part: Repeat) -> _Ends:
        first, ends = list[int](), list[int]()
        last: list[int] = []
        for copy in range(1, (part.most or max(part.least, 1)) + 1):
            empty, inner_first, inner_last = self.add(part.part)
            if empty:
                raise PatternProblem("what the pattern repeats may be empty", part.place)
            self._connect(last, inner_first)
            first = first or inner_first
            last = inner_last
            ends = ends + last if copy >= part.least else ends
        if part.most is None:
            self._connect(last, inner_first)
        return part.least == 0, first, ends

    def _connect(self, before: list[int], after: list[int]) -> None:
        if len(self.edges) + len(before) * len(after) > MAX_EDGES:
            raise PatternProblem("the pattern is too large", 0)
        for one in before:
            for other in after:
                if (one, other) in self.edges:
                    raise self._ambiguous(other)
                self.edges.add((one, other))
                self.follow[one].append(other)

    def _ambiguous(self, position: int) -> PatternProblem:
        characters = self.characters[position]
        return PatternProblem("", characters.place, ambiguous=characters.text)

    def refuse_overlap(self, positions: list[int]) -> None:
        """Raise PatternProblem where one character may go to two of the positions."""
        ranges = sorted((low, high, at) for at in positions for low, high in self.characters[at].ranges)
        for (_, high, one), (low, _, other) in pairwise(ranges):
            if low <= high:
                raise self._ambiguous(max(one, other))
