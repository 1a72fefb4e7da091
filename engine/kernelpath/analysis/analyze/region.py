"""Where the rules of a stage apply, fail and give what, over the stage's domain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelpath.analysis.domain.domain import Domain
from kernelpath.analysis.domain.leaves import leaves_of, loops_of
from kernelpath.analysis.domain.search import Search, Where
from kernelpath.analysis.domain.stages import RuleFormulas, StageFormulas, stage_formulas
from kernelpath.analysis.domain.witness import make_item, outcomes
from kernelpath.analysis.testing.outcomes import Outcome
from kernelpath.packs.model import Check, Pack, Stage
from kernelpath.packs.passing import keeps_from

Outcomes = Mapping[str, Outcome]
Cover = tuple[int, Where]


@dataclass(slots=True)
class Region:
    """The regions of a stage's rules, by their place in the stage.

    `reached[i]` is where an item comes to rule i, `when[i]` where it meets the rule's condition, `holds[i]` where the
    check is satisfied; `options[i]` are the conditions of its candidates or rows.
    """

    formulas: StageFormulas
    domain: Domain
    search: Search
    assumed: Where
    reached: list[Where] = field(default_factory=list)
    when: list[int] = field(default_factory=list)
    holds: list[int] = field(default_factory=list)
    options: list[list[int]] = field(default_factory=list)

    @classmethod
    def of(cls, pack: Pack, stage: Stage) -> Region:
        """Return the regions of a stage; raises TooLarge."""
        formulas = stage_formulas(pack, stage)
        conditions = [condition for rules in formulas.rules for condition in rules.conditions()]
        decided = [*conditions, *formulas.assumed]
        roots = dict.fromkeys(leaf.root() for formula in decided for leaf in leaves_of(formula))
        domain = Domain(decided, loops_of(decided), roots)
        assumed = Where(frozenset(domain.diagrams.truth(domain.value(formula)) for formula in formulas.assumed))
        region = cls(formulas, domain, Search(domain.diagrams), assumed)
        for rules in formulas.rules:
            region._add(rules)
        return region

    def _add(self, rules: RuleFormulas) -> None:
        diagrams, domain = self.domain.diagrams, self.domain
        self.reached.append(self._reached(len(self.reached)))
        self.when.append(diagrams.truth(domain.value(rules.when)))
        self.holds.append(diagrams.truth(domain.value(rules.holds)))
        self.options.append([diagrams.truth(domain.value(option.when)) for option in rules.options])

    @property
    def rules(self) -> list[RuleFormulas]:
        """The rules of the stage with their formulas."""
        return self.formulas.rules

    def _reached(self, place: int) -> Where:
        """Return where a rule is asked: where the checks before it that guard what it reads are asked and pass."""
        found = self.assumed
        for other in range(place):
            if self.guards(other, place):
                found = found.within(self.reached[other]).also(self.passes(other))
        return found

    def guards(self, other: int, place: int) -> bool:
        """Return whether a failure of one rule keeps an item from another."""
        return keeps_from(self.rules[other].rule, self.rules[place].rule)

    def is_guard(self, place: int) -> bool:
        """Return whether a failure of a rule keeps an item from any rule after it."""
        return any(self.guards(place, other) for other in range(place + 1, len(self.rules)))

    def checks(self) -> list[int]:
        """Return the places of the checks."""
        return [place for place, rules in enumerate(self.rules) if isinstance(rules.rule, Check)]

    def passes(self, place: int) -> int:
        """Return where a rule finds no fault."""
        return self.domain.diagrams.either(self.domain.diagrams.negated(self.when[place]), self.holds[place])

    def applies(self, place: int) -> Where:
        """Return where an item comes to a rule and meets its condition."""
        return self.reached[place].also(self.when[place])

    def fails(self, place: int) -> Where:
        """Return where a check fails."""
        return self.applies(place).never(self.holds[place])

    def own_fails(self, place: int) -> Where:
        """Return where a check would fail if every item came to it."""
        return Where().also(self.when[place]).never(self.holds[place])

    def is_empty(self, where: Where, outside: Sequence[Where] = ()) -> bool:
        """Return whether no item is in a region and outside of others; raises TooLarge.

        INVARIANT: an assignment that is no cell has the values of one that is, so that cells need no looking at.
        """
        return not self.search.exists(where, outside)

    def cover(self, where: Where, covers: Sequence[Cover]) -> list[int] | None:
        """Return the places of some regions that cover one together, none of them in vain; None if all do not.

        Regions are taken up one by one, as an item is found that none of those taken has; a single one that covers all
        is preferred. Raises TooLarge.
        """
        taken: list[Cover] = []
        while (item := self.search.first(where, [cover for _, cover in taken])) is not None:
            having = [pair for pair in covers if self.search.contains(pair[1], item)]
            alone = next((place for place, cover in having if self.is_empty(where, [cover])), None)
            if alone is not None:
                return [alone]
            if not having:
                return None
            taken.append(having[0])
        for pair in list(taken):
            rest = [other for other in taken if other is not pair]
            if self.is_empty(where, [cover for _, cover in rest]):
                taken = rest
        return sorted(place for place, _ in taken)

    def proves(self, *regions: Where) -> bool:
        """Return whether the domain misses no outcome that regions depend on."""
        return not self.domain.is_uncertain(self.domain.levels(_nodes(regions)))

    def reason(self, regions: Iterable[Where], what: str) -> str:
        """Return why a claim over regions is exact: for how many cells of what it was decided."""
        levels = self.domain.levels(_nodes(regions))
        if not levels:
            return f"{what}: it reads nothing that varies"
        names = list(dict.fromkeys(self.domain.by_level[level].name for level in levels))
        cells = self.domain.count(self.domain.diagrams.true, levels)
        return f"{what} in any of the {cells:,} cells of {', '.join(names)}"

    def witness(self, where: Where, shows: Callable[[Outcomes], bool]) -> Mapping[str, Any] | None:
        """Return the smallest item of a region as given values, None unless evaluating the rules on it shows it."""
        chosen = self.search.smallest(where)
        if chosen is None:
            return None
        by_level = self.domain.by_level
        levels = self.domain.levels(where.nodes())
        cell = {by_level[level]: by_level[level].choices[chosen.get(level, 0)] for level in levels}
        stage = self.formulas.stage
        item = make_item(self.formulas.pack, stage, cell)
        if not item.whole or not shows(outcomes(self.formulas.pack, stage, item)):
            return None
        return item.given


def _nodes(regions: Iterable[Where]) -> list[int]:
    return [node for where in regions for node in where.nodes()]
