"""What coverage leaves open, as diagnostics at the rule's text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kernelpath.analysis.coverage.measure import Atom, PackCoverage, RuleCoverage
from kernelpath.analysis.rule_text import RuleText, read_rule_text
from kernelpath.analysis.testing.parts import terms_of
from kernelpath.diagnostics import WARNING, Diagnostic, Span


def findings(coverage: PackCoverage, folder: Path) -> list[Diagnostic]:
    """Return a finding for each rule, branch and atom that no case covers; `folder` is the pack's."""
    return [found for rule in coverage.rules if not rule.is_whole for found in _of_rule(rule, folder)]


def _of_rule(covered: RuleCoverage, folder: Path) -> Iterator[Diagnostic]:
    text = read_rule_text(folder, covered.rule)
    if not covered.is_reached:
        yield _finding("rule", "no case comes to what the rule decides", text.root.span)
    for name, taken in covered.branches.items():
        if not taken and covered.is_reached:
            yield _finding("branch", f"no case shows that {name}", _branch_span(text, name))
    terms = terms_of(covered.rule)
    for atom in covered.undecided():
        span = text.part(terms[atom.part], atom.start, atom.end)
        yield _finding("atom", f"no case decides `{atom.text}`", span, _would(atom))


def _finding(code: str, message: str, span: Span, help_text: str | None = None) -> Diagnostic:
    return Diagnostic(f"coverage/{code}", (), WARNING, message, span=span, help=help_text)


def _branch_span(text: RuleText, name: str) -> Span:
    words = name.split()
    if words[0] in ("candidate", "row"):
        entries = text.rule.candidates if words[0] == "candidate" else text.rule.rows  # type: ignore[attr-defined]
        return text.node(entries[int(words[1]) - 1].place).span
    return text.key_span("when" if words[0] == "`when`" else text.rule.kind)


def _would(atom: Atom) -> str | None:
    """Return the cases that would decide an atom, each as an item of a test file."""
    cases = atom.deciding.cases
    if not cases:
        return None
    names = [f"{atom.text} decides", f"{atom.text} decides otherwise"]
    told = " and ".join(f"`{case.line(name)}`" for case, name in zip(cases, names, strict=False))
    return f"{'this case would' if len(cases) == 1 else 'these two cases would'}: {told}"
