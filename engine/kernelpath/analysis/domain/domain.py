"""The finite domain of a set of formulas, and the diagrams of their values over it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from kernelpath.analysis.domain.atoms import Group, Grouping
from kernelpath.analysis.domain.candidates import candidates
from kernelpath.analysis.domain.diagrams import Diagrams, TooLarge, identity
from kernelpath.analysis.domain.formulas import (
    ABSENT,
    BROKEN,
    LONG,
    All,
    Any_,
    Apply,
    Choice,
    Constant,
    Each,
    Formula,
    Gather,
    Leaf,
    Own,
    Read,
    parts_of,
)
from kernelpath.analysis.domain.observing import Observing, merged, owns
from kernelpath.language.types import BOOL, Optional, Vocabulary

_MOST_ELEMENTS = 64
#: Vocabularies of so many values keep them apart always, since settings are told value by value.
_FEW = 8
#: How often one item may be in a list of a domain; where a rule counts further, nothing is called impossible.
_MOST_TALLIED = 12
#: Functions of one text of which only pairs that are listed together are covered exactly.
_SHAPES = ("contains", "starts_with", "ends_with", "length")


class Domain:
    """Leaves with their choices; a formula's diagram is exact over every assignment of them.

    `decided` are all formulas that the domain is for: together they say what has to be told apart. Where `counted`, the
    values that a vocabulary or a rule names are cells of their own even if all rules treat some of them alike.
    """

    def __init__(
        self, decided: Iterable[Formula], loops: Sequence[Each], roots: Iterable[Leaf], *, counted: bool = False
    ) -> None:
        self._counted = counted
        self.diagrams = Diagrams()
        self.leaves = _all_leaves(roots)
        self._grouping = Grouping()
        self._known: dict[Formula, int] = {}
        self._present: dict[Leaf, int] = {}
        self._bodies: dict[tuple[Each, Any], Formula] = {}
        decided = list(decided)
        tallies = [loop.element.parent for loop in loops if loop.kind == "count"]
        self._tallied = set(tallies)
        self._is_tallied_twice = len(tallies) > len(self._tallied)
        self._most = 1 + max(_whole_numbers(decided), default=1) if self._tallied else 1
        for formula in decided:
            self._grouping.decide(formula)
        self._choose(decided, loops)
        self.by_level: dict[int, Leaf] = {}
        for leaf in self.leaves:
            self._number(leaf)

    def _choose(self, decided: list[Formula], loops: Sequence[Each]) -> None:
        """Give every leaf its choices; items of loops come first, since lists are made of them."""
        elements = self._elements(loops)
        pools = {leaf: self._pool(leaf, elements.get(leaf)) for leaf in self.leaves}
        observing = Observing(pools)
        for formula in decided:
            observing.decide(formula)
        for leaf, pool in pools.items():
            leaf.choices = merged(pool, self._kept(leaf), self._named(leaf), list(observing.seen[leaf]))

    def _pool(self, leaf: Leaf, elements: list[Any] | None) -> list[Any]:
        times = min(self._most, _MOST_TALLIED) if leaf in self._tallied else 1
        return candidates(leaf, self._grouping.group(leaf), elements, times)

    def _kept(self, leaf: Leaf) -> list[Any]:
        """Return the values that are cells of their own: those of a vocabulary, both truth values, null where typed."""
        type_ = leaf.type.inner if isinstance(leaf.type, Optional) else leaf.type
        null = [None] if isinstance(leaf.type, Optional) and self._counted else []
        if isinstance(type_, Vocabulary) and (self._counted or len(type_.values) <= _FEW):
            return [*null, *type_.values]
        return [*null, False, True] if type_ == BOOL and self._counted else null

    def _named(self, leaf: Leaf) -> list[Any]:
        """Return the values that rules name, where cells are counted."""
        return [*self._grouping.group(leaf).strings(), *(leaf.allowed or ())] if self._counted else []

    def _elements(self, loops: Sequence[Each]) -> dict[Leaf, list[Any]]:
        """Return, for every leaf that a loop goes over, the items that its loops tell apart."""
        pools = {leaf: self._pool(leaf, None) for leaf in self.leaves}
        observing = Observing(pools)
        for loop in loops:
            observing.decide(loop.sample)
        found: dict[Leaf, list[Any]] = {}
        for loop in loops:
            assert loop.element.parent is not None
            for leaf in _all_leaves([loop.element]):
                leaf.choices = merged(pools[leaf], [], [], list(observing.seen[leaf]))
            found[loop.element.parent] = _whole_items(loop.element)
        return found

    def _number(self, leaf: Leaf) -> None:
        inside = leaf
        while inside.parent is not None:
            if inside.is_element:
                return
            inside = inside.parent
        if len(leaf.choices) > 1:
            leaf.level = self.diagrams.variable(len(leaf.choices))
            self.by_level[leaf.level] = leaf

    def is_uncertain(self, levels: Iterable[int]) -> bool:
        """Return whether candidates of one of the leaves may miss an outcome, so that `never` proves nothing."""
        leaves = [self.by_level[level] for level in levels]
        if self._most > _MOST_TALLIED or self._is_tallied_twice:
            return True
        return any(_is_uncertain(self._grouping.group(leaf)) for leaf in leaves)

    def value(self, formula: Formula) -> int:
        """Return the diagram of a formula's value."""
        found = self._known.get(formula)
        if found is None:
            found = self._known[formula] = self._new_value(formula)
        return found

    def _new_value(self, formula: Formula) -> int:
        diagrams = self.diagrams
        match formula:
            case Constant(value=value):
                return diagrams.terminal(value)
            case Read(leaf=leaf):
                return self._owned(leaf, [None if v is ABSENT else v for v in leaf.choices], None)
            case Own(leaf=leaf):
                return self._owned(leaf, [v is not ABSENT for v in leaf.choices], False)
            case Apply(name="==", arguments=(left, right)):
                return diagrams.equal(self.value(left), self.value(right))
            case Apply(function=function, arguments=arguments):
                return diagrams.apply(formula, function, tuple(self.value(part) for part in arguments))
            case All(parts=parts):
                return diagrams.intersection(self.value(part) for part in parts)
            case Any_(parts=parts):
                return diagrams.union(self.value(part) for part in parts)
            case Choice(test=test, then=then, otherwise=otherwise):
                return diagrams.choose(self.value(test), self.value(then), self.value(otherwise))
            case Each():
                return self._each(formula)
            case Gather(pairs=pairs):
                return self._gathered(pairs)
        raise TypeError(formula)

    def _owned(self, leaf: Leaf, values: list[Any], otherwise: Any) -> int:
        """Return a value of a leaf where its owner is one that has it."""
        diagrams = self.diagrams
        terminals = [diagrams.terminal(value) for value in values]
        own = terminals[0] if leaf.level is None else diagrams.node(leaf.level, tuple(terminals))
        return diagrams.choose(self.owner_present(leaf), own, diagrams.terminal(otherwise))

    def owner_present(self, leaf: Leaf) -> int:
        """Return where what a leaf is read from has such a member."""
        parent = leaf.parent
        if parent is None:
            return self.diagrams.true
        found = self._present.get(leaf)
        if found is None:
            values = [owns(value, leaf) for value in parent.choices]
            found = self._present[leaf] = self._owned(parent, values, False)
        return found

    def _each(self, loop: Each) -> int:
        diagrams = self.diagrams
        source = self.value(loop.source)
        result = diagrams.terminal(BROKEN)
        for terminal in diagrams.terminals(source):
            items = diagrams.values[terminal]
            if isinstance(items, list):
                result = diagrams.choose(diagrams.equals(source, terminal), self._over(loop, items), result)
        return result

    def _over(self, loop: Each, items: list[Any]) -> int:
        diagrams = self.diagrams
        if len(items) > LONG and loop.kind != "count":
            items = items[:1]
        found = [self.value(self._body(loop, item)) for item in items]
        if loop.kind == "any":
            return diagrams.union(found)
        if loop.kind == "all":
            return diagrams.intersection(found)
        return diagrams.apply("count", lambda *held: sum(held), tuple(found)) if found else diagrams.terminal(0)

    def _body(self, loop: Each, item: Any) -> Formula:
        key = (loop, identity(item))
        if key not in self._bodies:
            self._bodies[key] = loop.body(Constant(item))
        return self._bodies[key]

    def _gathered(self, pairs: Sequence[tuple[Formula, Formula]]) -> int:
        diagrams = self.diagrams
        result = diagrams.terminal([])
        for test, value in pairs:
            longer = diagrams.apply("append", lambda items, item: [*items, item], (result, self.value(value)))
            result = diagrams.choose(self.value(test), longer, result)
        return result

    def levels(self, nodes: Iterable[int]) -> list[int]:
        """Return the variables that functions depend on, and those whose members they are, in order."""
        found: set[int] = set()
        for node in nodes:
            found |= self.diagrams.support(node)
        for level in list(found):
            leaf: Leaf | None = self.by_level[level].parent
            while leaf is not None:
                found |= {leaf.level} if leaf.level is not None else set()
                leaf = leaf.parent
        return sorted(found)

    def cells(self, levels: Iterable[int]) -> int:
        """Return which assignments are cells: a leaf whose owner has no such member has its first choice."""
        diagrams = self.diagrams
        result = diagrams.true
        for level in levels:
            leaf = self.by_level[level]
            first = diagrams.node(level, (diagrams.true, *[diagrams.false] * (len(leaf.choices) - 1)))
            result = diagrams.both(result, diagrams.either(self.owner_present(leaf), first))
        return result

    def count(self, node: int, levels: Sequence[int] | None = None) -> int:
        """Return in how many cells a function is true, over the variables that it depends on or over more."""
        over = self.levels([node]) if levels is None else levels
        return self.diagrams.count(self.diagrams.both(node, self.cells(over)), over)

    def smallest(self, node: int) -> dict[Leaf, Any] | None:
        """Return the smallest cell in which a function is true: the choices of the leaves that it depends on."""
        levels = self.levels([node])
        chosen = self.diagrams.smallest(node)  # what has no owner has its first choice there: it is a cell
        if chosen is None:
            return None
        return {self.by_level[level]: self.by_level[level].choices[chosen.get(level, 0)] for level in levels}


