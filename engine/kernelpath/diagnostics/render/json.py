"""Diagnostics as JSON for tools. The shape is report.schema.json beside this file; `version` changes when it does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from kernelpath.diagnostics.account import Account
from kernelpath.diagnostics.diagnostic import Diagnostic
from kernelpath.diagnostics.render.summary import counts
from kernelpath.diagnostics.source import Source

VERSION = 1


def report(diagnostics: Sequence[Diagnostic], account: Account | None = None) -> dict[str, object]:
    """Return `{"version": 1, "diagnostics": [...], "summary": {"error": n, "warning": n, "note": n}}`.

    What was not asked is under `notAsked`, which is absent if everything was.
    """
    members: dict[str, object] = {
        "version": VERSION,
        "diagnostics": [diagnostic.to_dict() for diagnostic in diagnostics],
        "summary": counts(diagnostics),
    }
    if account and account.not_asked:
        members["notAsked"] = [one.to_dict() for one in account.not_asked]
    return members


def render(
    diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source] | None = None, *, account: Account | None = None
) -> str:
    """Return the report as ASCII JSON text, indented, with a line break at its end; sources are not needed."""
    return json.dumps(report(diagnostics, account), indent=2) + "\n"
