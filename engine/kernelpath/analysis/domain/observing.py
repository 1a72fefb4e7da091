"""What rules can tell apart of each leaf: the values of everything that they work out from that leaf alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kernelpath.analysis.domain.diagrams import identity
from kernelpath.analysis.domain.formulas import (
    ABSENT,
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
    worked_out,
)

#: For a leaf, the value of something worked out from it, for each of its candidates.
Row = tuple[Leaf, tuple[Any, ...]]


class Observing:
    """Collects, for each leaf, the rows of everything that decides something."""

    def __init__(self, candidates: Mapping[Leaf, list[Any]]) -> None:
        self.candidates = candidates
        self.seen: dict[Leaf, dict[tuple[Any, ...], None]] = {leaf: {} for leaf in candidates}
        self._rows: dict[Formula, list[Row] | None] = {}

    def decide(self, formula: Formula) -> None:
        """Take a formula whose value decides something."""
        for leaf, row in self.rows(formula) or ():
            self._note(leaf, row)

    def _note(self, leaf: Leaf, row: tuple[Any, ...]) -> None:
        self.seen[leaf][tuple(map(identity, row))] = None

    def rows(self, formula: Formula) -> list[Row] | None:
        """Return the rows of what a formula may be; None for a constant."""
        if isinstance(formula, Constant):
            return None
        found = self._rows.get(formula)
        if found is None:
            found = self._rows[formula] = self._new_rows(formula)
        return found

    def _new_rows(self, formula: Formula) -> list[Row]:
        match formula:
            case Read(leaf=leaf):
                self._owners(leaf)
                return [(leaf, tuple(None if value is ABSENT else value for value in self.candidates[leaf]))]
            case Own(leaf=leaf):
                self._owners(leaf)
                return [(leaf, tuple(value is not ABSENT for value in self.candidates[leaf]))]
            case Apply():
                return self._applied(formula)
            case All() | Any_():
                for part in formula.parts:
                    self.decide(part)
            case Choice():
                self.decide(formula.test)
                return [*(self.rows(formula.then) or ()), *(self.rows(formula.otherwise) or ())]
            case Each():
                self.decide(formula.sample)
                for leaf, row in self.rows(formula.source) or ():
                    self._note(leaf, tuple(value if isinstance(value, list) else None for value in row))
            case Gather():
                for test, value in formula.pairs:
                    self.decide(test)
                    self.decide(value)
        return []

    def _owners(self, leaf: Leaf) -> None:
        """What is read from a leaf tells whether that leaf has members, or items."""
        parent = leaf.parent
        if parent is not None and not leaf.is_element:
            self._owners(parent)
            self._note(parent, tuple(owns(value, leaf) for value in self.candidates[parent]))

    def _applied(self, formula: Apply) -> list[Row]:
        rows = [self.rows(argument) for argument in formula.arguments]
        varying = [place for place, found in enumerate(rows) if found is not None]
        if len(varying) == 1:
            [place] = varying
            apply = _at_place(formula, place)
            return [(leaf, tuple(map(apply, row))) for leaf, row in rows[place] or ()]
        for found in rows:
            for leaf, row in found or ():
                self._note(leaf, row)
        return []


def owns(value: Any, child: Leaf) -> bool:
    """Return whether a value has members, or items, of the kind that a leaf is."""
    if isinstance(child.step, int):
        return isinstance(value, list)
    return value is not None and value is not ABSENT and not isinstance(value, str | int | float | list)


def _at_place(formula: Apply, place: int) -> Callable[[Any], Any]:
    arguments = [argument.value if isinstance(argument, Constant) else None for argument in formula.arguments]

    def apply(value: Any) -> Any:
        arguments[place] = value
        return worked_out(formula.function, arguments)

    return apply


def merged(candidates: list[Any], always: list[Any], named: list[Any], rows: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return one candidate for each way to be told apart.

    Values in `always` are kept whatever rules ask; `named` ones stay apart from each other where some rule tells them
    from all values that none names.
    """
    kept_always, texts = set(map(identity, always)), set(map(identity, named))
    signatures = [tuple(row[place] for row in rows) for place in range(len(candidates))]
    keys = list(map(identity, candidates))
    unnamed = {s for key, s in zip(keys, signatures, strict=True) if key not in texts and key not in kept_always}
    kept: list[Any] = []
    seen: set[tuple[Any, ...]] = set()
    for value, key, signature in zip(candidates, keys, signatures, strict=True):
        apart = key in kept_always or (key in texts and signature not in unnamed)
        if apart or signature not in seen:
            kept.append(value)
        seen.add(signature)
    return tuple(kept)
