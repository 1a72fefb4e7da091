"""Decision diagrams over finite variables: exact functions from assignments to values, shared node by node.

A node asks one variable and has one child for each of its choices; a terminal is a value. Nodes are hash-consed and
reduced, so two functions are equal exactly if their node numbers are (Bryant 1986, with more than two branches).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kernelpath.analysis.domain.formulas import LONG, worked_out
from kernelpath.language.json_values import json_equal

TERMINAL = 1 << 30
NODE_LIMIT = 300_000


class TooLarge(Exception):
    """A diagram would need more nodes than the limit; nothing is concluded from it."""


def identity(value: Any) -> Any:
    """Return a hashable stand-in for a value, equal for equal values of equal type only."""
    if isinstance(value, dict):
        return ("{", *sorted((name, identity(inner)) for name, inner in value.items()))
    if isinstance(value, list) and len(value) > LONG:
        return ("[*", len(value), identity(value[0]))
    if isinstance(value, list | tuple):
        return ("[", *map(identity, value))
    if isinstance(value, float):
        return ("float", repr(value))
    if isinstance(value, bool | int | str) or value is None:
        return (type(value).__name__, value)
    return ("object", id(value))


def _number(value: Any) -> Any:
    """Return what equal scalars have in common: an int and a float may be equal, a truth value is no number."""
    if type(value) in (int, float):
        return ("number", value) if value == value else object()
    return identity(value)


class Diagrams:
    """All nodes of one domain; variables are levels, asked in ascending order."""

    def __init__(self, limit: int = NODE_LIMIT) -> None:
        self.sizes: list[int] = []
        self.levels: list[int] = []
        self.children: list[tuple[int, ...]] = []
        self.values: list[Any] = []
        self._limit = limit
        self._known: dict[Any, int] = {}
        self._memo: dict[Any, int] = {}
        self.false = self.terminal(False)
        self.true = self.terminal(True)

    def variable(self, size: int) -> int:
        """Return the level of a new variable with so many choices."""
        self.sizes.append(size)
        return len(self.sizes) - 1

    def terminal(self, value: Any) -> int:
        """Return the node of a value."""
        return self._numbered(("=", identity(value)), TERMINAL, (), value)

    def node(self, level: int, children: tuple[int, ...]) -> int:
        """Return the node that asks a variable; one whose answers lead to the same node is that node."""
        first = children[0]
        if all(child == first for child in children):
            return first
        return self._numbered((level, children), level, children, None)

    def _numbered(self, key: Any, level: int, children: tuple[int, ...], value: Any) -> int:
        found = self._known.get(key)
        if found is not None:
            return found
        if len(self.levels) >= self._limit:
            raise TooLarge
        self._known[key] = len(self.levels)
        self.levels.append(level)
        self.children.append(children)
        self.values.append(value)
        return len(self.levels) - 1

    def apply(self, key: Any, function: Callable[..., Any], arguments: tuple[int, ...]) -> int:
        """Return the function of assignments that applies `function` to the arguments' values.

        `key` names the function in the memo. An argument without value, or a function that fails, gives BROKEN.
        """
        memo_key = (key, arguments)
        found = self._memo.get(memo_key)
        if found is not None:
            return found
        level = min(self.levels[argument] for argument in arguments)
        if level == TERMINAL:
            result = self.terminal(worked_out(function, [self.values[argument] for argument in arguments]))
        else:
            size = self.sizes[level]
            result = self.node(
                level, tuple(self.apply(key, function, self._at(arguments, level, i)) for i in range(size))
            )
        self._memo[memo_key] = result
        return result

    def _at(self, nodes: tuple[int, ...], level: int, choice: int) -> tuple[int, ...]:
        return tuple(self.children[node][choice] if self.levels[node] == level else node for node in nodes)

    def choose(self, test: int, then: int, otherwise: int) -> int:
        """Return the function that is `then` where `test` is true, else `otherwise`."""
        if test == self.true or then == otherwise:
            return then
        if self.levels[test] == TERMINAL:
            return otherwise
        if then == self.true and otherwise == self.false and self._is_boolean(test):
            return test
        key = ("?", test, then, otherwise)
        found = self._memo.get(key)
        if found is not None:
            return found
        nodes = (test, then, otherwise)
        level = min(self.levels[node] for node in nodes)
        size = self.sizes[level]
        result = self.node(level, tuple(self.choose(*self._at(nodes, level, i)) for i in range(size)))
        self._memo[key] = result
        return result

    def _is_boolean(self, node: int) -> bool:
        return self.levels[node] != TERMINAL and all(child in (self.true, self.false) for child in self.children[node])

    def both(self, left: int, right: int) -> int:
        """Return where both functions are true."""
        return self.choose(left, self.truth(right), self.false)

    def either(self, left: int, right: int) -> int:
        """Return where one of the functions is true."""
        return self.choose(left, self.true, self.truth(right))

    def negated(self, node: int) -> int:
        """Return where a function is anything but true."""
        return self.choose(node, self.false, self.true)

    def truth(self, node: int) -> int:
        """Return where a function is true, false where it has no value."""
        return self.choose(node, self.true, self.false)

    def without(self, left: int, right: int) -> int:
        """Return where the first function is true and the second is not."""
        return self.choose(right, self.false, self.truth(left))

    def union(self, nodes: Iterable[int]) -> int:
        """Return where at least one of the functions is true."""
        result = self.false
        for node in nodes:
            result = self.either(result, node)
        return result

    def intersection(self, nodes: Iterable[int]) -> int:
        """Return where all the functions are true."""
        result = self.true
        for node in nodes:
            result = self.both(result, node)
        return result

    def equals(self, node: int, terminal: int) -> int:
        """Return where a function has the value of a terminal."""
        return self._mapped("=", node, terminal)

    def _mapped(self, key: str, node: int, terminal: int) -> int:
        memo_key = (key, node, terminal)
        found = self._memo.get(memo_key)
        if found is None:
            if self.levels[node] == TERMINAL:
                found = self.true if node == terminal else self.false
            else:
                children = tuple(self._mapped(key, child, terminal) for child in self.children[node])
                found = self.node(self.levels[node], children)
            self._memo[memo_key] = found
        return found

    def equal(self, left: int, right: int) -> int:
        """Return where two functions have equal values, none of which is a list or an object on both sides.

        Two functions of separate variables are compared value by value, not pair by pair.
        """
        one, other = self.support(left), self.support(right)
        if one and other and max(other) < min(one):
            left, right, one, other = right, left, other, one
        if not one or not other or max(one) >= min(other):
            return self.apply("==", json_equal, (left, right))
        alike: dict[Any, list[int]] = {}
        for terminal in self.terminals(right):
            alike.setdefault(_number(self.values[terminal]), []).append(terminal)
        return self._equal(left, right, alike)

    def _equal(self, left: int, right: int, alike: Mapping[Any, list[int]]) -> int:
        key = ("==", left, right)
        found = self._memo.get(key)
        if found is None:
            if self.levels[left] == TERMINAL:
                same = alike.get(_number(self.values[left]), [])
                found = self.union(self.equals(right, terminal) for terminal in same)
            else:
                found = self.node(
                    self.levels[left], tuple(self._equal(child, right, alike) for child in self.children[left])
                )
            self._memo[key] = found
        return found

    def reachable(self, node: int) -> list[int]:
        """Return a node and everything below it, parents first."""
        seen = {node: None}
        waiting = [node]
        while waiting:
            for child in self.children[waiting.pop()]:
                if child not in seen:
                    seen[child] = None
                    waiting.append(child)
        return list(seen)

    def terminals(self, node: int) -> list[int]:
        """Return the terminals below a node, in ascending order."""
        return sorted(found for found in self.reachable(node) if self.levels[found] == TERMINAL)

    def support(self, node: int) -> set[int]:
        """Return the variables that a function depends on."""
        return {self.levels[found] for found in self.reachable(node)} - {TERMINAL}

    def count(self, node: int, levels: Sequence[int]) -> int:
        """Return how many assignments of the variables, which include all that it depends on, make a function true."""
        order = {level: place for place, level in enumerate(levels)}
        weights = [self.sizes[level] for level in levels]
        memo: dict[tuple[int, int], int] = {}

        def counted(current: int, place: int) -> int:
            if place == len(levels):
                return int(current == self.true)
            found = memo.get((current, place))
            if found is None:
                if order.get(self.levels[current]) == place:
                    found = sum(counted(child, place + 1) for child in self.children[current])
                else:
                    found = weights[place] * counted(current, place + 1)
                memo[current, place] = found
            return found

        return counted(node, 0)

    def smallest(self, node: int) -> dict[int, int] | None:
        """Return the choices that make a function true and are the fewest and the earliest, None if none do.

        A variable that is not in the answer has its first choice.
        """
        best: dict[int, tuple[int, int]] = {self.true: (0, -1)}
        for current in sorted(self.reachable(node)):  # INVARIANT: a child has a smaller number than its parent
            costs = [(best[child][0] + _cost(i), i) for i, child in enumerate(self.children[current]) if child in best]
            if costs:
                best[current] = min(costs)
        if node not in best:
            return None
        choices: dict[int, int] = {}
        while node != self.true:
            choice = best[node][1]
            choices[self.levels[node]] = choice
            node = self.children[node][choice]
        return choices


def _cost(choice: int) -> int:
    return 0 if choice == 0 else 1000 + choice
