"""Find cases that would decide an atom, or prove that no input does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kernelpath.analysis.coverage.decisions import Decision
from kernelpath.analysis.coverage.examples import Bench, Example, Plain
from kernelpath.analysis.coverage.observing import Seen, Vector, is_decided
from kernelpath.analysis.coverage.rule_domain import UNFOLLOWED, RuleDomain, RuleLifting, reach
from kernelpath.analysis.domain.combining import negated
from kernelpath.analysis.domain.formulas import All, Any_, Constant, Formula
from kernelpath.language import Expression
from kernelpath.language.ast import Logic, Unary
from kernelpath.language.interpreter import Recorder
from kernelpath.packs.model import Pack


@dataclass(frozen=True, slots=True)
class Deciding:
    """What is known of an undecided atom: the cases that would decide it, or that no input can."""

    cases: tuple[Example, ...] = ()
    impossible: bool = False


def deciding(pack: Pack, seen: Seen, place: int, atom: int) -> Deciding:
    """Return how an atom of a rule's decision at a place would be decided; nothing where the search cannot follow."""
    try:
        return _Search(pack, seen, place, atom).found()
    except UNFOLLOWED:
        return Deciding()


class _Search:
    def __init__(self, pack: Pack, seen: Seen, place: int, atom: int) -> None:
        self.seen, self.place, self.atom = seen, place, atom
        self.decision: Decision = seen.decisions[place]
        self.bench = Bench(pack, seen.rule)
        lifted = RuleLifting(pack, seen.rule)
        formulas = lifted.formulas(seen.rule)
        self.atoms = {id(node): lifted.lift(node) for node in self.decision.atoms}
        lifted.texts()
        reached = reach(formulas, self.decision.part)
        self.domain = RuleDomain(lifted, [*formulas.conditions(), *self.atoms.values(), reached])
        self.reached = self.domain.truth(reached)

    def found(self) -> Deciding:
        known = self.seen.vectors[self.place]
        partner = self._partner(list(known))
        if partner:
            return Deciding((partner[0],))
        sides = [self._side(value) for value in (True, False)]
        diagrams = self.domain.diagrams
        if diagrams.false in sides:
            return Deciding(impossible=self.domain.is_certain)
        for side in sides:
            for example, vector in self._examples(side):
                second = self._partner([vector])
                if second:
                    return Deciding((example, second[0]))
        return Deciding()

    def _side(self, value: bool) -> int:
        """Return where the atom is asked, has a value, and the decision hangs on it."""
        node = self.decision.atoms[self.atom]
        found = self._hanging(self.decision.root, node, value)
        assert found is not None  # INVARIANT: the atom is one of the decision's
        return self.domain.diagrams.intersection([self.reached, self._value(self.atom, value), *found[1]])

    def _hanging(self, root: Expression, atom: Expression, value: bool) -> tuple[bool, list[int]] | None:
        """Return what a part of the decision comes to when the atom alone decides it, and where that is so."""
        if root is atom:
            return value, []
        if isinstance(root, Unary) and id(root) not in self.atoms:
            inner = self._hanging(root.operand, atom, value)
            return None if inner is None else (not inner[0], inner[1])
        for place, operand in enumerate(root.operands if isinstance(root, Logic) else ()):
            inner = self._hanging(operand, atom, value)
            if inner is not None and isinstance(root, Logic):
                others = root.operands[:place]
                neutral = root.operator == "and"
                if inner[0] is neutral:  # those after it are asked too
                    others += root.operands[place + 1 :]
                return inner[0], [*inner[1], *(self._where(other, neutral) for other in others)]
        return None

    def _where(self, node: Expression, value: bool) -> int:
        formula = self._formula(node)
        return self.domain.truth(formula if value else negated(formula))

    def _formula(self, node: Expression) -> Formula:
        if id(node) in self.atoms:
            return self.atoms[id(node)]
        if isinstance(node, Logic):
            parts = tuple(self._formula(operand) for operand in node.operands)
            return All(parts) if node.operator == "and" else Any_(parts)
        if isinstance(node, Unary):
            return negated(self._formula(node.operand))
        return Constant(getattr(node, "value", None))

    def _value(self, atom: int, value: bool) -> int:
        node = self.domain.truth(self.atoms[id(self.decision.atoms[atom])])
        return node if value else self.domain.diagrams.negated(node)

    def _partner(self, vectors: list[Vector]) -> list[Example]:
        """Return a case whose vector decides the atom together with one of some vectors."""
        for vector in vectors:
            if vector[self.atom] is None:
                continue
            values = [(place, value) for place, value in enumerate(vector) if value is not None]
            parts = [self._value(place, value is not (place == self.atom)) for place, value in values]
            region = self.domain.diagrams.intersection([self.reached, *parts])
            for example, other in self._examples(region):
                outcomes = {vector: self._outcome(vector), other: self._outcome(other)}
                if is_decided(outcomes, self.atom):
                    return [self._smaller(example, vector)]
        return []

    def _smaller(self, example: Example, vector: Vector) -> Example:
        def shows(plain: Plain) -> bool:
            return any(
                is_decided({vector: self._outcome(vector), other: self._outcome(other)}, self.atom)
                for other in self._vectors(plain)
            )

        return self.bench.example(self.bench.smallest(example.given, shows)) or example

    def _outcome(self, vector: Vector) -> bool:
        """Return what a decision comes to when its atoms have some values."""
        values = dict(zip(map(id, self.decision.atoms), vector, strict=True))

        def value(node: Expression) -> bool:
            if isinstance(node, Logic):
                outcomes = (value(operand) for operand in node.operands)
                return all(outcomes) if node.operator == "and" else any(outcomes)
            if isinstance(node, Unary) and node.operator == "not" and id(node) not in values:
                return not value(node.operand)
            return bool(values.get(id(node), getattr(node, "value", False)))

        return value(self.decision.root)

    def _examples(self, region: int) -> Iterator[tuple[Example, Vector]]:
        for plain in self.domain.givens(region):
            example = self.bench.example(plain)
            for vector in self._vectors(plain) if example else ():
                assert example is not None
                yield example, vector

    def _vectors(self, plain: Plain) -> list[Vector]:
        """Return the vectors of the decision that a case would show."""
        given, seen = self.bench.given(plain), Seen.of(self.seen.rule)
        watch: Recorder | None = None
        if given is None or self.bench.outcome(given, observe=lambda part: seen.watch(part) or watch) is None:
            return []
        return list(seen.vectors[self.place])
