"""The expressions of a rule in the order of evaluation, each with what is known where it is evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kernelpath.analysis.lint.folding import Constant, condition_constants, constants
from kernelpath.analysis.lint.knowledge import Known
from kernelpath.language import Checked
from kernelpath.language.types import BOOL
from kernelpath.packs.model import Check, Resolve, Rule, Table, Term, Text, Transition


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A term and what is known where it is evaluated; `decides` says that it is a condition of the rule."""

    term: Term | Text
    known: Known
    decides: bool

    def constants(self) -> Iterator[Constant]:
        """Yield the conditions in it that always have one value."""
        if isinstance(self.term, Text):
            pieces = (piece for piece in self.term.checked.pieces if isinstance(piece, Checked))
            for piece in pieces:
                yield from constants(piece.expression, self.known)
        elif self.decides or self.term.checked.type == BOOL:
            found = condition_constants(self.term.checked.expression, self.known)
            whole = self.term.checked.expression
            yield from (each for each in found if self.decides or each.node is not whole)
        else:
            yield from constants(self.term.checked.expression, self.known)


def evaluated(rule: Rule) -> Iterator[Evaluated]:
    """Yield a rule's terms; a resolved value may well be a constant, a condition may not."""
    known = Known()
    for _, term in rule.lets:
        yield Evaluated(term, known, False)
    if rule.when:
        yield Evaluated(rule.when, known, True)
        known = known.assuming(rule.when.checked.expression, True)
    match rule:
        case Check():
            yield from _of_check(rule, known)
        case Resolve():
            for candidate in rule.candidates:
                yield from _guarded(candidate.when, [candidate.value, candidate.source], known)
        case Table():
            yield from _guarded(None, [rule.base] if rule.base else [], known)
            for row in rule.rows:
                yield from _guarded(row.when, [row.value], known)
        case Transition():
            yield from _guarded(None, [rule.slot, rule.value], known)


def _of_check(rule: Check, known: Known) -> Iterator[Evaluated]:
    yield Evaluated(rule.holds, known, True)
    failed = known.assuming(rule.holds.checked.expression, False)
    for text in (rule.message, rule.help, rule.subject, rule.at):
        if text:
            yield Evaluated(text, failed, False)


def _guarded(when: Term | None, values: list[Term], known: Known) -> Iterator[Evaluated]:
    if when:
        yield Evaluated(when, known, True)
        known = known.assuming(when.checked.expression, True)
    for value in values:
        yield Evaluated(value, known, False)
