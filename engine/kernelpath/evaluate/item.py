"""Take one item through the rules of a stage, rule by rule, and report what it breaks.

This is what the fused functions of `packs.fused` do when an item fails them: same rules, same order, but each finding
is worded, placed and collected. A variable is *tainted* where an earlier fault left its value unknown; rules that would
read a tainted variable stay silent, so that one fault gives one message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from kernelpath.diagnostics import Diagnostic
from kernelpath.evaluate.compiled import CompiledPack, Term
from kernelpath.evaluate.report import Report
from kernelpath.evaluate.slots import Slots
from kernelpath.graph.fresh import fresh
from kernelpath.language import EvaluationError

RuleData = Mapping[str, Any]


@dataclass(slots=True)
class ItemWalk:
    """One item on its way through a stage; `environment` has the scope's variables, `tainted` the unknown ones."""

    pack: CompiledPack
    scope: Mapping[str, Any]
    environment: dict[str, Any]
    tainted: set[str]
    report: Report
    slots: Slots | None = None
    pass_name: str = ""
    failed: bool = False
    stopped: bool = False
    failed_guards: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)
    unasked: list[str] = field(default_factory=list)

    def walk(self, rules: list[RuleData]) -> None:
        """Take the item through the rules of a stage in order, but for those that read what a failed check guards.

        `errors` are the rules that found one, `unasked` the checks of stages behind the one that stopped the item. Of
        those that are not asked because of a guard, the rule that failed says that they are not to be asked.
        """
        for rule in rules:
            if self.stopped:
                if rule["kind"] == "check":
                    self.unasked.append(rule["id"])
                else:
                    self._outcome_unknown(rule)
                continue
            if self.failed_guards and not self.failed_guards.isdisjoint(rule["guarded"]):
                self._outcome_unknown(rule)
                continue
            try:
                self._rule(rule)
            except EvaluationError as error:
                self._broken(rule, error)

    def _rule(self, rule: RuleData) -> None:
        environment = self._with_lets(rule)
        if rule["when"] and self._unknown(rule["when"]):
            self._outcome_unknown(rule)
        elif rule["when"] and not self.pack.value(rule["when"], environment):
            self._not_applicable(rule)
        else:
            getattr(self, "_" + rule["kind"])(rule, environment)

    def _with_lets(self, rule: RuleData) -> dict[str, Any]:
        if not rule["lets"]:
            return self.environment
        environment = dict(self.environment)
        for name, term in rule["lets"]:
            if self._unknown(term):
                self.tainted.add(name)
            else:
                self.tainted.discard(name)
                environment[name] = self.pack.value(term, environment)
        return environment

    def _unknown(self, term: Term) -> bool:
        return not self.tainted.isdisjoint(term[1])

    def _not_applicable(self, rule: RuleData) -> None:
        if rule["kind"] in ("resolve", "table"):
            self._give(rule, None, "")

    def _outcome_unknown(self, rule: RuleData) -> None:
        if rule["kind"] in ("resolve", "table"):
            self._taint(rule)
        elif rule["kind"] == "transition":
            self._forget(rule)
        elif rule["guards"]:
            self.tainted.update(rule["holds"][1])

    def _give(self, rule: RuleData, value: Any, source: str) -> None:
        name = rule["variable"]
        self.environment[name] = value
        self.environment[f"source({name})"] = source
        self.tainted.discard(name)
        self.tainted.discard(f"source({name})")

    def _taint(self, rule: RuleData) -> None:
        self.tainted.update((rule["variable"], f"source({rule['variable']})"))

    def _forget(self, rule: RuleData) -> None:
        if self.slots is None:
            return
        try:
            self.slots.forget(self.pack.value(rule["slot"], self.environment))
        except (EvaluationError, KeyError):
            self.slots.poison()

    def _check(self, rule: RuleData, environment: dict[str, Any]) -> None:
        if self._unknown(rule["holds"]):
            self._outcome_unknown(rule)
            return
        if self.pack.value(rule["holds"], environment):
            return
        self._report(rule, self._diagnostic(rule, environment))
        self.failed_guards.update(rule["guards"])

    def _resolve(self, rule: RuleData, _: dict[str, Any]) -> None:
        environment = self._with_lets(rule)
        for candidate in rule["candidates"]:
            if candidate["when"]:
                if self._unknown(candidate["when"]):
                    return self._taint(rule)
                if not self.pack.value(candidate["when"], environment):
                    continue
            if self._unknown(candidate["value"]):
                return self._taint(rule)
            source = "" if self._unknown(candidate["source"]) else self.pack.value(candidate["source"], environment)
            return self._give(rule, self.pack.value(candidate["value"], environment), source)
        return self._give(rule, None, "")

    def _transition(self, rule: RuleData, environment: dict[str, Any]) -> None:
        if self.slots is None:
            return
        key = self.pack.value(rule["slot"], environment)
        if self._unknown(rule["value"]):
            self.slots.forget(key)
        else:
            self.slots.write(key, self.pack.value(rule["value"], environment))

    def _table(self, rule: RuleData, environment: dict[str, Any]) -> None:
        terms = [rule["base"]] if rule["base"] else []
        terms += [term for row in rule["rows"] for term in (row["when"], row["value"]) if term]
        if any(self._unknown(term) for term in terms):
            self._taint(rule)
        else:
            self._give(rule, table_value(self.pack, rule, environment), "")

    def subject(self) -> str | None:
        """Return what findings about the item blame."""
        return self._text(self.scope["subject"], self.environment)

    def _diagnostic(self, rule: RuleData, environment: Mapping[str, Any]) -> Diagnostic:
        document, pointer = self._place(rule, environment)
        return Diagnostic(
            rule=rule["id"],
            decisions=rule["decisions"],
            severity=rule["severity"],
            message=self._message(rule, environment),
            subject=self._text(rule["subject"] or self.scope["subject"], environment),
            document=document,
            pointer=pointer,
            values=self._values(rule, environment),
            help=self._text(rule["help"], environment),
            fix=fresh(rule["fix"]),
        )

    def _message(self, rule: RuleData, environment: Mapping[str, Any]) -> str:
        if self._unknown(rule["message"]):
            return f"rule `{rule['id']}` does not hold; an earlier fault leaves open what else it would say"
        message: str = self.pack.value(rule["message"], environment)
        return message

    def _text(self, term: Term | None, environment: Mapping[str, Any]) -> str | None:
        if term is None or self._unknown(term):
            return None
        text = self.pack.value(term, environment)
        return text or None

    def _place(self, rule: RuleData, environment: Mapping[str, Any]) -> tuple[str | None, str | None]:
        """Return the document and the JSON pointer; a rule's `at` is read below the scope's own place."""
        base = self._text(self.scope["at"], environment) or ""
        if not base:
            return None, None
        document, _, pointer = base.partition("#")
        return document, pointer + (self._text(rule["at"], environment) or "")

    def _values(self, rule: RuleData, environment: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        """Return the values that decided, as text; a part that has no value here is left out."""
        shown: dict[str, str] = {}
        for text, term in rule["values"]:
            try:
                shown[text] = self.pack.value(term, environment)
            except (EvaluationError, KeyError, AttributeError, TypeError):
                continue
        return tuple(shown.items())

    def _broken(self, rule: RuleData, error: EvaluationError) -> None:
        """Report a rule that could not be evaluated; what it would have given is unknown."""
        document, pointer = self._place({"at": None}, self.environment)
        subject = self._text(self.scope["subject"], self.environment)
        message = f"rule `{rule['id']}` cannot be evaluated here: {error}"
        self._report(rule, Diagnostic(rule["id"], rule["decisions"], "error", message, subject, document, pointer))
        self._outcome_unknown(rule)

    def _report(self, rule: RuleData, diagnostic: Diagnostic) -> None:
        if diagnostic.severity == "error":
            self.failed = True
            self.errors.append(rule["id"])
        self.report.add(diagnostic, rule["stage"], rule["tags"], self.pass_name)


def table_value(pack: CompiledPack, rule: RuleData, environment: Mapping[str, Any]) -> Any:
    """Return what a decision table gives: one row's value, all rows' values, or the object that its rows build."""
    every = enumerate(rule["rows"])
    applying = ((place, row) for place, row in every if not row["when"] or pack.value(row["when"], environment))
    chosen = [*islice(applying, 1)] if rule["hit"] == "first" else [*applying]  # after the first no row is asked
    rows = [row for _, row in chosen]
    if rule["hit"] == "collect":
        return [pack.value(row["value"], environment) for row in rows]
    if rule["hit"] == "build":
        built: dict[str, Any] = {}
        for row in rows:
            _put(built, row["path"], pack.value(row["value"], environment))
        return {**pack.value(rule["base"], environment), **built} if rule["base"] else built
    if rule["hit"] == "unique" and len(rows) > 1:
        raise EvaluationError(not_unique([place for place, _ in chosen]))
    return pack.value(rows[0]["value"], environment) if rows else None


def not_unique(places: Sequence[int]) -> str:
    """Return what is said of rows of a table that apply at once though its hit policy is `unique`.

    >>> not_unique([0, 2, 3])
    'rows 1, 3 and 4 of a table with hit policy `unique` apply at once'
    """
    *others, last = (str(place + 1) for place in places)
    return f"rows {', '.join(others)} and {last} of a table with hit policy `unique` apply at once"


def _put(target: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        target = target.setdefault(name, {})
    target[path[-1]] = value
