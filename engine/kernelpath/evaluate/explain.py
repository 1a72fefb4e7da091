"""Say why a variable has its value: which candidates there were, which one applied, and what each of them read.

The rules are evaluated once more by the interpreter, which is their meaning, over the variables that the item had.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kernelpath.evaluate.observe import Visit
from kernelpath.language import EvaluationError, Trace, interpret, unparse
from kernelpath.language.ast import Expression, Index, Member, Name
from kernelpath.packs.model import Candidate, Pack, Place, Resolve, Row, Rule, Table, Term
from kernelpath.packs.reads import gives


@dataclass(frozen=True, slots=True)
class Read:
    """A value that an expression read: `root` is the variable, `path` the members and keys from there on.

    `owners` are the values on the way, the variable's own first; the value read is not among them.
    """

    text: str
    value: Any
    root: Name
    path: tuple[str, ...]
    owners: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """An expression's value and what it read; not `known` where a fault left open what it reads."""

    text: str
    place: Place
    known: bool
    value: Any
    reads: tuple[Read, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate or a row: its condition, whether it applies (None: not looked at, or unknown), and its value."""

    when: Reading | None
    applies: bool | None
    text: str
    value: Reading | None
    source: str
    place: Place


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a variable has its value: the rule that gave it, and its choices up to the one that applied."""

    variable: str
    rule: Rule
    when: Reading | None
    choices: tuple[Choice, ...]
    known: bool
    value: Any
    source: str


class Explainer:
    """Explains the variables of one visit."""

    def __init__(self, pack: Pack, visit: Visit) -> None:
        self.visit = visit
        self.rules = {rule.identity: rule for rule in pack.rules()}
        self.giving = {name: rule for rule in self._walked() if (name := gives(rule))}

    def _walked(self) -> Iterator[Rule]:
        return (self.rules[rule["id"]] for rule in self.visit.rules)

    def fields(self) -> dict[str, str]:
        """Return the variables that the item's built objects are made of, by the dotted path that each has there.

        A row that does not apply to the item gives its object no member.
        """
        found: dict[str, str] = {}
        for rule in self._walked():
            if isinstance(rule, Table) and rule.hit == "build" and not self._is_part(rule):
                found.update(self._members(rule, ()))
        return found

    def _is_part(self, rule: Table) -> bool:
        """Whether the rule's object only serves to build another one."""
        others = (other for other in self._walked() if isinstance(other, Table) and other.hit == "build")
        return any(_variable(row) == rule.variable for other in others for row in other.rows)

    def _members(self, rule: Table, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        for row in rule.rows:
            if not self._may_apply(rule, row):
                continue
            variable = _variable(row)
            given = self.giving.get(variable or "")
            if isinstance(given, Table) and given.hit == "build":
                yield from self._members(given, (*path, *row.path))
            elif variable and given:
                yield ".".join((*path, *row.path)), variable

    def _may_apply(self, rule: Table, row: Row) -> bool:
        """Whether a row applies, or an earlier fault leaves open whether it does."""
        when = self.reading(row.when, self._with_lets(rule)) if row.when else None
        return when is None or not when.known or bool(when.value)

    def explain(self, variable: str) -> Explanation:
        """Return why a variable that a rule of the visit gives has its value."""
        rule = self.giving[variable]
        environment = self._with_lets(rule)
        when = self.reading(rule.when, environment) if rule.when else None
        value = self.visit.walk.environment.get(variable)
        known = variable in self.visit.walk.environment and variable not in self.visit.walk.tainted
        source = str(self.visit.walk.environment.get(f"source({variable})", ""))
        choices: tuple[Choice, ...] = ()
        if when is None or (when.known and when.value):
            choices = tuple(self._choices(rule, environment))
        return Explanation(variable, rule, when, choices, known, value, source)

    def _choices(self, rule: Rule, environment: Mapping[str, Any]) -> Iterator[Choice]:
        parts: tuple[Candidate | Row, ...] = ()
        if isinstance(rule, Resolve):
            parts = rule.candidates
        elif isinstance(rule, Table):
            parts = rule.rows
        decided = False
        for part in parts:
            choice = self._choice(part, environment, decided)
            one_of_them = isinstance(rule, Resolve) or (isinstance(rule, Table) and rule.hit == "first")
            decided = decided or (one_of_them and choice.applies is not False)
            yield choice

    def _choice(self, part: Candidate | Row, environment: Mapping[str, Any], decided: bool) -> Choice:
        """Return one choice; those after the one that decided are not looked at."""
        if decided:
            return Choice(None, None, part.value.text, None, "", part.place)
        when = self.reading(part.when, environment) if part.when else None
        applies = True if when is None else (bool(when.value) if when.known else None)
        value = self.reading(part.value, environment) if applies else None
        source = ""
        if applies and isinstance(part, Candidate):
            told = self.reading(part.source, environment)
            source = str(told.value) if told.known else ""
        return Choice(when, applies, part.value.text, value, source, part.place)

    def let(self, variable: str, name: str) -> Reading | None:
        """Return what the rule that gives a variable calls by a name, and what that read; None for no such name."""
        rule = self.giving[variable]
        term = dict(rule.lets).get(name)
        return self.reading(term, self._with_lets(rule)) if term is not None else None

    def _with_lets(self, rule: Rule) -> dict[str, Any]:
        environment = dict(self.visit.walk.environment)
        for name, term in rule.lets:
            reading = self.reading(term, environment)
            if reading.known:
                environment[name] = reading.value
        return environment

    def reading(self, term: Term, environment: Mapping[str, Any]) -> Reading:
        """Return the value of an expression over an environment, and what it read."""
        return read(term, environment, frozenset(self.visit.walk.tainted))


def read(term: Term, environment: Mapping[str, Any], tainted: frozenset[str] = frozenset()) -> Reading:
    """Return the value of a term over an environment and what it read; a tainted variable's value is not known."""
    trace = Trace()
    known = tainted.isdisjoint(term.checked.variables)
    value: Any = None
    if known:
        sources = {name: str(environment.get(f"source({name})", "")) for name in term.checked.sources}
        try:
            value = interpret(term.checked, environment, sources, trace)
        except (EvaluationError, KeyError):
            known = False
    return Reading(term.text, term.place, known, value, tuple(_reads(trace)))


def _reads(trace: Trace) -> Iterator[Read]:
    """Yield the distinct reads of an evaluation, without those that are only on the way to another."""
    values = {id(node): value for node, value in trace.nodes}
    owners = {id(node.object) for node, _ in trace.nodes if isinstance(node, Member | Index)}
    told: set[str] = set()
    for node, value in trace.nodes:
        if not isinstance(node, Name | Member | Index) or id(node) in owners:
            continue
        chain = list(_chain(node))
        text = unparse(node)
        if text not in told and isinstance(chain[0], Name):
            told.add(text)
            path = tuple(_step(inner, values) for inner in chain[1:])
            yield Read(text, value, chain[0], path, tuple(values.get(id(inner)) for inner in chain[:-1]))


def _chain(node: Expression) -> list[Expression]:
    """Return the expressions on the way to a member, the outermost object first."""
    chain = [node]
    while isinstance(chain[0], Member | Index):
        chain.insert(0, chain[0].object)
    return chain


def _step(node: Expression, values: Mapping[int, Any]) -> str:
    return node.name if isinstance(node, Member) else str(values.get(id(node.index))) if isinstance(node, Index) else ""


def _variable(row: Row) -> str | None:
    """Return the variable that a row passes on as it is."""
    node = row.value.checked.expression
    return node.name if isinstance(node, Name) else None


__all__ = ["Choice", "Explainer", "Explanation", "Read", "Reading", "read"]
