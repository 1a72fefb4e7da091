"""Records and values as a case gives them: what is left out is noticed where a rule reads it."""

from __future__ import annotations

from collections.abc import Mapping

from kernelpath.language import Type, Vocabulary
from kernelpath.language.interpreter import attribute
from kernelpath.language.types import BOOL, FLOAT, INT, JSON, NULL, STRING, ListOf, MapOf, Optional, Record

_PLAIN: Mapping[Type, object] = {BOOL: False, INT: 0, FLOAT: 0.0, STRING: ""}


class NotGiven(AttributeError):
    """A rule read a variable or a field that the case leaves out; `path` names it in words."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class RecordValue:
    """A record with the fields that a case gives; reading another one raises NotGiven, unless it may be null.

    `held` are values to hold in place of the given ones, and beside them.
    """

    def __init__(self, record: Record, given: Mapping[str, object], held: Mapping[str, object] | None = None) -> None:
        self._record = record
        self._given = dict(given)
        held = {**given, **(held or {})}
        for name, type_ in record.fields.items():
            if name in held or admits_null(type_):
                setattr(self, attribute(name), held.get(name))

    def __getattr__(self, name: str) -> object:
        raise NotGiven(f"field `{name}` of a {self._record.name}")

    @property
    def given(self) -> Mapping[str, object]:
        """The fields that the case gives."""
        return self._given


def admits_null(type_: Type) -> bool:
    """Return whether null is a value of the type, so that leaving it out means null."""
    return type_ in (JSON, NULL) or isinstance(type_, Optional)


def neutral(type_: Type) -> object:
    """Return some value of a type, for what a rule is known not to look at."""
    if admits_null(type_):
        return None
    if isinstance(type_, Vocabulary):
        return type_.values[0]
    if isinstance(type_, ListOf | MapOf):
        return [] if isinstance(type_, ListOf) else {}
    return filled(RecordValue(type_, {}), type_) if isinstance(type_, Record) else _PLAIN[type_]


def filled(value: object, type_: Type) -> object:
    """Return the value with neutral fields where its records have none."""
    if isinstance(type_, Optional) and value is not None:
        return filled(value, type_.inner)
    if isinstance(value, RecordValue) and isinstance(type_, Record):
        given = value.given
        held = {n: filled(given[n], t) if n in given else neutral(t) for n, t in type_.fields.items()}
        return RecordValue(type_, given, held)
    if isinstance(value, list) and isinstance(type_, ListOf):
        return [filled(item, type_.element) for item in value]
    if isinstance(value, dict) and isinstance(type_, MapOf):
        return {key: filled(item, type_.value) for key, item in value.items()}
    return value


def plain(value: object) -> object:
    """Return a value with its records as the mappings that were given."""
    if isinstance(value, RecordValue):
        return {name: plain(item) for name, item in value.given.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return {key: plain(item) for key, item in value.items()} if isinstance(value, dict) else value
