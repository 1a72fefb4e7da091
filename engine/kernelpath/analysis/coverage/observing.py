"""Watch cases while they run: which branches they take, and which values the atoms of each decision have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kernelpath.analysis.coverage.decisions import Decision, decisions_of
from kernelpath.analysis.testing import Case
from kernelpath.language import Expression
from kernelpath.language.interpreter import Recorder
from kernelpath.packs.model import Check, Resolve, Rule, Table

#: The values of a decision's atoms in one evaluation; None for an atom that was not asked.
Vector = tuple[bool | None, ...]


@dataclass(slots=True)
class Seen:
    """What the cases of one rule did: the names of branches taken, and for each decision its vectors and outcomes."""

    rule: Rule
    decisions: list[Decision]
    taken: set[str] = field(default_factory=set)
    vectors: list[dict[Vector, bool]] = field(default_factory=list)
    _spots: dict[str, dict[int, list[tuple[int, int]]]] = field(default_factory=dict)

    @classmethod
    def of(cls, rule: Rule) -> Seen:
        """Return that nothing was seen of a rule yet."""
        decisions = decisions_of(rule)
        seen = cls(rule, decisions, vectors=[{} for _ in decisions])
        for index, decision in enumerate(decisions):
            spots = seen._spots.setdefault(decision.part, {})
            for atom, node in enumerate(decision.atoms):
                spots.setdefault(id(node), []).append((index, atom))
            spots.setdefault(id(decision.root), []).append((index, -1))
        return seen

    def watch(self, part: str) -> Recorder | None:
        """Return what watches the evaluation of a part, None where it has no boolean."""
        self.taken.add(part)
        spots = self._spots.get(part)
        if spots is None:
            return None
        pending: dict[int, list[bool | None]] = {}
        decisions, vectors = self.decisions, self.vectors

        def record(node: Expression, value: object) -> None:
            for index, atom in spots.get(id(node), ()):
                vector = pending.get(index)
                if vector is None:
                    vector = pending[index] = [None] * len(decisions[index].atoms)
                if atom >= 0:
                    vector[atom] = value is True
                else:
                    vectors[index][tuple(vector)] = value is True
                    del pending[index]

        return record

    def outcomes(self, part: str) -> set[bool]:
        """Return the values that a whole part had, which is a condition that no constant decides."""
        first = next((i for i, one in enumerate(self.decisions) if one.part == part and one.place == 0), None)
        return set() if first is None else set(self.vectors[first].values())

    def merge(self, taken: set[str], vectors: list[dict[Vector, bool]]) -> None:
        """Take what was seen elsewhere of the same rule."""
        self.taken |= taken
        for mine, other in zip(self.vectors, vectors, strict=True):
            mine.update(other)


class Observer:
    """Watches all cases of a pack; give its `observe` to whatever runs them."""

    def __init__(self) -> None:
        self.seen: dict[str, Seen] = {}

    def observe(self, _: Case, rule: Rule, part: str) -> Recorder | None:
        """Watch a part of a rule that is evaluated next."""
        seen = self.seen.get(rule.identity)
        if seen is None:
            seen = self.seen[rule.identity] = Seen.of(rule)
        return seen.watch(part)


def branches(seen: Seen) -> Iterator[tuple[str, bool]]:
    """Yield the branches of a rule, each with whether a case takes it."""
    rule = seen.rule
    if rule.when is not None:
        applies = seen.outcomes("when") or ({True} if "when" in seen.taken else set())
        yield "`when` holds", True in applies
        yield "`when` does not hold", False in applies
    if isinstance(rule, Check):
        yield "the check holds", True in seen.outcomes("check")
        yield "the check fails", False in seen.outcomes("check")
    elif isinstance(rule, Resolve):
        for index in range(len(rule.candidates)):
            yield f"candidate {index + 1} is chosen", f"first[{index}].value" in seen.taken
    elif isinstance(rule, Table):
        for index in range(len(rule.rows)):
            yield f"row {index + 1} applies", f"rows[{index}].value" in seen.taken
    else:
        yield "the slot is written", "holds" in seen.taken


def is_decided(vectors: dict[Vector, bool], atom: int) -> bool:
    """Return whether two evaluations differ in an atom alone and in the outcome; what was not asked equals anything."""
    asked = [(vector, outcome) for vector, outcome in vectors.items() if vector[atom] is not None]
    true = [pair for pair in asked if pair[0][atom]]
    false = [pair for pair in asked if not pair[0][atom]]
    return any(
        outcome is not other_outcome and _alone(vector, other, atom)
        for vector, outcome in true
        for other, other_outcome in false
    )


def _alone(one: Vector, other: Vector, atom: int) -> bool:
    return all(
        place == atom or a is None or b is None or a is b for place, (a, b) in enumerate(zip(one, other, strict=True))
    )
