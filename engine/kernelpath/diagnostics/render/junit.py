"""Diagnostics as JUnit XML, which every CI system reads as test results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from kernelpath.diagnostics.diagnostic import ERROR, Diagnostic
from kernelpath.diagnostics.render.printable import printable
from kernelpath.diagnostics.render.text import render_one
from kernelpath.diagnostics.source import Source


def render(
    diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source] | None = None, *, suite: str = "kernelpath"
) -> str:
    """Return one test suite with a case for each finding: errors fail, warnings and notes pass and are printed.

    No findings give one case that passes, because several CI systems take an empty suite for a broken run.
    """
    cases = [_case(diagnostic, sources) for diagnostic in diagnostics] or [_clean()]
    failures = sum(diagnostic.severity == ERROR for diagnostic in diagnostics)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="0"'
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n'
    body = f"  <testsuite name={_attribute(suite)} {counts}>\n{''.join(cases)}  </testsuite>\n"
    return f"{head}{body}</testsuites>\n"


def _clean() -> str:
    return '    <testcase classname="kernelpath" name="no findings"/>\n'


def _case(diagnostic: Diagnostic, sources: Mapping[str, Source] | None) -> str:
    place = str(diagnostic.span) if diagnostic.span else diagnostic.subject or diagnostic.pointer or "document"
    opening = f"    <testcase classname={_attribute(diagnostic.rule)} name={_attribute(place)}>\n"
    text = escape(render_one(diagnostic, sources))
    if diagnostic.severity == ERROR:
        return f"{opening}      <failure message={_attribute(diagnostic.message)}>{text}</failure>\n    </testcase>\n"
    return f"{opening}      <system-out>{text}</system-out>\n    </testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(printable(text))
