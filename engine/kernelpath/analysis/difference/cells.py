"""Compare two versions of a rule over the finite domain that they read together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kernelpath.analysis.difference.changes import CellChange, RuleChange
from kernelpath.analysis.domain.diagrams import TooLarge, identity
from kernelpath.analysis.domain.domain import Domain
from kernelpath.analysis.domain.formulas import BROKEN, MARK, Formula, Leaf
from kernelpath.analysis.domain.leaves import leaves_of, loops_of, owners_of
from kernelpath.analysis.domain.lifting import Lifting, Names
from kernelpath.analysis.domain.stages import RuleFormulas, new_lifting, rule_formulas
from kernelpath.analysis.domain.witness import Item, make_item
from kernelpath.analysis.testing.meaning import evaluate
from kernelpath.analysis.testing.records import NotGiven
from kernelpath.packs.model import Check, Pack, Resolve, Rule, Stage, Table

MOST_GROUPS = 500
_SHOWN = 80
#: What a comparison finds: the cells of the domain, those that change, and notes.
Found = tuple[int | None, tuple[CellChange, ...], tuple[str, ...]]
_SKIPS, _PASSES, _NOTHING, _NO_RULE, _BROKEN = "skips", "passes", "gives nothing", "no rule", "has no value"


@dataclass(frozen=True, slots=True)
class Version:
    """A rule in its pack, with its formulas over leaves that both versions share."""

    pack: Pack
    stage: Stage
    rule: Rule
    formulas: RuleFormulas


class Comparison:
    """Two versions of a rule over one domain; either may be missing, and then does nothing."""

    def __init__(self, old: tuple[Pack, Rule] | None, new: tuple[Pack, Rule] | None) -> None:
        self._lifting: Lifting | None = None
        self.old = self._version(old)
        self.new = self._version(new)
        self.versions = [version for version in (self.old, self.new) if version]

    def _version(self, one: tuple[Pack, Rule] | None) -> Version | None:
        """Return a version whose leaves are those of the other version, where they read the same."""
        if one is None:
            return None
        pack, rule = one
        stage = pack.stages[rule.stage]
        lifting = new_lifting(pack, pack.scopes[stage.scope])
        if self._lifting is not None:
            lifting.adopt(self._lifting)
        self._lifting = lifting
        return Version(pack, stage, rule, rule_formulas(lifting, rule, Names()))

    def changes(self) -> Iterator[tuple[str, int | None, tuple[CellChange, ...], tuple[str, ...]]]:
        """Yield, for the rule or for each member that it builds: cells of the domain, changes, notes."""
        for member, before, after in self._outcomes():
            try:
                cells, changes, notes = self._compared(before, after)
                yield member, cells, changes, notes
            except TooLarge:
                yield member, None, (), ("the finite domain is too large to be gone through",)

    def _outcomes(self) -> Iterator[tuple[str, _Outcome, _Outcome]]:
        sourced = all(isinstance(version.rule, Resolve) for version in self.versions)
        paths = dict.fromkeys(path for version in self.versions for path in _paths(version.rule))
        for path in paths:
            yield ".".join(path), _Outcome(self.old, path, sourced), _Outcome(self.new, path, sourced)

    def _compared(self, before: _Outcome, after: _Outcome) -> Found:
        alone = _not_shared(before, after)
        deciding = _free([*before.conditions(), *after.conditions()])
        if any(leaf in deciding for leaf in alone):
            return None, (), (f"only one version reads {_listed(alone)}, which the finite domain does not follow",)
        for leaf in alone:
            leaf.allowed = ({MARK: leaf.name},)
        total, changes = self._counted(before, after)
        told = f"{_listed(alone)} is told from other values by its text"
        return total, changes, (told,) if alone and changes else ()

    def _counted(self, before: _Outcome, after: _Outcome) -> tuple[int, tuple[CellChange, ...]]:
        formulas = [*before.formulas(), *after.formulas()]
        roots = dict.fromkeys(leaf.root() for formula in formulas for leaf in leaves_of(formula))
        domain = Domain(formulas, loops_of(formulas), roots, counted=True)
        read = {leaf for formula in formulas for leaf in owners_of(formula)}
        levels = sorted(level for level, leaf in domain.by_level.items() if leaf in read)
        cells = domain.cells(levels)
        found = list(self._groups(domain, before, after, cells, levels))
        return domain.diagrams.count(cells, levels), tuple(_fewer(found))

    def _groups(
        self, domain: Domain, before: _Outcome, after: _Outcome, cells: int, levels: Sequence[int]
    ) -> Iterator[CellChange]:
        diagrams = domain.diagrams
        pair = diagrams.apply("pair", _pair, (before.diagram(domain), after.diagram(domain)))
        for terminal in diagrams.terminals(pair):
            one, two = diagrams.values[terminal]
            where = diagrams.both(diagrams.equals(pair, terminal), cells)
            if identity(one) != identity(two) and where != diagrams.false:
                yield CellChange(_said(one), _said(two), diagrams.count(where, levels), self._witness(domain, where))

    def _witness(self, domain: Domain, where: int) -> dict[str, Any] | None:
        """Return the smallest item of a region on which the versions do differ when they are evaluated."""
        cell = domain.smallest(where)
        if cell is None:
            return None
        items = [make_item(version.pack, version.stage, cell) for version in self.versions]
        if not all(item.whole for item in items):
            return None
        results = [_result(version, item) for version, item in zip(self.versions, items, strict=True)]
        differ = len(results) == 1 or results[0] != results[1]
        return items[-1].given if differ and None not in results else None


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a version does, as formulas: where it applies, and the parts of what it then does, in turn."""

    version: Version | None
    path: tuple[str, ...]
    sourced: bool

    def conditions(self) -> list[Formula]:
        if self.version is None:
            return []
        rule = self.version.formulas
        return [rule.when, rule.holds, *(option.when for option in rule.options if option.path == self.path)]

    def formulas(self) -> list[Formula]:
        if self.version is None:
            return []
        rule = self.version.formulas
        found = [rule.when, rule.holds]
        for option in rule.options:
            if option.path == self.path:
                found += [option.when, option.value, option.source]
        return found

    def diagram(self, domain: Domain) -> int:
        diagrams = domain.diagrams
        if self.version is None:
            return diagrams.terminal(_NO_RULE)
        rule, formulas = self.version.rule, self.version.formulas
        does = self._check(domain, rule) if isinstance(rule, Check) else self._gives(domain)
        result = diagrams.choose(domain.value(formulas.when), does, diagrams.terminal(_SKIPS))
        broken = diagrams.equals(result, diagrams.terminal(BROKEN))
        return diagrams.choose(broken, diagrams.terminal(_BROKEN), result)

    def _check(self, domain: Domain, rule: Check) -> int:
        diagrams = domain.diagrams
        assert self.version is not None
        holds = domain.value(self.version.formulas.holds)
        return diagrams.choose(holds, diagrams.terminal(_PASSES), diagrams.terminal(f"fails ({rule.severity})"))

    def _gives(self, domain: Domain) -> int:
        """Return the value of the option that is chosen; of rows that are collected, of all that apply."""
        assert self.version is not None
        diagrams = domain.diagrams
        rule = self.version.rule
        options = [option for option in self.version.formulas.options if option.path == self.path]
        result = diagrams.terminal(_NOTHING)
        ordered = options if isinstance(rule, Table) and rule.hit == "build" else options[::-1]
        for option in ordered:
            source = domain.value(option.source) if self.sourced else diagrams.terminal("")
            given = diagrams.apply("given", _given, (domain.value(option.value), source))
            result = diagrams.choose(domain.value(option.when), given, result)
        return result