def _all_leaves(roots: Iterable[Leaf]) -> list[Leaf]:
    found: list[Leaf] = []
    for root in roots:
        found.append(root)
        found.extend(_all_leaves(root.children.values()))
    return found


def _whole_items(element: Leaf) -> list[Any]:
    """Return items of a list: a leaf's own choices, an object with every combination of its members' choices."""
    found: list[Any] = []
    for value in element.choices:
        if isinstance(value, dict) and element.children:
            found += _objects(element.children)
        else:
            found.append(value)
    if len(found) > _MOST_ELEMENTS:
        raise TooLarge
    return found


def _objects(members: Mapping[str | int, Leaf]) -> list[dict[str, Any]]:
    names = [str(name) for name in members]
    choices = [_whole_items(leaf) for leaf in members.values()]
    made = [dict(zip(names, values, strict=True)) for values in product(*choices)]
    return [{name: value for name, value in each.items() if value is not ABSENT} for each in made]


def _whole_numbers(formulas: Iterable[Formula]) -> Iterator[int]:
    """Yield the whole numbers in formulas: among them are those that counts are compared with."""
    for formula in formulas:
        if isinstance(formula, Constant) and type(formula.value) is int:
            yield formula.value
        yield from _whole_numbers(parts_of(formula))


def _is_uncertain(group: Group) -> bool:
    shapes = [name for name in _SHAPES if name in group.functions]
    patterns = len(group.functions.get("matches", ()))
    return patterns > 1 or (patterns == 1 and bool(shapes)) or ("length" in shapes and len(shapes) > 1)
