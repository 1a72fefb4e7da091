"""Collect what rules say about items, each finding once; in the end by stage, then in evaluation order."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kernelpath.diagnostics import Diagnostic
    from kernelpath.evaluate.unasked import Unasked


class Finding:
    """A finding as expressions see it."""

    __slots__ = ("decisions", "message", "pass_", "rule", "severity", "stage", "subject", "tags")

    def __init__(self, found: Diagnostic, stage: str, tags: tuple[str, ...], pass_: str) -> None:
        self.rule = found.rule
        self.stage = stage
        self.pass_ = pass_
        self.severity = found.severity
        self.subject = found.subject or ""
        self.message = found.message
        self.decisions = list(found.decisions)
        self.tags = list(tags)


def was_judged(ok: bool, value: object, asked: int) -> bool:
    """Return whether something was looked at: an error was found, or checks were asked and gave a value."""
    return not ok or (value is not None and asked > 0)


class Report:
    """The diagnostics of one run; `failed` are the stages in which something was an error.

    `asked` counts the items that were taken through a stage with checks; `unasked` are the checks that errors kept from
    being asked.
    """

    __slots__ = ("_order", "_seen", "_stages", "asked", "diagnostics", "failed", "skipped", "unasked")

    def __init__(self, order: Sequence[str] = ()) -> None:
        self.unasked: list[Unasked] = []
        self.diagnostics: list[Diagnostic] = []
        self.failed: set[str] = set()
        self.skipped: dict[str, str | None] = {}
        self.asked = 0
        self._order = order
        self._stages: list[tuple[str, tuple[str, ...], str]] = []
        self._seen: set[tuple[str, str | None, str]] = set()

    def add(self, diagnostic: Diagnostic, stage: str, tags: tuple[str, ...] = (), pass_: str = "") -> None:
        """Take a finding; one that says the same of the same subject by the same rule is left out."""
        if diagnostic.severity == "error":
            self.failed.add(stage)
        key = (diagnostic.rule, diagnostic.subject, diagnostic.message)
        if key not in self._seen:
            self._seen.add(key)
            self.diagnostics.append(diagnostic)
            self._stages.append((stage, tags, pass_))

    def take(self, other: Report, places: Mapping[str, str]) -> None:
        """Take what another question's run reported; `places` says where its documents are parts of others."""
        for found, stage, tags, pass_ in other.findings():
            self.add(_placed(found, places), stage, tags, pass_)
        self.skipped.update(other.skipped)
        self.asked += other.asked
        self.unasked += other.unasked

    def skip(self, stages: Sequence[str], table: str | None) -> None:
        """Note stages that were not asked, since something that they need is missing."""
        self.skipped.update(dict.fromkeys(stages, table))

    def findings(self) -> list[tuple[Diagnostic, str, tuple[str, ...], str]]:
        """Return each finding with its stage, the tags of its rule, and the pass of a flow in which it was made."""
        return [(found, *rest) for found, rest in zip(self.diagnostics, self._stages, strict=True)]

    def as_records(self) -> list[Finding]:
        """Return the findings as expressions see them, in the order of the report."""
        self.sort()
        return [Finding(*each) for each in self.findings()]

    def sort(self) -> None:
        """Put the findings in the order in which the pack lists the stages."""
        places = {name: place for place, name in enumerate(self._order)}
        last = len(places)
        both = sorted(self.findings(), key=lambda each: places.get(each[1], last))
        self.diagnostics = [found for found, *_ in both]
        self._stages = [(stage, tags, pass_) for _, stage, tags, pass_ in both]

    def passed(self, stages: Mapping[str, object] | Sequence[str]) -> bool:
        """Return whether all of the stages ran without an error, or were not asked for at all."""
        if not (self.failed or self.skipped):
            return True
        return not any(stage in self.failed or stage in self.skipped for stage in stages)

    @property
    def ok(self) -> bool:
        """Whether no stage found an error."""
        return not self.failed


def _placed(found: Diagnostic, places: Mapping[str, str]) -> Diagnostic:
    """Return a finding with its pointer in the document that the one it is in is a part of."""
    if found.document is None or found.document not in places:
        return found
    from dataclasses import replace

    document, _, base = places[found.document].partition("#")
    return replace(found, document=document, pointer=base + (found.pointer or ""))
