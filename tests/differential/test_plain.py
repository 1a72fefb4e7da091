"""The plain reading agrees with every recorded outcome, so that it may stand for the reference on other requests."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from differential import plain
from differential.mutations import mutants, mutate
from differential.plain import javascript

TESTS = Path(__file__).parents[1]
RECORDINGS = (
    TESTS / "conformance" / "data" / "generated.jsonl.gz",
    TESTS / "conformance" / "data" / "presets.jsonl.gz",
    TESTS / "differential" / "data" / "defects.jsonl.gz",
)


@cache
def recorded(path: Path) -> tuple[dict[str, Any], ...]:
    """Return the cases of one file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


@pytest.fixture(scope="module")
def facts() -> plain.Facts:
    """Return the facts that the project ships."""
    return plain.read_facts(TESTS.parent / "kernels")


def expected(case: dict[str, Any]) -> plain.Outcome:
    """Return a recorded expectation in the form of an outcome."""
    expect = case["expect"]
    return ("ok", expect["value"]) if expect["ok"] else ("no", expect["decision"], expect.get("subject"))


def disagreements(cases: tuple[dict[str, Any], ...], facts: plain.Facts) -> Iterator[str]:
    """Yield the id of every case whose outcome is not the recorded one."""
    for case in cases:
        if not plain.same_json(list(plain.decide(case, facts)), list(expected(case))):
            yield case["id"]


@pytest.mark.parametrize(("path", "count"), list(zip(RECORDINGS, (1718, 265, 72), strict=True)))
def test_agrees_with_every_recorded_case(path: Path, count: int, facts: plain.Facts) -> None:
    """Verdict, value, decision and subject are the recorded ones, for all cases of a file."""
    cases = recorded(path)
    assert (len(cases), list(disagreements(cases, facts))) == (count, [])


def test_mutants_are_decided_and_left_alone(facts: plain.Facts) -> None:
    """A mutant of any kind has an outcome, and deciding it does not change it."""
    cases = [case for path in RECORDINGS for case in recorded(path)]
    for mutant in mutants(cases, seed=7, count=2_000):
        before = copy.deepcopy(mutant)
        assert plain.decide(mutant, facts)[0] in ("ok", "no")
        assert plain.same_json(mutant, before), mutant["id"]


def test_mutants_reach_most_decisions(facts: plain.Facts) -> None:
    """Mutants are no mere noise: they reach acceptance and the rejections of every stage."""
    cases = [case for path in RECORDINGS for case in recorded(path)]
    reached = {plain.decide(mutant, facts)[1] for mutant in _rejected(cases, facts)}
    assert reached >= {
        "E15",
        "E29",
        "E36",
        "E38",
        "E39",
        "E41",
        "E44",
        "E48",
        "E51",
        "E53",
        "E55",
        "E57",
        "E60",
        "E65",
        "E75",
    }


def _rejected(cases: list[dict[str, Any]], facts: plain.Facts) -> Iterator[dict[str, Any]]:
    return (mutant for mutant in mutants(cases, seed=11, count=2_000) if plain.decide(mutant, facts)[0] == "no")


def test_mutation_is_repeatable() -> None:
    """One seed gives one mutant, another seed another, and the case stays as it was."""
    case = recorded(RECORDINGS[0])[0]
    before = copy.deepcopy(case)
    one, again = mutate(case, 3), mutate(case, 3)
    assert one == again
    assert len({json.dumps(mutate(case, seed)) for seed in range(20)}) > 15
    assert case == before


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"), (1e21, "1e+21"), (123456789012345680000, "123456789012345680000"), (0.1, "0.1"), (1e-6, "0.000001"),
        (1e-7, "1e-7"), (1.5e300, "1.5e+300"), (-0.0, "0"), (100, "100"), (12.5, "12.5"), (True, "true"),
        (None, "null"), (["f16"], "f16"), ([None, [1, 2]], ",1,2"), ({"a": 1}, "[object Object]"),
        (float("inf"), "Infinity"),
    ],
)  # fmt: skip
def test_text_of_a_value(value: Any, text: str) -> None:
    """A value's text is that of JavaScript's String()."""
    assert javascript.to_string(value) == text


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (None, 0.0),
        ("", 0.0),
        (" 12 ", 12.0),
        ("0x10", 16.0),
        ([], 0.0),
        ([5], 5.0),
        ("1e3", 1000.0),
        (True, 1.0),
        (".5", 0.5),
    ],
)
def test_number_of_a_value(value: Any, number: float) -> None:
    """A value's number is that of JavaScript's Number()."""
    assert javascript.to_number(value) == number


@pytest.mark.parametrize("value", ["1_0", "12px", {}, [1, 2], "0x", "+0x10", "nan", "inf"])
def test_what_is_no_number(value: Any) -> None:
    """What JavaScript's Number() cannot read is NaN."""
    assert javascript.number_text(javascript.to_number(value)) == "NaN"


def test_trim_takes_what_javascript_takes() -> None:
    """Unicode spaces and the byte-order mark go; separators of files and the next-line control stay."""
    assert javascript.trim("\ufeff\u00a0\u2003 x\u2028\u3000\t") == "x"
    assert javascript.trim("\u001cx\u0085") == "\u001cx\u0085"


def test_json_text_lists_array_indices_first() -> None:
    """Members named like array indices come first, ascending; numbers have their shortest text."""
    assert (
        javascript.stringify({"b": 1.0, "10": [None, "\n"], "2": {}, "01": False})
        == '{"2":{},"10":[null,"\\n"],"b":1,"01":false}'
    )


def test_spread_of_texts_and_lists() -> None:
    """A spread text gives its units by index, a list its items, a number nothing."""
    assert javascript.spread({"a": 1}, "xy", [True], 5) == {"a": 1, "0": True, "1": "y"}


def test_equality_tells_booleans_from_numbers() -> None:
    """1 and 1.0 are equal, 1 and true are not, and key order does not matter."""
    assert javascript.same_json({"a": 1, "b": [1.0]}, {"b": [1], "a": 1.0})
    assert not javascript.same_json({"a": 1}, {"a": True})
    assert not javascript.same_json({"a": None}, {})
