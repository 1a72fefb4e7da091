"""Every built-in does what its examples say, and the reference shows them all."""

from __future__ import annotations

from typing import Any

import pytest

from kernelpath.language import EvaluationError, Names, check, compile_function, interpret, parse, render_reference
from kernelpath.language.builtins import DECLARED, Failure
from kernelpath.packs.libraries import SHIPPED, load_modules

load_modules(module for module in SHIPPED.values() if module)
EXAMPLES = [
    pytest.param(text, expected, id=text) for declared in DECLARED.values() for text, expected in declared.examples
]


def value_or_failure(evaluate: Any) -> Any:
    """Return the value of an evaluation, or its error as a Failure."""
    try:
        return evaluate()
    except EvaluationError as error:
        return Failure(error.message)


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_example_holds_in_both_evaluators(text: str, expected: Any) -> None:
    """An example of a declaration gives the value that stands beside it, of the same type."""
    checked = check(parse(text), Names())
    for result in (value_or_failure(lambda: interpret(checked, {})), value_or_failure(compile_function(checked, []))):
        assert repr(result) == repr(expected)


@pytest.mark.parametrize("declared", DECLARED.values(), ids=lambda declared: declared.name)
def test_example_calls_its_own_function(declared: Any) -> None:
    """A built-in has examples, and each of them calls it."""
    assert declared.examples
    assert all(f"{declared.name}(" in text for text, _ in declared.examples)


@pytest.mark.parametrize("declared", DECLARED.values(), ids=lambda declared: declared.name)
def test_reference_shows_signatures_and_doc(declared: Any) -> None:
    """The reference has the heading, the signatures and the documentation of each built-in."""
    text = render_reference()
    assert f"\n### `{declared.name}`\n" in text
    assert all(f"\n    {signature}\n" in text for signature in declared.signatures)
    assert declared.doc in text
