"""The finite domain of one rule alone, or of a rule and a changed one: cells found by formulas, and made into cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kernelpath.analysis.coverage.examples import Plain
from kernelpath.analysis.domain.diagrams import TooLarge
from kernelpath.analysis.domain.domain import Domain
from kernelpath.analysis.domain.formulas import TRUE, All, Formula, Leaf
from kernelpath.analysis.domain.lifting import Lifting, Names, NotFollowed
from kernelpath.analysis.domain.stages import RuleFormulas, new_lifting, rule_formulas
from kernelpath.analysis.domain.witness import make_item
from kernelpath.analysis.testing.parts import parts_of
from kernelpath.analysis.testing.records import plain
from kernelpath.language import Checked, Expression
from kernelpath.language.ast import Index, Name
from kernelpath.packs.model import Pack, Resolve, Rule, Table, Term

#: What a domain says when it cannot follow a rule, or would grow too large.
UNFOLLOWED = (TooLarge, NotFollowed, KeyError, AssertionError, RecursionError)


class RuleLifting:
    """A rule's expressions as formulas; what other rules would give it is free."""

    def __init__(self, pack: Pack, rule: Rule) -> None:
        self.pack, self.rule = pack, rule
        self.lifting: Lifting = new_lifting(pack, pack.scopes[rule.scope])

    def names(self, rule: Rule) -> Names:
        """Return the names of a rule, its own included."""
        names = Names()
        for name, term in rule.lets:
            expression = term.checked.expression
            names = names.knowing(name, self.lifting.lift(expression, names), expression)
        return names

    def formulas(self, rule: Rule) -> RuleFormulas:
        """Return what a rule, or a changed one, does."""
        return rule_formulas(self.lifting, rule, Names())

    def lift(self, node: Expression) -> Formula:
        """Return the formula of a part of the rule."""
        return self.lifting.lift(node, self.names(self.rule))

    def texts(self) -> None:
        """Make everything known that the rule reads in its texts, so that a case can give it."""
        for part in parts_of(self.rule):
            pieces: Iterable[object] = () if isinstance(part.term, Term) else part.term.checked.pieces
            for piece in pieces:
                if isinstance(piece, Checked):
                    self.lift(piece.expression)


def reach(formulas: RuleFormulas, part: str) -> Formula:
    """Return where a part of a rule is evaluated."""
    when = formulas.rule.when
    if part == "when" or (when is not None and part.removeprefix("let ") in when.checked.variables):
        return TRUE
    if not part.startswith(("first[", "rows[")):
        return formulas.when
    index, in_turn = int(part[part.index("[") + 1 : part.index("]")]), _in_turn(formulas.rule)
    earlier = [option.when for option in formulas.options[:index]] if in_turn else []
    own = [] if part.endswith(".when") else [formulas.options[index].when]
    return All((formulas.when, *own, *(_not(formula) for formula in earlier)))


def _in_turn(rule: Rule) -> bool:
    return isinstance(rule, Resolve) or (isinstance(rule, Table) and rule.hit == "first")


def _not(formula: Formula) -> Formula:
    from kernelpath.analysis.domain.combining import negated

    return negated(formula)


class RuleDomain:
    """The domain of a rule's formulas: which cells there are, and the plain values of one."""

    def __init__(self, lifted: RuleLifting, decided: Sequence[Formula]) -> None:
        self.pack, self.rule = lifted.pack, lifted.rule
        roots = list(lifted.lifting.roots.values())
        self.domain = Domain(decided, lifted.lifting.loops, roots)
        self.diagrams = self.domain.diagrams

    def truth(self, formula: Formula) -> int:
        """Return where a condition holds."""
        return self.diagrams.truth(self.domain.value(formula))

    @property
    def is_certain(self) -> bool:
        """Whether no outcome is missing, so that what never happens is proved."""
        return not self.domain.is_uncertain(self.domain.by_level)

    def givens(self, node: int) -> list[Plain]:
        """Return plain values of the smallest cell in which a function is true: the fewest, then all there are."""
        cell = self.domain.smallest(node)
        if cell is None:
            return []
        everything = {leaf: leaf.choices[0] for leaf in self.domain.leaves if leaf.choices}
        return [self._given(chosen) for chosen in (cell, {**everything, **cell})]

    def _given(self, cell: dict[Leaf, Any]) -> Plain:
        """Return the variables and sources of a cell as a test file writes them; a map has what is looked up in it."""
        item = make_item(self.pack, self.pack.stages[self.rule.stage], cell)
        variables = self.pack.scopes[self.rule.scope].variables
        given = {name: value for name, value in item.given.items() if name in variables or name.startswith("source(")}
        looked_up = {leaf.root().expression for leaf in cell}
        for node in looked_up:
            if isinstance(node, Index) and isinstance(node.object, Name) and node.object.name in variables:
                given[node.object.name] = plain(item.values[node.object.name])
        return given
