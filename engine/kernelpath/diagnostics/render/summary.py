"""How many findings of each severity there are."""

from __future__ import annotations

from collections.abc import Sequence

from kernelpath.diagnostics.diagnostic import SEVERITIES, Diagnostic


def counts(diagnostics: Sequence[Diagnostic]) -> dict[str, int]:
    """Return the number of findings by severity, gravest first."""
    return {severity: sum(d.severity == severity for d in diagnostics) for severity in SEVERITIES}


def counted(diagnostics: Sequence[Diagnostic]) -> str:
    """Return the counts as words, such as `2 errors, 1 warning`.

    >>> counted([])
    'no findings'
    """
    parts = [f"{n} {severity}{'s' * (n != 1)}" for severity, n in counts(diagnostics).items() if n]
    return ", ".join(parts) or "no findings"
