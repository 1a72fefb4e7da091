"""Run a pack's tests on mutants of its rules, and say which of them no test tells from the rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kernelpath.analysis.coverage.examples import Example
from kernelpath.analysis.coverage.measure import Share
from kernelpath.analysis.mutation.equivalence import tell
from kernelpath.analysis.mutation.mutants import mutants_of
from kernelpath.analysis.mutation.rewriting import Rewriting
from kernelpath.analysis.rule_text import read_rule_text
from kernelpath.analysis.testing import Case, NotGiven, PackTests, TestFile
from kernelpath.analysis.testing.outcomes import agrees
from kernelpath.packs.model import Pack, Rule


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that every test passes: how it differs from the rule's file, where, and a case that would kill it."""

    rule: str
    kind: str
    file: str
    line: int
    difference: str
    case: Example | None


@dataclass(frozen=True, slots=True)
class Score:
    """What became of mutants; those that are equivalent, or refused by the checker, are counted and left out."""

    killed: int = 0
    equivalent: int = 0
    refused: int = 0
    survivors: tuple[Survivor, ...] = ()

    @property
    def share(self) -> Share:
        """The mutants that were killed, of those that could be."""
        return Share(self.killed, self.killed + len(self.survivors))

    def __add__(self, other: Score) -> Score:
        return Score(
            self.killed + other.killed,
            self.equivalent + other.equivalent,
            self.refused + other.refused,
            self.survivors + other.survivors,
        )


def mutate(tests: PackTests, folder: Path, select: Callable[[str], bool] = lambda _: True) -> Iterator[Score]:
    """Yield the score of each tested rule of a pack's own folder whose id is selected, in the order of the files."""
    for file in tests.files:
        if file.rule is not None and not file.faults and select(file.rule.identity):
            yield mutate_rule(tests, file, folder)


def mutate_rule(tests: PackTests, file: TestFile, folder: Path) -> Score:
    """Return what the cases of one file make of its rule's mutants; cases that ask a whole question are left out."""
    assert file.rule is not None  # INVARIANT: a file without rule has no cases
    rule, cases = file.rule, [case for case in file.cases if case.run is None]
    writing = Rewriting(tests.pack, read_rule_text(folder, rule))
    total, seen = Score(), set()
    for mutant in mutants_of(rule):
        text = writing.written(mutant)
        if text is None or text in seen:
            continue
        seen.add(text)
        changed = writing.checked(text)
        if changed is None:
            total += Score(refused=1)
        elif _is_killed(tests, changed, cases):
            total += Score(killed=1)
        else:
            total += _survived(tests.pack, rule, changed, mutant.kind, writing.difference(text), cases)
    return total


def _is_killed(tests: PackTests, mutant: Rule, cases: Sequence[Case]) -> bool:
    """Return whether a case notices: it gives something else, or reads what the case does not give."""
    for case in cases:
        try:
            outcome = tests.outcome(mutant, case)
        except NotGiven:
            return True
        unsaid = any(name in outcome.unknown for name in case.expected.parts)
        if unsaid or not agrees(case.expected, outcome):
            return True
    return False


def _survived(pack: Pack, rule: Rule, mutant: Rule, kind: str, difference: str, cases: Sequence[Case]) -> Score:
    told = tell(pack, rule, mutant, cases)
    if told.equivalent:
        return Score(equivalent=1)
    line = int(difference.split("@@ -")[1].split(",")[0].split(" ")[0])
    found = Survivor(rule.identity, kind, rule.place.file, line + 1, difference, told.case)
    return Score(survivors=(found,))
