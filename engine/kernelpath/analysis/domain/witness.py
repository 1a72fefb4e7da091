"""Make the item of a cell: the values of a scope's variables with which rules can be evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kernelpath.analysis.domain.formulas import ABSENT, MARK, PRESENT, Leaf
from kernelpath.analysis.testing.meaning import evaluate
from kernelpath.analysis.testing.outcomes import Outcome
from kernelpath.analysis.testing.records import NotGiven, RecordValue, filled, neutral
from kernelpath.language import EvaluationError, Expression, Type, interpret, unparse
from kernelpath.language.ast import Call, Index, Name
from kernelpath.language.checker import Checked
from kernelpath.language.types import ListOf, MapOf, Optional, Record, required
from kernelpath.packs.model import Pack, Resolve, Rule, Scope, Stage, Table
from kernelpath.packs.passing import keeps_from, passed_stages, rejects

Cell = Mapping[Leaf, Any]
_LONGEST = 1000


@dataclass(slots=True)
class Item:
    """What a cell gives: `given` as a test file writes it, `values` as rules read it."""

    given: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    whole: bool = True


def make_item(pack: Pack, stage: Stage, cell: Cell) -> Item:
    """Return the item of a cell; it is not `whole` where an expression that is free cannot have its value."""
    item = Item()
    variables = pack.scopes[stage.scope].variables
    roots = list(dict.fromkeys(leaf.root() for leaf in cell))
    for root in roots:
        if root.expression is None and not root.name.startswith("source("):
            item.given[root.name] = _written(root, cell)
            item.values[root.name] = _value(root, cell)
    for name, type_ in variables.items():
        item.values.setdefault(name, pack.constants.get(name, neutral(type_)))
    item.sources.update(dict.fromkeys(pack.scopes[stage.scope].given, ""))
    for root in roots:
        _place_free(root, cell, item, variables)
    item.whole = all(_is_placed(root, cell, item) for root in roots)
    return item


def _chosen(leaf: Leaf, cell: Cell) -> Any:
    return cell[leaf] if leaf in cell else leaf.choices[0]


def _written(leaf: Leaf, cell: Cell) -> Any:
    """Return a leaf's value as a test file writes it: records as mappings, without what does not matter."""
    value = _chosen(leaf, cell)
    inside = {step: child for step, child in leaf.children.items() if _matters(child, cell)}
    if isinstance(value, list):
        return _listed(
            [unmarked(item) for item in value],
            {step: _written(child, cell) for step, child in inside.items() if isinstance(step, int)},
        )
    if value is PRESENT or isinstance(value, dict):
        members = {str(step): _written(child, cell) for step, child in inside.items()}
        return {name: inner for name, inner in members.items() if inner is not ABSENT}
    return value


def unmarked(value: Any) -> Any:
    """Return a value without the marks of the leaves that its objects are."""
    if value is PRESENT:
        return {}
    if isinstance(value, dict):
        return {name: unmarked(inner) for name, inner in value.items() if name != MARK}
    return [unmarked(item) for item in value] if isinstance(value, list) else value


def _matters(leaf: Leaf, cell: Cell) -> bool:
    return not leaf.is_element and (leaf in cell or any(_matters(child, cell) for child in leaf.children.values()))


def _listed(value: list[Any], items: Mapping[int, Any]) -> list[Any]:
    """Return a list with items at their places, made so long that each is in it; a negative place is from the end."""
    found = list(value)
    given = {step: inner for step, inner in items.items() if inner is not None}
    longest = max((step + 1 if step >= 0 else -step for step in given), default=0)
    found += [None] * (longest - len(found))
    for step, inner in given.items():
        found[step] = inner
    return found


def _value(leaf: Leaf, cell: Cell) -> Any:
    """Return a leaf's value as rules read it."""
    return _typed(_written(leaf, cell), leaf.type)


def _typed(written: Any, type_: Type) -> Any:
    if isinstance(type_, Optional):
        return None if written is None else _typed(written, type_.inner)
    if isinstance(type_, Record):
        fields = {name: _typed(value, type_.fields[name]) for name, value in written.items()}
        return filled(RecordValue(type_, fields), type_)
    if isinstance(type_, MapOf) and isinstance(required(type_.value), Record):
        return {key: _typed(value, type_.value) for key, value in written.items()}
    return written


