"""The decisions of a rule: its booleans, each with the atoms that it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kernelpath.analysis.testing.parts import terms_of
from kernelpath.language import Expression
from kernelpath.language.ast import Literal, Logic, Unary, children
from kernelpath.language.types import BOOL
from kernelpath.packs.model import Rule, Term


@dataclass(frozen=True, slots=True)
class Decision:
    """A boolean that is no part of a larger one: a condition, a test of `if`, the body of a loop, a comparison.

    Its atoms are what is left of it without `and`, `or` and `not`, in the order of evaluation.
    """

    part: str
    place: int
    term: Term
    root: Expression
    atoms: tuple[Expression, ...]


def decisions_of(rule: Rule) -> list[Decision]:
    """Return every decision of a rule, constants left out, by parts and in the order of the text."""
    found = []
    for part, term in terms_of(rule).items():
        roots = list(_roots(term.checked.expression))
        found += [Decision(part, place, term, root, tuple(_atoms(root))) for place, root in enumerate(roots)]
    return [decision for decision in found if decision.atoms]


def _roots(node: Expression) -> Iterator[Expression]:
    """Yield the decisions at a node and inside of it."""
    if node.type != BOOL:
        for child in children(node):
            yield from _roots(child)
        return
    yield node
    for atom in _atoms(node):
        for child in children(atom):
            yield from _roots(child)


def _atoms(node: Expression) -> Iterator[Expression]:
    if isinstance(node, Logic):
        for operand in node.operands:
            yield from _atoms(operand)
    elif isinstance(node, Unary) and node.operator == "not":
        yield from _atoms(node.operand)
    elif not isinstance(node, Literal):
        yield node
