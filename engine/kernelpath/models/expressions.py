"""Expressions in the tables, in the rule language, over a model's fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from kernelpath.language import Checked, Names, check, interpret, parse
from kernelpath.language.types import BOOL, FLOAT, INT, STRING, Type

TYPES: dict[str, Type] = {"int": INT, "float": FLOAT, "bool": BOOL, "string": STRING}


@cache
def _checked(text: str, types: tuple[tuple[str, str], ...]) -> Checked:
    names = Names(variables={name: TYPES[kind] for name, kind in types}, vocabularies={}, resolved=frozenset())
    return check(parse(text), names)


def evaluate(text: str, types: Mapping[str, str], value_of: Callable[[str], object]) -> object:
    """Return the value of an expression; `value_of` gives each name that it reads, and only those."""
    checked = _checked(text, tuple(types.items()))
    return interpret(checked, {name: value_of(name) for name in checked.variables})
