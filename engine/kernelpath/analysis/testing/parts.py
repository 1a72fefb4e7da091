"""The parts of a rule that have an expression or a text: by name, each with the rule that another one would make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from kernelpath.packs.model import Check, Resolve, Rule, Table, Term, Text, Transition


@dataclass(frozen=True, slots=True)
class Part:
    """An expression or a text of a rule; its name is the one that `evaluate` tells observers.

    `changed` returns the rule with another expression, or text, in its place.
    """

    name: str
    term: Term | Text
    changed: Callable[[Term | Text | None], Rule]


def parts_of(rule: Rule) -> list[Part]:
    """Return the parts of a rule, those that decide first; a source that no one wrote is none."""
    found = [*_lets(rule), *_members(rule, {"when": "when"})]
    match rule:
        case Check():
            texts = {name: name for name in ("message", "help", "subject", "at")}
            found += _members(rule, {"check": "holds", **texts})
        case Resolve():
            found += _entries(rule, "first", "candidates", ("when", "value", "source"))
        case Transition():
            found += _members(rule, {"slot": "slot", "holds": "value"})
        case Table():
            found += [*_members(rule, {"base": "base"}), *_entries(rule, "rows", "rows", ("when", "value"))]
    return found


def terms_of(rule: Rule) -> dict[str, Term]:
    """Return the expressions among a rule's parts, by name."""
    return {part.name: part.term for part in parts_of(rule) if isinstance(part.term, Term)}


def _lets(rule: Rule) -> Iterator[Part]:
    for index, (name, term) in enumerate(rule.lets):
        before, after = rule.lets[:index], rule.lets[index + 1 :]

        def changed(new: Any, name: str = name, before: Any = before, after: Any = after) -> Rule:
            return replace(rule, lets=(*before, (name, new), *after))

        yield Part(f"let {name}", term, changed)


def _members(rule: Rule, names: dict[str, str]) -> list[Part]:
    """Return the parts that are members of the rule itself: the model's name of each by the rule file's."""
    found = []
    for name, member in names.items():
        term = getattr(rule, member)
        if term is not None:
            found.append(Part(name, term, lambda new, member=member: replace(rule, **{member: new})))  # type: ignore[misc]
    return found


def _entries(rule: Rule, name: str, member: str, keys: tuple[str, ...]) -> list[Part]:
    """Return the parts of each candidate or row."""
    entries, found = getattr(rule, member), []
    for index, entry in enumerate(entries):
        for key in keys:
            term = getattr(entry, key)
            if term is not None and term.place != entry.place:  # a source that is not written stands at its candidate

                def changed(new: object, index: int = index, key: str = key) -> Rule:
                    other = replace(entries[index], **{key: new})
                    return replace(rule, **{member: (*entries[:index], other, *entries[index + 1 :])})  # type: ignore[arg-type]

                found.append(Part(f"{name}[{index}].{key}", term, changed))
    return found
