"""Parse the text of an expression into its syntax tree; Lark is imported only when something is parsed."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from kernelpath.language import wording
from kernelpath.language.ast import MAX_NESTING, Expression, Literal, part_below
from kernelpath.language.errors import LanguageErrors, Problem

if TYPE_CHECKING:
    from lark import Lark

MAX_TEXT = 20_000
MAX_INTEGER = 2**63


@cache
def _grammar() -> Lark:
    from lark import Lark

    from kernelpath.resources import resource

    text = resource("grammars", "expression.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", propagate_positions=True)


def parse(text: str, offset: int = 0) -> Expression:
    """Return the syntax tree of `text`; raise LanguageErrors for a mistake.

    `offset` is added to every span, for text that stands inside a longer one.
    """
    try:
        return _parse(text, offset)
    except LanguageErrors as errors:
        raise LanguageErrors([problem.shifted(offset) for problem in errors.problems]) from None


def _parse(text: str, offset: int) -> Expression:
    from lark.exceptions import UnexpectedInput

    from kernelpath.language.builder import Builder
    from kernelpath.language.syntax_errors import explain

    if len(text) > MAX_TEXT:
        raise LanguageErrors([_problem(wording.text_too_long(MAX_TEXT), 0, len(text))])
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        raise LanguageErrors([explain(text, _place(error, text))]) from None
    builder = Builder(offset)
    expression: Any = builder.transform(tree)
    if builder.problems:
        raise LanguageErrors(builder.problems)
    _refuse_deep(expression, offset)
    _refuse_large_numbers(expression, offset)
    return expression  # type: ignore[no-any-return]


def _place(error: Any, text: str) -> int:
    """Return the offset at which parsing stopped; the end of the text where something is missing there."""
    if getattr(error, "token", None) is not None and error.token.type == "$END":
        return len(text)
    return int(error.pos_in_stream)


def _problem(words: wording.Wording, start: int, end: int) -> Problem:
    return Problem(words[0], start, end, words[1])


def _refuse_deep(expression: Expression, offset: int) -> None:
    place = part_below(expression, MAX_NESTING)
    if place is not None:
        raise LanguageErrors([_problem(wording.too_deep(MAX_NESTING), place.start - offset, place.end - offset)])


def _refuse_large_numbers(expression: Expression, offset: int) -> None:
    from kernelpath.language.ast import walk

    problems = []
    for node in walk(expression):
        if not isinstance(node, Literal):
            continue
        if type(node.value) is int and node.value > MAX_INTEGER:
            problems.append(_problem(wording.integer_too_large(), node.start - offset, node.end - offset))
        if type(node.value) is float and node.value == float("inf"):
            problems.append(_problem(wording.float_too_large(), node.start - offset, node.end - offset))
    if problems:
        raise LanguageErrors(problems)
