"""Run the tests of a pack: every case by the interpreter, and by the compiled form, which must agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from kernelpath.analysis.testing import wording
from kernelpath.analysis.testing.cases import Case, TestFile, read_tests
from kernelpath.analysis.testing.compiled import CompiledRules, compile_rules, evaluate_compiled, same
from kernelpath.analysis.testing.meaning import evaluate
from kernelpath.analysis.testing.outcomes import Outcome, agrees, first_difference, shown
from kernelpath.analysis.testing.records import NotGiven, plain
from kernelpath.analysis.testing.results import BROKEN, FAILED, PASSED, CaseResult, PackResults
from kernelpath.diagnostics import Diagnostic
from kernelpath.evaluate.question import ask
from kernelpath.language import Trace
from kernelpath.language.interpreter import Recorder
from kernelpath.packs.libraries import resource_value
from kernelpath.packs.model import Pack, Rule
from kernelpath.packs.reading import read_pack

#: Called with the case, its rule and the name of the part that is evaluated next; may give a recorder of its values.
ObserveCase = Callable[[Case, Rule, str], Recorder | None]


@dataclass
class PackTests:
    """The tests of one pack, read and ready to run."""

    pack: Pack
    files: tuple[TestFile, ...]

    @cached_property
    def compiled(self) -> CompiledRules:
        """The generated form of the pack."""
        return compile_rules(self.pack)

    @cached_property
    def shared(self) -> Mapping[str, Any]:
        """The shipped data that every question is given beside its documents."""
        resources = {name: document.resource for name, document in self.pack.documents.items() if document.resource}
        return {name: resource_value(resource, None) for name, resource in resources.items()}

    def untested(self) -> tuple[str, ...]:
        """Return the rules of the pack's own folder that no test file with cases is beside."""
        tested = {file.rule.identity for file in self.files if file.rule and (file.cases or file.faults)}
        own = f"{self.pack.name}/"
        return tuple(r.identity for r in self.pack.rules() if r.identity not in tested and r.identity.startswith(own))

    def run(self, select: str | None = None, observe: ObserveCase | None = None) -> Iterator[CaseResult]:
        """Yield the results one by one; `select` keeps those whose `rule: case` has it in it."""
        for file in self.files:
            if file.faults and (select is None or select in _name(file, None)):
                yield _broken_file(file)
            for case in file.cases:
                if select is None or select in _name(file, case):
                    yield self.run_case(file, case, observe)

    def run_case(self, file: TestFile, case: Case, observe: ObserveCase | None = None) -> CaseResult:
        """Return what one case of a file gives."""
        rule = file.rule
        assert rule is not None  # INVARIANT: a file without rule has no cases
        try:
            actual = self.outcome(rule, case, observe)
            found = self._faults(rule, case, actual)
        except NotGiven as error:
            told = wording.told(wording.not_given(error.path), case.span)
            return _result(file, case, BROKEN, error.path, (told,))
        return _result(file, case, FAILED if found else PASSED, str(actual), found, actual)

    def outcome(self, rule: Rule, case: Case, observe: ObserveCase | None = None) -> Outcome:
        """Return what a rule, perhaps a changed one, does with a case; raises NotGiven where the case lacks a part."""
        if case.run is not None:
            return self._reported(rule, case)
        part = None if observe is None else lambda name: observe(case, rule, name)
        return evaluate(rule, self.pack.scopes[rule.scope], case.given.values, case.given.sources, part)

    def _reported(self, rule: Rule, case: Case) -> Outcome:
        """Return what the rule reports where a whole question is asked."""
        report = ask(self.compiled.pack, case.run or "", {**self.shared, **case.given.values}).report
        found = [diagnostic for diagnostic in report.diagnostics if diagnostic.rule == rule.identity]
        if not found and not (report.ok and report.passed([rule.stage])):
            first = report.diagnostics[0].message if report.diagnostics else None
            return Outcome("not reached", {"error": wording.not_reached(rule.stage, first)[1]})
        if not found:
            return Outcome("pass")
        if len(found) > 1:
            return Outcome("fail", {"fail": [diagnostic.message for diagnostic in found]})
        [one] = found
        at = None if one.document is None else f"{one.document}#{one.pointer or ''}"
        return Outcome("fail", {"fail": one.message, "subject": one.subject, "help": one.help, "at": at})

    def _faults(self, rule: Rule, case: Case, actual: Outcome) -> tuple[Diagnostic, ...]:
        for name in case.expected.parts:
            if name in actual.unknown:
                raise NotGiven(actual.unknown[name])
        if not agrees(case.expected, actual):
            return (self.mismatch(rule, case, actual),)
        if case.run is None:
            compiled = evaluate_compiled(self.compiled, rule, case.given.whole(rule, self.pack.scopes[rule.scope]))
            if not same(actual, compiled):
                return (wording.told(wording.disagreement(str(actual), str(compiled)), case.span),)
        return ()

    def mismatch(self, rule: Rule, case: Case, actual: Outcome) -> Diagnostic:
        """Return what is told of an outcome that is not the expected one."""
        expected, given = case.expected.to_plain(), actual.to_plain()
        if isinstance(expected, dict) and isinstance(given, dict):
            given = {name: given[name] for name in given if name in expected} or given
        difference = first_difference(case.expected.parts.get("value"), plain(actual.parts.get("value")))
        words = wording.mismatch(shown(expected), shown(given), difference)
        return replace(wording.told(words, case.expect.span), values=self._values(rule, case))

    def _values(self, rule: Rule, case: Case) -> tuple[tuple[str, str], ...]:
        """Return the values that decided, by evaluating the case once more."""
        if case.run is not None:
            return ()
        trace = Trace()
        self.outcome(rule, case, lambda *_: trace)
        return trace.values()


def _name(file: TestFile, case: Case | None) -> str:
    return f"{file.rule.identity if file.rule else file.shown}: {case.name if case else ''}"


def _broken_file(file: TestFile) -> CaseResult:
    line = min((found.span.line for found in file.faults if found.span), default=1)
    rule = file.rule.identity if file.rule else ""
    return CaseResult(file.shown, line, rule, None, BROKEN, diagnostics=file.faults)


def _result(
    file: TestFile, case: Case, outcome: str, actual: str, found: tuple[Diagnostic, ...], given: Outcome | None = None
) -> CaseResult:
    rule = file.rule.identity if file.rule else ""
    expected = str(case.expected)
    return CaseResult(file.shown, case.span.line, rule, case.name, outcome, expected, actual, found, case, given)


def load_pack_tests(folder: Path) -> PackTests:
    """Return the tests of a pack's folder; raises PackErrors where the pack itself cannot be read."""
    pack = read_pack(folder)
    return PackTests(pack, tuple(read_tests(pack, folder)))


def run_pack_tests(folder: Path, select: str | None = None, observe: ObserveCase | None = None) -> PackResults:
    """Run all tests of a pack's folder, or those that `select` names; raises PackErrors for an unreadable pack."""
    tests = load_pack_tests(folder)
    return PackResults(tuple(tests.run(select, observe)), tests.untested())


__all__ = ["ObserveCase", "PackTests", "load_pack_tests", "run_pack_tests"]
