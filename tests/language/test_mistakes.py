"""Every mistake in an expression has its exact words and its exact place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.language import LanguageErrors, Problem, check, parse

from .generated_expressions import NAMES

CASES = [
    block
    for block in (Path(__file__).parent / "mistakes.txt").read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    if not block.startswith("#")
]


def underlined(text: str) -> str:
    """Return an expression with its problems, in the form of the cases."""
    lines = [text]
    for problem in problems(text):
        lines.append(" " * problem.start + "^" * max(1, problem.end - problem.start) + f" {problem.message}")
        lines.extend([f"= {problem.help}"] if problem.help else [])
    return "\n".join(lines)


def problems(text: str) -> tuple[Problem, ...]:
    """Return the problems of an expression."""
    with pytest.raises(LanguageErrors) as raised:
        check(parse(text), NAMES)
    return raised.value.problems


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.partition("\n")[0])
def test_mistake_says_what_was_meant_where_it_is(case: str) -> None:
    """A mistake gives each of its faults once, in the words and at the columns that the case shows."""
    assert underlined(case.partition("\n")[0]) == case


def test_empty_text_is_no_expression() -> None:
    """An empty text, or white space, lacks an expression."""
    assert problems("") == (Problem("expected an expression", 0, 0),)
    assert problems(" \n") == (Problem("expected an expression", 0, 2),)


def test_place_counts_code_points_over_lines() -> None:
    """A place is an offset into the whole text, lines and characters beyond U+FFFF included."""
    assert problems("'😀' ==\n  and n") == (Problem("expected an expression after `==`", 9, 12),)


def test_offset_moves_every_place() -> None:
    """An expression inside a longer text has its problems and its spans there."""
    with pytest.raises(LanguageErrors) as raised:
        parse("a = b", offset=100)
    assert raised.value.problems == (Problem("`=` is not a comparison, write `==`", 102, 103),)
    tree = parse("a + b", offset=100)
    assert (tree.start, tree.end) == (100, 105)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-" * 100 + "n", "the expression is nested deeper than 100 levels"),
        ("not " * 4000 + "flag", "the expression is nested deeper than 100 levels"),
        ("n" + " " * 20_000, "the expression is longer than 20,000 characters"),
        ("9" * 6000, "an int must be within ±2**63"),
    ],
    ids=["levels", "many levels", "length", "digits"],
)
def test_limits_are_messages(text: str, message: str) -> None:
    """What is beyond a limit of the parser is refused by a message that names the limit."""
    assert [problem.message for problem in problems(text)] == [message]


def test_many_parentheses_are_no_levels() -> None:
    """Parentheses nest without limit, for they make no node."""
    assert parse("(" * 9000 + "n" + ")" * 9000) == parse("n")


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_quote_that_is_never_closed_is_found_in_one_pass(quote: str) -> None:
    """However many quotes follow behind backslashes, the first that is open is to blame for all that follows."""
    text = f"a == {quote}" + f"\\{quote}" * 9_000
    assert problems(text) == (Problem("unclosed string", 5, len(text)),)
