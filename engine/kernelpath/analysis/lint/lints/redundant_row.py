"""A row of a table that repeats an earlier one."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.edits import removal
from kernelpath.analysis.lint.linted import LintedPack, LintedRule
from kernelpath.diagnostics import Label
from kernelpath.language import Expression
from kernelpath.packs.model import Row, Table


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each row whose condition, value and path are those of an earlier row, in a table where that adds nothing.

    In a table that collects, a row that stands twice counts twice.
    """
    for text in pack.own_rules:
        if isinstance(text.rule, Table) and text.rule.hit != "collect":
            yield from _repeated(text, text.rule)


def _repeated(text: LintedRule, table: Table) -> Iterator[Finding]:
    seen: dict[tuple[Expression | None, Expression, tuple[str, ...]], Row] = {}
    for index, row in enumerate(table.rows):
        key = (row.when.checked.expression if row.when else None, row.value.checked.expression, row.path)
        if key not in seen:
            seen[key] = row
            continue
        label = Label(text.node(seen[key].place).span, "the row that it repeats")
        edits = [] if table.hit == "unique" else removal(text.root, ("rows", index))
        span = text.node(row.place).span
        yield Finding("this row repeats an earlier one", span, None, (label,), edits, "take it out")


LINT = Lint(
    code="redundant-row",
    summary="no row of a table stands twice",
    why="a row that stands twice changes nothing, or breaks `unique`; most often one of the two should have differed",
    bad="""
        summary: A box is labelled by its colour.
        why: Labels are read from afar.
        table: label
        inputs: {colour: box.colour}
        rows:
          - {match: {colour: red}, value: '"hot"'}
          - {match: {colour: red}, value: '"hot"'}
          - {value: '"cold"'}
        """,
    good="""
        summary: A box is labelled by its colour.
        why: Labels are read from afar.
        table: label
        inputs: {colour: box.colour}
        rows:
          - {match: {colour: red}, value: '"hot"'}
          - {match: {colour: green}, value: '"hot"'}
          - {value: '"cold"'}
        """,
    find=find,
    fixed="takes the row out, unless the table is `unique`",
)
