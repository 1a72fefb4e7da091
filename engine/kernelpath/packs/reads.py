"""What a rule, or any other part of a pack, reads and gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass

from kernelpath.language import Expression, Type
from kernelpath.packs.model import Check, Resolve, Rule, Table, Term, Text, Transition


def gives(rule: Rule) -> str | None:
    """Return the variable that the rule resolves, if it is of a kind that does."""
    return rule.variable if isinstance(rule, Resolve | Table) else None


def terms_of(rule: Rule) -> list[Term]:
    """Return all expressions that decide a rule: its condition, its kind's own, and the lets that these read.

    Messages are left out, and so are lets that only a message reads.
    """
    terms = [rule.when] if rule.when else []
    match rule:
        case Check():
            terms.append(rule.holds)
        case Resolve():
            for candidate in rule.candidates:
                terms += [term for term in (candidate.when, candidate.value, candidate.source) if term]
        case Transition():
            terms += [rule.slot, rule.value]
        case Table():
            terms += [rule.base] if rule.base else []
            terms += [term for row in rule.rows for term in (row.when, row.value) if term]
    return [*(term for _, term in _lets_read(rule, terms)), *terms]


def deciding_lets(rule: Rule) -> list[tuple[str, Term]]:
    """Return the rule's own names that decide it, in their order."""
    lets = {id(term): (name, term) for name, term in rule.lets}
    return [lets[id(term)] for term in terms_of(rule) if id(term) in lets]


def _lets_read(rule: Rule, terms: list[Term]) -> list[tuple[str, Term]]:
    """Return the lets that the terms read, directly or through another let."""
    needed = {name for term in terms for name in term.checked.variables}
    read: list[tuple[str, Term]] = []
    for name, term in reversed(rule.lets):
        if name in needed:
            needed |= term.checked.variables
            read.insert(0, (name, term))
    return read


def variables_read(rule: Rule) -> set[str]:
    """Return the scope variables that decide a rule, its own lets left out."""
    own = {name for name, _ in rule.lets}
    read = {name for term in terms_of(rule) for name in term.checked.variables | term.checked.sources}
    return read - own


def sources_read(rule: Rule) -> set[str]:
    """Return the resolved variables whose provenance the rule reads."""
    return {name for term in terms_of(rule) for name in term.checked.sources}


def rule_names(rule: Rule) -> Iterator[str]:
    """Yield all variables that a rule reads, in its conditions, its results and its texts, its lets among them."""
    terms: list[Term | Text | None] = [*terms_of(rule), *(term for _, term in rule.lets)]
    if isinstance(rule, Check):
        terms += [rule.message, rule.help, rule.subject, rule.at]
    return text_names(terms)


def text_names(terms: Iterable[Term | Text | None]) -> Iterator[str]:
    """Yield the variables that expressions and messages read."""
    for term in terms:
        if term is not None:
            yield from sorted(term.checked.variables | term.checked.sources)


def terms_in(value: object) -> Iterator[Term | Text]:
    """Yield every expression and message of a part of a pack's model."""
    if isinstance(value, Term | Text):
        yield value
    elif isinstance(value, Type | Expression):
        return  # record types may hold each other
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from terms_in(getattr(value, each.name))
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from terms_in(inner)
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from terms_in(inner)
