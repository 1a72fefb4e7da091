"""Which leaves are compared with one another, with which literals, and by which functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kernelpath.analysis.domain.formulas import (
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
)


@dataclass(eq=False, slots=True)
class Group:
    """Leaves that are compared with one another, and what splits their values."""

    leaves: list[Leaf] = field(default_factory=list)
    literals: dict[tuple[str, Any], Any] = field(default_factory=dict)
    functions: dict[str, dict[Any, None]] = field(default_factory=dict)
    linked: bool = False

    def add(self, name: str, literals: Iterable[Any]) -> None:
        """Note that a function is applied, and what with."""
        self.functions.setdefault(name, {}).update(dict.fromkeys(literals))
        for value in literals:
            self.literals.setdefault((type(value).__name__, value), value)

    def strings(self) -> list[str]:
        """Return the texts that split the values, in the order of the rules."""
        return [value for value in self.literals.values() if isinstance(value, str)]

    def numbers(self) -> list[int | float]:
        """Return the numbers that split the values."""
        return [value for value in self.literals.values() if type(value) in (int, float)]


@dataclass(slots=True)
class _Flow:
    """What may reach a place: leaves, literals, and the functions between them and it."""

    leaves: dict[Leaf, None] = field(default_factory=dict)
    functions: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def take(self, other: _Flow) -> None:
        self.leaves |= other.leaves
        self.functions += [one for one in other.functions if one not in self.functions]
        self.values += [one for one in other.values if one not in self.values]


class Grouping:
    """Collects the groups of all formulas of a domain."""

    def __init__(self) -> None:
        self.groups: dict[Leaf, Group] = {}
        self._flows: dict[Formula, _Flow] = {}

    def decide(self, formula: Formula) -> None:
        """Take a formula whose value decides something."""
        flow = self._flow(formula)
        if flow.leaves:
            self._join(flow)

    def group(self, leaf: Leaf) -> Group:
        """Return the group of a leaf."""
        found = self.groups.get(leaf)
        if found is None:
            found = self.groups[leaf] = Group([leaf])
        return found

    def _join(self, flow: _Flow) -> None:
        leaves = list(flow.leaves)
        group = self.group(leaves[0])
        for leaf in leaves[1:]:
            self._merge(group, self.group(leaf))
        group.linked = group.linked or len(leaves) > 1
        for name, literals in flow.functions:
            group.add(name, literals)
        group.add("value", [value for value in flow.values if isinstance(value, str | int | float)])

    def _merge(self, group: Group, other: Group) -> None:
        if other is group:
            return
        group.leaves += other.leaves
        group.linked = group.linked or other.linked
        for name, literals in other.functions.items():
            group.add(name, literals)
        for leaf in other.leaves:
            self.groups[leaf] = group

    def _flow(self, formula: Formula) -> _Flow:
        found = self._flows.get(formula)
        if found is None:
            found = self._flows[formula] = self._new_flow(formula)
        return found

    def _new_flow(self, formula: Formula) -> _Flow:
        flow = _Flow()
        match formula:
            case Constant(value=value):
                flow.values += value if isinstance(value, list) else [value]
            case Read(leaf=leaf):
                flow.leaves[leaf] = None
                self._owners(leaf)
            case Own(leaf=leaf):
                self.group(leaf)
                self._owners(leaf)
            case Apply():
                self._applied(formula, flow)
            case All() | Any_():
                for part in formula.parts:
                    self.decide(part)
            case Choice():
                self.decide(formula.test)
                flow.take(self._flow(formula.then))
                flow.take(self._flow(formula.otherwise))
            case Each():
                self.decide(formula.sample)
                self.decide(formula.source)
            case Gather():
                for test, value in formula.pairs:
                    self.decide(test)
                    self.decide(value)
        return flow

    def _owners(self, leaf: Leaf) -> None:
        while leaf.parent is not None:
            leaf = leaf.parent
            self.group(leaf)

    def _applied(self, formula: Apply, flow: _Flow) -> None:
        for argument in formula.arguments:
            if not isinstance(argument, Constant):
                flow.take(self._flow(argument))
        flow.functions.append((formula.name, formula.literals))
        flow.values += [value for value in formula.literals if value not in flow.values]
