"""Check calls: built-ins, vocabularies as functions, and `source`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernelpath.language import wording
from kernelpath.language.ast import Call, Expression, Literal, Name
from kernelpath.language.builtins import DECLARED
from kernelpath.language.coercion import coerced
from kernelpath.language.errors import Problem
from kernelpath.language.narrowing import Scope
from kernelpath.language.patterns import check_pattern
from kernelpath.language.signatures import Signature, fit, signatures
from kernelpath.language.types import (
    STRING,
    UNKNOWN,
    ListOf,
    MapOf,
    Optional,
    Type,
    Variable,
    Vocabulary,
    required,
)
from kernelpath.language.unparser import unparse

if TYPE_CHECKING:
    from kernelpath.language.checker import Checker


def check_call(checker: Checker, node: Call, scope: Scope) -> Expression:
    """Check a call."""
    if node.function == "source":
        return _check_source(checker, node)
    node = replace(node, arguments=tuple(checker.check(argument, scope) for argument in node.arguments))
    vocabulary = checker.names.vocabularies.get(node.function)
    if vocabulary is not None and not _is_used(checker, node.function):
        return _check_vocabulary(checker, node, vocabulary)
    if node.function not in DECLARED:
        return _unknown_function(checker, node)
    if UNKNOWN in [argument.type for argument in node.arguments]:
        return replace(node, type=UNKNOWN)
    library = DECLARED[node.function].library
    if library is not None and not _is_used(checker, node.function):
        return checker.failed(node, wording.unused_library(node.function, library))
    return _check_builtin(checker, node)


def _is_used(checker: Checker, function: str) -> bool:
    """Return whether a name is that of a built-in of the language, or of a library that the pack uses."""
    known = checker.names.libraries
    return function in DECLARED and (known is None or DECLARED[function].library in {None, *known})


def _unknown_function(checker: Checker, node: Call) -> Expression:
    start = node.start if not node.method else node.arguments[0].end + 1
    candidates = [*DECLARED, *checker.names.vocabularies, "source"]
    words = wording.unknown_function(node.function, candidates)
    checker.problems.append(Problem(words[0], start, start + len(node.function), words[1]))
    return replace(node, type=UNKNOWN)


def _check_source(checker: Checker, node: Call) -> Expression:
    resolved = checker.names.resolved
    if len(node.arguments) != 1 or not isinstance(node.arguments[0], Name):
        return checker.failed(node, wording.source_argument())
    name = node.arguments[0]
    if name.name not in resolved:
        checker.problem(name, wording.source_unresolved(name.name, sorted(resolved)))
        return replace(node, type=UNKNOWN)
    return replace(node, type=STRING)


def _check_vocabulary(checker: Checker, node: Call, vocabulary: Vocabulary) -> Expression:
    signature = f"{vocabulary.name}(s: string) -> {vocabulary.name}?"
    if len(node.arguments) != 1:
        return checker.failed(node, wording.wrong_arguments(node.function, _types(node), [signature]))
    argument = checker.needed(node.arguments[0], STRING)
    return replace(node, arguments=(argument,), type=Optional(Vocabulary(vocabulary.name, vocabulary.values)))


def _types(node: Call) -> list[str]:
    return [str(argument.type) for argument in node.arguments]


def _check_builtin(checker: Checker, node: Call) -> Expression:
    possible = signatures(node.function)
    for signature in possible:
        fitted = fit(signature, node.arguments)
        if fitted is not None:
            return _limited(_checked_pattern(checker, replace(node, arguments=fitted[0], type=fitted[1])))
    _report(checker, node, possible)
    certain = len(possible) == 1 and not _generic(possible[0].result)
    return replace(node, type=possible[0].result if certain else UNKNOWN)


def _generic(type_: Type) -> bool:
    inner = required(type_)
    if isinstance(inner, (ListOf, MapOf)):
        return _generic(inner.element if isinstance(inner, ListOf) else inner.value)
    return isinstance(inner, Variable)


def _limited(node: Expression) -> Expression:
    """Give `range(n)` of a literal its length as the limit of its list."""
    match node:
        case Call(function="range", arguments=(Literal(value=int() as length),)):
            return replace(node, type=ListOf(signatures("range")[0].parameters[0], length))
    return node


def _checked_pattern(checker: Checker, node: Call) -> Expression:
    if not DECLARED[node.function].pattern:
        return node
    pattern = node.arguments[1]
    if not isinstance(pattern, Literal):
        checker.problem(pattern, wording.pattern_not_literal())
        return node
    problem = check_pattern(str(pattern.value))
    if problem is not None:
        ambiguous = problem.ambiguous
        words = wording.ambiguous_pattern(ambiguous) if ambiguous else wording.pattern_problem(problem.message)
        checker.problem(_inside(pattern, problem.place, len(ambiguous or "x")), words)
    return node


def _inside(literal: Literal, place: int, length: int) -> Expression:
    """Return the part of a literal that is to blame; the whole of it where escapes hide the place."""
    if literal.end - literal.start != len(str(literal.value)) + 2:
        return literal
    start = min(literal.start + 1 + place, literal.end - 1)
    return replace(literal, start=start, end=min(start + length, literal.end))


def _report(checker: Checker, node: Call, possible: tuple[Signature, ...]) -> None:
    """Report why the arguments fit no signature, at the argument that is to blame where there is one."""
    right_count = [signature for signature in possible if len(signature.parameters) == len(node.arguments)]
    for argument in node.arguments if right_count else ():
        if isinstance(argument.type, Optional) and _fits_without_null(node, argument, right_count):
            checker.problem(argument, wording.maybe_null(unparse(argument), str(argument.type)))
            return
    if len(right_count) == 1 and _report_argument(checker, node, right_count[0]):
        return
    texts = [signature.text for signature in possible]
    checker.problem(node, wording.wrong_arguments(node.function, _types(node), texts))


def _fits_without_null(node: Call, argument: Expression, possible: list[Signature]) -> bool:
    present = tuple(replace(other, type=required(other.type)) for other in node.arguments)
    return any(fit(signature, present) is not None for signature in possible)


def _report_argument(checker: Checker, node: Call, signature: Signature) -> bool:
    vocabulary = next((found for found in map(_vocabulary, node.arguments) if found is not None), None)
    for parameter, argument in zip(signature.parameters, node.arguments, strict=True):
        wanted = vocabulary if _generic(parameter) and isinstance(parameter, Variable) else parameter
        if wanted is not None and not _generic(wanted) and coerced(argument, wanted) is None:
            checker.misfit(argument, wanted)
            return True
    return False


def _vocabulary(node: Expression) -> Vocabulary | None:
    inner = required(node.type)
    if isinstance(inner, ListOf):
        inner = required(inner.element)
    return inner if isinstance(inner, Vocabulary) else None
