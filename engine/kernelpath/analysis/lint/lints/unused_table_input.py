"""An input of a decision table that no row looks at."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.lints.unused_let import unread


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each input of a table that none of its rows, nor anything else in the rule, reads."""
    return (found for text in pack.own_rules for found in unread(text, "inputs", "input"))


LINT = Lint(
    code="unused-table-input",
    summary="an input of a table is looked at by a row",
    why="a table that names an input says that its rows depend on it; one that no row looks at misleads",
    bad="""
        summary: A box is labelled by its colour.
        why: Labels are read from afar.
        table: label
        inputs: {colour: box.colour, lid: box.lid}
        rows:
          - {match: {colour: red}, value: '"hot"'}
          - {value: '"cold"'}
        """,
    good="""
        summary: A box is labelled by its colour.
        why: Labels are read from afar.
        table: label
        inputs: {colour: box.colour, lid: box.lid}
        rows:
          - {match: {colour: red, lid: true}, value: '"hot"'}
          - {value: '"cold"'}
        """,
    find=find,
    fixed="takes the input out",
)
