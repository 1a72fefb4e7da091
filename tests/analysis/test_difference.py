"""What changes from one pack to another: exactly the cells that brute force finds, severities, rules, documents."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from analysis.planted import add_rule, copied, edit, small_pack
from kernelpath.analysis.difference import diff
from kernelpath.analysis.difference.documents import DocumentErrors, differences
from kernelpath.analysis.difference.render import render_json, render_markdown, render_text
from kernelpath.analysis.testing.meaning import evaluate
from kernelpath.language import EvaluationError
from kernelpath.packs.files import PackErrors
from kernelpath.packs.model import Pack, Rule
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource

DECLARATIONS = """
uses: javascript
documents:
  crates: {type: list<Box>}
  shade: {type: 'colour?'}
vocabularies:
  colour: {values: [red, green, blue]}
records:
  Box:
    fields: {colour: colour, lid: 'colour?', full: bool}
items:
  boxes: {of: crates, as: box}
stages:
  look: {each: boxes, gives: {paint: 'colour?', ready: bool, label: object}}
questions:
  looked: {given: [crates, shade], answer: 'null'}
"""
COLOURS = ["red", "green", "blue"]


class Box:
    """A box as rules read it."""

    def __init__(self, colour: str, lid: str | None, full: bool) -> None:
        self.colour, self.lid, self.full = colour, lid, full


def _cells(rules: list[Rule], names: set[str]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return every item, by what the rules read of it: the values of each part that they name, in all combinations."""
    domains = {
        "box.colour": COLOURS,
        "box.lid": [None, *COLOURS],
        "box.full": [False, True],
        "shade": [None, *COLOURS],
    }
    chosen = {name: domains[name] for name in domains if name in names}
    found = []
    for values in product(*chosen.values()):
        cell = dict(zip(chosen, values, strict=True))
        box = Box(cell.get("box.colour", "red"), cell.get("box.lid"), cell.get("box.full", False))
        found.append((cell, {"box": box, "shade": cell.get("shade")}))
    return found


def _names(*texts: str) -> set[str]:
    return {name for name in ("box.colour", "box.lid", "box.full", "shade") if any(name in text for text in texts)}


def _does(pack: Pack, rule: Rule, values: dict[str, Any]) -> str:
    """Return what a rule does with an item, as a difference words it."""
    try:
        outcome = evaluate(rule, pack.scopes["boxes"], values, {})
    except EvaluationError:
        return "has no value"
    if outcome.kind == "fail":
        return f"fails ({rule.severity})"
    if outcome.kind == "value":
        source = outcome.parts.get("source")
        return f"gives {json.dumps(outcome.parts['value'])}" + (f" from {source}" if source else "")
    return {"pass": "passes", "skip": "skips"}[outcome.kind]


def _brute_force(old: Pack, new: Pack, texts: tuple[str, ...]) -> Counter[tuple[str, str]]:
    [one], [two] = old.rules(), new.rules()
    found: Counter[tuple[str, str]] = Counter()
    for _, values in _cells([one, two], _names(*texts)):
        pair = (_does(old, one, dict(values)), _does(new, two, dict(values)))
        if pair[0] != pair[1]:
            found[pair] += 1
    return found


ATOMS = [
    "box.colour == {c}",
    "box.colour in [{c}, {d}]",
    "box.lid == {c}",
    "box.lid != null",
    "box.lid == box.colour",
    "shade == box.lid",
    "(shade ?? box.colour) == {c}",
    "(if box.full then shade else box.lid) == {c}",
    "box.full",
    "all c in [box.colour, {d}]: c != {c}",
    "(count c in [{c}, {d}]: c == box.colour) == 1",
]


def _condition(chance: random.Random, depth: int = 2) -> str:
    if depth == 0 or chance.random() < 0.3:
        colours = [json.dumps(colour) for colour in chance.sample(COLOURS, 2)]
        atom = chance.choice([atom for atom in ATOMS if "[box" not in atom])
        return f"({atom.format(c=colours[0], d=colours[1])})"
    if chance.random() < 0.2:
        return f"(not {_condition(chance, depth - 1)})"
    operator = chance.choice([" and ", " or "])
    return f"({operator.join(_condition(chance, depth - 1) for _ in range(2))})"


def _check(when: str, check: str, severity: str = "error") -> str:
    return f"severity: {severity}\nwhen: '{when}'\ncheck: '{check}'\nmessage: no"


def _drawn(
    folder: Path, chance: random.Random, rule: Callable[[random.Random], tuple[str, list[str]]]
) -> tuple[Pack, list[str]]:
    """Return a pack of one random rule that is well typed, and the texts of its expressions."""
    while True:
        body, texts = rule(chance)
        try:
            return small_pack(folder, DECLARATIONS, {"look/rule": body}), texts
        except PackErrors:  # a test for null where an earlier test excludes it, and the like
            continue


def _random_check(chance: random.Random) -> tuple[str, list[str]]:
    texts = [_condition(chance), _condition(chance)]
    return _check(*texts, chance.choice(["error", "warning"])), texts


