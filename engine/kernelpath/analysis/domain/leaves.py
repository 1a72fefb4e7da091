"""The leaves and the loops that formulas have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernelpath.analysis.domain.formulas import Each, Formula, Leaf, Own, Read, parts_of


def inside(formulas: Iterable[Formula]) -> list[Formula]:
    """Return formulas and everything that they are made of, each once."""
    found = dict.fromkeys(formulas)
    waiting = list(found)
    while waiting:
        for part in parts_of(waiting.pop()):
            if part not in found:
                found[part] = None
                waiting.append(part)
    return list(found)


def leaves_of(formula: Formula) -> list[Leaf]:
    """Return the leaves that a formula reads."""
    return [part.leaf for part in inside([formula]) if isinstance(part, Read | Own)]


def owners_of(formula: Formula) -> Iterator[Leaf]:
    """Yield the leaves that a formula reads, and those that they are read from."""
    for leaf in leaves_of(formula):
        current: Leaf | None = leaf
        while current is not None:
            yield current
            current = current.parent


def loops_of(formulas: Iterable[Formula]) -> list[Each]:
    """Return the loops in formulas."""
    return [part for part in inside(formulas) if isinstance(part, Each)]
