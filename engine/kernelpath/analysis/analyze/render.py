"""An analysis as text, JSON and Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from kernelpath.analysis.analyze.analysis import Analysis
from kernelpath.analysis.analyze.findings import Finding, Switch, listed
from kernelpath.diagnostics import ERROR, Diagnostic, Span


def render_json(analysis: Analysis) -> str:
    """Return an analysis as a JSON document."""
    return json.dumps(to_dict(analysis), ensure_ascii=False, indent=2) + "\n"


def to_dict(analysis: Analysis) -> dict[str, object]:
    """Return an analysis as plain JSON."""
    return {
        "pack": analysis.pack,
        "rules": analysis.rules,
        "ok": analysis.ok,
        "findings": [finding.to_dict() for finding in analysis.findings],
        "switches": [switch.to_dict() for switch in analysis.switches],
        "skipped": list(analysis.skipped),
    }


def diagnostics(analysis: Analysis) -> list[Diagnostic]:
    """Return the findings as diagnostics, each at the place of the rule or of the row that it is about."""
    return [_diagnostic(finding) for finding in analysis.findings]


def _diagnostic(finding: Finding) -> Diagnostic:
    place = finding.place
    values = [("rule", finding.rule), ("exact", finding.reason)]
    if finding.witness is not None:
        values.append(("witness", shown(finding.witness)))
    span = Span(place.file, place.line, place.column, place.line, place.column + 1)
    rule = f"analyze/{finding.kind}"
    return Diagnostic(rule, (), ERROR, finding.message, subject=finding.rule, span=span, values=tuple(values))


def render_text(analysis: Analysis, *, switches: bool = False) -> str:
    """Return an analysis for a terminal; `switches` also lists which settings switch which rules off."""
    lines = [line for finding in analysis.findings for line in _text(finding)]
    if switches:
        lines += [_switch(switch) for switch in analysis.switches]
    lines += [f"note: stage `{name}` is too large to be analysed" for name in analysis.skipped]
    return "\n".join([*lines, summary(analysis)]) + "\n"


def summary(analysis: Analysis) -> str:
    """Return the last line of an analysis."""
    count = len(analysis.findings)
    found = "no findings" if count == 0 else "1 finding" if count == 1 else f"{count} findings"
    return f"{analysis.pack}: {found} in {analysis.rules} rules"


def _text(finding: Finding) -> Iterator[str]:
    place = finding.place
    yield f"{place.file}:{place.line}:{place.column}: {finding.kind}: {finding.message}"
    yield f"  rule:    {finding.rule}"
    yield f"  exact:   {finding.reason}"
    if finding.witness is not None:
        yield f"  witness: {shown(finding.witness)}"
    yield ""


def _switch(switch: Switch) -> str:
    return f"note: {switch.rule} is off where {switch.setting} is {listed(switch.off)}"


def shown(witness: Mapping[str, Any]) -> str:
    """Return a witness on one line."""
    return json.dumps(witness, ensure_ascii=False)


def render_markdown(analysis: Analysis) -> str:
    """Return an analysis for a pull request."""
    lines = [f"### `{analysis.pack}`: {len(analysis.findings)} findings in {analysis.rules} rules", ""]
    if analysis.findings:
        lines += ["| finding | rule | what | witness |", "| --- | --- | --- | --- |"]
        lines += [_row(finding) for finding in analysis.findings]
        lines += [""]
    if analysis.switches:
        lines += ["| rule | setting | off under |", "| --- | --- | --- |"]
        lines += [f"| `{s.rule}` | `{s.setting}` | {listed(s.off)} |" for s in analysis.switches]
        lines += [""]
    lines += [f"Stage `{name}` is too large to be analysed." for name in analysis.skipped]
    return "\n".join(lines)


def _row(finding: Finding) -> str:
    witness = f"`{shown(finding.witness)}`" if finding.witness is not None else finding.reason
    return f"| {finding.kind} | `{finding.rule}` | {_cell(finding.message)} | {_cell(witness)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