def _random_resolution(chance: random.Random) -> tuple[str, list[str]]:
    conditions = [_condition(chance, 1) for _ in range(2)]
    values = [chance.choice(["box.colour", "shade", "box.lid", '"red"', "null"]) for _ in range(3)]
    lines = [
        f"  - {{when: '{condition}', value: '{value}', source: '\"{chance.choice('xyz')}\"'}}"
        for condition, value in zip(conditions, values, strict=False)
    ]
    body = "resolve: paint\nfirst:\n" + "\n".join(lines) + f"\n  - {{value: '{values[2]}'}}"
    return body, [*conditions, *values]


@pytest.mark.parametrize("seed", range(60))
def test_changed_cells_are_those_of_brute_force(tmp_path: Path, seed: int) -> None:
    """For random versions of a rule, every way to change is found, and in as many cells as going through all finds."""
    chance = random.Random(seed)
    rule = _random_resolution if seed % 3 == 0 else _random_check
    old, texts = _drawn(tmp_path / "old", chance, rule)
    new, more = _drawn(tmp_path / "new", chance, rule)
    found = {(c.before, c.after): c.count for rule in diff(old, new).rules for c in rule.changes}
    assert found == _brute_force(old, new, (*texts, *more))


def test_open_values_split_by_literals(tmp_path: Path) -> None:
    """JSON values are split by what the rule asks of them, and each class is one cell."""
    declarations = DECLARATIONS.replace("list<Box>", "list<json>")
    old = small_pack(tmp_path / "old", declarations, {"look/rule": _check("true", 'box.size == "big"')})
    new = small_pack(tmp_path / "new", declarations, {"look/rule": _check("true", 'lower(text(box.size)) == "big"')})
    [change] = diff(old, new).rules
    assert (change.cells, change.changed_cells) == (4, 1)  # no object, and three kinds of size
    [cell] = change.changes
    assert (cell.before, cell.after, cell.count) == ("fails (error)", "passes", 1)
    assert cell.witness == {"box": {"size": "BIG"}}


def test_equal_packs_have_no_difference(tmp_path: Path) -> None:
    """A copy of a pack differs in nothing, and neither do conditions that are written otherwise."""
    shipped = read_pack(resource("rules", "execution-v0"))
    assert diff(shipped, read_pack(copied(tmp_path, "execution-v0"))).is_empty
    old = small_pack(tmp_path / "old", DECLARATIONS, {"look/rule": _check("box.full", 'box.colour != "red"')})
    new = small_pack(
        tmp_path / "new", DECLARATIONS, {"look/rule": _check("not (not box.full)", 'box.colour in ["green", "blue"]')}
    )
    assert diff(old, new).is_empty


def test_severities_texts_and_rules_are_compared(tmp_path: Path) -> None:
    """A rule that is added or removed, another severity, another wording: each is told."""
    old = small_pack(
        tmp_path / "old",
        DECLARATIONS,
        {
            "look/a": _check("true", "box.full"),
            "look/b": _check("true", "box.full"),
            "look/d": _check("true", "box.full"),
        },
    )
    new = small_pack(
        tmp_path / "new",
        DECLARATIONS,
        {
            "look/a": _check("true", "box.full", "warning"),
            "look/c": _check("box.full", 'box.colour == "red"'),
            "look/d": _check("true", "box.full").replace("message: no", "message: not full"),
        },
    )
    found = [(c.status, c.name, c.severity, c.texts, c.changed_cells, c.cells) for c in diff(old, new).rules]
    assert found == [
        ("changed", "a", ("error", "warning"), (), 1, 2),
        ("added", "c", None, (), 2, 6),
        ("changed", "d", None, ("message",), 0, 2),
        ("removed", "b", None, (), 1, 2),
    ]


def test_members_of_built_objects_are_compared_one_by_one(tmp_path: Path) -> None:
    """Of a table that builds an object, each member has its own cells."""
    table = "table: label\nhit: build\nrows:\n  - {path: paint, value: box.colour}\n"
    old = small_pack(tmp_path / "old", DECLARATIONS, {"look/rule": table + "  - {path: lid.paint, value: box.lid}"})
    new = small_pack(
        tmp_path / "new", DECLARATIONS, {"look/rule": table + "  - {path: lid.paint, when: box.full, value: box.lid}"}
    )
    [change] = diff(old, new).rules
    assert (change.member, change.cells, change.changed_cells) == ("lid.paint", 8, 4)
    assert {(c.before, c.after, c.count) for c in change.changes} == {
        ("gives null", "gives nothing", 1),
        *((f'gives "{colour}"', "gives nothing", 1) for colour in COLOURS),
    }


