"""Which rows come to which stages: conditions, what is given where none is asked, and stages that others are after."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.question import Outcome, ask
from kernelpath.packs.files import PackErrors

DECLARED = """summary: Boxes.
records: {Part: {fields: {whole: bool}}}
documents: {flag: {type: bool}, part: {type: 'Part?', optional: true}}
items: {boxes: {of: '[1, 2, 3]', as: box}}
"""
QUESTION = "questions: {look: {given: flag, answer: '1'}}\n"


def check(condition: str, severity: str = "error") -> str:
    """Return a rule that reports the boxes of which a condition does not hold."""
    return f"summary: A\nwhy: b\nseverity: {severity}\ncheck: {condition}\nmessage: 'box {{box}}'\n"


def given(variable: str, value: str) -> str:
    """Return a rule that gives a variable."""
    return f"summary: A\nwhy: b\nresolve: {variable}\nfirst:\n  - {{value: {value}}}\n"


def asked(folder: Path, stages: str, rules: Mapping[str, str], more: str = QUESTION, flag: bool = True) -> Outcome:
    """Return what a pack of these stages and rules answers."""
    for name, text in {"pack": DECLARED + stages + more, **rules}.items():
        path = folder / "boxes" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return ask(load_folder(folder / "boxes"), "look", {"flag": flag})


def found(outcome: Outcome) -> list[tuple[str, str]]:
    """Return the rules that found something, and about which box."""
    return [(told.rule.removeprefix("boxes/"), told.message) for told in outcome.report.diagnostics]


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("conditional", ["first", "second"])
def test_each_stage_has_its_own_condition(tmp_path: Path, conditional: str, flag: bool) -> None:
    """A stage is asked if its condition holds, whatever the condition of the one before it or after it."""
    stages = "stages: {first: {each: boxes}, second: {each: boxes, after: first}}\n"
    stages = stages.replace(f"{conditional}: {{each: boxes", f"{conditional}: {{each: boxes, when: flag")
    rules = {"first/a": check("box != 1", "warning"), "second/b": check("box != 2", "warning")}
    expected = {"first": ("first/a", "box 1"), "second": ("second/b", "box 2")}
    if not flag:
        del expected[conditional]
    assert found(asked(tmp_path, stages, rules, flag=flag)) == list(expected.values())


def test_what_a_stage_would_give_to_rows_is_null(tmp_path: Path) -> None:
    """Each row has null where the stage is not asked."""
    stages = "stages: {first: {each: boxes, when: flag, gives: {size: int?}}}\n"
    more = QUESTION.replace("'1'", "boxes.size")
    rules = {"first/size": given("size", "box * 2")}
    assert asked(tmp_path, stages, rules, more, flag=True).value == [2, 4, 6]
    assert asked(tmp_path, stages, rules, more, flag=False).value == [None, None, None]


OTHER = "questions: {look: {given: [flag, part], answer: '1'}, other: {given: [flag, part], answer: '1'}}\n"
RELYING = {"first/a": check("part != null"), "second/b": check("part.whole")}
REFUSED: dict[str, tuple[str, dict[str, str], str, str]] = {
    "rows that a stage is perhaps not asked about": (
        "{first: {each: boxes, when: flag}, second: {each: boxes, after: first}}",
        RELYING,
        OTHER,
        "`part` may be null (`Part?`), so `.whole` cannot be read",
    ),
    "a stage that the question does not ask": (
        "{first: {each: boxes, for: other}, second: {each: boxes, after: first}}",
        RELYING,
        OTHER,
        "question `look` asks stage `second`, but not stage `first` before it",
    ),
    "what is perhaps given to the request": (
        "{first: {each: request, when: flag, gives: {size: int}}}",
        {"first/size": given("size", "'1'")},
        QUESTION + "values: {more: size + 1}\n",
        "`size` may be null (`int?`)",
    ),
    "what is perhaps given to rows": (
        "{first: {each: boxes, when: flag, gives: {size: int}}}",
        {"first/size": given("size", "box")},
        QUESTION,
        "`size` is `int`, but null if stage `first` is not asked",
    ),
    "a condition of a flow": (
        "{first: {each: tower, when: flag}}",
        {"first/a": check("box > 0")},
        QUESTION + "flows: {tower: {over: boxes, slots: int, passes: {only: {}}}}\n",
        "a stage that is asked for a flow has no `when`",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_pack_that_counts_on_what_may_not_be_is_refused(tmp_path: Path, name: str) -> None:
    """What a stage makes sure of, or gives, may be counted on only if the stage is asked."""
    stages, rules, more, message = REFUSED[name]
    with pytest.raises(PackErrors) as errors:
        asked(tmp_path, f"stages: {stages}\n", rules, more)
    assert [one.message for one in errors.value.diagnostics] == [message]


def test_what_a_stage_makes_sure_of_is_counted_on(tmp_path: Path) -> None:
    """A stage that every question asks keeps the rows that fail it from those after it."""
    stages = "stages: {first: {each: boxes}, second: {each: boxes, after: first}}\n"
    assert found(asked(tmp_path, stages, RELYING, OTHER)) == [("first/a", f"box {box}") for box in (1, 2, 3)]
