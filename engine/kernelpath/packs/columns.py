"""Names with dots: a table's column and what a pass of a flow leaves are read as one name, `steps.emitted`."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

from kernelpath.language.ast import Comprehension, Expression, Member, Name, Quantifier


def with_columns(node: Expression, columns: Container[str], bound: frozenset[str] = frozenset()) -> Expression:
    """Return the expression with each path that is a column as one name; names that a loop binds are left alone."""
    dotted = path_of(node) if isinstance(node, Member) else None
    if dotted is not None and dotted in columns and dotted.partition(".")[0] not in bound:
        return Name(dotted, start=node.start, end=node.end)
    if isinstance(node, Quantifier | Comprehension):
        return _loop(node, columns, bound)
    changes = {name: _each(value, columns, bound) for name, value in _parts(node)}
    return replace(node, **changes) if changes else node


def _loop(node: Quantifier | Comprehension, columns: Container[str], bound: frozenset[str]) -> Expression:
    """Return a loop; the name that it binds hides a table in its body, not in the list that it goes over."""
    inside = bound | {node.variable}
    changes = {name: _each(value, columns, bound if name == "source" else inside) for name, value in _parts(node)}
    return replace(node, **changes)


def path_of(node: Expression) -> str | None:
    """Return the dotted text of a name or of members of one, None of any other expression.

    A safe access (`?.`) counts as a plain one.
    """
    if isinstance(node, Name):
        return node.name
    if not isinstance(node, Member):
        return None
    owner = path_of(node.object)
    return None if owner is None else f"{owner}.{node.name}"


def paths_read(node: Expression, bound: frozenset[str] = frozenset()) -> set[str]:
    """Return the names that an expression reads and the members on the way, each as a dotted path."""
    path = path_of(node)
    found = {path} if path is not None and path.partition(".")[0] not in bound else set()
    inside = bound | ({node.variable} if isinstance(node, Quantifier | Comprehension) else set())
    for name, value in _parts(node):
        for inner in value if isinstance(value, tuple) else (value,):
            if isinstance(inner, Expression):
                found |= paths_read(inner, bound if name == "source" else inside)
    return found


def outer_paths(node: Expression, bound: frozenset[str] = frozenset()) -> Iterator[tuple[str, Expression]]:
    """Yield each name that no loop binds with all the members that are read of it, as one dotted path."""
    path = path_of(node)
    if path is not None:
        if path.partition(".")[0] not in bound:
            yield path, node
        return
    inside = bound | ({node.variable} if isinstance(node, Quantifier | Comprehension) else set())
    for name, value in _parts(node):
        for inner in value if isinstance(value, tuple) else (value,):
            if isinstance(inner, Expression):
                yield from outer_paths(inner, bound if name == "source" else inside)


def without(node: Expression, paths: Iterable[str], unknown: Name) -> Expression:
    """Return the expression with these paths replaced by a name whose type is unknown."""
    wanted = set(paths)
    if path_of(node) in wanted:
        return replace(unknown, start=node.start, end=node.end)
    changes: dict[str, Any] = {}
    for name, value in _parts(node):
        several = value if isinstance(value, tuple) else (value,)
        new = tuple(without(inner, wanted, unknown) if isinstance(inner, Expression) else inner for inner in several)
        changes[name] = new if isinstance(value, tuple) else new[0]
    return replace(node, **changes) if changes else node


def _parts(node: Expression) -> Iterator[tuple[str, Any]]:
    """Yield the fields that hold sub-expressions, alone or in a tuple."""
    for each in fields(node):
        value = getattr(node, each.name)
        several = isinstance(value, tuple) and any(isinstance(inner, Expression) for inner in value)
        if isinstance(value, Expression) or several:
            yield each.name, value


def _each(value: Any, columns: Container[str], bound: frozenset[str]) -> Any:
    if isinstance(value, tuple):
        return tuple(with_columns(inner, columns, bound) if isinstance(inner, Expression) else inner for inner in value)
    return with_columns(value, columns, bound)
