"""What is told to people about what they wrote: collected in lists, in evaluation order, never thrown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kernelpath.diagnostics.source import Span

ERROR = "error"
WARNING = "warning"
NOTE = "note"
SEVERITIES = (ERROR, WARNING, NOTE)


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that matters to a diagnostic, and what it has to do with it."""

    span: Span
    text: str

    def to_dict(self) -> dict[str, object]:
        """Return the label as plain JSON."""
        return {"span": self.span.to_dict(), "text": self.text}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: which rule, what is wrong, where, and the values that decided it.

    `document` names the kind of file that `pointer`, a JSON pointer, points into. `subject` is the item or the field
    that is blamed. `values` are the names and the printed values that decided. `fix` is free-form, save for `edits`,
    a list of text replacements (the members of a span, and `text`), and `description`.
    """

    rule: str
    decisions: tuple[str, ...]
    severity: str
    message: str
    subject: str | None = None
    document: str | None = None
    pointer: str | None = None
    span: Span | None = None
    secondary: tuple[Label, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    help: str | None = None
    fix: Mapping[str, object] | None = None
    docs: str | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the diagnostic as plain JSON, its members in the order of the fields and absent ones left out."""
        members: dict[str, object] = {
            "rule": self.rule,
            "decisions": list(self.decisions),
            "severity": self.severity,
            "message": self.message,
            "subject": self.subject,
            "document": self.document,
            "pointer": self.pointer,
            "span": self.span.to_dict() if self.span else None,
            "secondary": [label.to_dict() for label in self.secondary] or None,
            "values": [{"name": name, "value": value} for name, value in self.values] or None,
            "help": self.help,
            "fix": dict(self.fix) if self.fix is not None else None,
            "docs": self.docs,
        }
        return {name: value for name, value in members.items() if value is not None}

    def with_span(self, span: Span | None, secondary: tuple[Label, ...] | None = None) -> Diagnostic:
        """Return the diagnostic at another place, with other second places where they are given."""
        return replace(self, span=span, secondary=self.secondary if secondary is None else secondary)
