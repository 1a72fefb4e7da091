"""Tell what the tests of packs came to: for people, and in the formats of tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from kernelpath.analysis.mutation import Survivor
from kernelpath.analysis.testing import BROKEN, FAILED, PASSED, CaseResult
from kernelpath.cli.console import Console
from kernelpath.cli.pack_runs import PackRun
from kernelpath.cli.placing import pack_sources
from kernelpath.diagnostics import WARNING, Diagnostic, Source, Span
from kernelpath.diagnostics.render.printable import printable

SURVIVOR = "mutation/survivor"


def report(console: Console, runs: Sequence[PackRun], found: list[Diagnostic]) -> None:
    """Write everything that is found, and how much was run."""
    sources = pack_sources(found)
    if console.is_text:
        others = [diagnostic for diagnostic in found if diagnostic.rule != SURVIVOR]
        survivors = [each for run in runs if run.score for each in run.score.survivors]
        rest = [*(f"{_survivor(each)}\n" for each in survivors), *(_lines(run, console.verbose) for run in runs)]
        console.report(found if console.quiet else others, sources, "".join(rest))
    elif console.format == "junit":
        console.write(_junit(runs, found, sources))
    elif console.format == "json":
        console.write(json.dumps(_document(runs, found), indent=2) + "\n")
    else:
        console.report(found, sources)


def survivor_finding(survivor: Survivor) -> Diagnostic:
    """Return the finding of a mutant that no case notices."""
    span = Span(survivor.file, survivor.line, 1, survivor.line, 1)
    lines = [line for line in survivor.difference.splitlines()[3:] if line[:1] in ("-", "+")]
    values = tuple((("rule", "mutant")[line[0] == "+"], line[1:].strip()) for line in lines)
    told = f"this case would: `{survivor.case.line(_case_name(survivor))}`" if survivor.case else None
    message = f"no case notices this change of the rule: {survivor.kind}"
    return Diagnostic(SURVIVOR, (), WARNING, message, span=span, values=values, help=told)


def _case_name(survivor: Survivor) -> str:
    return f"{survivor.kind} in line {survivor.line}".replace("`", "")


def _survivor(survivor: Survivor) -> str:
    """Return a mutant as a diff, and the case that would kill it as a test file has it."""
    head = f"{WARNING}[{SURVIVOR}]: no case notices this change of the rule: {survivor.kind}\n"
    if survivor.case is None:
        return f"{head}{survivor.difference}no small case was found that would\n"
    file = survivor.file.removesuffix(".yaml") + ".test.yaml"
    case = "".join(f"  {line}\n" for line in survivor.case.text(_case_name(survivor)).splitlines())
    return f"{head}{survivor.difference}this case would, in {file}:\n{case}"


def _count(run: PackRun, outcome: str) -> int:
    return sum(result.outcome == outcome for result in run.results)


def _lines(run: PackRun, verbose: bool) -> str:
    """Return a pack's summary; each case before it where the user wants to see more."""
    rules = len({result.rule for result in run.results})
    parts = [f"{_count(run, outcome)} {outcome}" for outcome in (PASSED, FAILED, BROKEN) if _count(run, outcome)]
    cases = [f"{each.outcome}: {each.rule}: {each.name or '(file)'}\n" for each in run.results if verbose]
    lines = [f"{run.name}: {', '.join(parts) or 'no cases'}, of {rules} {'rule' if rules == 1 else 'rules'}\n"]
    untested = len(run.tests.untested())
    if untested:
        lines.append(f"  {untested} {'rule has' if untested == 1 else 'rules have'} no tests\n")
    if run.coverage:
        shares = ", ".join(f"{name} {share}" for name, share in run.coverage.shares.items())
        count = run.coverage.impossible
        left = f"; {count} atoms that no input decides are left out" if count else ""
        lines.append(f"  covered: {shares}{left}\n")
    if run.score:
        left = f"{run.score.equivalent} equivalent ones and {run.score.refused} that the checker refuses are left out"
        lines.append(f"  mutants noticed: {run.score.share}; {left}\n")
    return "".join(printable(line.rstrip("\n")) + "\n" for line in [*cases, *lines])


def _document(runs: Sequence[PackRun], found: list[Diagnostic]) -> dict[str, Any]:
    """Return the report as pack_test.schema.json beside this file describes it."""
    from kernelpath.diagnostics.render.json import report as findings

    return {**findings(found), "packs": [_pack(run) for run in runs]}


def _pack(run: PackRun) -> dict[str, Any]:
    told: dict[str, Any] = {
        "pack": run.name,
        "cases": [_case(result) for result in run.results],
        "untested": list(run.tests.untested()),
    }
    if run.coverage:
        shares = run.coverage.shares
        told["coverage"] = {name: {"covered": share.covered, "of": share.of} for name, share in shares.items()}
    if run.score:
        share = run.score.share
        left = {"equivalent": run.score.equivalent, "refused": run.score.refused}
        told["mutants"] = {"noticed": share.covered, "of": share.of, **left}
    return told


def _case(result: CaseResult) -> dict[str, Any]:
    place = {"rule": result.rule, "name": result.name, "file": result.file, "line": result.line}
    return {**place, "outcome": result.outcome}


def _junit(runs: Sequence[PackRun], found: Sequence[Diagnostic], sources: Mapping[str, Source]) -> str:
    """Return a suite for each pack with a case for each case, and one of what else was found."""
    suites = [_suite(run.name, list(_test_cases(run, sources))) for run in runs]
    told = {id(diagnostic) for run in runs for result in run.results for diagnostic in result.diagnostics}
    others = [diagnostic for diagnostic in found if id(diagnostic) not in told and diagnostic.severity != WARNING]
    if others:
        cases = [(_failure(each.rule, str(each.span), [each], sources), True) for each in others]
        suites.append(_suite("packs", cases))
    total = sum(count for _, count, _ in suites)
    failed = sum(failures for _, _, failures in suites)
    counts = f'tests="{total}" failures="{failed}" errors="0" skipped="0"'
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n'
    return head + "".join(text for text, _, _ in suites) + "</testsuites>\n"


def _suite(name: str, cases: list[tuple[str, bool]]) -> tuple[str, int, int]:
    failures = sum(failed for _, failed in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="0"'
    text = f"  <testsuite name={_attribute(name)} {counts}>\n{''.join(case for case, _ in cases)}  </testsuite>\n"
    return text, len(cases), failures


def _test_cases(run: PackRun, sources: Mapping[str, Source]) -> Iterator[tuple[str, bool]]:
    for result in run.results:
        name, rule = result.name or "(file)", result.rule or result.file
        if result.outcome == PASSED:
            yield f"    <testcase classname={_attribute(rule)} name={_attribute(name)}/>\n", False
        else:
            yield _failure(rule, name, list(result.diagnostics), sources), True


def _failure(rule: str, name: str, diagnostics: list[Diagnostic], sources: Mapping[str, Source]) -> str:
    from kernelpath.diagnostics.render.text import render_one

    text = escape("\n".join(render_one(diagnostic, sources) for diagnostic in diagnostics))
    message = diagnostics[0].message if diagnostics else name
    opening = f"    <testcase classname={_attribute(rule)} name={_attribute(name)}>\n"
    return f"{opening}      <failure message={_attribute(message)}>{text}</failure>\n    </testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(printable(text))
