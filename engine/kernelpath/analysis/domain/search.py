"""Look for an item that is in one region and outside others, without multiplying their diagrams out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from kernelpath.analysis.domain.diagrams import TERMINAL, Diagrams, TooLarge

_MOST_STATES = 200_000
_MOST_COMPARED = 20_000


@dataclass(frozen=True, slots=True)
class Where:
    """A region: where all functions of `true` are true, and none of `false` is."""

    true: frozenset[int] = frozenset()
    false: frozenset[int] = frozenset()

    def also(self, *nodes: int) -> Where:
        """Return where more functions are true."""
        return Where(self.true.union(nodes), self.false)

    def never(self, *nodes: int) -> Where:
        """Return where, besides, none of some functions is true."""
        return Where(self.true, self.false.union(nodes))

    def within(self, other: Where) -> Where:
        """Return what two regions share."""
        return Where(self.true | other.true, self.false | other.false)

    def nodes(self) -> frozenset[int]:
        """Return all functions that the region is made of."""
        return self.true | self.false


@dataclass(frozen=True, slots=True)
class _State:
    """What is still to be decided: the region, and the regions that must be left."""

    inside: Where
    outside: frozenset[Where]

    def with_(self, other: _State) -> _State:
        """Return what two states ask together."""
        return _State(self.inside.within(other.inside), self.outside | other.outside)


class Search:
    """Searches over the variables of one domain."""

    def __init__(self, diagrams: Diagrams) -> None:
        self.diagrams = diagrams
        self._supports: dict[int, frozenset[int]] = {}
        self._asked: dict[Where, frozenset[int]] = {}

    def support(self, node: int) -> frozenset[int]:
        """Return the variables that a function depends on."""
        found = self._supports.get(node)
        if found is None:
            found = self._supports[node] = frozenset(self.diagrams.support(node))
        return found

    def relevant(self, where: Where, core: Where) -> Where:
        """Return the part of a satisfiable region that shares variables with another, directly or through others."""
        reach = {level for node in core.nodes() for level in self.support(node)}
        waiting = {node: self.support(node) for node in where.nodes()}
        kept: set[int] = set()
        while touched := [node for node, levels in waiting.items() if not levels.isdisjoint(reach)]:
            for node in touched:
                reach |= waiting.pop(node)
                kept.add(node)
        return Where(where.true & kept, where.false & kept)

    def contains(self, where: Where, choices: Mapping[int, int]) -> bool:
        """Return whether an item is in a region; a variable that `choices` leaves out has its first choice."""
        true = self.diagrams.true
        return all(self._at(node, choices) == true for node in where.true) and not any(
            self._at(node, choices) == true for node in where.false
        )

    def _at(self, node: int, choices: Mapping[int, int]) -> int:
        while (level := self.diagrams.levels[node]) != TERMINAL:
            node = self.diagrams.children[node][choices.get(level, 0)]
        return node

    def exists(self, inside: Where, outside: Collection[Where] = ()) -> bool:
        """Return whether some item is in a region and in none of others; raises TooLarge."""
        return self.first(inside, outside) is not None

    def first(self, inside: Where, outside: Collection[Where] = ()) -> dict[int, int] | None:
        """Return the first such item in the order of the choices, None if there is none; raises TooLarge."""
        failed: set[_State] = set()
        start = self._settled(inside, outside)
        return {} if start is None else None if isinstance(start, bool) else self._first(start, failed)

    def _first(self, state: _State, failed: set[_State]) -> dict[int, int] | None:
        found: dict[int, int] = {}
        for part in self._parts(state):
            chosen = self._first_of(part, failed)
            if chosen is None:
                return None
            found |= chosen
        return found

    def _parts(self, state: _State) -> list[_State]:
        """Return a state as states that share no variable, so that none is gone through for each of another."""
        constraints: list[tuple[frozenset[int], _State]] = []
        for node in state.inside.true:
            constraints.append((self.support(node), _State(Where(frozenset({node})), frozenset())))
        for node in state.inside.false:
            constraints.append((self.support(node), _State(Where(false=frozenset({node})), frozenset())))
        for where in state.outside:
            levels = frozenset().union(*(self.support(node) for node in where.nodes()))
            constraints.append((levels, _State(Where(), frozenset({where}))))
        groups: list[tuple[frozenset[int], _State]] = []
        for levels, part in constraints:
            apart = []
            for others, group in groups:
                if others.isdisjoint(levels):
                    apart.append((others, group))
                else:
                    levels, part = levels | others, part.with_(group)
            groups = [*apart, (levels, part)]
        return [part for _, part in sorted(groups, key=lambda group: len(group[0]))]

    def _first_of(self, state: _State, failed: set[_State]) -> dict[int, int] | None:
        if state in failed:
            return None
        level = self._level(state)
        for choice in range(self.diagrams.sizes[level]):
            below = self._after(state, level, choice)
            if below is None:
                return {level: choice}
            if not isinstance(below, bool):
                found = self._first(below, failed)
                if found is not None:
                    return {level: choice, **found}
        failed.add(state)
        if len(failed) > _MOST_STATES:
            raise TooLarge
        return None

    def smallest(self, inside: Where, outside: Collection[Where] = ()) -> dict[int, int] | None:
        """Return an item with the fewest choices other than the first; the first item where that takes too long."""
        start = self._settled(inside, outside)
        if start is None or isinstance(start, bool):
            return {} if start is None else None
        memo: dict[_State, tuple[int, dict[int, int]] | None] = {}
        try:
            best = self._smallest(start, memo)
        except TooLarge:
            return self.first(inside, outside)
        return None if best is None else best[1]

    def _smallest(
        self, state: _State, memo: dict[_State, tuple[int, dict[int, int]] | None]
    ) -> tuple[int, dict[int, int]] | None:
        if state in memo:
            return memo[state]
        level = self._level(state)
        best: tuple[int, dict[int, int]] | None = None
        for choice in range(self.diagrams.sizes[level]):
            below = self._after(state, level, choice)
            found = (0, {}) if below is None else None if isinstance(below, bool) else self._smallest(below, memo)
            cost = (1000 + choice if choice else 0) + found[0] if found else 0
            if found and (best is None or cost < best[0]):
                best = (cost, {level: choice, **found[1]})
        memo[state] = best
        if len(memo) > _MOST_COMPARED:
            raise TooLarge
        return best

    def _level(self, state: _State) -> int:
        return min(min(self._tops(where)) for where in (state.inside, *state.outside) if where.nodes())

    def _after(self, state: _State, level: int, choice: int) -> _State | bool | None:
        inside: Where | bool = state.inside
        if level in self._tops(state.inside):
            inside = self._chosen(state.inside, level, choice)
        if isinstance(inside, bool):
            return False
        touched = [where for where in state.outside if level in self._tops(where)]
        if not touched:
            return _State(inside, state.outside) if inside.nodes() or state.outside else None
        settled = self._settled(inside, [self._chosen(where, level, choice) for where in touched])
        rest = state.outside.difference(touched)
        if not rest or settled is False:
            return settled
        return _State(inside, settled.outside | rest) if isinstance(settled, _State) else _State(inside, rest)

    def _tops(self, where: Where) -> frozenset[int]:
        """Return the variables that the functions of a region ask first."""
        found = self._asked.get(where)
        if found is None:
            found = self._asked[where] = frozenset(self.diagrams.levels[node] for node in where.nodes())
        return found

    def _settled(self, inside: Where, outside: Iterable[Where | bool]) -> _State | bool | None:
        """Return what is left to decide: None where nothing is and the item is found, False where there is none."""
        diagrams = self.diagrams
        reduced = self._reduced(inside)
        if reduced is False:
            return False
        assert isinstance(reduced, Where)
        left: set[Where] = set()
        for where in outside:
            rest = where if isinstance(where, bool) else self._reduced(where)
            if isinstance(rest, Where):  # what is asked of the item anyway says nothing of the region to be left
                rest = Where(rest.true - reduced.true, rest.false - reduced.false)
            if isinstance(rest, Where) and not rest.nodes():
                return False  # the item is in a region that it must be outside of
            if isinstance(rest, Where):
                left.add(rest)
        assert all(diagrams.levels[node] != TERMINAL for node in reduced.nodes())
        return _State(reduced, frozenset(left)) if reduced.nodes() or left else None

    def _reduced(self, where: Where) -> Where | bool:
        """Return a region without what is certain, False where it is empty."""
        true, false = self.diagrams.true, self.diagrams.false
        if false in where.true or true in where.false:
            return False
        return Where(where.true - {true}, where.false - {false})

    def _chosen(self, where: Where, level: int, choice: int) -> Where | bool:
        return self._reduced(
            Where(
                frozenset(self._child(node, level, choice) for node in where.true),
                frozenset(self._child(node, level, choice) for node in where.false),
            )
        )

    def _child(self, node: int, level: int, choice: int) -> int:
        return self.diagrams.children[node][choice] if self.diagrams.levels[node] == level else node
