"""A condition that folds has that value for every input; what is known to be constant folds."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelpath.analysis.lint.folding import condition_constants, fold
from kernelpath.analysis.lint.knowledge import Known
from kernelpath.language import (
    BOOL,
    FLOAT,
    INT,
    JSON,
    STRING,
    EvaluationError,
    LanguageErrors,
    ListOf,
    Names,
    Optional,
    Type,
    Vocabulary,
    check,
    interpret,
    parse,
    unparse,
)

COLOUR = Vocabulary("colour", ("red", "green", "blue"))
VARIABLES: dict[str, Type] = {
    "flag": BOOL,
    "n": INT,
    "f": FLOAT,
    "s": STRING,
    "c": COLOUR,
    "maybe": Optional(COLOUR),
    "raw": JSON,
    "words": ListOf(STRING),
}
NAMES = Names(VARIABLES, {"colour": COLOUR})
DOMAINS: dict[str, list[Any]] = {
    "flag": [True, False],
    "n": [-1, 0, 1, 2, 3, 4],
    "f": [0.5, 1.0, float("nan")],
    "s": ["", "a", "b"],
    "c": ["red", "green", "blue"],
    "maybe": [None, "red", "green", "blue"],
    "raw": [None, True, 1, 1.0, 2.5, "a", "b", [], ["a"], {}, {"k": 1}, float("nan")],
    "words": [[], ["a"], ["a", "b"], ["b", "b"]],
}
ATOMS = [
    *("flag", "not flag", "true", "false", "flag == true", "flag != false"),
    *("n == 1", "n != 2", "n < 2", "n >= 2", "n > 3", "n <= 0", "2 < n", "n in [1, 2]", "n not in [3]"),
    *("f < 1.0", "f >= 1.0", "f == f", "f == 1"),
    *('s == "a"', 's != "a"', 's in ["a", "b"]', "s == s"),
    *('c == "red"', 'c != "red"', 'c in ["red", "green"]', 'c in ["red", "green", "blue"]', 'c not in ["blue"]'),
    *("maybe == null", "maybe != null", 'maybe == "red"', 'maybe in ["red", "green", "blue"]'),
    *("raw == null", "raw != null", "raw == 1", 'raw == "a"', "raw == raw", 'raw in [1, "a"]', "raw == true"),
    *("is_string(raw)", "is_number(raw)", "is_integer(raw)", "is_list(raw)", "is_object(raw)", "is_bool(raw)"),
    *('"a" in words', '"b" in words', "length(words) >= 0", "length(words) == 0", "length(words) < 0"),
    *('any w in words: w == "a"', 'all w in words: w == "a"', "any w in words: false", "any w in []: true"),
]

TRUE = [
    "true",
    'c == "red" or c != "red"',
    'c in ["red", "green", "blue"]',
    'c != "red" or c != "green"',
    "flag or not flag",
    "n < 3 or n >= 3",
    "n < 3 or n > 1",
    "1 + 1 == 2",
    "s == s",
    "length(words) >= 0",
    "(count w in words: w == s) >= 0",
    'if c == "red" then c != "green" else true',
    "raw == null or not (raw == null)",
    "all w in words: true",
    'not (c == "red" and c == "green")',
]
FALSE = [
    "false",
    'c == "red" and c == "blue"',
    'c in ["red", "green"] and c == "blue"',
    'c != "red" and c != "green" and c != "blue"',
    "n > 5 and n < 3",
    "n > 2 and n < 3",
    "2 > n and n > 3",
    "is_string(raw) and is_list(raw)",
    "raw == 1 and is_list(raw)",
    "raw == null and is_object(raw)",
    'maybe == null and maybe == "red"',
    "length(words) < 0",
    '(s == "a" or s == "b") and s == "c"',
    "flag and (flag == false)",
    "any w in words: false",
    '"x" == "y"',
]
OPEN = [
    "f < 1.0 or f >= 1.0",
    "f == f",
    "raw == raw",
    '"a" in words and "b" in words',
    "is_number(raw) and raw == 1",
    "is_number(raw) or not is_integer(raw)",
    "not is_integer(raw) and is_number(raw)",
    "n > 1 and n < 3",
    "n >= 2 and n <= 2",
    'c == "red" or c == "green"',
    'maybe in ["red", "green", "blue"]',
    "1 / 0 > 1",
]


def checked(text: str) -> Any:
    """Return a checked condition over the variables of this file."""
    return check(parse(text), NAMES, BOOL)


def values(text: str) -> set[bool]:
    """Return every value that a condition has over the domains of the variables that it reads."""
    condition = checked(text)
    names = sorted(condition.variables)
    found = set()
    for chosen in product(*(DOMAINS[name] for name in names)):
        try:
            found.add(interpret(condition, dict(zip(names, chosen, strict=True))))
        except EvaluationError:
            continue
    return found


@pytest.mark.parametrize("text", TRUE)
def test_always_true(text: str) -> None:
    """What is true by its form folds to true."""
    assert fold(checked(text).expression, Known()) is True
    assert values(text) == {True}


@pytest.mark.parametrize("text", FALSE)
def test_always_false(text: str) -> None:
    """What is false by its form folds to false."""
    assert fold(checked(text).expression, Known()) is False
    assert values(text) == {False}


@pytest.mark.parametrize("text", OPEN)
def test_not_constant(text: str) -> None:
    """What may be either, or has no value, does not fold: NaN equals nothing, and a list may hold many words."""
    assert fold(checked(text).expression, Known()) is None
    assert list(condition_constants(checked(text).expression, Known())) == []


def condition(random: Random, depth: int) -> str:
    """Return a random condition made of the atoms."""
    if depth == 0 or random.randrange(4) == 0:
        return random.choice(ATOMS)
    parts = [f"({condition(random, depth - 1)})" for _ in range(3)]
    joined = [" and ".join(parts), " or ".join(parts), " and ".join(parts[1:]), " or ".join(parts[1:])]
    return random.choice([*joined, f"not {parts[0]}", "if {} then {} else {}".format(*parts)])


@settings(max_examples=600)
@given(st.integers(0, 2**32))
def test_folding_is_sound(seed: int) -> None:
    """Whatever folds has no other value for any input."""
    text = condition(Random(seed), 3)
    try:
        expression = checked(text).expression
    except LanguageErrors:  # narrowing may make an atom ill-typed
        return
    folded = fold(expression, Known())
    if folded is not None:
        assert values(text) <= {folded}, text


@settings(max_examples=300)
@given(st.integers(0, 2**32))
def test_constants_can_be_replaced(seed: int) -> None:
    """Putting the value of a found constant in its place changes no value of the whole."""
    text = condition(Random(seed), 2)
    try:
        expression = checked(text).expression
    except LanguageErrors:
        return
    for constant in condition_constants(expression, Known()):
        start, end = constant.node.start, constant.node.end
        replaced = f"{text[:start]}{'true' if constant.value else 'false'}{text[end:]}"
        both = values(f"({text}) == ({replaced})")
        assert both <= {True}, (text, unparse(constant.node))