def _fewer(changes: list[CellChange]) -> list[CellChange]:
    """Return changes with the smallest groups of cells counted together, where there are many."""
    if len(changes) <= MOST_GROUPS:
        return changes
    kept = sorted(changes, key=lambda change: -change.count)[: MOST_GROUPS - 1]
    rest = sum(change.count for change in changes if not any(change is one for one in kept))
    return [*(change for change in changes if any(change is one for one in kept)), CellChange("any", "any", rest, None)]


def _pair(one: Any, two: Any) -> Any:
    return (one, two)


def _given(value: Any, source: Any) -> Any:
    return (value, source)


def _paths(rule: Rule) -> list[tuple[str, ...]]:
    """Return the members that a rule builds; the empty path stands for a rule that gives one value."""
    if isinstance(rule, Table) and rule.hit in ("build", "collect"):
        return list(dict.fromkeys((row.value.text,) if rule.hit == "collect" else row.path for row in rule.rows))
    return [()]


def _not_shared(before: _Outcome, after: _Outcome) -> list[Leaf]:
    """Return free expressions that one of two versions reads and the other does not."""
    if before.version is None or after.version is None:
        return []
    reads = [_free(outcome.formulas()) for outcome in (before, after)]
    return [leaf for leaf in [*reads[0], *reads[1]] if (leaf in reads[0]) != (leaf in reads[1])]


