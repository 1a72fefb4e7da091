"""Finite domains: their cells are decided as the interpreter decides them, and no outcome is missing."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from analysis.planted import small_pack
from kernelpath.analysis.analyze.region import Region
from kernelpath.analysis.domain.diagrams import TERMINAL
from kernelpath.analysis.domain.formulas import ABSENT
from kernelpath.analysis.domain.search import Where
from kernelpath.analysis.domain.witness import Item, make_item, outcomes
from kernelpath.analysis.testing.records import neutral
from kernelpath.packs.model import Pack, Stage
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource


def _value(region: Region, node: int, choices: Mapping[int, int]) -> Any:
    diagrams = region.domain.diagrams
    while diagrams.levels[node] != TERMINAL:
        node = diagrams.children[node][choices[diagrams.levels[node]]]
    return diagrams.values[node]


def _expected(region: Region, place: int, choices: Mapping[int, int]) -> str | None:
    """Return what the diagrams say of a check, None where no item of the cell comes to it."""
    if not all(_value(region, node, choices) for node in region.reached[place].true):
        return None
    if not _value(region, region.when[place], choices):
        return "skip"
    return "pass" if _value(region, region.holds[place], choices) else "fail"


@pytest.mark.parametrize("name", ["execution-v0", "strict"])
def test_cells_are_decided_as_the_interpreter_decides_them(name: str) -> None:
    """On random cells of every stage, each check that is reached does what its diagram says."""
    pack, chance, compared = read_pack(resource("rules", name)), random.Random(7), 0
    for stage in pack.stages.values():
        region = Region.of(pack, stage)
        leaves = region.domain.by_level
        for _ in range(25):
            choices = {
                level: chance.randrange(len(leaf.choices)) if chance.random() < 0.6 else 0
                for level, leaf in leaves.items()
            }
            item = make_item(pack, stage, {leaf: leaf.choices[choices[level]] for level, leaf in leaves.items()})
            compared += _compare(region, choices, item) if item.whole else 0
    assert compared > 500


def _compare(region: Region, choices: Mapping[int, int], item: Item) -> int:
    found = outcomes(region.formulas.pack, region.formulas.stage, item)
    compared = 0
    for place in region.checks():
        rule = region.rules[place].rule
        expected = _expected(region, place, choices)
        if expected is not None and rule.name in found:
            assert (rule.identity, found[rule.name].kind, item.given) == (rule.identity, expected, item.given)
            compared += 1
    return compared


VALUES = [
    None,
    "",
    " ",
    "f16",
    " F32 ",
    ["f16"],
    "cast",
    "attention",
    "both",
    "prefill",
    "layer",
    "x",
    0,
    1.5,
    True,
    [],
    {},
    [1, -1],
]
MEMBERS = ["id", "op", "src", "dst", "phase", "section", "layers", "toDtype", "fromDtype", "kernel", "kernelRef"]


def test_no_outcome_of_an_item_is_missing() -> None:
    """What the rules about a step's shape do with a random step, all together, some cell has them do too."""
    pack, chance = read_pack(resource("rules", "execution-v0")), random.Random(11)
    stage = pack.stages["step-shape"]
    region = Region.of(pack, stage)
    seen = set()
    for _ in range(400):
        raw = chance.choice([chance.choice(VALUES), *[_step(chance)] * 9])
        found = {name: outcome.kind for name, outcome in outcomes(pack, stage, _item(pack, stage, raw)).items()}
        seen.add(tuple(found.items()))
        assert region.search.exists(_same_outcome(region, found)), raw
    assert len(seen) > 50


def _step(chance: random.Random) -> dict[str, Any]:
    return {name: chance.choice(VALUES) for name in MEMBERS if chance.random() < 0.8}


def _item(pack: Pack, stage: Stage, raw: Any) -> Item:
    variables = pack.scopes[stage.scope].variables
    values = {name: neutral(type_) for name, type_ in variables.items()}
    return Item({}, {**values, **pack.constants, "raw": raw}, {})


def _same_outcome(region: Region, found: Mapping[str, str]) -> Where:
    where = Where()
    for place in region.checks():
        kind = found.get(region.rules[place].rule.name)
        if kind == "skip":
            where = where.never(region.when[place])
        elif kind is not None:
            where = where.also(region.when[place])
            where = where.also(region.holds[place]) if kind == "pass" else where.never(region.holds[place])
    return where


DECLARATIONS = """
uses: javascript
documents: {crates: {type: list<json>}, limit: {type: int}}
vocabularies:
  colour: {values: [red, green, blue]}
  finish: {values: [matt, gloss], open: true}
items:
  boxes: {of: crates, as: box, index: index}
stages:
  look: {each: boxes}
questions:
  looked: {given: [crates, limit], answer: 'null'}
"""


def _choices(folder: Path, condition: str) -> tuple[Any, ...]:
    """Return what the finite domain keeps of a box that one condition looks at."""
    rule = f"message: no\ncheck: '{condition}'"
    pack = small_pack(folder, DECLARATIONS, {"look/rule": rule})
    region = Region.of(pack, pack.stages["look"])
    return next(leaf.choices for leaf in region.domain.by_level.values() if leaf.name == "box.value")


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ('box.value == "red"', [ABSENT, "red"]),
        ('box.value == "red" or box.value == "blue"', [ABSENT, "red", "blue"]),
        ('has(box, "value") and box.value == null', [ABSENT, None, "other"]),
        ('lower(trim(text(box.value))) == "red"', [ABSENT, "red"]),
        ("is_integer(box.value) and box.value > 3 and box.value <= 7", [ABSENT, True, 0, 3.5, 4, 7.5, 8]),
        ('is_string(box.value) and matches(box.value, "[a-f]{2}")', [ABSENT, "[a-f]{2}", "aa"]),
        ('is_list(box.value) and (all v in box.value: v == "red")', [ABSENT, [], [None], ["red"], [None, "red"]]),
        ("truthy(box.value) or box.value == null", [ABSENT, "other", ""]),
    ],
)
def test_a_value_is_kept_for_each_way_to_be_told_apart(tmp_path: Path, condition: str, kept: list[Any]) -> None:
    """A domain keeps the first value of each kind that the parts of a condition tell from all others."""
    assert list(_choices(tmp_path, condition)) == kept


def test_texts_are_kept_for_every_way_to_begin_and_contain(tmp_path: Path) -> None:
    """Of texts that rules look into, one is kept for each set of beginnings and parts that a text can have."""
    condition = 'is_string(box.value) and (starts_with(box.value, "re") or contains(box.value, "ed"))'
    texts = [value for value in _choices(tmp_path, condition) if isinstance(value, str)]
    kinds = [(text.startswith("re"), "ed" in text) for text in texts]
    assert sorted(kinds) == [(False, False), (False, True), (True, False), (True, True)]
