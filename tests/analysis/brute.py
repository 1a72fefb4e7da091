"""What a random pack does on every input, rule by rule: worked out plainly, beside the engine and the analysis."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from analysis.random_packs import inputs
from kernelpath.analysis.testing.meaning import Observe, evaluate
from kernelpath.analysis.testing.outcomes import Outcome
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.question import ask
from kernelpath.language import EvaluationError, Names, check, interpret, parse
from kernelpath.packs.model import Check, Pack, Place, Resolve, Rule, Stage, Table, Term
from kernelpath.packs.reads import gives, terms_of

Values = dict[str, Any]
_TRUE = Term(check(parse("true"), Names()), "true", Place("", 1, 1))


@dataclass
class Seen:
    """What one rule did with one item: its outcome, the parts that were evaluated, the values that it read."""

    outcome: Outcome
    parts: set[str]
    values: Values

    @property
    def applies(self) -> bool:
        """Whether the rule's condition held."""
        return self.outcome.kind != "skip"

    @property
    def fails(self) -> bool:
        """Whether the rule's check does not hold."""
        return self.outcome.kind == "fail"

    @property
    def reports(self) -> bool:
        """Whether the rule reports the item, be it that it has no value."""
        return self.outcome.kind in ("fail", "error")


@dataclass
class Run:
    """What happens to one row: what each rule did, by its identity, and which stages it came to and passed."""

    values: Values
    seen: dict[str, Seen] = field(default_factory=dict)
    came: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)
    nodes: dict[int, set[object]] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether a rule has no value."""
        return any(seen.outcome.kind == "error" for seen in self.seen.values())

    @property
    def reported(self) -> set[str]:
        """The rules that report the row."""
        return {identity for identity, seen in self.seen.items() if seen.reports}


def runs(pack: Pack, compiled: CompiledPack) -> list[Run]:
    """Return what the pack does with every row; the engine must report the same."""
    rows, found = list(inputs()), []
    stages = _ordered(pack)
    for flag in (False, True) if any(stage.when for stage in stages) else (False,):
        outcome = ask(compiled, "look", {"rows": rows, "flag": flag})
        told = {(one.subject, one.rule) for one in outcome.report.diagnostics}
        for place, box in enumerate(outcome.cells["boxes"]):
            run = Run({"box": box, "place": place, "flag": flag})
            for stage in stages:
                _enter(pack, stage, run)
            assert {rule for subject, rule in told if subject == str(place)} == run.reported, (rows[place], flag)
            found.append(run)
        assert {subject for subject, _ in told} <= {str(place) for place in range(len(rows))}
    return found


def _needed(pack: Pack, stage: Stage) -> set[str]:
    """Return the stages that a row must have passed: those that one is after, and those that give what it reads."""
    read = {path for rule in stage.rules for path in _paths(rule)}
    given = {rule.stage for rule in pack.rules() if gives(rule) in read}
    return (set(stage.after) | given) - {stage.name}


def _ordered(pack: Pack) -> list[Stage]:
    """Return the stages, each behind those that it needs."""
    found: list[Stage] = []
    while len(found) < len(pack.stages):
        known = {stage.name for stage in found}
        found.append(next(s for s in pack.stages.values() if s.name not in known and _needed(pack, s) <= known))
    return found


def _enter(pack: Pack, stage: Stage, run: Run) -> None:
    """Take a row into a stage, if it comes to it."""
    if stage.when and not interpret(stage.when.checked, run.values):
        run.values.update(dict.fromkeys(stage.gives))
        run.passed.add(stage.name)
    elif _needed(pack, stage) <= run.passed:
        run.came.add(stage.name)
        item = _Item(pack, run)
        for rule in stage.rules:
            item.take(rule)
        if not item.rejected:
            run.passed.add(stage.name)


def _paths(rule: Rule) -> set[str]:
    """Return the paths that a rule reads, as they are written: `box.shade` and `box` of `box.shade == null`."""
    whole = {path for term in terms_of(rule) for path in re.findall(r"[a-z][a-z.]*", term.text)}
    return {".".join(path.split(".")[:length]) for path in whole for length in range(1, path.count(".") + 2)}


@dataclass
class _Item:
    """A row in one stage: which rules failed in it, and what is not known because of them."""

    pack: Pack
    run: Run
    sources: dict[str, str] = field(default_factory=dict)
    guarded: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)
    rejected: bool = False

    def take(self, rule: Rule) -> None:
        """Ask a rule, and note what follows from what it does."""
        parts: set[str] = set()

        def observe(part: str) -> Any:
            parts.add(part)
            return lambda node, value: self.run.nodes.setdefault(id(node), set()).add(value)

        before = dict(self.run.values)
        outcome = self._outcome(rule, observe)
        if outcome.kind != "unknown":
            self.run.seen[rule.identity] = Seen(outcome, parts, before)
        if isinstance(rule, Resolve | Table):
            self._give(rule, outcome)
        if outcome.kind == "error" or (outcome.kind == "fail" and rule.severity == "error"):
            self.rejected = True
        if isinstance(rule, Check) and rule.guards:
            self.guarded |= set(rule.guards) if outcome.kind == "fail" else set()
            self.unknown |= rule.holds.checked.variables if outcome.kind in ("error", "unknown") else set()

    def _give(self, rule: Resolve | Table, outcome: Outcome) -> None:
        if outcome.kind in ("error", "unknown"):
            self.unknown.add(rule.variable)
        else:
            self.run.values[rule.variable] = outcome.parts.get("value")
            self.sources[rule.variable] = str(outcome.parts.get("source", ""))

    def _is_unknown(self, term: Term | None) -> bool:
        return term is not None and not self.unknown.isdisjoint(term.checked.variables)

    def _outcome(self, rule: Rule, observe: Observe) -> Outcome:
        """Return what a rule does; one that reads what is guarded, or would read what is unknown, is silent."""
        if not self.guarded.isdisjoint(_paths(rule)) or self._is_unknown(rule.when):
            return Outcome("unknown")
        if self._needs_unknown(rule):
            outcome = self._evaluated(replace(rule, holds=_TRUE), observe) if isinstance(rule, Check) else None
            return outcome if outcome and outcome.kind in ("skip", "error") else Outcome("unknown")
        return self._evaluated(rule, observe)

    def _evaluated(self, rule: Rule, observe: Observe) -> Outcome:
        return evaluate(rule, self.pack.scopes[rule.scope], self.run.values, self.sources, observe)

    def _needs_unknown(self, rule: Rule) -> bool:
        """Return whether a rule that applies would come to something unknown."""
        match rule:
            case Check():
                return self._is_unknown(rule.holds)
            case Table():
                return any(self._is_unknown(term) for row in rule.rows for term in (row.when, row.value))
            case Resolve():
                return self._comes_to_unknown(rule)
        return False

    def _comes_to_unknown(self, rule: Resolve) -> bool:
        """Return whether a resolution comes to a candidate of which something is unknown."""
        for candidate in rule.candidates:
            if self._is_unknown(candidate.when):
                return True
            try:
                applies = candidate.when is None or interpret(candidate.when.checked, self.run.values)
            except EvaluationError:
                return False
            if applies:
                return self._is_unknown(candidate.value)
        return False


def without(rule: Resolve | Table, place: int) -> Rule:
    """Return a rule without one of its candidates or rows."""
    if isinstance(rule, Resolve):
        return replace(rule, candidates=rule.candidates[:place] + rule.candidates[place + 1 :])
    return replace(rule, rows=rule.rows[:place] + rule.rows[place + 1 :])


def part_of(rule: Rule, place: int, part: str) -> str:
    """Return the name of a part of a candidate or a row."""
    return f"{'first' if isinstance(rule, Resolve) else 'rows'}[{place}].{part}"


def given(pack: Pack, rule: Rule, values: Mapping[str, Any]) -> object:
    """Return the value that a rule gives where it reads some values."""
    outcome = evaluate(rule, pack.scopes[rule.scope], values, {})
    return outcome.kind, outcome.parts.get("value"), outcome.parts.get("source")


def kept_out(pack: Pack, stage: str, run: Run) -> bool:
    """Return whether a check of a stage rejects a row."""
    rules = [rule for rule in pack.stages[stage].rules if rule.severity == "error"]
    return any(rule.identity in run.seen and run.seen[rule.identity].reports for rule in rules)
