"""Expressions of families and ops, in the rule language: parsed once, compiled once per set of types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import cast

from kernelpath.language import Names, check, compile_function, parse
from kernelpath.language.ast import Expression, Name, children
from kernelpath.language.types import BOOL, FLOAT, INT, STRING, Type

Scalar = bool | int | float | str
Function = Callable[..., Scalar]

_TYPES: dict[type, Type] = {bool: BOOL, int: INT, float: FLOAT, str: STRING}


@cache
def names_in(text: str) -> frozenset[str]:
    """Return the names that an expression reads; raises LanguageErrors where it does not parse."""
    return frozenset(_names(parse(text)))


def compiled(text: str, names: Mapping[str, Scalar]) -> Function:
    """Return an expression as a function of keyword arguments, typed by the values that stand for its names."""
    return _compiled(text, tuple((name, type(value)) for name, value in names.items()))


@cache
def _compiled(text: str, types: tuple[tuple[str, type], ...]) -> Function:
    variables = {name: _TYPES[kind] for name, kind in types}
    checked = check(parse(text), Names(variables=variables, vocabularies={}))
    return cast(Function, compile_function(checked, [name for name, _ in types]))


def _names(node: Expression) -> set[str]:
    found = {node.name} if isinstance(node, Name) else set()
    return found.union(*(_names(child) for child in children(node)))
