"""A stage's rules as formulas over one set of leaves, and where each of them is evaluated at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kernelpath.analysis.domain.combining import NULL_VALUE, choice, negated
from kernelpath.analysis.domain.formulas import TRUE, All, Any_, Constant, Formula, Leaf, Read
from kernelpath.analysis.domain.leaves import leaves_of, owners_of
from kernelpath.analysis.domain.lifting import Lifting, Names
from kernelpath.language.types import Type, required
from kernelpath.packs.model import Check, Pack, Resolve, Row, Rule, Scope, Stage, Table, Term, Transition
from kernelpath.packs.passing import keeps_from, passed_stages, rejects


@dataclass(frozen=True, slots=True)
class Option:
    """A candidate or a row: where it applies, the value and the provenance that it gives, the member that it is for."""

    when: Formula
    value: Formula
    source: Formula
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleFormulas:
    """One rule: where it applies, what must hold, what it may give."""

    rule: Rule
    when: Formula
    holds: Formula = TRUE
    options: tuple[Option, ...] = ()

    def passes(self) -> Formula:
        """Return whether an item is not at fault with this rule."""
        return Any_((negated(self.when), self.holds))

    def conditions(self) -> Iterator[Formula]:
        """Yield everything that decides what the rule does, values left out."""
        yield self.when
        yield self.holds
        for option in self.options:
            yield option.when


@dataclass(slots=True)
class StageFormulas:
    """The rules of a stage in evaluation order; `assumed` holds of every item that comes to the stage."""

    pack: Pack
    stage: Stage
    lifting: Lifting
    names: Names = field(default_factory=Names)
    rules: list[RuleFormulas] = field(default_factory=list)
    assumed: list[Formula] = field(default_factory=list)

    @property
    def scope(self) -> Scope:
        """The scope of the stage's items."""
        return self.pack.scopes[self.stage.scope]

    def reached(self, place: int) -> Formula:
        """Return whether a rule is asked about an item: it passes the checks that guard what the rule reads."""
        guards = [rules.passes() for rules in self.rules[:place] if keeps_from(rules.rule, self.rules[place].rule)]
        return All((*self.assumed, *guards))

    def roots(self) -> list[Leaf]:
        """Return the leaves that are read from nothing else."""
        return list(self.lifting.roots.values())


def new_lifting(pack: Pack, scope: Scope) -> Lifting:
    """Return what turns the expressions of a scope into formulas."""
    lifting = Lifting(scope.variables, pack.constants)
    if scope.index:
        lifting.root(scope.index, scope.variables[scope.index]).least = 0
    over = pack.items[scope.name].over if scope.name in pack.items else None
    if scope.item and over:
        listed = lifting.lift(over.checked.expression, Names()) if not over.checked.variables else None
        if isinstance(listed, Constant):
            lifting.root(scope.item, scope.variables[scope.item]).allowed = tuple(listed.value)
    return lifting


def stage_formulas(pack: Pack, stage: Stage) -> StageFormulas:
    """Return the formulas of a stage; results of earlier rules are written out where they can be."""
    found = StageFormulas(pack, stage, new_lifting(pack, pack.scopes[stage.scope]))
    for earlier in passed_stages(pack, stage):
        for rule in earlier.rules:
            formulas = _add(found, rule)
            if rejects(rule):
                found.assumed.append(formulas.passes())
    found.assumed += _visited(found)
    found.rules = [_add(found, rule) for rule in stage.rules]
    found.assumed = _relevant(found)
    return found


def _visited(found: StageFormulas) -> list[Formula]:
    """Return what is sure of the items that come to a stage over visits: one of the flows visits them."""
    flows = [found.pack.flows[name] for name in found.stage.each if name in found.pack.flows]
    if not flows or any(flow.visits is None for flow in flows):
        return []
    visits = (flow.visits.checked.expression for flow in flows if flow.visits)
    return [Any_(tuple(found.lifting.lift(each, found.names) for each in visits))]


def _relevant(found: StageFormulas) -> list[Formula]:
    """Return what is assumed of anything that the rules read; the rest would only make the domain larger.

    What never happens without the rest does not happen with it either.
    """
    read = {leaf for rules in found.rules for formula in rules.conditions() for leaf in owners_of(formula)}
    return [formula for formula in found.assumed if not read.isdisjoint(leaves_of(formula))]


def _add(found: StageFormulas, rule: Rule) -> RuleFormulas:
    """Return a rule's formulas, and make what it gives known to the rules after it."""
    formulas = rule_formulas(found.lifting, rule, found.names)
    if isinstance(rule, Resolve | Table):
        given = found.scope.given[rule.variable]
        found.names.formulas[rule.variable] = _given(found.lifting, formulas, given)
        found.names.sources[rule.variable] = _chosen(formulas, [option.source for option in formulas.options])
    return formulas


def rule_formulas(lifting: Lifting, rule: Rule, names: Names) -> RuleFormulas:
    """Return the formulas of one rule, read with the rule's own names."""
    own = Names(dict(names.formulas), dict(names.sources))
    for name, term in rule.lets:
        own = own.knowing(name, lifting.lift(term.checked.expression, own), term.checked.expression)
    when = _lifted(lifting, rule.when, own, TRUE)
    match rule:
        case Check():
            return RuleFormulas(rule, when, holds=lifting.lift(rule.holds.checked.expression, own))
        case Resolve():
            return RuleFormulas(rule, when, options=tuple(_candidates(lifting, rule, own)))
        case Table():
            rows = tuple(_row(lifting, row, own, rule.hit == "collect") for row in rule.rows)
            return RuleFormulas(rule, when, options=rows)
        case Transition():
            slot = lifting.lift(rule.slot.checked.expression, own)
            value = lifting.lift(rule.value.checked.expression, own)
            return RuleFormulas(rule, when, options=(Option(TRUE, value, slot),))
    raise TypeError(rule.kind)


def _lifted(lifting: Lifting, term: Term | None, names: Names, default: Formula) -> Formula:
    return lifting.lift(term.checked.expression, names) if term else default


def _candidates(lifting: Lifting, rule: Resolve, names: Names) -> Iterator[Option]:
    for candidate in rule.candidates:
        when = _lifted(lifting, candidate.when, names, TRUE)
        value = lifting.lift(candidate.value.checked.expression, names)
        yield Option(when, value, lifting.lift(candidate.source.checked.expression, names))


def _row(lifting: Lifting, row: Row, names: Names, collected: bool) -> Option:
    when = _lifted(lifting, row.when, names, TRUE)
    path = (row.value.text,) if collected else row.path  # what is collected is known by its text
    return Option(when, lifting.lift(row.value.checked.expression, names), Constant(""), path)


def _given(lifting: Lifting, formulas: RuleFormulas, type_: Type) -> Formula:
    """Return what a rule gives: its options in turn, or a free value where it builds one."""
    rule = formulas.rule
    if isinstance(rule, Table) and rule.hit in ("build", "collect"):
        built = Read(lifting.root(f"{rule.variable}", required(type_)))
        return choice(formulas.when, built, NULL_VALUE)
    return _chosen(formulas, [option.value for option in formulas.options])


def _chosen(formulas: RuleFormulas, values: Sequence[Formula]) -> Formula:
    result: Formula = NULL_VALUE
    for option, value in zip(reversed(formulas.options), reversed(values), strict=True):
        result = choice(option.when, value, result)
    return choice(formulas.when, result, NULL_VALUE)
