"""Tell a mutant from its rule: prove that no input does, or find the smallest case that would."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kernelpath.analysis.coverage.examples import Bench, Example, Plain
from kernelpath.analysis.coverage.rule_domain import UNFOLLOWED, RuleDomain, RuleLifting
from kernelpath.analysis.domain.combining import negated
from kernelpath.analysis.domain.formulas import BROKEN, All, Choice, Constant, Formula
from kernelpath.analysis.domain.stages import RuleFormulas
from kernelpath.analysis.mutation.neighbours import neighbours
from kernelpath.analysis.testing import Case
from kernelpath.analysis.testing.outcomes import Outcome
from kernelpath.analysis.testing.records import plain
from kernelpath.language import Checked, Type, unparse
from kernelpath.language.types import MapOf, Record, required
from kernelpath.packs.documents import Mapping, to_plain
from kernelpath.packs.model import Check, Pack, Resolve, Rule, Scope, Table, Term, Text

_NOTHING = Constant("(nothing)")


@dataclass(frozen=True, slots=True)
class Telling:
    """What tells a mutant from its rule: nothing, as was proved; or a case; or no answer was found."""

    equivalent: bool = False
    case: Example | None = None


def tell(pack: Pack, rule: Rule, mutant: Rule, cases: Sequence[Case]) -> Telling:
    """Return what tells a mutant from its rule; `cases` are the rule's own, near which one is looked for too."""
    bench = _Pair(pack, rule, mutant)
    try:
        comparison = Comparison(pack, rule, mutant)
        if comparison.are_equal:
            return Telling(equivalent=True)
        found = bench.first(comparison.givens())
    except UNFOLLOWED:
        found = None
    if found is None:
        found = bench.first(neighbours([_given(case) for case in cases if case.run is None], rule))
    return Telling(case=found)


def _given(case: Case) -> Plain:
    """Return what a case gives as its file has it: the constants and nulls that it leaves out are not said."""
    node = case.node.get("given")
    found = to_plain(node) if isinstance(node, Mapping) else {}
    assert isinstance(found, dict)
    return found


class _Pair:
    """A rule and a mutant of it, evaluated side by side."""

    def __init__(self, pack: Pack, rule: Rule, mutant: Rule) -> None:
        self.bench = Bench(pack, rule)
        self.mutant = mutant

    def differ(self, values: Plain) -> bool:
        """Return whether a case would tell the two apart."""
        given = self.bench.given(values)
        if given is None:
            return False
        one, other = self.bench.outcome(given), self.bench.outcome(given, self.mutant)
        return one is not None and other is not None and _said(one) != _said(other)

    def first(self, givens: Iterator[Plain]) -> Example | None:
        """Return the first case that tells the two apart, made as small as it can be."""
        found = next((values for values in givens if self.differ(values)), None)
        return None if found is None else self.bench.example(self.bench.smallest(found, self._still_differ))

    def _still_differ(self, values: Plain) -> bool:
        """Return whether a case made smaller tells the two apart, be it that the mutant reads what is not given."""
        given = self.bench.given(values)
        if given is None or self.bench.outcome(given) is None:
            return False
        return self.differ(values) or self.bench.lacks(given, self.mutant)


def _said(outcome: Outcome) -> object:
    """Return what a case can hold an outcome to; how to help is not what a rule decides."""
    parts = {name: repr(plain(value)) for name, value in outcome.parts.items() if name != "help"}
    return outcome.kind, parts


