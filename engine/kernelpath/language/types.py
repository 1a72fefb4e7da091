"""The types of the expression language, and which of them fit where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


class Type:
    """The common ancestor of all types; `str()` spells a type as YAML does."""

    __slots__ = ()


@dataclass(frozen=True)
class Primitive(Type):
    """A type that is its name: `bool`, `int`, `float`, `string`, `null`, `json`."""

    name: str

    def __str__(self) -> str:
        return self.name


BOOL = Primitive("bool")
INT = Primitive("int")
FLOAT = Primitive("float")
STRING = Primitive("string")
NULL = Primitive("null")
JSON = Primitive("json")
NOTHING = Primitive("nothing")
"""The element type of `[]`: it fits every type."""
UNKNOWN = Primitive("unknown")
"""The type of an expression that has a problem already: it fits everywhere, so that one fault gives one message."""


@dataclass(frozen=True)
class Vocabulary(Type):
    """A named set of strings; an `open` one may hold any JSON value at run time, and yet a rule may name only these."""

    name: str
    values: tuple[str, ...] = field(default=(), compare=False)
    open: bool = False

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ListOf(Type):
    """A list; `limit` bounds its length where that is known, and plays no part in equality."""

    element: Type
    limit: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"list<{self.element}>"


@dataclass(frozen=True)
class MapOf(Type):
    """A map from strings to values of one type."""

    value: Type

    def __str__(self) -> str:
        return f"map<{self.value}>"


@dataclass(frozen=True)
class Record(Type):
    """A host object with named fields; two records are one type if their names are equal."""

    name: str
    fields: Mapping[str, Type] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Optional(Type):
    """A value of the inner type, or null."""

    inner: Type

    def __str__(self) -> str:
        return f"{self.inner}?"


@dataclass(frozen=True)
class Variable(Type):
    """A type parameter in a signature of a built-in."""

    name: str

    def __str__(self) -> str:
        return self.name


def optional(inner: Type) -> Type:
    """Return `inner?`, where json, null and optional types hold null already."""
    if inner in (JSON, NULL, UNKNOWN) or isinstance(inner, Optional):
        return inner
    return NULL if inner == NOTHING else Optional(inner)


def required(type_: Type) -> Type:
    """Return the type without null, where a type for that exists."""
    return type_.inner if isinstance(type_, Optional) else type_


def is_number(type_: Type) -> bool:
    """Return whether values of the type take part in arithmetic."""
    return type_ in (INT, FLOAT)


def is_text(type_: Type) -> bool:
    """Return whether every value of the type is a string at run time."""
    return type_ == STRING or (isinstance(type_, Vocabulary) and not type_.open)


def is_open(type_: Type) -> bool:
    """Return whether a value of the type may be any JSON value at run time."""
    return type_ == JSON or (isinstance(type_, Vocabulary) and type_.open)


def is_plain(type_: Type) -> bool:
    """Return whether Python's `==` is the language's equality for values of this type."""
    return is_text(required(type_)) or required(type_) in (BOOL, INT, FLOAT, NULL) or isinstance(type_, Record)


def is_json_like(type_: Type) -> bool:
    """Return whether values of the type are JSON values."""
    if isinstance(type_, ListOf):
        return is_json_like(type_.element)
    if isinstance(type_, MapOf):
        return is_json_like(type_.value)
    return not isinstance(required(type_), Record) and (type_ == required(type_) or is_json_like(required(type_)))


def fits(given: Type, wanted: Type) -> bool:
    """Return whether a value of type `given` may stand where `wanted` is needed, as it is."""
    if given in (wanted, NOTHING) or UNKNOWN in (given, wanted):
        return True
    if wanted == JSON:
        return is_json_like(given)
    if isinstance(wanted, Optional):
        return given == NULL or fits(required(given), wanted.inner)
    return (wanted == STRING and is_text(given)) or _fits_inside(given, wanted)


def _fits_inside(given: Type, wanted: Type) -> bool:
    if isinstance(given, Vocabulary) and isinstance(wanted, Vocabulary):
        return given.name == wanted.name and not given.open
    if isinstance(given, ListOf) and isinstance(wanted, ListOf):
        return fits(given.element, wanted.element)
    return isinstance(given, MapOf) and isinstance(wanted, MapOf) and fits(given.value, wanted.value)


def outgrows(given: Type, wanted: Type) -> tuple[int, int] | None:
    """Return the limits of two lists of which the given one may be longer than the other may, None if it may not."""
    given, wanted = required(given), required(wanted)
    if not isinstance(given, ListOf) or not isinstance(wanted, ListOf):
        return None
    if given.limit is not None and wanted.limit is not None and given.limit > wanted.limit:
        return given.limit, wanted.limit
    return outgrows(given.element, wanted.element)


def join(left: Type, right: Type) -> Type | None:
    """Return the narrowest type that both fit, or None; an int and a float join to float."""
    for given, wanted in ((left, right), (right, left)):
        if fits(given, wanted):
            return _with_limit(wanted, given)
    if NULL in (left, right):
        return optional(right if left == NULL else left)
    if isinstance(left, Optional) or isinstance(right, Optional):
        inner = join(required(left), required(right))
        return None if inner is None else optional(inner)
    return _join_inside(left, right)


def _join_inside(left: Type, right: Type) -> Type | None:
    if is_number(left) and is_number(right):
        return FLOAT
    if is_text(left) and is_text(right):
        return STRING
    if isinstance(left, ListOf) and isinstance(right, ListOf):
        element = None if is_number(left.element) else join(left.element, right.element)
        return None if element is None else ListOf(element, longest(left.limit, right.limit))
    mixed = JSON in (left, right) or is_open(left) or is_open(right)
    return JSON if mixed and is_json_like(left) and is_json_like(right) else None


def _with_limit(wanted: Type, given: Type) -> Type:
    if isinstance(wanted, ListOf) and isinstance(given, ListOf):
        return ListOf(wanted.element, longest(wanted.limit, given.limit))
    return wanted


def longest(left: int | None, right: int | None) -> int | None:
    """Return the larger of two list limits, None standing for no limit."""
    return None if left is None or right is None else max(left, right)
