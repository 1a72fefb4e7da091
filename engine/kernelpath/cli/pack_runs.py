"""Run the tests of packs for the command line: cases, coverage and mutants, in as many processes as pay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kernelpath.analysis.coverage import Observer, PackCoverage, Seen, measure
from kernelpath.analysis.mutation import Score, mutate_rule
from kernelpath.analysis.testing import PASSED, CaseResult, PackTests, TestFile
from kernelpath.analysis.testing.parallel import processes, spread
from kernelpath.cli.progress import Progress

_WORTH_CASES = 4_000  # cases for which another process pays: each reads the pack anew
_WORTH_MUTATED = 20  # rules whose mutants are

#: For a rule, the branches taken and the vectors seen: what one process tells another of coverage.
Told = dict[str, tuple[set[str], list[dict[tuple[bool | None, ...], bool]]]]


@dataclass(slots=True)
class PackRun:
    """What the tests of one pack came to."""

    folder: Path
    tests: PackTests
    results: list[CaseResult] = field(default_factory=list)
    coverage: PackCoverage | None = None
    score: Score | None = None

    @property
    def name(self) -> str:
        """The pack's name."""
        return self.tests.pack.name

    @property
    def passed(self) -> bool:
        """Whether there were cases, and all passed."""
        return bool(self.results) and all(result.outcome == PASSED for result in self.results)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How tests are run: which cases, whether up to the first failure, in how many processes, and what is watched."""

    select: str | None = None
    fail_fast: bool = False
    jobs: int | None = None
    observed: bool = False
    quiet: bool = False


def run_cases(run: PackRun, settings: RunSettings) -> Observer:
    """Run the cases of a pack that are selected, and return what was observed of them."""
    tests, observer = run.tests, Observer()
    amount = sum(len(file.cases) for file in tests.files)
    count = 1 if settings.fail_fast else processes(settings.jobs, amount, _WORTH_CASES)
    progress = Progress(f"testing {run.name}", amount, settings.quiet)
    if count == 1:
        for result in tests.run(settings.select, observer.observe if settings.observed else None):
            run.results.append(result)
            progress.add()
            if settings.fail_fast and result.outcome != PASSED:
                break
    else:
        for results, told in spread(_Cases(settings), tests, run.folder, range(len(tests.files)), count):
            run.results += results
            _merge(observer, told, tests)
            progress.add(len(results))
    progress.close()
    return observer


@dataclass(frozen=True, slots=True)
class _Cases:
    """Runs the cases of some files; what it gives can be sent between processes."""

    settings: RunSettings

    def __call__(self, tests: PackTests, _: Path, places: Sequence[int]) -> tuple[list[CaseResult], Told]:
        observer = Observer()
        part = PackTests(tests.pack, tuple(tests.files[place] for place in places))
        part.__dict__["compiled"] = tests.compiled  # it is made once
        found = part.run(self.settings.select, observer.observe if self.settings.observed else None)
        results = [replace(result, case=None, given=None) for result in found]
        return results, {name: (seen.taken, seen.vectors) for name, seen in observer.seen.items()}


def _merge(observer: Observer, told: Told, tests: PackTests) -> None:
    rules = {rule.identity: rule for rule in tests.pack.rules()}
    for name, (taken, vectors) in told.items():
        seen = observer.seen.setdefault(name, Seen.of(rules[name]))
        seen.merge(taken, vectors)


def run_coverage(run: PackRun, observer: Observer, settings: RunSettings) -> None:
    """Measure what the cases covered; of a selection, only the rules that it is of."""
    run.coverage = measure(run.tests.pack, observer, seen_only=settings.select is not None)


def run_mutants(run: PackRun, settings: RunSettings) -> None:
    """Run the tests on mutants of the rules whose files are selected."""
    chosen = [place for place, file in enumerate(run.tests.files) if _is_mutated(file, settings.select)]
    count = processes(settings.jobs, len(chosen), _WORTH_MUTATED)
    progress = Progress(f"mutating {run.name}", len(chosen), settings.quiet)
    total, share = Score(), -(-len(chosen) // (4 * count)) if count > 1 else 1
    for score in spread(_mutated, run.tests, run.folder, chosen, count):
        total += score
        progress.add(share)
    progress.close()
    run.score = total


def _mutated(tests: PackTests, folder: Path, places: Sequence[int]) -> Score:
    total = Score()
    for place in places:
        total += mutate_rule(tests, tests.files[place], folder)
    return total


def _is_mutated(file: TestFile, select: str | None) -> bool:
    if file.rule is None or file.faults or not file.cases:
        return False
    return select is None or any(select in f"{file.rule.identity}: {case.name}" for case in file.cases)
