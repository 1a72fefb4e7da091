"""The interpreter and the generated Python are held to each other, and the canonical text to the tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelpath.language import EvaluationError, check, compile_function, interpret, parse, unparse

from .generated_expressions import ENVIRONMENTS, NAMES, SOURCES, VARIABLES, expressions


def outcome(evaluate: Callable[[], Any]) -> str:
    """Return the value or the error of an evaluation as text that tells 1, 1.0 and true apart."""
    try:
        return repr(evaluate())
    except EvaluationError as error:
        return f"error: {error.message}"


@settings(max_examples=400)
@given(text=expressions(), environment=ENVIRONMENTS)
def test_generated_python_gives_what_the_interpreter_gives(text: str, environment: dict[str, Any]) -> None:
    """Whatever a well-typed expression and its variables are, both evaluators give one value or one error."""
    checked = check(parse(text), NAMES)
    function = compile_function(checked, list(VARIABLES))
    keywords = {"sources": SOURCES} if checked.sources else {}
    expected = outcome(lambda: interpret(checked, environment, SOURCES))
    assert outcome(lambda: function(*(environment[name] for name in VARIABLES), **keywords)) == expected


@settings(max_examples=400)
@given(text=expressions(), environment=ENVIRONMENTS, budget=st.integers(0, 12))
def test_both_spend_the_same_budget(text: str, environment: dict[str, Any], budget: int) -> None:
    """Where an evaluation ends for want of steps, it does so in both evaluators, whatever the budget is."""
    checked = check(parse(text), NAMES)
    function = compile_function(checked, list(VARIABLES))
    keywords = {"sources": SOURCES} if checked.sources else {}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("kernelpath.language.meter.BUDGET", budget)
        expected = outcome(lambda: interpret(checked, environment, SOURCES))
        assert outcome(lambda: function(*(environment[name] for name in VARIABLES), **keywords)) == expected


@settings(max_examples=200)
@given(text=expressions())
def test_canonical_text_parses_to_the_same_tree(text: str) -> None:
    """Writing a tree and parsing the text gives the tree, and writing that gives the text."""
    tree = parse(text)
    written = unparse(tree)
    assert parse(written) == tree
    assert unparse(parse(written)) == written
