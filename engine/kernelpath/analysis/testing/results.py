"""What running the tests of a pack gives."""

from __future__ import annotations

from dataclasses import dataclass

from kernelpath.analysis.testing.cases import Case
from kernelpath.analysis.testing.outcomes import Outcome
from kernelpath.diagnostics import Diagnostic

PASSED, FAILED, BROKEN = "passed", "failed", "broken"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What one case gave: `outcome` is passed, failed, or broken (it could not be run as it is written).

    A test file with faults gives one broken result without case. `expected` and `actual` are one line each; `given` is
    what the rule did, in the form in which a test file would expect it.
    """

    file: str
    line: int
    rule: str
    name: str | None
    outcome: str
    expected: str = ""
    actual: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    case: Case | None = None
    given: Outcome | None = None


@dataclass(frozen=True, slots=True)
class PackResults:
    """All results in the order of the files, and the rules that no test file is beside."""

    results: tuple[CaseResult, ...]
    untested: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether there were cases and all passed; a pack or a selection without cases is no success."""
        return bool(self.results) and all(result.outcome == PASSED for result in self.results)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything that is wrong, file by file."""
        return tuple(found for result in self.results for found in result.diagnostics)

    def count(self, outcome: str) -> int:
        """Return how many results have an outcome."""
        return sum(result.outcome == outcome for result in self.results)
