"""Message templates show values, and point at their mistakes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kernelpath.language import (
    RUNTIME,
    CheckedMessage,
    LanguageErrors,
    Problem,
    PythonWriter,
    check_message,
    parse_message,
    render,
)
from kernelpath.language.messages import message_to_python

from .generated_expressions import NAMES, VARIABLES

ENVIRONMENT: dict[str, Any] = {
    "box": SimpleNamespace(id="b1", size=None),
    "n": 3,
    "f": 0.5,
    "flag": True,
    "words": ["a", "b"],
    "ints": (),
    "raw": {"k": [1.0, {"x": "y"}], "1": None},
}


def shown(text: str, **changes: Any) -> str:
    """Return the rendered template, for which the interpreter and the generated Python must agree."""
    message = check_message(parse_message(text), NAMES)
    environment = {**ENVIRONMENT, **changes}
    rendered = render(message, environment, {"c": "the palette"})
    python = message_to_python(message, PythonWriter({name: name for name in VARIABLES}, {"c": "'the palette'"}))
    assert eval(python, {**RUNTIME, **environment}) == rendered
    return rendered


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("  box `{box.id}` holds {n}  ", "  box `b1` holds 3  "),
        ("{n}{n} {f}", "33 0.5"),
        ("{box.size} and {flag}", "null and true"),
        ("{words} [{ints}]", "a, b []"),
        ("{{n}} is {n}", "{n} is 3"),
        ("{'}' + \"{\"}", "}{"),
        ("{raw}", '{"1":null,"k":[1,{"x":"y"}]}'),
        ("{raw.k}", '1, {"x":"y"}'),
        ("{source(c)}", "the palette"),
        ("{n / 2} {1e21} {n * 1.0}", "1.5 1e+21 3"),
        ("{{{n}}}", "{3}"),
    ],
)
def test_message_shows_values(template: str, text: str) -> None:
    """Strings stand as they are, numbers as in JavaScript, lists with commas, objects as JSON."""
    assert shown(template) == text


def test_long_object_is_cut() -> None:
    """The JSON of an object ends after 80 characters."""
    assert shown("{raw}", raw={"k": "x" * 200}) == '{"k":"' + "x" * 73 + "…"


@pytest.mark.parametrize(
    ("template", "problems"),
    [
        ("box {box.idd} {nn}", [("`box` has no field `idd`", 9, 12), ("unknown name `nn`", 15, 17)]),
        ("a {n =} b", [("`=` is not a comparison, write `==`", 5, 6)]),
        ("a {n", [("unclosed `{`", 2, 3)]),
        ("a } b", [("`}` closes nothing", 2, 3)]),
        ("a {} b", [("expected an expression", 3, 3)]),
        ("see {box}", [("a value of type `box` cannot be shown in a message", 5, 8)]),
    ],
)
def test_mistake_in_a_message(template: str, problems: list[tuple[str, int, int]]) -> None:
    """The problems of a template are placed in the template."""
    with pytest.raises(LanguageErrors) as raised:
        check_message(parse_message(template), NAMES)
    assert [(problem.message, problem.start, problem.end) for problem in raised.value.problems] == problems


def test_message_knows_what_it_reads() -> None:
    """A checked message lists the variables and sources of all its expressions."""
    message = check_message(parse_message("{n} {box.id} {source(c)}"), NAMES)
    assert (message.variables, message.sources) == (frozenset({"n", "box"}), frozenset({"c"}))
    assert isinstance(message, CheckedMessage)


def test_problem_compares_by_value() -> None:
    """Problems with equal words and places are equal."""
    assert Problem("a", 1, 2).shifted(3) == Problem("a", 4, 5)
    assert Problem("a", 1, 2) != Problem("a", 1, 2, "b")
