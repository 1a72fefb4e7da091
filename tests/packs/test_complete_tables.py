"""A table or a resolution that leaves no combination of finite values out gives a variable that cannot be null."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.question import ask
from kernelpath.language import BOOL, LanguageErrors, Names, Optional, Vocabulary, check, interpret, parse
from kernelpath.packs.completeness import MAX_COMBINATIONS, is_complete
from kernelpath.packs.files import PackErrors
from kernelpath.packs.reading import read_pack

PACK = """summary: A test's pack.
vocabularies:
  colour: {values: [red, green, blue]}
  finish: {values: [matt, gloss], open: true}
documents:
  shade: {type: colour}
  other: {type: 'colour?'}
  lid: {type: bool}
  size: {type: int}
  coat: {type: finish}
stages: {look: {each: request, gives: {label: string}}}
questions: {look: {given: [shade, other, lid, size, coat], answer: label}}
"""
HEAD = "summary: A\nwhy: b\n"

COMPLETE = [
    ["shade == 'red'", "shade == 'green'", "shade == 'blue'"],
    ["shade in ['red', 'green']", "shade == 'blue'"],
    ["shade == 'red'", "shade != 'red'"],
    ["lid", "not lid"],
    ["lid and shade == 'red'", "not lid", "shade in ['green', 'blue']"],
    ["other == null", "other == 'red'", "other in ['green', 'blue']"],
    ["other == shade", "other != shade"],
    ["size > 3", "not (size > 3)"],
    ["size > 3 or lid", "not lid"],
    ["if lid then shade == 'red' else true", "shade != 'red'"],
    ["true"],
]
INCOMPLETE = [
    ["shade == 'red'", "shade == 'green'"],
    ["lid and shade == 'red'", "not lid", "shade == 'green'"],
    ["other == 'red'", "other in ['green', 'blue']"],
    ["other != null and other == 'red'", "other in ['green', 'blue']"],
    ["size > 3", "size <= 3"],
    ["coat == 'matt'", "coat == 'gloss'"],
    ["lid"],
    ["false"],
]


def _table(hit: str, conditions: list[str]) -> str:
    rows = [f'  - {{when: "{text}", value: \'"{place}"\'}}\n' for place, text in enumerate(conditions)]
    return f"{HEAD}table: label\nhit: {hit}\nrows:\n{''.join(rows)}"


def _resolution(conditions: list[str]) -> str:
    return _table("first", conditions).replace("table: label\nhit: first\nrows:", "resolve: label\nfirst:")


def _written(folder: Path, rule: str) -> Path:
    (folder / "look").mkdir(parents=True)
    (folder / "pack.yaml").write_text(PACK, encoding="utf-8")
    (folder / "look" / "label.yaml").write_text(rule, encoding="utf-8")
    return folder


@pytest.mark.parametrize("conditions", COMPLETE, ids="; ".join)
@pytest.mark.parametrize("kind", ["first", "resolve"])
def test_what_leaves_nothing_out_is_accepted(tmp_path: Path, conditions: list[str], kind: str) -> None:
    """No last row without condition is needed, and every input is given a value."""
    rule = _resolution(conditions) if kind == "resolve" else _table(kind, conditions)
    pack = load_folder(_written(tmp_path / "boxes", rule))
    for shade, other, lid, size in product(["red", "green", "blue"], [None, "red", "blue"], [False, True], [0, 4]):
        values = {"shade": shade, "other": other, "lid": lid, "size": size, "coat": "matt"}
        assert ask(pack, "look", values).value is not None, values


@pytest.mark.parametrize("conditions", INCOMPLETE, ids="; ".join)
@pytest.mark.parametrize("hit", ["first", "unique"])
def test_what_leaves_something_out_is_refused(tmp_path: Path, conditions: list[str], hit: str) -> None:
    """A combination that no row is for, or that may be left out for all that is known, would give null."""
    with pytest.raises(PackErrors) as errors:
        read_pack(_written(tmp_path / "boxes", _table(hit, conditions)))
    assert [found.message for found in errors.value.diagnostics] == [
        "`label` is `string`, but null where no row applies"
    ]


def test_cells_may_be_complete(tmp_path: Path) -> None:
    """Rows with cells for every combination of their inputs are complete, in a table of which one row may apply too."""
    cells = [
        f"  - {{match: {{a: {a}, b: {b}}}, value: '\"x\"'}}\n"
        for a in ("red", "green", "blue")
        for b in ("true", "false")
    ]
    rule = f"{HEAD}table: label\nhit: unique\ninputs: {{a: shade, b: lid}}\nrows:\n{''.join(cells)}"
    read_pack(_written(tmp_path / "boxes", rule))
    with pytest.raises(PackErrors):
        read_pack(_written(tmp_path / "other" / "boxes", rule.replace(cells[3], "")))


COLOUR = Vocabulary("colour", ("red", "green", "blue"))
TYPES: dict[str, Any] = {"shade": COLOUR, "other": Optional(COLOUR), "lid": BOOL, "full": Optional(BOOL)}
DOMAINS: dict[str, tuple[Any, ...]] = {
    "shade": COLOUR.values,
    "other": (None, *COLOUR.values),
    "lid": (False, True),
    "full": (None, False, True),
}


def _condition(chance: random.Random, depth: int) -> str:
    if depth and chance.random() < 0.6:
        word = chance.choice(["and", "or"])
        inside = f"{_condition(chance, depth - 1)} {word} {_condition(chance, depth - 1)}"
        return f"not ({inside})" if chance.random() < 0.2 else f"({inside})"
    name = chance.choice(list(TYPES))
    values = [
        repr(value).replace("None", "null").replace("True", "true").replace("False", "false") for value in DOMAINS[name]
    ]
    if chance.random() < 0.3:
        return f"{name} {chance.choice(['in', 'not in'])} [{', '.join(chance.sample(values, 2))}]"
    return f"{name} {chance.choice(['==', '!='])} {chance.choice(values)}"


def test_completeness_is_that_of_every_input() -> None:
    """Of conditions on finite values alone, what is said is what evaluating them on every input says."""
    chance, names, said = random.Random(5), Names(TYPES, {"colour": COLOUR}), set()
    inputs = [dict(zip(DOMAINS, values, strict=True)) for values in product(*DOMAINS.values())]
    for _ in range(300):
        try:
            checked = [check(parse(_condition(chance, 2)), names, BOOL) for _ in range(chance.randint(1, 5))]
        except LanguageErrors:  # such as a second test for null
            continue
        whole = all(any(interpret(one, values) for one in checked) for values in inputs)
        assert is_complete([one.expression for one in checked]) == whole
        said.add(whole)
    assert said == {False, True}


def test_many_combinations_are_not_gone_through() -> None:
    """Of more combinations than the limit nothing is known, so that such a table needs a last row."""
    names = Names({f"b{place}": BOOL for place in range(20)})
    assert MAX_COMBINATIONS < 2**20
    texts = ["b0", "not b0", " and ".join(names.variables)]
    assert is_complete([check(parse(text), names, BOOL).expression for text in texts[:2]])
    assert not is_complete([check(parse(text), names, BOOL).expression for text in texts])
