"""What a random pack does on every input, rule by rule: worked out plainly, beside the engine and the analysis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kernelpath.evaluate.program import run_program

from analysis.random_packs import inputs
from kernelpath.analysis.testing.meaning import Observe, evaluate
from kernelpath.analysis.testing.outcomes import Outcome
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.language import Names, check, interpret, parse
from kernelpath.packs.model import Check, Entry, Pack, Place, Resolve, Rule, Table, Term

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
    """One run of the program: what each rule did, by its identity, and which stages rejected or never saw the item."""

    workspace: Values
    seen: dict[str, Seen] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    came: set[str] = field(default_factory=set)
    nodes: dict[int, set[object]] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether a rule has no value."""
        return any(seen.outcome.kind == "error" for seen in self.seen.values())

    @property
    def reported(self) -> set[str]:
        """The rules that report the item."""
        return {identity for identity, seen in self.seen.items() if seen.reports}


def runs(pack: Pack, compiled: CompiledPack) -> list[Run]:
    """Return what the pack does on every input; the engine must report the same."""
    found = []
    for values in inputs():
        outcome = run_program(compiled, "look", values)
        part = outcome.workspace["part"]
        run = Run({**values, "part": part, "inner": part if values["there"] else None, "reply": None})
        for entry in pack.programs["look"].entries[2:]:
            _enter(pack, entry, run)
        assert {told.rule for told in outcome.report.diagnostics} == run.reported, values
        found.append(run)
    return found


def _enter(pack: Pack, entry: Entry, run: Run) -> None:
    if entry.when and not interpret(entry.when.checked, run.workspace):
        return
    if entry.verb == "set":
        for name, term in entry.terms.items():
            run.workspace[name] = interpret(term.checked, run.workspace)
        return
    named: Any = entry.settings["walk"]
    stages = named if isinstance(named, list) else [named]
    if run.failed & set(entry.needs):
        run.failed |= set(stages)
        return
    item = _Item(pack, dict(run.workspace), {}, run)
    for stage in stages:
        if not item.stopped and not item.rejected:
            item.walk(stage)


@dataclass
class _Item:
    pack: Pack
    values: Values
    sources: dict[str, str]
    run: Run
    tainted: set[str] = field(default_factory=set)
    stopped: bool = False
    rejected: bool = False

    def walk(self, stage: str) -> None:
        self.run.came.add(stage)
        for rule in self.pack.stages[stage].rules:
            if not self.stopped:
                self._rule(rule)

    def _rule(self, rule: Rule) -> None:
        parts: set[str] = set()

        def observe(part: str) -> Any:
            parts.add(part)
            return lambda node, value: self.run.nodes.setdefault(id(node), set()).add(value)

        before = dict(self.values)
        outcome = self._outcome(rule, observe)
        if outcome.kind != "unknown":
            self.run.seen[rule.identity] = Seen(outcome, parts, before)
        broken = outcome.kind in ("error", "unknown")
        if isinstance(rule, Resolve | Table):
            self.values.pop(rule.variable, None)
            self.sources.pop(rule.variable, None)
            if not broken:
                self.values[rule.variable] = outcome.parts.get("value")
                self.sources[rule.variable] = str(outcome.parts.get("source", ""))
        if outcome.kind == "error" or (outcome.kind == "fail" and rule.severity == "error"):
            self.rejected = True
            self.run.failed.add(rule.stage)
        if isinstance(rule, Check) and rule.stop:
            self.stopped = outcome.kind == "fail"
            self.tainted |= rule.holds.checked.variables if broken else set()

    def _reads_unknown(self, term: Term | None) -> bool:
        """Return whether a term reads what a rule that has no value was to give, or to make sure of."""
        unknown = self.tainted | (self.pack.scopes["box"].given.keys() - self.values.keys())
        return term is not None and not unknown.isdisjoint(term.checked.variables)

    def _outcome(self, rule: Rule, observe: Observe) -> Outcome:
        """Return what a rule does; one that would read what is unknown is silent."""
        if self._reads_unknown(rule.when):
            return Outcome("unknown")
        if not isinstance(rule, Check) or not self._reads_unknown(rule.holds):
            return evaluate(rule, self.pack.scopes[rule.scope], self.values, self.sources, observe)
        outcome = evaluate(replace(rule, holds=_TRUE), self.pack.scopes[rule.scope], self.values, self.sources, observe)
        return Outcome("unknown") if outcome.kind == "pass" else outcome


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
    """Return whether a check of a stage rejects an item."""
    rules = [rule for rule in pack.stages[stage].rules if rule.severity == "error"]
    return any(rule.identity in run.seen and run.seen[rule.identity].reports for rule in rules)
