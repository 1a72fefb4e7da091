"""Formulas: expressions in which names are written out and every read is a leaf of the domain.

A formula is shared wherever the same name is read, so that a value is worked out once however many rules read it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelpath.language import Expression, Type
from kernelpath.language.types import Optional, Vocabulary, required


class _Broken:
    """The value of an expression that has none: an evaluation error."""

    def __repr__(self) -> str:
        return "broken"


BROKEN = _Broken()


class _Absent:
    """What stands under a key that an object does not have."""

    def __repr__(self) -> str:
        return "absent"


ABSENT = _Absent()


class _Present:
    """A record that is there; nothing but its presence is read of it."""

    def __repr__(self) -> str:
        return "present"


PRESENT = _Present()


#: The key of an object that is told from the objects of other leaves by the name under it.
MARK = "\x00"
#: Lists of more items than this are one item again and again.
LONG = 32


@dataclass(eq=False, slots=True)
class Leaf:
    """One independent part of an item: a variable, a member of one, or a value that the domain does not look into.

    `parent` and `step` say what it is read from. `expression` is what a leaf stands for that is no variable: its value
    is left free, so that what holds for all its values holds for those that the expression can take. `allowed` are its
    only values where a scope lists them, `least` is the smallest of whole numbers that count. `is_element` marks the
    item of a loop over the leaf `parent`.
    """

    name: str
    type: Type
    parent: Leaf | None = None
    step: str | int | None = None
    expression: Expression | None = None
    allowed: tuple[Any, ...] | None = None
    least: int | None = None
    is_element: bool = False
    children: dict[str | int, Leaf] = field(default_factory=dict)
    choices: tuple[Any, ...] = ()
    level: int | None = None

    def child(self, step: str | int, type_: Type) -> Leaf:
        """Return the leaf of a member or of an item at a fixed place."""
        found = self.children.get(step)
        if found is None:
            suffix = f".{step}" if isinstance(step, str) and step.isidentifier() else f"[{step!r}]"
            found = self.children[step] = Leaf(self.name + suffix, type_, self, step)
        found.widen(type_)
        return found

    def widen(self, type_: Type) -> None:
        """Take in the values of another vocabulary of the same name, as another version of a pack declares it."""
        one, other = required(self.type), required(type_)
        if isinstance(one, Vocabulary) and isinstance(other, Vocabulary) and one.values != other.values:
            both = Vocabulary(one.name, tuple(dict.fromkeys([*one.values, *other.values])), one.open or other.open)
            self.type = Optional(both) if isinstance(self.type, Optional) else both

    def root(self) -> Leaf:
        """Return the leaf that this one is read from in the end."""
        leaf = self
        while leaf.parent is not None:
            leaf = leaf.parent
        return leaf


class Formula:
    """The common ancestor of all formulas."""

    __slots__ = ()


@dataclass(eq=False, slots=True)
class Constant(Formula):
    """A value."""

    value: Any


TRUE = Constant(True)


def worked_out(function: Callable[..., Any], values: Sequence[Any]) -> Any:
    """Return a function's value, BROKEN where it has none."""
    if any(value is BROKEN for value in values):
        return BROKEN
    try:
        return function(*values)
    except Exception:  # an evaluation error, or a value that an earlier condition would have kept out
        return BROKEN


@dataclass(eq=False, slots=True)
class Read(Formula):
    """The value of a leaf, null where it is absent or has no owner."""

    leaf: Leaf


@dataclass(eq=False, slots=True)
class Own(Formula):
    """Whether a leaf's owner is an object that has it, even as null."""

    leaf: Leaf


@dataclass(eq=False, slots=True)
class Apply(Formula):
    """A function of other formulas' values; `name` and `literals` say what it compares its arguments with."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Formula, ...]
    literals: tuple[Any, ...] = ()


@dataclass(eq=False, slots=True)
class All(Formula):
    """Whether all conditions hold."""

    parts: tuple[Formula, ...]


@dataclass(eq=False, slots=True)
class Any_(Formula):
    """Whether one of the conditions holds."""

    parts: tuple[Formula, ...]


@dataclass(eq=False, slots=True)
class Choice(Formula):
    """One of two values."""

    test: Formula
    then: Formula
    otherwise: Formula


@dataclass(eq=False, slots=True)
class Each(Formula):
    """A loop over a list that is a leaf: `body` gives the formula for an item, `sample` is the one for any item."""

    kind: str
    source: Formula
    element: Leaf
    sample: Formula
    body: Callable[[Formula], Formula]


@dataclass(eq=False, slots=True)
class Gather(Formula):
    """The list of those values whose conditions hold."""

    pairs: tuple[tuple[Formula, Formula], ...]


def parts_of(formula: Formula) -> tuple[Formula, ...]:
    """Return the formulas that a formula is made of."""
    match formula:
        case Apply():
            return formula.arguments
        case All() | Any_():
            return formula.parts
        case Choice():
            return (formula.test, formula.then, formula.otherwise)
        case Each():
            return (formula.source, formula.sample)
        case Gather():
            return tuple(part for pair in formula.pairs for part in pair)
    return ()
