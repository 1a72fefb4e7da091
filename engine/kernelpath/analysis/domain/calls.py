"""Calls of built-ins and vocabularies as formulas; None where a call is not followed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from kernelpath.analysis.domain.combining import NULL_VALUE, choice
from kernelpath.analysis.domain.comparing import is_scalar, same
from kernelpath.analysis.domain.formulas import Apply, Choice, Constant, Formula, Read, worked_out
from kernelpath.analysis.domain.members import has_key, member_of
from kernelpath.language import Type
from kernelpath.language.ast import Call
from kernelpath.language.builtins import DECLARED
from kernelpath.language.meter import Meter
from kernelpath.language.types import JSON, ListOf, MapOf, Vocabulary, required

#: Built-ins that ask of a JSON value no more than its kind, its text or its number.
SHALLOW = {"text", "number", "truthy", "is_bool", "is_number", "is_integer", "is_string", "is_list", "is_object"}


@cache
def function_of(name: str) -> Callable[..., Any]:
    """Return the implementation of a built-in, with a budget of its own where it needs one."""
    declared = DECLARED[name]
    return (lambda *given: declared.implementation(Meter(), *given)) if declared.metered else declared.implementation


def vocabulary(node: Call, arguments: list[Formula]) -> Formula:
    named = required(node.type)
    assert isinstance(named, Vocabulary)
    values = named.values
    if isinstance(arguments[0], Constant):
        return Constant(arguments[0].value if arguments[0].value in values else None)
    return Apply("vocabulary", lambda text: text if text in values else None, tuple(arguments), values)


def builtin(node: Call, arguments: list[Formula]) -> Formula | None:
    declared = DECLARED[node.function]
    if declared.metered and node.function not in _LIFTED:
        return None
    constants = [argument.value for argument in arguments if isinstance(argument, Constant)]
    if len(constants) == len(arguments):
        return Constant(worked_out(function_of(node.function), constants))
    if not (node.function in SHALLOW or all(_is_simple(argument.type) for argument in node.arguments)):
        return None
    return _on_one_leaf(node, arguments, constants)


def _on_one_leaf(node: Call, arguments: list[Formula], constants: list[Any]) -> Formula | None:
    if len(constants) < len(arguments) - 1 or node.function not in _FOLLOWED:
        return None
    literals = tuple(value for value in constants if isinstance(value, str | int | float))
    return Apply(node.function, function_of(node.function), tuple(arguments), literals)


#: Built-ins with a budget whose values are followed all the same.
_LIFTED = {"index_of", "without"}
#: Built-ins of one varying argument whose every outcome the candidates of a leaf reach.
_FOLLOWED = SHALLOW | {
    "lower", "upper", "trim", "blank", "contains", "starts_with", "ends_with", "matches", "length", "first", "last",
    "int", "float",
}  # fmt: skip


def _is_simple(type_: Type) -> bool:
    type_ = required(type_)
    return _is_simple(type_.element) if isinstance(type_, ListOf) else is_scalar(type_)


def _has(node: Call, arguments: list[Formula]) -> Formula | None:
    key = arguments[1]
    return has_key(arguments[0], key.value) if isinstance(key, Constant) else None


def _at(node: Call, arguments: list[Formula]) -> Formula | None:
    path = arguments[1]
    if isinstance(path, Constant):
        return _at_path(arguments[0], path.value)
    allowed = path.leaf.allowed if isinstance(path, Read) else None
    if not allowed:
        return None
    result: Formula | None = NULL_VALUE
    for value in reversed(allowed):
        found = _at_path(arguments[0], value)
        if found is None or result is None:
            return None
        result = choice(same(path, Constant(value)), found, result)
    return result


def _at_path(formula: Formula, path: str) -> Formula | None:
    found: Formula | None = formula
    for name in path.split("."):
        found = member_of(found, name, JSON) if found else None
    return found


def _object(node: Call, arguments: list[Formula]) -> Formula | None:
    return _as_object(arguments[0])


def _as_object(formula: Formula) -> Formula | None:
    match formula:
        case Constant(value=value):
            return formula if type(value) is dict else Constant({})
        case Read():
            return choice(Apply("is_object", function_of("is_object"), (formula,)), formula, Constant({}))
        case Choice():
            then, otherwise = _as_object(formula.then), _as_object(formula.otherwise)
            return choice(formula.test, then, otherwise) if then and otherwise else None
    return None


def _elements(node: Call, arguments: list[Formula]) -> Formula | None:
    if isinstance(arguments[0], Constant):
        return Constant(function_of("elements")(arguments[0].value))
    return Apply("elements", function_of("elements"), (arguments[0],)) if isinstance(arguments[0], Read) else None


def _length(node: Call, arguments: list[Formula]) -> Formula | None:
    type_ = required(node.arguments[0].type)
    if isinstance(arguments[0], Constant):
        return Constant(worked_out(len, [arguments[0].value]))
    if isinstance(type_, MapOf):
        return None
    return Apply("length", len, (arguments[0],))


SPECIAL: dict[str, Callable[[Call, list[Formula]], Formula | None]] = {
    "has": _has,
    "at": _at,
    "object": _object,
    "elements": _elements,
    "length": _length,
}