def _listed(leaves: Iterable[Leaf]) -> str:
    return ", ".join(_quoted(leaf.name) for leaf in leaves)


def _quoted(text: str) -> str:
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[: _SHOWN - 1]}…`"


def _free(formulas: Iterable[Formula]) -> dict[Leaf, None]:
    roots = (leaf.root() for formula in formulas for leaf in leaves_of(formula))
    return {leaf: None for leaf in roots if leaf.expression is not None}


def _said(outcome: Any) -> str:
    """Return an outcome in words."""
    if isinstance(outcome, str):
        return outcome
    if isinstance(outcome, tuple):
        value, source = outcome
        return f"gives {_shown(value)}" + (f" from {source}" if source else "")
    return f"gives {_shown(outcome)}"


def _shown(value: Any) -> str:
    if isinstance(value, dict) and MARK in value:
        return _quoted(value[MARK])
    return json.dumps(value, ensure_ascii=False)


def _result(version: Version, item: Item) -> object:
    """Return what a version does with an item, None where it reads what the item leaves open."""
    scope = version.pack.scopes[version.stage.scope]
    try:
        outcome = evaluate(version.rule, scope, item.values, item.sources)
    except (NotGiven, KeyError, TypeError, AttributeError):
        return None
    severity = version.rule.severity if outcome.kind == "fail" else ""
    given = {
        name: value for name, value in outcome.parts.items() if name in ("value", "source", "slot", "holds", "error")
    }
    return outcome.kind, severity, given


def compare_rules(old: tuple[Pack, Rule], new: tuple[Pack, Rule]) -> Iterator[RuleChange]:
    """Yield what changes from one version of a rule to another."""
    (_, one), (_, two) = old, new
    base = RuleChange("changed", two.stage, two.name, two.kind, texts=changed_texts(one, two))
    severity = (one.severity, two.severity) if one.severity != two.severity and isinstance(two, Check) else None
    if _form(one) != _form(two) and not all(_gives_one(rule) for rule in (one, two)):
        yield replace(base, severity=severity, notes=(f"the rule was {_form(one)}, and is {_form(two)}",))
        return
    first = True
    for member, cells, changes, notes in Comparison(old, new).changes():
        if changes or notes or (first and (base.texts or severity)):
            texts, both = (base.texts, severity) if first else ((), None)
            yield replace(base, texts=texts, severity=both, member=member, cells=cells, changes=changes, notes=notes)
            first = False


def _gives_one(rule: Rule) -> bool:
    """Return whether a rule gives a variable the value of one of its options."""
    return isinstance(rule, Resolve) or (isinstance(rule, Table) and rule.hit in ("first", "unique"))


def _form(rule: Rule) -> str:
    return f"a table that takes `{rule.hit}`" if isinstance(rule, Table) else f"a {rule.kind}"


def one_sided(pack: Pack, rule: Rule, status: str) -> RuleChange:
    """Return what a rule does that only one of two packs has: for checks, where it fails."""
    base = RuleChange(status, rule.stage, rule.name, rule.kind)
    if not isinstance(rule, Check):
        return base
    sides = (None, (pack, rule)) if status == "added" else ((pack, rule), None)
    [(_, cells, changes, notes)] = list(Comparison(*sides).changes())
    failing = tuple(change for change in changes if "fails" in change.before + change.after)
    return replace(base, cells=cells, changes=failing, notes=notes)


def changed_texts(one: Rule, two: Rule) -> tuple[str, ...]:
    """Return which parts of a rule are worded otherwise, or order it otherwise."""
    found = [name for name in ("summary", "decisions", "tags") if getattr(one, name) != getattr(two, name)]
    if isinstance(one, Check) and isinstance(two, Check):
        found += [name for name in ("message", "help", "subject", "at") if _text(one, name) != _text(two, name)]
        found += [name for name in ("guards", "fix") if getattr(one, name) != getattr(two, name)]
    if isinstance(one, Resolve) and isinstance(two, Resolve) and one.variable != two.variable:
        found.append("resolve")
    if isinstance(one, Table) and isinstance(two, Table) and _base(one) != _base(two):
        found.append("base")
    return tuple(found)


def _base(rule: Table) -> str | None:
    return rule.base.text if rule.base else None


def _text(rule: Check, name: str) -> str | None:
    text = getattr(rule, name)
    return None if text is None else str(text.text)