class Comparison:
    """The outcomes of a rule and of a mutant as functions over one finite domain; raises what `UNFOLLOWED` names."""

    def __init__(self, pack: Pack, rule: Rule, mutant: Rule) -> None:
        self._scope = pack.scopes[rule.scope]
        lifted = RuleLifting(pack, rule)
        self._pairs = self._paired(lifted, rule, mutant)
        self.is_whole = not any(_is_opaque(one, other) for one, other in _values(rule, mutant))
        lifted.texts()
        self.domain = RuleDomain(lifted, [formula for pair in self._pairs for formula in pair])
        diagrams = self.domain.diagrams
        self._nodes = [tuple(self.domain.domain.value(side) for side in pair) for pair in self._pairs]
        self._broken = diagrams.terminal(BROKEN)

    @property
    def are_equal(self) -> bool:
        """Whether no input of the domain tells the two apart, and the domain misses none that could."""
        return self.is_whole and self.domain.is_certain and all(one == other for one, other in self._nodes)

    def givens(self) -> Iterator[Plain]:
        """Yield plain values of the smallest cells in which an outcome differs."""
        diagrams = self.domain.diagrams
        for one, other in self._nodes:
            if one != other:
                sides = (self._whole(one), self._whole(other))
                yield from self.domain.givens(diagrams.apply("differs", _differs, sides))

    def _whole(self, node: int) -> int:
        """Return a function with a value in place of none."""
        diagrams = self.domain.diagrams
        return diagrams.choose(diagrams.equals(node, self._broken), diagrams.terminal("(broken)"), node)

    def _paired(self, lifted: RuleLifting, rule: Rule, mutant: Rule) -> list[tuple[Formula, Formula]]:
        sides = [list(_outcomes(lifted, each, self._scope)) for each in (rule, mutant)]
        if len(sides[0]) != len(sides[1]):
            raise KeyError("rows")  # outcomes that do not match one by one are not followed
        return list(zip(*sides, strict=True))


def _differs(one: Any, other: Any) -> bool:
    return repr(one) != repr(other)


def _outcomes(lifted: RuleLifting, rule: Rule, scope: Scope) -> Iterator[Formula]:
    """Yield formulas that together say everything a rule does."""
    formulas = lifted.formulas(rule)
    match rule:
        case Check():
            verdict = Choice(formulas.holds, Constant("pass"), Constant("fail"))
            yield Choice(formulas.when, verdict, Constant("skip"))
            failed = All((formulas.when, negated(formulas.holds)))
            names = lifted.names(rule)
            for text in (rule.message, rule.subject or scope.subject, rule.at):
                for piece in _pieces(text):
                    yield Choice(failed, lifted.lifting.lift(piece.expression, names), _NOTHING)
        case Resolve():
            yield _in_turn(formulas, [option.value for option in formulas.options])
            yield _in_turn(formulas, [option.source for option in formulas.options])
        case Table(hit="first"):
            yield _in_turn(formulas, [option.value for option in formulas.options])
        case _:
            base = getattr(rule, "base", None)
            if base is not None:
                yield Choice(formulas.when, lifted.lifting.lift(base.checked.expression, lifted.names(rule)), _NOTHING)
            for option in formulas.options:
                for value in (option.value, option.source):
                    yield Choice(formulas.when, Choice(option.when, value, _NOTHING), _NOTHING)


def _pieces(text: Text | None) -> list[Checked]:
    return [piece for piece in text.checked.pieces if isinstance(piece, Checked)] if text else []


def _in_turn(formulas: RuleFormulas, values: list[Formula]) -> Formula:
    result: Formula = Constant(None)
    for option, value in zip(reversed(formulas.options), reversed(values), strict=True):
        result = Choice(option.when, value, result)
    return Choice(formulas.when, result, _NOTHING)


def _values(rule: Rule, mutant: Rule) -> Iterator[tuple[Term | None, Term | None]]:
    """Yield the expressions whose values the two rules hand on."""
    for member in ("candidates", "rows"):
        entries = zip(getattr(rule, member, ()), getattr(mutant, member, ()), strict=False)
        yield from ((one.value, other.value) for one, other in entries)
    for member in ("base", "value"):
        if hasattr(rule, member):
            yield getattr(rule, member), getattr(mutant, member)


def _is_opaque(one: Term | None, other: Term | None) -> bool:
    """Return whether the domain keeps too little of two values to say that they are the same."""
    if one is None or other is None or unparse(one.checked.expression) == unparse(other.checked.expression):
        return False
    return any(_holds_records(required(term.checked.type)) for term in (one, other))


def _holds_records(type_: Type) -> bool:
    element = getattr(type_, "element", None)
    return isinstance(type_, Record | MapOf) or (element is not None and _holds_records(required(element)))
