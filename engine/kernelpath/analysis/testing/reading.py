"""What a rule reads: the variables, provenances and record fields that a case may give it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kernelpath.language import Checked
from kernelpath.language.ast import Member, walk
from kernelpath.language.types import Record, required
from kernelpath.packs.model import Check, Resolve, Rule, Scope, Table, Term, Text, Transition


@dataclass(frozen=True, slots=True)
class Reads:
    """The scope's variables, the resolved variables whose source is asked for, and fields by record name."""

    variables: frozenset[str]
    sources: frozenset[str]
    fields: dict[str, set[str]]


def reads_of(rule: Rule, scope: Scope) -> Reads:
    """Return everything that a rule reads, in what decides it and in what it says."""
    checked = list(_checked(rule, scope))
    own = {name for name, _ in rule.lets}
    fields: dict[str, set[str]] = {}
    for part in checked:
        for node in walk(part.expression):
            if isinstance(node, Member) and isinstance(owner := required(node.object.type), Record):
                fields.setdefault(owner.name, set()).add(node.name)
        if isinstance(whole := required(part.type), Record):  # it is handed on as it is
            fields[whole.name] = set(whole.fields)
    variables = {name for part in checked for name in part.variables} - own
    return Reads(frozenset(variables), frozenset(name for part in checked for name in part.sources), fields)


def _checked(rule: Rule, scope: Scope) -> Iterator[Checked]:
    for part in [*(term for _, term in rule.lets), rule.when, *_parts(rule, scope)]:
        if isinstance(part, Term):
            yield part.checked
        elif part is not None:
            yield from (piece for piece in part.checked.pieces if isinstance(piece, Checked))


def _parts(rule: Rule, scope: Scope) -> list[Term | Text | None]:
    match rule:
        case Check():
            return [rule.holds, rule.message, rule.help, rule.subject or scope.subject, rule.at, scope.at]
        case Resolve():
            return [part for way in rule.candidates for part in (way.when, way.value, way.source)]
        case Transition():
            return [rule.slot, rule.value]
        case Table():
            return [rule.base, *(part for row in rule.rows for part in (row.when, row.value))]
    return []
