"""A candidate or a row that an earlier one leaves nothing for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.folding import fold
from kernelpath.analysis.lint.knowledge import Known
from kernelpath.analysis.lint.linted import LintedPack, LintedRule
from kernelpath.diagnostics import Label
from kernelpath.language import Expression
from kernelpath.packs.model import Candidate, Resolve, Row, Rule, Table


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each candidate and each row of a `first` table that can never be the first that applies."""
    for text in pack.own_rules:
        yield from _shadowed(text, _alternatives(text.rule), "row" if isinstance(text.rule, Table) else "candidate")


def _alternatives(rule: Rule) -> Sequence[Candidate | Row]:
    if isinstance(rule, Resolve):
        return rule.candidates
    return rule.rows if isinstance(rule, Table) and rule.hit == "first" else ()


def _shadowed(text: LintedRule, alternatives: Sequence[Candidate | Row], what: str) -> Iterator[Finding]:
    known = first = _before(text)
    always: Candidate | Row | None = None
    seen: set[tuple[Expression | None, Expression]] = set()
    for each in alternatives:
        condition = each.when.checked.expression if each.when else None
        span = text.node(each.place).span
        value = True if condition is None else fold(condition, known)
        if isinstance(each, Row) and (condition, each.value.checked.expression) in seen:
            continue  # the matter of `redundant-row`
        seen.add((condition, each.value.checked.expression))
        if always is not None:
            label = Label(text.node(always.place).span, f"this {what} always applies")
            yield Finding(f"this {what} is never reached", span, "put it before the one that always applies", (label,))
        elif value is True:
            always = each
        elif value is False and condition is not None and fold(condition, first) is None:
            message = f"this {what} is never reached: where it applies, an earlier one does"
            yield Finding(message, span, "put it before the one that covers it, or take it out")
        if condition is not None:
            known = known.assuming(condition, False)


def _before(text: LintedRule) -> Known:
    """What is known before the first candidate: one that is false even then is the matter of `always-false`."""
    when = text.rule.when
    return Known().assuming(when.checked.expression, True) if when else Known()


LINT = Lint(
    code="shadowed-candidate",
    summary="a candidate or a row can be the first that applies",
    why="the first that applies is taken, so one that stands behind an unconditional one is dead text",
    bad="""
        summary: A box is labelled by its lid.
        why: Labels are read from afar.
        resolve: label
        first:
          - {value: '"open"'}
          - {when: box.lid, value: '"closed"'}
        """,
    good="""
        summary: A box is labelled by its lid.
        why: Labels are read from afar.
        resolve: label
        first:
          - {when: box.lid, value: '"closed"'}
          - {value: '"open"'}
        """,
    find=find,
)
