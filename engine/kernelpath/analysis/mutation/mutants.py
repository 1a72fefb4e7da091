"""The mutants of a rule: changed expressions, conditions dropped, candidates and rows dropped or in another order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from kernelpath.analysis.mutation.operators import Change, changes
from kernelpath.analysis.testing.parts import Part, parts_of
from kernelpath.language import Checked
from kernelpath.packs.model import Resolve, Rule, Table, Term


@dataclass(frozen=True, slots=True)
class Mutant:
    """A rule with one change: of an expression in one of its parts, or of what entries it has.

    `change` is of the expression `piece` of the part, which is the only one unless the part is a text. `entries` says
    what is done to a list of the rule file instead: `("drop", key, place)`, `("swap", key, place)` with the one before,
    or `("drop when", part)`.
    """

    kind: str
    rule: Rule
    part: Part | None = None
    piece: int = 0
    change: Change | None = None
    entries: tuple[Any, ...] = ()


def mutants_of(rule: Rule) -> Iterator[Mutant]:
    """Yield every mutant of a rule, in the order of its parts."""
    for part in parts_of(rule):
        if part.name != "help":  # few cases say a help, and none has to
            yield from _changed(part)
        if part.name == "when" or part.name.endswith(".when"):
            yield Mutant("`when` left out", part.changed(None), part, entries=("drop when", part))
    if isinstance(rule, Resolve):
        yield from _listed(rule, "first", "candidates", "candidate")
    elif isinstance(rule, Table):
        yield from _listed(rule, "rows", "rows", "row")


def _changed(part: Part) -> Iterator[Mutant]:
    if isinstance(part.term, Term):
        checked = part.term.checked
        for change in changes(checked.expression, checked.type):
            changed = replace(part.term, checked=_with(checked, change))
            yield Mutant(change.kind, part.changed(changed), part, change=change)
        return
    pieces = part.term.checked.pieces
    for place, piece in enumerate(pieces):
        for change in changes(piece.expression) if isinstance(piece, Checked) else ():
            others = (*pieces[:place], _with(piece, change), *pieces[place + 1 :])
            text = replace(part.term, checked=replace(part.term.checked, pieces=others))
            yield Mutant(change.kind, part.changed(text), part, place, change)


def _with(checked: Any, change: Change) -> Any:
    return replace(checked, expression=change.expression)


def _listed(rule: Rule, key: str, member: str, word: str) -> Iterator[Mutant]:
    entries = getattr(rule, member)
    in_turn = not isinstance(rule, Table) or rule.hit in ("first", "collect")
    for place in range(len(entries)):
        if len(entries) > 1:
            rest = (*entries[:place], *entries[place + 1 :])
            yield Mutant(f"{word} left out", replace(rule, **{member: rest}), entries=("drop", key, place))  # type: ignore[arg-type]
        if place and in_turn:
            order = (*entries[: place - 1], entries[place], entries[place - 1], *entries[place + 1 :])
            yield Mutant(f"{word} order", replace(rule, **{member: order}), entries=("swap", key, place))  # type: ignore[arg-type]
