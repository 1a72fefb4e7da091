"""Diagnostics as JUnit XML, which every CI system reads as test results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from kernelpath.diagnostics.account import Account
from kernelpath.diagnostics.diagnostic import ERROR, Diagnostic
from kernelpath.diagnostics.render.printable import printable
from kernelpath.diagnostics.render.text import render_one
from kernelpath.diagnostics.source import Source


def render(
    diagnostics: Sequence[Diagnostic],
    sources: Mapping[str, Source] | None = None,
    *,
    suite: str = "kernelpath",
    account: Account | None = None,
) -> str:
    """Return one test suite with a case for each finding: errors fail, warnings and notes pass and are printed.

    What passed has a case of its own, which passes. Where there is nothing at all, one case passes, because several CI
    systems take an empty suite for a broken run.
    """
    known = account or Account()
    cases = [_case(diagnostic, sources) for diagnostic in diagnostics]
    cases = cases + [_passed(name) for name in known.passed] or [_passed("no findings")]
    remarks = "".join(f"{printable(one.message)}\n" for one in known.not_asked)
    said = f"    <system-out>{escape(remarks)}</system-out>\n" if remarks else ""
    failures = sum(diagnostic.severity == ERROR for diagnostic in diagnostics)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="0"'
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n'
    body = f"  <testsuite name={_attribute(suite)} {counts}>\n{''.join(cases)}{said}  </testsuite>\n"
    return f"{head}{body}</testsuites>\n"


def _passed(name: str) -> str:
    return f'    <testcase classname="kernelpath" name={_attribute(name)}/>\n'


def _case(diagnostic: Diagnostic, sources: Mapping[str, Source] | None) -> str:
    place = str(diagnostic.span) if diagnostic.span else diagnostic.subject or diagnostic.pointer or "document"
    opening = f"    <testcase classname={_attribute(diagnostic.rule)} name={_attribute(place)}>\n"
    text = escape(render_one(diagnostic, sources))
    if diagnostic.severity == ERROR:
        return f"{opening}      <failure message={_attribute(diagnostic.message)}>{text}</failure>\n    </testcase>\n"
    return f"{opening}      <system-out>{text}</system-out>\n    </testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(printable(text))
