"""Members of what formulas give, followed through choices down to leaves."""

from __future__ import annotations

from kernelpath.analysis.domain.combining import choice
from kernelpath.analysis.domain.formulas import Choice, Constant, Formula, Own, Read
from kernelpath.language import Type
from kernelpath.language.json_values import item, member
from kernelpath.language.types import JSON, ListOf, MapOf, Record, optional, required


def member_of(formula: Formula, name: str | int, type_: Type) -> Formula | None:
    """Return a member of what a formula gives, None where the formula cannot be looked into."""
    match formula:
        case Constant(value=value):
            return Constant(item(value, name) if isinstance(name, int) else member(value, name))
        case Read(leaf=leaf):
            child = leaf.child(name, member_type(leaf.type, name, type_))
            child.widen(type_)
            return Read(child)
        case Choice():
            then, otherwise = member_of(formula.then, name, type_), member_of(formula.otherwise, name, type_)
            return choice(formula.test, then, otherwise) if then and otherwise else None
    return None


def member_type(owner: Type, name: str | int, found: Type) -> Type:
    """Return a member's own type: narrowing may have told the reader more."""
    owner = required(owner)
    if isinstance(owner, Record) and isinstance(name, str):
        return owner.fields[name]
    if isinstance(owner, MapOf):
        return optional(owner.value)
    if isinstance(owner, ListOf):
        return optional(owner.element)
    return JSON if owner == JSON else found


def has_key(formula: Formula, name: str) -> Formula | None:
    """Return whether what a formula gives is an object with a key, None where that cannot be followed."""
    match formula:
        case Constant(value=value):
            return Constant(type(value) is dict and name in value)
        case Read(leaf=leaf):
            return Own(leaf.child(name, member_type(leaf.type, name, JSON)))
        case Choice():
            then, otherwise = has_key(formula.then, name), has_key(formula.otherwise, name)
            return choice(formula.test, then, otherwise) if then and otherwise else None
    return None
