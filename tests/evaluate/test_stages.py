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
    stages = "stages: {first: {each: boxes, when: flag, gives: {size: int}}}\n"
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
        QUESTION.replace("'1'", "'[s + 1 for s in boxes.size]'"),
        "`s` may be null (`int?`)",
    ),
    "what another stage gives, if it is asked apart": (
        "{first: {each: boxes, gives: {size: int}}, second: {each: boxes, when: flag}}",
        {"first/size": given("size", "box"), "second/b": check("size > 1")},
        QUESTION,
        "stage `second` reads `size` of each row, but is not asked together with stage `first`, which gives it",
    ),
    "what a stage after it gives": (
        "{first: {each: boxes}, second: {each: boxes, after: first, gives: {size: int}}}",
        {"first/a": check("size > 1"), "second/size": given("size", "box")},
        QUESTION,
        "these need each other in a circle: stage first (line 5) -> stage second (line 5) -> stage first (line 5)",
    ),
    "what stages over visits give each other": (
        "{first: {each: tower, after: second}, second: {each: tower, after: first}}",
        {"first/a": check("box > 1"), "second/b": check("box > 1")},
        QUESTION + "flows: {tower: {over: boxes, slots: int, passes: {only: {}}}}\n",
        "these need each other in a circle: stage first (line 5) -> stage second (line 5) -> stage first (line 5)",
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


AFTER = {
    "the first alone": ("{each: boxes, after: first}", [2, 3]),
    "the second alone": ("{each: boxes, after: second}", [3]),
    "both": ("{each: boxes, after: [first, second]}", [3]),
    "the second alone, asked by itself": ("{each: boxes, after: second, when: flag}", [3]),
    "neither": ("{each: boxes}", [1, 2, 3]),
}


@pytest.mark.parametrize("name", AFTER)
def test_a_row_comes_to_a_stage_if_it_passed_those_before(tmp_path: Path, name: str) -> None:
    """What a row failed keeps it from the stages after that one, and from those after these, but from no other."""
    third, seen = AFTER[name]
    stages = f"stages: {{first: {{each: boxes}}, second: {{each: boxes, after: first}}, third: {third}}}\n"
    rules = {"first/a": check("box != 1"), "second/b": check("box != 2"), "third/c": check("false")}
    expected = [("first/a", "box 1"), ("second/b", "box 2"), *(("third/c", f"box {box}") for box in seen)]
    assert found(asked(tmp_path, stages, rules)) == expected


def test_a_row_comes_to_a_stage_that_reads_of_it_what_another_gives(tmp_path: Path) -> None:
    """A row that failed a stage has nothing that the stage gives, so what reads it is not asked about the row."""
    stages = "stages: {first: {each: boxes, gives: {size: int}}, second: {each: boxes}, third: {each: boxes}}\n"
    rules = {"first/a": check("box != 1"), "first/size": given("size", "box * 2")}
    rules |= {"second/b": check("size < 0"), "third/c": check("box < 0")}
    expected = [("first/a", "box 1"), *(("second/b", f"box {box}") for box in (2, 3))]
    assert found(asked(tmp_path, stages, rules)) == [*expected, *(("third/c", f"box {box}") for box in (1, 2, 3))]


@pytest.mark.parametrize("turned", [False, True])
def test_a_visit_comes_to_a_stage_if_it_passed_those_before(tmp_path: Path, turned: bool) -> None:
    """The same holds of visits, however stages are listed: one may count on what the one before it made sure of."""
    more = OTHER + "flows: {tower: {over: boxes, slots: int, passes: {only: {}}}}\n"
    listed = ["first: {each: tower}", "second: {each: tower, after: first}", "third: {each: tower}"]
    stages = f"stages: {{{', '.join(reversed(listed) if turned else listed)}}}\n"
    outcome = asked(tmp_path, stages, {**RELYING, "third/c": check("box != 2")}, more)
    expected = [("first/a", f"box {box}") for box in (1, 2, 3)]
    third = [("third/c", "box 2")]
    assert found(outcome) == (third + expected if turned else expected + third)


def test_a_guard_is_one_for_its_own_stage(tmp_path: Path) -> None:
    """A failed guard keeps a row from the rules of its stage that read what it guards, and from no other stage."""
    stages = "stages: {first: {each: boxes}, second: {each: boxes}}\n"
    guard = check("box != 1") + "guards: [box]\n"
    rules = {"first/a": guard, "first/b": check("box > 5"), "second/c": check("box > 5")}
    expected = {"first": [("first/a", "box 1"), ("first/b", "box 2"), ("first/b", "box 3")]}
    expected["second"] = [("second/c", f"box {box}") for box in (1, 2, 3)]
    assert found(asked(tmp_path, stages, rules)) == expected["first"] + expected["second"]


def test_stages_that_are_asked_together_may_be_after_different_ones(tmp_path: Path) -> None:
    """A row that failed a stage which was asked apart comes to those that are not after it, and gets their findings."""
    stages = "stages: {first: {each: boxes}, second: {each: boxes}, third: {each: boxes, after: [first, second]}}\n"
    rules = {"first/a": check("box != 1"), "second/b": check("box > 5"), "third/c": check("box > 5")}
    expected = [("first/a", "box 1"), *(("second/b", f"box {box}") for box in (1, 2, 3))]
    outcome = asked(tmp_path, stages, rules)
    assert found(outcome) == expected
    held = [(one.checks, one.because) for one in outcome.report.unasked]
    assert held == [(("boxes/third/c",), ("boxes/first/a", "boxes/second/b"))]
