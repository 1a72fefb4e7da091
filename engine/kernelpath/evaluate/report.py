"""Collect what rules say about items, each finding once, in evaluation order."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernelpath.diagnostics import Diagnostic
    from kernelpath.evaluate.unasked import Unasked


def was_judged(ok: bool, value: object, asked: int) -> bool:
    """Return whether something was looked at: an error was found, or checks were asked and gave a value."""
    return not ok or (value is not None and asked > 0)


class Report:
    """The diagnostics of one run; `failed` are the stages in which something was an error.

    `asked` counts the items that were taken through a stage with checks; `unasked` are the checks that errors kept from
    being asked.
    """

    __slots__ = ("_seen", "_stages", "asked", "diagnostics", "failed", "skipped", "unasked", "verdicts")

    def __init__(self) -> None:
        self.asked = 0
        self.unasked: list[Unasked] = []
        self.diagnostics: list[Diagnostic] = []
        self.failed: set[str] = set()
        self.skipped: set[str] = set()
        self.verdicts: set[str] = set()
        self._stages: list[tuple[str, tuple[str, ...]]] = []
        self._seen: set[tuple[str, str | None, str]] = set()

    def add(self, diagnostic: Diagnostic, stage: str, verdicts: tuple[str, ...] = ()) -> None:
        """Take a finding; one that says the same of the same subject by the same rule is left out."""
        if diagnostic.severity == "error":
            self.failed.add(stage)
        self.verdicts.update(verdicts)
        key = (diagnostic.rule, diagnostic.subject, diagnostic.message)
        if key not in self._seen:
            self._seen.add(key)
            self.diagnostics.append(diagnostic)
            self._stages.append((stage, verdicts))

    def findings(self) -> list[tuple[Diagnostic, str, tuple[str, ...]]]:
        """Return each finding with its stage and the verdicts that it turns."""
        return [(found, *rest) for found, rest in zip(self.diagnostics, self._stages, strict=True)]

    def passed(self, stages: Mapping[str, object] | list[str] | tuple[str, ...]) -> bool:
        """Return whether all of the stages ran without an error."""
        if not (self.failed or self.skipped):
            return True
        return not any(stage in self.failed or stage in self.skipped for stage in stages)

    @property
    def ok(self) -> bool:
        """Whether no stage found an error."""
        return not self.failed
