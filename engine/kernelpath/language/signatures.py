"""Signatures of built-ins: reading them, and fitting arguments to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from kernelpath.language.ast import Expression
from kernelpath.language.builtins import DECLARED, RECORDS
from kernelpath.language.coercion import coerced, join_types, strangers
from kernelpath.language.type_parser import parse_type
from kernelpath.language.types import (
    JSON,
    NOTHING,
    ListOf,
    MapOf,
    Optional,
    Record,
    Type,
    Variable,
    is_open,
    optional,
    required,
)

_PARAMETER = Variable("T")


@dataclass(frozen=True)
class Signature:
    """The types of parameters and of the result; `text` is how it was declared."""

    parameters: tuple[Type, ...]
    result: Type
    text: str


@cache
def signatures(name: str) -> tuple[Signature, ...]:
    """Return the signatures of a built-in, in order of preference."""
    return tuple(read_signature(text) for text in DECLARED[name].signatures)


@cache
def narrowed_type(name: str) -> Type | None:
    """Return the type that a true answer of a built-in proves of its first argument."""
    narrows = DECLARED[name].narrows
    return None if narrows is None else parse_type(narrows)


def read_signature(text: str) -> Signature:
    """Return a signature such as `first(xs: list<T>) -> T?`."""
    head, _, result = text.rpartition(" -> ")
    inside = head[head.index("(") + 1 : -1]
    spelled = [part.partition(": ")[2] for part in inside.split(", ")] if inside else []
    names = {"T": _PARAMETER, **library_records()}
    return Signature(tuple(parse_type(part, names) for part in spelled), parse_type(result, names), text)


def library_records() -> dict[str, Type]:
    """Return the record types that the built-ins of libraries give, by name."""
    fields: dict[str, dict[str, Type]] = {name: {} for name in RECORDS}
    types: dict[str, Type] = {name: Record(name, fields[name]) for name in RECORDS}
    for name, texts in RECORDS.items():
        fields[name].update({field: parse_type(text, types) for field, text in texts.items()})
    return types


def fit(signature: Signature, arguments: tuple[Expression, ...]) -> tuple[tuple[Expression, ...], Type] | None:
    """Return the arguments as the signature needs them, and the type of the result; None if they do not fit."""
    if len(arguments) != len(signature.parameters):
        return None
    found: Type = NOTHING
    for parameter, argument in zip(signature.parameters, arguments, strict=True):
        part = _bound(parameter, argument.type)
        foreign = strangers(argument, found)
        joined = None if part is None or foreign else join_types(found, part, argument)
        if joined is None:
            return None
        found = joined
    return _coerce_all(signature, arguments, found)


def _coerce_all(
    signature: Signature, arguments: tuple[Expression, ...], found: Type
) -> tuple[tuple[Expression, ...], Type] | None:
    fitted = []
    for parameter, argument in zip(signature.parameters, arguments, strict=True):
        wanted = _substituted(parameter, found)
        result = coerced(argument, wanted)
        if result is None:
            return None
        fitted.append(result)
    return tuple(fitted), _with_limit(_substituted(signature.result, found), arguments)


def _bound(parameter: Type, given: Type) -> Type | None:
    """Return what the type parameter must be for `given` to fit; `nothing` if it does not occur."""
    if isinstance(parameter, Variable):
        return given
    if isinstance(parameter, ListOf) and isinstance(given, ListOf):
        return _bound(parameter.element, given.element)
    if isinstance(parameter, MapOf) and isinstance(given, MapOf):
        return _bound(parameter.value, given.value)
    return None if parameter in (ListOf(_PARAMETER), MapOf(_PARAMETER)) else NOTHING


def _substituted(parameter: Type, found: Type) -> Type:
    if isinstance(parameter, Variable):
        return found
    if isinstance(parameter, Optional):
        inner = _substituted(parameter.inner, found)
        return JSON if inner == JSON or is_open(required(inner)) else optional(inner)
    if isinstance(parameter, ListOf):
        return ListOf(_substituted(parameter.element, found))
    return MapOf(_substituted(parameter.value, found)) if isinstance(parameter, MapOf) else parameter


def _with_limit(result: Type, arguments: tuple[Expression, ...]) -> Type:
    """Carry the limit of a list argument to a list result: only that of a list of lists is made longer."""
    first = arguments[0].type if arguments else None
    if isinstance(result, ListOf) and isinstance(first, ListOf) and not isinstance(first.element, ListOf):
        return ListOf(result.element, first.limit)
    return result
