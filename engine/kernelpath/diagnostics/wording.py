"""The words for one kind of mistake, kept apart from the code that finds it, so that a stage's wording is one table."""

from __future__ import annotations

from dataclasses import dataclass

from kernelpath.diagnostics.diagnostic import ERROR, Diagnostic, Label
from kernelpath.diagnostics.source import Span


@dataclass(frozen=True, slots=True)
class Wording:
    """A mistake's rule, its message, its help, and what a second place has to do with it.

    Messages are lower case, without a full stop, with what the author wrote in backticks; help says what was meant.
    Both may name `{values}` in braces, which are filled in when the mistake is told.
    """

    rule: str
    message: str
    help: str | None = None
    second: str | None = None
    severity: str = ERROR

    def told(self, span: Span, second: Span | None = None, **values: object) -> Diagnostic:
        """Return the diagnostic for this mistake at a place."""
        return Diagnostic(
            rule=self.rule,
            decisions=(),
            severity=self.severity,
            message=self.message.format(**values),
            span=span,
            secondary=(Label(second, self.second),) if second and self.second else (),
            help=self.help.format(**values) if self.help else None,
        )
