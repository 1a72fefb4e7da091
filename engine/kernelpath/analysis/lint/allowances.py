"""Comments that allow a lint's findings, with a reason: `# allow CODE: REASON`.

Above an entry it holds for the entry and all that is in it, behind an entry for that entry, and at the top of a file,
with a blank line below, for the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kernelpath.analysis.formatting.comments import attached
from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.diagnostics import Diagnostic, Source, Span, did_you_mean
from kernelpath.packs import documents

_FORM = re.compile(r"#\s*allow\s+([A-Za-z0-9_-]+)\s*(?::\s*(.*))?$")


@dataclass(frozen=True, slots=True)
class Allowance:
    """A comment that allows the findings of one lint on some lines of a file."""

    code: str
    reason: str
    file: str
    first: int
    last: int
    span: Span

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Return whether a finding is allowed: an allowance without a reason allows nothing."""
        span = diagnostic.span
        same = span is not None and span.file == self.file and diagnostic.rule == f"lint/{self.code}"
        return same and bool(self.reason) and span is not None and self.first <= span.line <= self.last


def without_allowed(pack: LintedPack, found: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings that no comment allows, and one for each comment that allows none."""
    allowances = [each for root in _roots(pack) for each in _allowances(root)]
    kept = [diagnostic for diagnostic in found if not any(each.covers(diagnostic) for each in allowances)]
    idle = [each for each in allowances if not any(each.covers(diagnostic) for diagnostic in found)]
    return [*kept, *(LINT.diagnostic(_idle(each)) for each in idle)]


def _idle(allowance: Allowance) -> Finding:
    if not allowance.reason:
        return Finding(f"`allow {allowance.code}` gives no reason", allowance.span, "write `# allow CODE: REASON`")
    return Finding(f"nothing here is found by lint `{allowance.code}`", allowance.span, _nearest(allowance.code))


def _nearest(code: str) -> str:
    from kernelpath.analysis.lint.catalogue import LINTS  # it holds this lint too

    near = None if code in {lint.code for lint in LINTS} else did_you_mean(code, [lint.code for lint in LINTS])
    return f"did you mean `{near}`?" if near else "take the comment out"


def _roots(pack: LintedPack) -> list[documents.Mapping]:
    return [pack.layer.root, *(text.root for text in pack.own_rules)]


def _allowances(root: documents.Mapping) -> Iterator[Allowance]:
    if "allow" not in root.source.text:
        return
    comments = attached(root)
    whole = (1, root.source.line_count())
    placed = [(comment.text, whole) for comment in comments.head]
    for group in (comments.before, comments.beside):
        for path, found in group.items():
            texts = [found] if isinstance(found, str) else [comment.text for comment in found]
            placed += [(text, _lines(root, path)) for text in texts]
    for text, (first, last) in placed:
        match = _FORM.match(text)
        if match:
            reason = (match[2] or "").strip()
            yield Allowance(match[1], reason, root.source.name, first, last, _span(root.source, text, first))


def _lines(root: documents.Mapping, path: tuple[str | int, ...]) -> tuple[int, int]:
    node = documents.node_at(root, path)
    parent = documents.node_at(root, path[:-1])
    key = parent.key(str(path[-1])) if isinstance(parent, documents.Mapping) else None
    return (key or node).span.line, max(node.span.end_line, (key or node).span.line)


def _span(source: Source, text: str, line: int) -> Span:
    """Return where a comment stands: the nearest place above or at its entry's first line where it is written."""
    limit = source.offset(line, source.line_length(line) + 1)
    start = source.text.rfind(text, 0, limit)
    start = source.text.index(text) if start < 0 else start
    return source.span(start, start + len(text))


LINT = Lint(
    code="idle-allowance",
    summary="a comment that allows a finding allows one, and says why",
    why="an allowance that outlives what it allowed hides the next finding of its kind",
    bad="""
        # boxes/red-lid.yaml
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        # allow message-stop: tools ask for it
        message: box `{box.id}` is red and has no lid
        """,
    good="""
        # boxes/red-lid.yaml
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        # allow message-stop: tools ask for it
        message: box `{box.id}` is red and has no lid.
        """,
    find=lambda pack: iter(()),
)
