"""Candidates and rows: those that are never chosen, or for nothing; items without a value, or with two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kernelpath.analysis.analyze.checks import finding, is_dead
from kernelpath.analysis.analyze.findings import Finding
from kernelpath.analysis.analyze.region import Cover, Outcomes, Region
from kernelpath.analysis.domain.search import Where
from kernelpath.analysis.testing.records import admits_null
from kernelpath.language import Type
from kernelpath.language.ast import Literal
from kernelpath.language.types import BOOL, Record, Vocabulary, required
from kernelpath.packs.model import Candidate, Place, Resolve, Row, Table, Term


def _tables(region: Region) -> list[tuple[int, Resolve | Table]]:
    """Return the live rules that give a value, with their places."""
    found = [(place, rules.rule) for place, rules in enumerate(region.rules)]
    return [(place, rule) for place, rule in found if isinstance(rule, Resolve | Table) and not is_dead(region, place)]


def _options(rule: Resolve | Table) -> Sequence[Candidate | Row]:
    return rule.candidates if isinstance(rule, Resolve) else rule.rows


def _word(rule: Resolve | Table) -> str:
    return "candidate" if isinstance(rule, Resolve) else "row"


def _in_turn(rule: Resolve | Table) -> bool:
    return isinstance(rule, Resolve) or rule.hit == "first"


def _at(found: Finding, place: Place) -> Finding:
    return replace(found, place=place)


def unreachable(region: Region) -> Iterator[Finding]:
    """Find candidates and rows that never apply, or only where an earlier one is chosen."""
    for place, rule in _tables(region):
        applies = region.applies(place)
        for at, option in enumerate(_options(rule)):
            own = applies.also(region.options[place][at])
            earlier = [(i, Where().also(region.options[place][i])) for i in range(at)] if _in_turn(rule) else []
            by = region.cover(own, earlier)
            if by is not None and region.proves(own, *(cover for other, cover in earlier if other in by)):
                found = _unreachable(region, place, at, own, [pair for pair in earlier if pair[0] in by])
                dead = found.kind == "dead-row" and option.when is not None
                yield _at(found, option.when.place if dead and option.when else option.place)


def _unreachable(region: Region, place: int, at: int, own: Where, earlier: list[Cover]) -> Finding:
    rule = region.rules[place].rule
    assert isinstance(rule, Resolve | Table)
    word = _word(rule)
    if region.is_empty(own):
        message = f"{word} {at + 1} never applies"
        reason = region.reason([own], "its condition does not hold")
        return finding(region, place, "dead-row", message, reason, row=at + 1)
    names = [f"{word} {other + 1}" for other, _ in earlier]
    chosen = " or ".join(names)
    message = f"{word} {at + 1} is never chosen: where it applies, {chosen} is chosen before"
    reason = region.reason([own, *(cover for _, cover in earlier)], "it is not the first to apply")
    witness = region.witness(own, lambda found: rule.name in found and found[rule.name].kind == "value")
    return finding(region, place, "shadowed-row", message, reason, row=at + 1, by=tuple(names), witness=witness)


def redundant(region: Region) -> Iterator[Finding]:
    """Find candidates and rows in whose place later ones give the very same."""
    for place, rule in _tables(region):
        if not _in_turn(rule):
            continue
        options = _options(rule)
        chosen = region.applies(place)
        for at, option in enumerate(options[:-1]):
            own = chosen.also(region.options[place][at])
            chosen = chosen.never(region.options[place][at])
            if not region.is_empty(own) and _same_without(region, place, at, own):
                message = f"{_word(rule)} {at + 1} is for nothing: without it later ones give the same"
                reason = region.reason([own.also(*region.options[place][at + 1 :])], "the value does not change")
                found = finding(region, place, "redundant-row", message, reason, row=at + 1)
                witness = region.witness(own, lambda found, name=rule.name: name in found)  # type: ignore[misc]
                yield replace(found, place=option.place, witness=witness)


def _same_without(region: Region, place: int, at: int, own: Where) -> bool:
    """Return whether the options after one give its value and source in all of its region."""
    rule = region.rules[place].rule
    assert isinstance(rule, Resolve | Table)
    options, left = _options(rule), own
    for later in range(at + 1, len(options)):
        taken = left.also(region.options[place][later])
        if not _equal(options[at], options[later]) and not region.is_empty(taken):
            return False
        left = left.never(region.options[place][later])
    return (_is_null(options[at].value) or region.is_empty(left)) and region.proves(own.also(*region.options[place]))


def _equal(one: Candidate | Row, other: Candidate | Row) -> bool:
    """Return whether two options give the same by their text."""
    values = one.value.checked.expression == other.value.checked.expression
    if isinstance(one, Candidate) and isinstance(other, Candidate):
        return values and one.source.checked.expression == other.source.checked.expression
    return values


def _is_null(term: Term) -> bool:
    expression = term.checked.expression
    return isinstance(expression, Literal) and expression.value is None


def gaps(region: Region) -> Iterator[Finding]:
    """Find rules that leave a variable without value for some item.

    They do so where its type has no null; and in a decision table over inputs of closed types alone, of which every
    combination can be told: what such a table says nothing about was forgotten, or is said by a last row for the rest.
    """
    for place, rule in _tables(region):
        if not isinstance(rule, Resolve) and rule.hit not in ("first", "unique"):
            continue
        needed = not admits_null(region.formulas.scope.given[rule.variable])
        if not needed and (isinstance(rule, Resolve) or not _is_closed(region, place)):
            continue
        options = region.domain.diagrams.union(region.options[place])
        covered = region.domain.diagrams.both(region.when[place], options) if needed else options
        open_ = (region.reached[place] if needed else region.applies(place)).never(covered)
        if not region.is_empty(open_):
            yield from _gap(region, place, open_, needed)


def _is_closed(region: Region, place: int) -> bool:
    """Return whether the rows of a table depend on nothing but values of closed types."""
    levels = {level for node in region.options[place] for level in region.search.support(node)}
    return bool(levels) and all(_is_finite(region.domain.by_level[level].type) for level in levels)


def _is_finite(type_: Type) -> bool:
    inner = required(type_)
    return inner == BOOL or isinstance(inner, Record) or (isinstance(inner, Vocabulary) and not inner.open)


def _gap(region: Region, place: int, where: Where, needed: bool) -> Iterator[Finding]:
    rule = region.rules[place].rule
    assert isinstance(rule, Resolve | Table)

    def shows(found: Outcomes) -> bool:
        outcome = found.get(rule.name)
        return outcome is not None and outcome.kind in ("value", "skip") and outcome.parts.get("value") is None

    witness = region.witness(where, shows)
    if witness is not None:
        why = "and its type has no null" if needed else "though its inputs are of closed types"
        message = f"for some items the rule gives `{rule.variable}` no value, {why}"
        yield finding(region, place, "gap", message, "the witness was evaluated", witness=witness)


def overlaps(region: Region) -> Iterator[Finding]:
    """Find rows that apply at once: in a table of which one row may apply, or of one member of a built object."""
    for place, rule in _tables(region):
        if not isinstance(rule, Table) or rule.hit not in ("unique", "build"):
            continue
        for at in range(len(rule.rows)):
            for before in range(at):
                if rule.hit == "build" and not _same_member(rule.rows[before].path, rule.rows[at].path):
                    continue
                both = region.applies(place).also(*(region.options[place][i] for i in (before, at)))
                if not region.is_empty(both):
                    yield from _overlap(region, place, before, at, both)


def _same_member(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    short = min(len(one), len(other))
    return one[:short] == other[:short]


def _overlap(region: Region, place: int, before: int, at: int, both: Where) -> Iterator[Finding]:
    rule = region.rules[place].rule
    assert isinstance(rule, Table)
    unique = rule.hit == "unique"
    witness = region.witness(both, lambda found: rule.name in found and (found[rule.name].kind == "error") == unique)
    if witness is None:
        return
    what = "of which only one may apply" if unique else f"that write the same member `{'.'.join(rule.rows[at].path)}`"
    message = f"rows {before + 1} and {at + 1}, {what}, apply at once"
    found = finding(
        region,
        place,
        "overlap",
        message,
        "the witness was evaluated",
        row=at + 1,
        by=(f"row {before + 1}",),
        witness=witness,
    )
    yield replace(found, place=rule.rows[at].place)