def test_declarations_are_compared(tmp_path: Path) -> None:
    """A new value of a vocabulary is told, and the cells that it brings are compared."""
    old = small_pack(tmp_path / "old", DECLARATIONS, {"look/rule": _check("true", 'box.colour in ["red", "green"]')})
    wider = DECLARATIONS.replace("[red, green, blue]", "[red, green, blue, black]")
    new = small_pack(tmp_path / "new", wider, {"look/rule": _check("true", 'box.colour in ["red", "black"]')})
    found = diff(old, new)
    assert [(d.section, d.name, d.status, d.details) for d in found.declared] == [
        ("vocabularies", "colour", "changed", ("`value black` is new: black",))
    ]
    [change] = found.rules
    assert change.cells == 4
    assert {(c.before, c.after, c.count) for c in change.changes} == {
        ("passes", "fails (error)", 1),
        ("fails (error)", "passes", 1),
    }


MANIFEST: dict[str, Any] = {
    "modelId": "small",
    "architecture": {"numLayers": 2},
    "inference": {
        "schema": "doppler.execution/v0",
        "sessionDefaults": {
            "compute": {
                "defaults": {"activationDtype": "f32", "mathDtype": "f32", "accumDtype": "f32", "outputDtype": "f32"},
                "kernelProfiles": [],
            },
            "kvcache": None,
            "decodeLoop": None,
        },
        "execution": {
            "steps": [
                {
                    "id": "narrow",
                    "phase": "both",
                    "section": "layer",
                    "op": "cast",
                    "src": "state",
                    "dst": "state",
                    "layers": "all",
                    "toDtype": "f16",
                },
            ]
        },
    },
}


def _documents(folder: Path) -> list[Path]:
    unpinned = json.loads(json.dumps(MANIFEST))
    unpinned["inference"]["execution"]["steps"][0]["id"] = ""
    nothing: dict[str, Any] = {"inference": {}}
    paths = []
    for name, document in {"good": MANIFEST, "bad": unpinned, "none": nothing}.items():
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(json.dumps(document), encoding="utf-8")
    return paths


def test_real_documents_that_fare_otherwise_are_told(tmp_path: Path) -> None:
    """Verdicts, rules that report, and values of the result are compared for each document."""
    old = read_pack(resource("rules", "execution-v0"))
    folder = copied(tmp_path, "execution-v0")
    edit(
        folder,
        "flow/output-dtype.yaml",
        'when: step.op == "cast", value: dtype_of(step.raw.toDtype)',
        'when: step.op == "cast", value: held',
    )
    (folder / "step-shape" / "step-id.yaml").unlink()
    add_rule(
        folder,
        "gate/some",
        "when: not runnable\ncheck: inference.schema != null\nmessage: no",
    )
    paths = _documents(tmp_path)
    shared: dict[str, Any] = {"catalog": {}, "presets": {}}
    found = {Path(c.document).stem: c for c in diff(old, read_pack(folder), paths, shared=shared).changed_documents}
    assert set(found) == {"good", "bad", "none"}
    assert (found["good"].before, found["good"].after) == ("accepted", "accepted")
    assert ("/resolvedSteps/prefill/0/precision/outputDtype", "f16", "f32") in found["good"].values
    assert (found["bad"].before, found["bad"].after) == ("rejected", "accepted")
    assert found["bad"].cleared == ("step-shape/step-id",)
    assert (found["none"].before, found["none"].after) == ("nothing to decide", "rejected")
    assert found["none"].reported == ("gate/some",)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    """A missing file and one that is no JSON are told, both at once."""
    pack = read_pack(resource("rules", "execution-v0"))
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    with pytest.raises(DocumentErrors) as caught:
        diff(pack, pack, [tmp_path / "missing.json", broken])
    assert len(caught.value.diagnostics) == 2


def test_values_differ_at_pointers() -> None:
    """Two values are compared member by member; lists of another length as a whole; 1 is 1.0 and true is not 1."""
    old = {"a/b": [1, {"c": 2}], "d": [1], "e": True, "f": 1}
    new = {"a/b": [1.0, {"c": 3}], "d": [1, 2], "e": 1, "g": None}
    assert list(differences(old, new)) == [("/a~1b/1/c", 2, 3), ("/d", [1], [1, 2]), ("/e", True, 1), ("/f", 1, None)]


def test_a_difference_is_shown(tmp_path: Path) -> None:
    """Text, Markdown and JSON tell the rule, the cells and an item."""
    old = small_pack(tmp_path / "old", DECLARATIONS, {"look/rule": _check("true", 'box.colour != "red"')})
    new = small_pack(tmp_path / "new", DECLARATIONS, {"look/rule": _check("true", 'box.colour == "blue"')})
    found = diff(old, new)
    assert render_text(found) == (
        "changed check look/rule: 1 of 3 cells\n"
        "  1 cell: passes -> fails (error)\n"
        '    such as {"box": {"colour": "green"}}\n'
        "\n"
        "old -> new: rules 0 added, 0 removed, 1 changed; 1 cell with another outcome\n"
    )
    row = '| `look/rule` | changed: passes -> fails (error) | 1 of 3 | `{"box": {"colour": "green"}}` |'
    assert row in render_markdown(found).splitlines()
    plain = json.loads(render_json(found))
    assert plain["rules"][0]["changes"] == [
        {"before": "passes", "after": "fails (error)", "count": 1, "witness": {"box": {"colour": "green"}}}
    ]
