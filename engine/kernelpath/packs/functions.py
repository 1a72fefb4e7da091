"""Pack functions: named expressions with parameters, written out where they are called.

A call is replaced by the function's body before types are checked, so a function costs nothing at run time and is
checked with the very types of each call. Bodies may call functions that were declared before them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any

from kernelpath.language import LanguageErrors, Problem
from kernelpath.language.ast import (
    MAX_NESTING,
    Call,
    Comprehension,
    Expression,
    Name,
    Quantifier,
    part_below,
    walk,
)

#: The most parts of an expression with its functions written out; each use of a parameter repeats its argument.
MAX_PARTS = 5_000


@dataclass(frozen=True, slots=True)
class Function:
    """A pack function: its parameters' names in order, its body, its doc and its body's text."""

    name: str
    parameters: tuple[str, ...]
    body: Expression
    doc: str
    text: str


def expand(expression: Expression, functions: Mapping[str, Function]) -> Expression:
    """Return the expression with every call of a pack function written out; raises LanguageErrors for a wrong call."""
    if not any(isinstance(node, Call) and node.function in functions for node in walk(expression)):
        return expression
    written_out = _expand(expression, functions)
    if sum(1 for _ in islice(walk(written_out), MAX_PARTS + 1)) > MAX_PARTS:
        message = f"with its functions written out, the expression has over {MAX_PARTS:,} parts"
        raise LanguageErrors([Problem(message, expression.start, expression.end)])
    if part_below(written_out, MAX_NESTING):
        message = f"with its functions written out, the expression is nested deeper than {MAX_NESTING} levels"
        raise LanguageErrors([Problem(message, expression.start, expression.end)])
    return written_out


def _expand(node: Expression, functions: Mapping[str, Function]) -> Expression:
    node = _rebuilt(node, functions)
    if not isinstance(node, Call) or node.function not in functions:
        return node
    function = functions[node.function]
    if len(node.arguments) != len(function.parameters):
        wanted = ", ".join(function.parameters)
        count = len(function.parameters)
        takes = f"{count} argument{'' if count == 1 else 's'} ({wanted})" if count else "no arguments"
        message = f"`{function.name}` takes {takes}, not {len(node.arguments)}"
        raise LanguageErrors([Problem(message, node.start, node.end)])
    arguments = dict(zip(function.parameters, node.arguments, strict=True))
    return _substitute(function.body, arguments, node)


def _rebuilt(node: Expression, functions: Mapping[str, Function]) -> Expression:
    changes = {name: _each(value, lambda inner: _expand(inner, functions)) for name, value in _parts(node)}
    return replace(node, **changes) if changes else node


def _substitute(node: Expression, arguments: Mapping[str, Expression], call: Call) -> Expression:
    """Return the body with its parameters replaced; every node of the body stands where the call stands."""
    if isinstance(node, Name) and node.name in arguments:
        return arguments[node.name]
    changes: dict[str, Any] = {
        name: _each(value, lambda inner: _substitute(inner, arguments, call)) for name, value in _parts(node)
    }
    return replace(node, **changes, start=call.start, end=call.end)


def _parts(node: Expression) -> list[tuple[str, Any]]:
    """Return the fields that hold sub-expressions, alone or in a tuple."""
    found = []
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, Expression) or (
            isinstance(value, tuple) and any(isinstance(v, Expression) for v in value)
        ):
            found.append((field.name, value))
    return found


def _each(value: Any, change: Any) -> Any:
    return tuple(change(inner) for inner in value) if isinstance(value, tuple) else change(value)


def refuse_loops(body: Expression) -> None:
    """Refuse a function body that binds names of its own; an argument might use the same name."""
    for node in walk(body):
        if isinstance(node, Quantifier | Comprehension):
            raise LanguageErrors(
                [Problem("a function may not bind names with `any`, `all`, `count` or `for`", node.start, node.end)]
            )
