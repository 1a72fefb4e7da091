"""Whatever is written as an expression, a message, a type or a pattern, it is read, or refused at a place in words."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelpath.language import (
    LanguageErrors,
    check,
    check_message,
    compile_function,
    interpret,
    parse,
    parse_message,
    parse_type,
    unparse,
)
from kernelpath.language.ast import MAX_NESTING

from .generated_expressions import ENVIRONMENTS, NAMES, SOURCES, VARIABLES
from .test_agreement import outcome

WORDS = (
    *("if ", " then ", " else ", "any ", "all ", "count ", " in ", " for ", " and ", " or ", "not ", "true", "null"),
    *("==", "!=", "<", "+", "-", "*", "/", "//", "%", "??", "?.", ".", ",", ":", "(", ")", "[", "]", "{", "}", "="),
    *("1", "0", "2.5", "9223372036854775808", "1e400", '"a"', "'b'", '"', "'", "\\", '"\\q"', '"\\ud800"', "а", "!"),
    *("flag", "n", "s", "raw", "box", "words", "ints", "table", "c", "mode", "num", "word", "maybe", " ", "\n", "é"),
    *("lower(", "matches(", '"[a-z]+"', '"(a*)*"', "source(", "colour(", "range(", "text(", "spread(", "list", "map"),
    *("x", "\t", "\u00a0", "int"),
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS), max_size=14).map("".join) | st.text(max_size=12)


def assert_placed(errors: LanguageErrors, text: str) -> None:
    """Hold problems to their form: words, and a stretch of the text."""
    assert errors.problems
    for problem in errors.problems:
        assert problem.message
        assert 0 <= problem.start <= problem.end <= len(text)


@settings(max_examples=600)
@given(text=TEXTS, environment=ENVIRONMENTS)
def test_any_expression(text: str, environment: dict[str, Any]) -> None:
    """An expression that is accepted has one value or one error in both evaluators, and a canonical text."""
    try:
        checked = check(parse(text), NAMES)
    except LanguageErrors as errors:
        assert_placed(errors, text)
        return
    keywords = {"sources": SOURCES} if checked.sources else {}
    function = compile_function(checked, list(VARIABLES))
    expected = outcome(lambda: interpret(checked, environment, SOURCES))
    assert outcome(lambda: function(*(environment[name] for name in VARIABLES), **keywords)) == expected
    assert parse(unparse(parse(text))) == parse(text)


@settings(max_examples=300)
@given(text=TEXTS)
def test_any_message_and_type(text: str) -> None:
    """A message or a type that is not accepted says where."""
    for read in (lambda: check_message(parse_message(text), NAMES), lambda: parse_type(text)):
        try:
            read()
        except LanguageErrors as errors:
            assert_placed(errors, text)


#: How each kind of expression is nested in itself: what stands before the innermost part and after it.
NESTS = {
    "not": ("not ", "flag", ""),
    "minus": ("-", "n", ""),
    "sum": ("(n + ", "n", ")"),
    "call": ("abs(", "n", ")"),
    "lenient call": ("at(", "raw", ", s)"),
    "template": ("text(", "raw", ")"),
    "vocabulary": ('(colour(s) ?? (if flag then "red" else ', '"blue"', "))"),
    "method": ("", "s", ".trim()"),
    "member": ("", "raw", ".a"),
    "index": ("raw[", "s", "]"),
    "list": ("[", "n", "]"),
    "conditional": ("if flag then (", "n", ") else n"),
    "else": ("if flag then n else ", "n", ""),
    "default": ("(num ?? ", "n", ")"),
    "and": ("(flag and (flag or ", "flag", "))"),
    "in": ("(raw in [", "raw", "])"),
    "equal": ("(raw == ", "raw", ")"),
    "quantifier": ("(any x{level} in ints: ", "flag", ")"),
    "source of a loop": ("[x{level} for x{level} in ", "ints", "]"),
    "value of a loop": ("[", "n", " for x{level} in ints]"),
}


def nest(name: str, levels: int) -> str:
    """Return an expression nested so often."""
    before, inner, after = NESTS[name]
    opened = "".join(before.replace("{level}", str(level)) for level in range(levels))
    return opened + inner + "".join(after.replace("{level}", str(level)) for level in range(levels))


def is_refused(text: str) -> bool:
    """Return whether an expression is nested too deep; there is nothing else wrong with it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("kernelpath.language.parser.MAX_TEXT", 10**6)
        try:
            parse(text)
        except LanguageErrors as errors:
            return str(errors) == f"the expression is nested deeper than {MAX_NESTING} levels"
    return False


@pytest.mark.parametrize("name", NESTS)
def test_the_deepest_nesting_runs(name: str) -> None:
    """What the parser lets through can be checked, compiled and evaluated, however it is nested; more is refused."""
    levels = bisect_left(range(MAX_NESTING + 1), True, key=lambda levels: is_refused(nest(name, levels))) - 1
    assert levels > 30
    assert is_refused(nest(name, 1_000))
    try:
        checked = check(parse(nest(name, levels)), NAMES)
    except LanguageErrors as errors:
        assert_placed(errors, nest(name, levels))
        return
    values = {"flag": True, "n": 1, "s": "a", "raw": {"a": 1}, "num": None, "ints": [1]}
    environment = {variable: values.get(variable) for variable in VARIABLES}
    expected = outcome(lambda: interpret(checked, environment, SOURCES))
    assert outcome(lambda: compile_function(checked, list(VARIABLES))(**environment)) == expected