def _place_free(root: Leaf, cell: Cell, item: Item, variables: Mapping[str, Type]) -> None:
    """Let a free expression have its value: an entry of a map or a list, the provenance of a variable."""
    if root.expression is None and not root.name.startswith("source("):
        return
    value, node = _value(root, cell), root.expression
    item.given[root.name if node is None else unparse(node)] = _written(root, cell)
    if node is None or _is_source(node):
        item.sources[root.name.removeprefix("source(").removesuffix(")")] = value
    elif isinstance(node, Index) and isinstance(node.object, Name):
        _put(node, value, item, variables)


def _is_source(node: Expression) -> bool:
    return isinstance(node, Call) and node.function == "source"


def _put(node: Index, value: Any, item: Item, variables: Mapping[str, Type]) -> None:
    """Put a value into a map or a list where an expression looks it up; null is left out."""
    assert isinstance(node.object, Name)
    name, key = node.object.name, _evaluated(node.index, item)
    if value is None or key is None or name not in variables:
        return
    if isinstance(required(variables[name]), MapOf):
        item.values[name] = {**(item.values[name] or {}), key: value}
    elif isinstance(variables[name], ListOf) and 0 <= key < _LONGEST:
        items = [*item.values[name]]
        items += [value] * (key + 1 - len(items))
        items[key] = value
        item.values[name] = items


def _is_placed(root: Leaf, cell: Cell, item: Item) -> bool:
    """Return whether a free expression has its value in the item."""
    if root.expression is None or _is_source(root.expression):
        return True
    found, written = _evaluated(root.expression, item), _written(root, cell)
    return bool(found == written or (isinstance(found, RecordValue) and isinstance(written, dict)))


def _evaluated(node: Expression, item: Item) -> Any:
    checked = Checked(node, node.type, 0, frozenset(), frozenset())
    try:
        return interpret(checked, item.values, item.sources)
    except (EvaluationError, NotGiven, KeyError, TypeError, AttributeError):
        return None


def outcomes(pack: Pack, stage: Stage, item: Item) -> dict[str, Outcome]:
    """Return what each rule of a stage does with an item, by the rules' names; a guard keeps it from some.

    An item that an earlier stage rejects does not come to the stage. A rule that reads what the item leaves
    open is not in the answer.
    """
    scope = pack.scopes[stage.scope]
    values, sources = dict(item.values), dict(item.sources)
    for earlier in passed_stages(pack, stage):
        through = _Through(scope, dict(values), dict(sources))
        through.walk(earlier)
        if through.rejected:
            return {}
        values, sources = through.values, through.sources
    last = _Through(scope, values, sources)
    last.walk(stage)
    return last.found


@dataclass(slots=True)
class _Through:
    """One item on its way through the rules of a stage."""

    scope: Scope
    values: dict[str, Any]
    sources: dict[str, str]
    found: dict[str, Outcome] = field(default_factory=dict)
    failed: list[Rule] = field(default_factory=list)
    rejected: bool = False

    def walk(self, stage: Stage) -> None:
        """Take the item through the rules in order, but for those that read what a failed check guards."""
        for rule in stage.rules:
            if any(keeps_from(check, rule) for check in self.failed):
                self.failed.append(rule)
                continue
            try:
                outcome = evaluate(rule, self.scope, self.values, self.sources)
            except (NotGiven, KeyError, TypeError, AttributeError):
                continue
            self._take(rule, outcome)

    def _take(self, rule: Rule, outcome: Outcome) -> None:
        self.found[rule.name] = outcome
        if isinstance(rule, Resolve | Table):
            self._give(rule.variable, outcome)
        broken = outcome.kind == "error"  # a rule that has no value is an error, whatever its severity
        failed = broken or outcome.kind == "fail"
        self.rejected = self.rejected or broken or (failed and rejects(rule))
        if failed:
            self.failed.append(rule)

    def _give(self, variable: str, outcome: Outcome) -> None:
        if outcome.kind == "error":
            self.values.pop(variable, None)
            self.sources.pop(variable, None)
        else:
            self.values[variable] = outcome.parts.get("value")
            self.sources[variable] = str(outcome.parts.get("source", ""))
