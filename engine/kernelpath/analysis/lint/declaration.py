"""What a lint is: a code, its reasons, an example of each side, and the function that looks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.diagnostics import WARNING, Diagnostic, Label, Span

Edit = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Finding:
    """One place that a lint points at; `edits` are text replacements that put it right without changing any verdict."""

    message: str
    span: Span
    help: str | None = None
    secondary: tuple[Label, ...] = ()
    edits: Sequence[Edit] = ()
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Lint:
    """A lint; `bad` and `good` are near twins, each a rule file or, where it has `pack:` on top, parts of a pack.yaml.

    `fixed` says what the fix does, empty where there is none that is safe.
    """

    code: str
    summary: str
    why: str
    bad: str
    good: str
    find: Callable[[LintedPack], Iterator[Finding]]
    fixed: str = ""

    @property
    def rule(self) -> str:
        """The id under which its diagnostics are reported."""
        return f"lint/{self.code}"

    def diagnostics(self, pack: LintedPack) -> Iterator[Diagnostic]:
        """Yield what the lint finds in a pack."""
        return (self.diagnostic(found) for found in self.find(pack))

    def diagnostic(self, found: Finding) -> Diagnostic:
        """Return a finding as it is reported."""
        return Diagnostic(
            rule=self.rule,
            decisions=(),
            severity=WARNING,
            message=found.message,
            document="pack",
            span=found.span,
            secondary=found.secondary,
            help=found.help or (found.fix if found.edits else None),
            fix={"description": found.fix, "edits": list(found.edits)} if found.edits else None,
            docs=self.why,
        )
