"""Diagnostics as SARIF 2.1.0, the format that code hosts and editors show beside the code."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from kernelpath.diagnostics.account import Account, RuleText
from kernelpath.diagnostics.diagnostic import Diagnostic, Label
from kernelpath.diagnostics.render.paths import shortest
from kernelpath.diagnostics.render.printable import printable
from kernelpath.diagnostics.source import STANDARD_INPUT, Source, Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(
    diagnostics: Sequence[Diagnostic],
    sources: Mapping[str, Source] | None = None,
    *,
    tool_version: str = "0",
    account: Account | None = None,
) -> str:
    """Return one SARIF run as ASCII JSON text; sources are not needed."""
    return json.dumps(log(diagnostics, tool_version, account), indent=2) + "\n"


def log(
    diagnostics: Sequence[Diagnostic], tool_version: str = "0", account: Account | None = None
) -> dict[str, object]:
    """Return the SARIF log as plain JSON, with one rule entry for each rule that has a finding.

    A rule's entry says what the rule says of itself, and nothing of a finding: code hosts share it between runs.
    """
    known = account or Account()
    order = {name: index for index, name in enumerate(sorted({diagnostic.rule for diagnostic in diagnostics}))}
    rules = [_rule(name, known.rules.get(name)) for name in order]
    run: dict[str, object] = {
        "tool": {"driver": {"name": "kernelpath", "version": tool_version, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic, order[diagnostic.rule]) for diagnostic in diagnostics],
    }
    if known.not_asked:
        run["invocations"] = [_invocation(known)]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str, text: RuleText | None) -> dict[str, object]:
    last = name.rsplit("/", 1)[-1].replace("-", " ")
    summary = text.summary if text else last[:1].upper() + last[1:]
    rule: dict[str, object] = {"id": printable(name), "shortDescription": _text(summary)}
    if text and text.why:
        rule["fullDescription"] = _text(text.why)
        rule["help"] = _text(text.why)
    return rule


def _invocation(account: Account) -> dict[str, object]:
    """Return what there is to say of the run itself: which rules it did not ask."""
    notifications = [
        {"level": "note", "descriptor": {"id": "not-asked"}, "message": _text(one.message)} for one in account.not_asked
    ]
    return {"executionSuccessful": True, "toolExecutionNotifications": notifications}


def _result(diagnostic: Diagnostic, index: int) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": printable(diagnostic.rule),
        "ruleIndex": index,
        "level": diagnostic.severity,
        "message": _text(diagnostic.message),
    }
    if location := _primary(diagnostic):
        result["locations"] = [location]
    others = [label for label in diagnostic.secondary if label.span.file != STANDARD_INPUT]
    if others:
        result["relatedLocations"] = [_related(number, label) for number, label in enumerate(others, 1)]
    if fixes := _fixes(diagnostic.fix):
        result["fixes"] = fixes
    if properties := _properties(diagnostic):
        result["properties"] = properties
    return result


def _primary(diagnostic: Diagnostic) -> dict[str, object]:
    location: dict[str, object] = {}
    if diagnostic.span and diagnostic.span.file != STANDARD_INPUT:
        location["physicalLocation"] = _physical(diagnostic.span)
    if diagnostic.pointer is not None or diagnostic.subject:
        name = diagnostic.subject or diagnostic.pointer or ""
        path = f"{diagnostic.document or ''}#{diagnostic.pointer or ''}"
        location["logicalLocations"] = [{"name": printable(name), "fullyQualifiedName": printable(path)}]
    return location


def _related(number: int, label: Label) -> dict[str, object]:
    return {"id": number, "physicalLocation": _physical(label.span), "message": _text(label.text)}


def _physical(span: Span) -> dict[str, object]:
    return {"artifactLocation": {"uri": uri(span.file)}, "region": _region(span)}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def uri(name: str) -> str:
    """Return a file's name as a URI reference: relative ones stay relative, absolute ones become `file:` URIs.

    The way to the file is the shortest: code hosts compare it with the paths of a checkout, letter by letter.
    """
    plain = shortest(name)
    path = quote(plain if os.sep == "/" else plain.replace("\\", "/"), safe="/", errors="replace")
    return f"file://{path}" if path.startswith("/") else path


def _fixes(fix: Mapping[str, object] | None) -> list[dict[str, object]]:
    """The edits of a fix, in SARIF's form; a fix that has none is carried as a property only."""
    edits = fix.get("edits") if fix else None
    if not fix or not isinstance(edits, list | tuple):
        return []
    changes: dict[str, list[dict[str, object]]] = {}
    for edit in edits:
        changes.setdefault(edit["file"], []).append(_replacement(edit))
    artifacts = [{"artifactLocation": {"uri": uri(f)}, "replacements": made} for f, made in changes.items()]
    return [{"description": _text(str(fix.get("description", "apply the fix"))), "artifactChanges": artifacts}]


def _replacement(edit: Mapping[str, object]) -> dict[str, object]:
    region = {
        "startLine": edit["line"],
        "startColumn": edit["column"],
        "endLine": edit["endLine"],
        "endColumn": edit["endColumn"],
    }
    return {"deletedRegion": region, "insertedContent": {"text": edit["text"]}}


def _properties(diagnostic: Diagnostic) -> dict[str, object]:
    members = diagnostic.to_dict()
    return {name: members[name] for name in ("decisions", "values", "help", "fix") if members.get(name)}


def _text(text: str) -> dict[str, str]:
    return {"text": "\n".join(printable(line) for line in text.split("\n"))}
