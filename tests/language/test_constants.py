"""What can have no value is found before anything runs, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelpath.language import (
    FLOAT,
    INT,
    JSON,
    EvaluationError,
    LanguageErrors,
    ListOf,
    Names,
    check,
    interpret,
    parse,
)
from kernelpath.language.constants import constant_faults

NAMES = Names({"n": INT, "f": FLOAT, "xs": ListOf(INT), "j": JSON})


def faults(text: str) -> list[tuple[str, str]]:
    """Return the parts of an expression that never have a value, and why."""
    problems = constant_faults(check(parse(text), NAMES))
    return [(text[one.start : one.end], one.message.removeprefix("this never has a value: ")) for one in problems]


@pytest.mark.parametrize(
    ("text", "part", "why"),
    [
        ("1 // 0", "1 // 0", "division by zero"),
        ("n // 0", "n // 0", "division by zero"),
        ("f / 0", "f / 0", "division by zero"),
        ("n % (1 - 1)", "n % (1 - 1)", "division by zero"),
        ("ceil_div(n, 0)", "ceil_div(n, 0)", "division by zero"),
        ("1 + abs(2 * (3 // 0))", "3 // 0", "division by zero"),
        ("int(1e300) + n", "int(1e300)", "integer overflow"),
        ("9223372036854775807 * 2 > n", "9223372036854775807 * 2", "integer overflow"),
        ("length(range(2000000)) > n", "range(2000000)", "the budget of 1,000,000 steps is spent"),
        ("any x in xs: x // 0 == 1", "x // 0", "division by zero"),
        ("n != 0 and 1 // 0 == 1", "1 // 0", "division by zero"),
        ("if n == 0 then 1 // 0 else 2", "1 // 0", "division by zero"),
        ("j.a ?? (1 // 0)", "1 // 0", "division by zero"),
    ],
)
def test_a_part_that_never_has_a_value(text: str, part: str, why: str) -> None:
    """The innermost part that fails whatever is read is named, with what it fails of."""
    assert faults(text) == [(part, why)]


@pytest.mark.parametrize(
    "text",
    [
        "n // 2", "1 // n", "if n == 0 then 0 else 1 // n", "if 0 == 0 then 0 else n // 0", "0 != 0 and n // 0 > 1",
        "true or 1 // 0 == 1", "any x in []: 1 // 0 > 1", "[1, 2][5] == null", "9223372036854775807 + 1",
        "length(range(3))", "n % 0.5", "1e308 * 10",
    ],
)  # fmt: skip
def test_what_may_have_a_value_is_left_alone(text: str) -> None:
    """A part that is never reached, or that depends on what is read, is no mistake."""
    assert faults(text) == []


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, st.sampled_from(["+", "-", "*", "//", "%", "/"]), inner).map(lambda p: f"({' '.join(p)})")
    tests = st.tuples(inner, st.sampled_from(["==", "<", ">="]), inner).map(" ".join)
    both = st.tuples(tests, st.sampled_from(["and", "or"]), tests).map(lambda p: f"({' '.join(p)})")
    choices = st.tuples(tests | both, inner, inner).map(lambda p: f"(if {p[0]} then {p[1]} else {p[2]})")
    calls = st.tuples(st.sampled_from(["abs", "-"]), inner).map(lambda p: f"{p[0]}({p[1]})")
    return pairs | choices | calls


NUMBERS = st.recursive(
    st.sampled_from(["0", "1", "2", "7", "0.0", "2.5", "9223372036854775807"]), _larger, max_leaves=10
)


@settings(max_examples=400)
@given(NUMBERS)
def test_constants_are_worked_out_as_they_are_evaluated(text: str) -> None:
    """An expression that reads nothing has a fault exactly if its evaluation fails, and for that reason."""
    try:
        checked = check(parse(text), Names())
    except LanguageErrors:
        return
    found = [problem.message.removeprefix("this never has a value: ") for problem in constant_faults(checked)]
    try:
        interpret(checked, {})
        failure = None
    except EvaluationError as error:
        failure = error.message
    assert failure in found if failure else found == []
