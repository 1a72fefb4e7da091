"""What an editor may do about a finding: put the nearest known word in place, or apply the fix that it carries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelpath.diagnostics import Diagnostic, Span
from kernelpath.lsp.symbols.occurrence import Edit
from kernelpath.lsp.texts.files import Files
from kernelpath.packs.documents import DocumentErrors

_MEANT = re.compile(r"did you mean `([^`]+)`\?")
_QUOTED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Action:
    """A change that an editor offers: its title, its edits, and the finding that it answers."""

    title: str
    edits: tuple[Edit, ...]
    finding: Diagnostic
    preferred: bool = False


def actions(files: Files, findings: list[Diagnostic], path: Path, start: int, end: int) -> list[Action]:
    """Return what can be done about the findings of a file that touch a stretch of it."""
    found: list[Action] = []
    for finding in findings:
        bounds = _bounds(files, finding.span)
        if bounds and bounds[0] == path and bounds[1] <= end and start <= bounds[2]:
            found += [*_meant(files, finding, *bounds), *_fixed(files, finding)]
    return found


def _bounds(files: Files, span: Span | None) -> tuple[Path, int, int] | None:
    """Return the file of a span and its offsets there; None where the file cannot be read."""
    if span is None:
        return None
    try:
        source = files.source(Path(span.file))
    except DocumentErrors:
        return None
    return Path(span.file), source.offset(span.line, span.column), source.offset(span.end_line, span.end_column)


def _meant(files: Files, finding: Diagnostic, path: Path, start: int, end: int) -> Iterator[Action]:
    """Offer the word that was meant in place of the one that the message names."""
    meant = _MEANT.search(finding.help or "")
    if meant is None:
        return
    text = files.source(path).text[start:end]
    for word in _QUOTED.findall(finding.message):
        places = [found.start() for found in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)]
        if len(places) == 1:
            at = start + places[0]
            edit = Edit(path, at, at + len(word), _as_written(meant[1], word))
            yield Action(f"change `{word}` to `{meant[1]}`", (edit,), finding, preferred=True)
            return


def _as_written(meant: str, word: str) -> str:
    """Return what was meant in the form that the word has: the last part of a path for a lone name."""
    return meant.rpartition("/")[2] if "/" in meant and "/" not in word else meant


def _fixed(files: Files, finding: Diagnostic) -> Iterator[Action]:
    """Offer the fix that a finding carries as edits of text."""
    fix: Mapping[str, Any] = finding.fix or {}
    edits = [edit for raw in fix.get("edits", ()) if (edit := _edit(files, raw))]
    if edits:
        title = str(fix.get("description") or finding.help or f"fix: {finding.message}")
        yield Action(title, tuple(edits), finding, preferred=True)


def _edit(files: Files, raw: Mapping[str, Any]) -> Edit | None:
    """Return an edit of a finding's fix, which names its stretch by the members of a span."""
    span = Span(raw["file"], raw["line"], raw["column"], raw["endLine"], raw["endColumn"])
    bounds = _bounds(files, span)
    return Edit(*bounds, str(raw["text"])) if bounds else None
