"""Diagnostics as SARIF 2.1.0, the format that code hosts and editors show beside the code."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from kernelpath.diagnostics.diagnostic import Diagnostic, Label
from kernelpath.diagnostics.render.printable import printable
from kernelpath.diagnostics.source import Source, Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(
    diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source] | None = None, *, tool_version: str = "0"
) -> str:
    """Return one SARIF run as ASCII JSON text; sources are not needed."""
    return json.dumps(log(diagnostics, tool_version), indent=2) + "\n"


def log(diagnostics: Sequence[Diagnostic], tool_version: str = "0") -> dict[str, object]:
    """Return the SARIF log as plain JSON, with one rule entry for each rule that has a finding."""
    rules = {diagnostic.rule: diagnostic for diagnostic in reversed(diagnostics)}
    order = {name: index for index, name in enumerate(sorted(rules))}
    driver = {"name": "kernelpath", "version": tool_version, "rules": [_rule(rules[name]) for name in order]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic, order[diagnostic.rule]) for diagnostic in diagnostics],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(diagnostic: Diagnostic) -> dict[str, object]:
    rule: dict[str, object] = {"id": printable(diagnostic.rule)}
    if diagnostic.help:
        rule["help"] = _text(diagnostic.help)
    if diagnostic.docs:
        rule["fullDescription"] = _text(diagnostic.docs)
    return rule


def _result(diagnostic: Diagnostic, index: int) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": printable(diagnostic.rule),
        "ruleIndex": index,
        "level": diagnostic.severity,
        "message": _text(diagnostic.message),
    }
    if location := _primary(diagnostic):
        result["locations"] = [location]
    if diagnostic.secondary:
        result["relatedLocations"] = [_related(number, label) for number, label in enumerate(diagnostic.secondary, 1)]
    if fixes := _fixes(diagnostic.fix):
        result["fixes"] = fixes
    if properties := _properties(diagnostic):
        result["properties"] = properties
    return result


def _primary(diagnostic: Diagnostic) -> dict[str, object]:
    location: dict[str, object] = {}
    if diagnostic.span:
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
    """Return a file's name as a URI reference: relative ones stay relative, absolute ones become `file:` URIs."""
    path = quote(name.replace("\\", "/"), safe="/", errors="replace")
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
