"""Evaluate one rule on one item by walking its expressions: what the rule means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from kernelpath.analysis.testing.outcomes import Outcome
from kernelpath.analysis.testing.records import NotGiven
from kernelpath.evaluate.item import not_unique
from kernelpath.language import EvaluationError, interpret, render
from kernelpath.language.interpreter import Recorder
from kernelpath.packs.model import Check, Resolve, Rule, Scope, Table, Term, Text, Transition

#: Called before a part of a rule is evaluated, with the part's name; may give a recorder of its values.
Observe = Callable[[str], Recorder | None]


def evaluate(
    rule: Rule, scope: Scope, values: Mapping[str, object], sources: Mapping[str, str], observe: Observe | None = None
) -> Outcome:
    """Return what the rule does with an item; raise NotGiven where it reads what `values` does not have.

    Parts are named `let NAME`, `when`, `check`, `first[0].when`, `first[0].value`, `first[0].source`, `slot`, `holds`,
    `base`, `rows[0].when`, `rows[0].value`.
    """
    return _Evaluation(rule, scope, dict(values), sources, observe or _unobserved).outcome()


def _unobserved(_: str) -> None:
    return None


@dataclass(slots=True)
class _Evaluation:
    rule: Rule
    scope: Scope
    values: dict[str, object]
    sources: Mapping[str, str]
    observe: Observe
    lacking: dict[str, NotGiven] = field(default_factory=dict)

    def outcome(self) -> Outcome:
        try:
            if self.rule.when and not self.value("when", self.rule.when):
                return Outcome("skip")
            match self.rule:
                case Check():
                    return self.check(self.rule)
                case Resolve():
                    return self.resolve(self.rule)
                case Transition():
                    return self.transition(self.rule)
                case Table():
                    return self.table(self.rule)
        except EvaluationError as error:
            return Outcome("error", {"error": str(error)})
        raise TypeError(self.rule.kind)

    def check(self, rule: Check) -> Outcome:
        if self.value("check", rule.holds):
            return Outcome("pass")
        parts: dict[str, object] = {"fail": self.text(rule.message)}
        unknown: dict[str, str] = {}
        texts = {"subject": rule.subject or self.scope.subject, "help": rule.help}
        for name, text in texts.items():
            try:
                parts[name] = (self.text(text) or None) if text else None
            except NotGiven as error:
                unknown[name] = error.path
        try:
            parts["at"] = self.place(rule)
        except NotGiven as error:
            unknown["at"] = error.path
        return Outcome("fail", parts, unknown)

    def place(self, rule: Check) -> str | None:
        base = self.text(self.scope.at) if self.scope.at else ""
        return base + (self.text(rule.at) if rule.at else "") if base else None

    def resolve(self, rule: Resolve) -> Outcome:
        for index, candidate in enumerate(rule.candidates):
            part = f"first[{index}]"
            if candidate.when is None or self.value(f"{part}.when", candidate.when):
                source = self.value(f"{part}.source", candidate.source)
                return Outcome("value", {"value": self.value(f"{part}.value", candidate.value), "source": source})
        return Outcome("value", {"value": None, "source": ""})

    def transition(self, rule: Transition) -> Outcome:
        return Outcome("slot", {"slot": self.value("slot", rule.slot), "holds": self.value("holds", rule.value)})

    def table(self, rule: Table) -> Outcome:
        applying = (
            (index, row)
            for index, row in enumerate(rule.rows)
            if row.when is None or self.value(f"rows[{index}].when", row.when)
        )
        chosen = [*islice(applying, 1)] if rule.hit == "first" else [*applying]  # after the first no row is asked
        rows = [(f"rows[{index}].value", row) for index, row in chosen]
        if rule.hit == "build":
            return Outcome("value", {"value": self.built(rule, rows)})
        if rule.hit == "collect":
            return Outcome("value", {"value": [self.value(part, row.value) for part, row in rows]})
        if rule.hit == "unique" and len(rows) > 1:
            raise EvaluationError(not_unique([index for index, _ in chosen]))
        return Outcome("value", {"value": self.value(rows[0][0], rows[0][1].value) if rows else None})

    def built(self, rule: Table, rows: list[Any]) -> dict[str, Any]:
        built: dict[str, Any] = {}
        for part, row in rows:
            target = built
            for name in row.path[:-1]:
                target = target.setdefault(name, {})
            target[row.path[-1]] = self.value(part, row.value)
        return {**self.value("base", rule.base), **built} if rule.base else built

    def value(self, part: str, term: Term) -> Any:
        self.bind(term.checked.variables)
        with _Reading(self):
            return interpret(term.checked, self.values, self.sources, self.observe(part))

    def text(self, text: Text) -> str:
        self.bind(text.checked.variables)
        with _Reading(self):
            return render(text.checked, self.values, self.sources)

    def bind(self, names: frozenset[str]) -> None:
        """Evaluate the rule's own names among those that a part reads; one that lacks something is left out."""
        for name, term in self.rule.lets:
            if name in names and name not in self.values and name not in self.lacking:
                try:
                    self.values[name] = self.value(f"let {name}", term)
                except NotGiven as error:
                    self.lacking[name] = error


@dataclass(slots=True)
class _Reading:
    """Turns the KeyError of a variable or source that is not there into what the case lacks."""

    evaluation: _Evaluation

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if not isinstance(error, KeyError):
            return
        name = error.args[0]
        if name in self.evaluation.lacking:
            raise self.evaluation.lacking[name] from None
        if name in self.evaluation.values:
            raise NotGiven(f"`source({name})`") from None
        raise NotGiven(f"`{name}`") from None
