"""Which types a test proves of the paths that it tests.

A path is a variable and the members and literal indexes read from it. Values never change, so what a test proved holds
wherever the test is known to have been true.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kernelpath.language.ast import (
    Binary,
    Call,
    Convert,
    Expression,
    Index,
    ListLiteral,
    Literal,
    Logic,
    Member,
    Name,
    Unary,
)
from kernelpath.language.builtins import DECLARED
from kernelpath.language.signatures import narrowed_type
from kernelpath.language.types import (
    BOOL,
    FLOAT,
    INT,
    JSON,
    NULL,
    UNKNOWN,
    ListOf,
    MapOf,
    Optional,
    Type,
    Vocabulary,
    is_open,
    is_text,
    join,
    required,
)

Path = tuple[str | int, ...]
Facts = dict[Path, Type]


@dataclass(frozen=True)
class Scope:
    """The variables in sight and what is known of the paths that begin with them."""

    variables: dict[str, Type]
    facts: Facts = field(default_factory=dict)

    def knowing(self, facts: Facts) -> Scope:
        """Return the scope with more facts."""
        return replace(self, facts={**self.facts, **facts}) if facts else self

    def binding(self, name: str, type_: Type) -> Scope:
        """Return the scope inside a loop over `name`."""
        return replace(self, variables={**self.variables, name: type_})


def path_of(node: Expression) -> Path | None:
    """Return the path that a node reads, or None if it is no path."""
    match node:
        case Name(name=name):
            return (name,)
        case Convert(operand=operand):
            return path_of(operand)
        case Member(object=inner, name=step):
            base = path_of(inner)
            return None if base is None else (*base, step)
        case Index(object=inner, index=Literal(value=int() | str() as step)) if type(step) is not bool:
            base = path_of(inner)
            return None if base is None else (*base, step)
    return None


def apply_fact(node: Expression, scope: Scope) -> Expression:
    """Return a path as the type that the scope knows of it; JSON known to be a number is read as one."""
    path = path_of(node)
    fact = None if path is None else scope.facts.get(path)
    if fact is None or node.type == UNKNOWN:
        return node
    if is_open(required(node.type)) and fact in (INT, FLOAT):
        return Convert(node, start=node.start, end=node.end, type=fact)
    return replace(node, type=fact)


def facts(node: Expression, truth: bool) -> Facts:
    """Return what is known where a checked boolean expression has the value `truth`."""
    match node:
        case Unary(operator="not"):
            return facts(node.operand, not truth)
        case Logic(operator=operator):
            parts = [facts(operand, truth) for operand in node.operands]
            return _merged(parts) if (operator == "and") == truth else _common(parts)
        case Binary(operator="==" | "!="):
            equal = (node.operator == "==") == truth
            return {**_of_equality(node.left, node.right, equal), **_of_equality(node.right, node.left, equal)}
        case Binary(operator="in" | "not in") if (node.operator == "in") == truth:
            return _of_membership(node)
        case Call() if truth and node.function in DECLARED:
            tested = narrowed_type(node.function)
            return {} if tested is None else _of_type(node.arguments[0], tested)
    return {}


def _merged(parts: list[Facts]) -> Facts:
    return {path: type_ for part in parts for path, type_ in part.items()}


def _common(parts: list[Facts]) -> Facts:
    """Return what holds in every case."""
    result = parts[0]
    for part in parts[1:]:
        joined = {path: join(type_, part[path]) for path, type_ in result.items() if path in part}
        # A number that is an int in one case and a float in the other has no single way to be read.
        alike = [path for path in joined if _same_reading(path, result, part)]
        result = {path: type_ for path in alike if (type_ := joined[path]) is not None}
    return result


def _same_reading(path: Path, one: Facts, other: Facts) -> bool:
    return one[path] == other[path] or not {one[path], other[path]} & {INT, FLOAT}


def _of_equality(node: Expression, other: Expression, equal: bool) -> Facts:
    if other.type == NULL:
        return {} if equal else _present(node)
    return _of_value(node, other.type) if equal and _excludes_null(other.type) else {}


def _of_value(node: Expression, type_: Type) -> Facts:
    """Return what follows from a value being equal to one of `type_`: of a list or map, only that it is there."""
    return _of_type(node, type_) if is_text(type_) or type_ in (BOOL, INT, FLOAT) else _present(node)


def _excludes_null(type_: Type) -> bool:
    return not (isinstance(type_, Optional) or is_open(type_) or type_ in (NULL, UNKNOWN))


def _of_membership(node: Binary) -> Facts:
    if isinstance(node.right, ListLiteral):
        types = [item.type for item in node.right.items]
        if not types or not all(_excludes_null(type_) for type_ in types):
            return {}
        return _of_value(node.left, types[0]) if len(set(types)) == 1 else _present(node.left)
    known = isinstance(node.right.type, ListOf) and _excludes_null(node.right.type.element)
    return _present(node.left) if known else {}


def _of_type(node: Expression, type_: Type) -> Facts:
    """Return what follows from a value being of a type that excludes null."""
    known = _present(node)
    path = path_of(node)
    inner = required(node.type)
    if path is None:
        return known
    if inner == JSON or (isinstance(inner, Vocabulary) and inner.open):
        known[path] = _closed(inner, type_)
    return known


def _closed(inner: Type, type_: Type) -> Type:
    """Return the type of an open vocabulary's value that was compared with one of its literals."""
    if isinstance(inner, Vocabulary) and isinstance(type_, Vocabulary):
        return Vocabulary(inner.name, inner.values)
    return type_


def _present(node: Expression) -> Facts:
    """Return what follows from a value being there: it is not null, and what it is read from has members."""
    path = path_of(node)
    if path is None:
        return {}
    known = _owner_present(node.operand if isinstance(node, Convert) else node)
    if isinstance(node.type, Optional):
        known[path] = node.type.inner
    return known


def _owner_present(node: Expression) -> Facts:
    if not isinstance(node, (Member, Index)):
        return {}
    owner = node.object
    known = _present(owner)
    path = path_of(owner)
    if owner.type == JSON and path is not None:
        listed = isinstance(node, Index) and isinstance(node.index, Literal) and type(node.index.value) is int
        known[path] = ListOf(JSON) if listed else MapOf(JSON)
    return known
