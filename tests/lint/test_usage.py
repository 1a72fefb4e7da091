"""Whatever uses a name of a pack is counted, and a fix that would change what the pack does is not made."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from kernelpath.analysis.formatting import Formatted, format_pack
from kernelpath.analysis.lint import fix_pack, lint
from kernelpath.analysis.testing import run_pack_tests
from kernelpath.cli import main
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource
from lint.packs import boxes, merge, write

Declared = dict[str, Any]
SHADE: Declared = {"vocabularies": {"shade": {"values": ["dark", "pale"]}}}
SHADED: Declared = {"type": "shade?", "is": "null"}


def _flow(**keys: Any) -> Declared:
    """Return the declaration of a flow over the boxes."""
    return {"flows": {"visits": {"over": "boxes", "slots": "int", "passes": {"only": {}}, **keys}}}


def _shelves(column: object) -> Declared:
    """Return the declaration of a table with a column."""
    return {"items": {"shelves": {"of": "boxes", "as": "shelf", "fields": {"one": column}}}}


#: For each place of pack.yaml where the schema has a type: what is to be merged into it to have one there.
TYPES: dict[str, Declared] = {
    "documents.*.type": {"documents": {"paint": {"type": "list<shade>", "optional": True}}},
    "constants.*.type": {"constants": {"usual": {"type": "list<shade>", "value": ["dark"]}}},
    "records.*.fields.*": {"records": {"Tinted": {"fields": {"tints": "list<shade>"}}}},
    "records.*.fields.*.type": {"records": {"Shaded": {"fields": {"shades": {"type": "list<shade>"}}}}},
    "functions.*.parameters.*": {
        "functions": {"is_dark": {"parameters": {"one": "shade"}, "is": 'one == "dark"'}},
    },
    "values.*.type": {"values": {"shades": {"type": "map<shade?>", "is": "mapping([], [])"}}},
    "values.*.fields.*.type": {"values": {"both": {"type": "Both", "fields": {"one": SHADED}}}},
    "items.*.with.*.type": {"items": {"boxes": {"with": {"common": SHADED}}}},
    "items.*.fields.*.type": _shelves(SHADED),
    "flows.*.pass.*": {
        "flows": {"coats": {"over": "boxes", "slots": "int", "pass": {"coat": "shade"}, "passes": {"pale": {}}}},
    },
    "flows.*.slots": {"flows": {"layers": {"over": "boxes", "slots": "shade", "passes": {"only": {}}}}},
    "stages.*.gives.*": {"stages": {"boxes": {"gives": {"rest": "list<list<shade>>"}}}},
}
HALF = {"functions": {"half": {"parameters": {"size": "int"}, "is": "size // 2"}}}
IS_HALF = "half(2) == 1"
NAMED = 'if half(2) == 1 then "a" else "b"'
HALVES: Declared = {"of": "[1]", "as": "one"}
UNROLL: Declared = {"by": '"a"', "order": ["a"], "repeat": {"part": "a", "on": "null", "count": "limit"}}
OTHER: Declared = {"questions": {"other": {"given": ["limit"], "answer": "limit"}}}
#: The same for each place that has an expression, to call a function there; a message has expressions.
EXPRESSIONS: dict[str, Declared] = {
    "documents.*.recognise": {"documents": {"stock": {"recognise": IS_HALF}}},
    "documents.*.resembles": {"documents": {"stock": {"resembles": IS_HALF}}},
    "documents.*.completed": {"documents": {"stock": {"completed": "half(2)"}}},
    "documents.*.instead.when": {"documents": {"stock": {"instead": {"of": "limit", "when": IS_HALF, "at": "/all"}}}},
    "documents.*.part.resembles": {
        "documents": {"stock": {"part": {"when": "true", "resembles": IS_HALF, "at": "/all"}}},
    },
    "documents.*.part.when": {"documents": {"stock": {"part": {"when": IS_HALF, "at": "/all"}}}},
    "functions.*.is": {"functions": {"quarter": {"parameters": {"size": "int"}, "is": "half(half(size))"}}},
    "values.*": {"values": {"some": "half(2)"}},
    "values.*.when": {"values": {"some": {"when": IS_HALF, "is": "1"}}},
    "values.*.is": {"values": {"some": {"is": "half(2)"}}},
    "values.*.fields.*": {"values": {"some": {"type": "Some", "fields": {"one": "half(2)"}}}},
    "values.*.fields.*.is": {"values": {"some": {"type": "Some", "fields": {"one": {"is": "half(2)"}}}}},
    "values.*.with.*": {**OTHER, "values": {"some": {"ask": "other", "with": {"limit": "half(2)"}}}},
    "values.*.otherwise": {"values": {"some": {"is": "1", "otherwise": "half(2)"}}},
    "items.*.of": {"items": {"halves": {**HALVES, "of": "[half(2)]"}}},
    "items.*.when": {"items": {"halves": {**HALVES, "when": IS_HALF}}},
    "items.*.with.*": {"items": {"halves": {**HALVES, "with": {"some": "half(2)"}}}},
    "items.*.with.*.is": {"items": {"halves": {**HALVES, "with": {"some": {"is": "half(2)"}}}}},
    "items.*.subject": {"items": {"halves": {**HALVES, "subject": "{half(one)}"}}},
    "items.*.at": {"items": {"halves": {**HALVES, "at": "stock#/{half(one)}"}}},
    "items.*.fields.*": _shelves("half(box.size)"),
    "items.*.fields.*.is": _shelves({"is": "half(box.size)"}),
    "flows.*.reads.*": _flow(reads={"held": NAMED}),
    "flows.*.visits": _flow(visits=IS_HALF),
    "flows.*.unroll.by": _flow(unroll={**UNROLL, "by": NAMED}),
    "flows.*.unroll.repeat.on": _flow(unroll={**UNROLL, "repeat": {**UNROLL["repeat"], "on": "half(2)"}}),
    "flows.*.unroll.repeat.count": _flow(unroll={**UNROLL, "repeat": {**UNROLL["repeat"], "count": "half(2)"}}),
    "flows.*.passes.*.start.*": _flow(passes={"only": {"start": {"first": "half(2)"}}}),
    "flows.*.subject": _flow(subject="{half(box.size)}"),
    "flows.*.at": _flow(at="stock#/{half(index)}"),
    "stages.*.when": {"stages": {"boxes": {"when": IS_HALF}}},
    "stages.*.subject": {"stages": {"whole": {"each": "request", "subject": "{half(2)}"}}},
    "stages.*.at": {"stages": {"whole": {"each": "request", "at": "stock#/{half(2)}"}}},
    "questions.*.with.*": {
        "values": {"most": {"input": True, "is": "1"}},
        "questions": {"look": {"with": {"most": "half(2)"}}},
    },
    "questions.*.when": {"questions": {"look": {"when": IS_HALF}}},
    "questions.*.answer": {"questions": {"look": {"answer": "half(2)"}}},
    "questions.*.else": {"questions": {"look": {"else": "half(2)"}}},
    "questions.*.shows.*": {"questions": {"look": {"shows": {"some": "half(2)"}}}},
}


def _places(schema: Mapping[str, Any], wanted: tuple[str, ...], path: str = "") -> Iterator[str]:
    """Yield the places of a schema that have one of these roles."""
    if str(schema.get("x-role")).startswith(wanted):
        yield path
    for name, inner in schema.get("properties", {}).items():
        yield from _places(inner, wanted, f"{path}.{name}" if path else name)
    for key, step in (("additionalProperties", ".*"), ("items", "[]")):
        if isinstance(schema.get(key), dict):
            yield from _places(schema[key], wanted, path + step)


def _found(pack: Path) -> set[str]:
    return {found.message for found in lint(pack)}


def test_every_place_of_a_type_and_an_expression_is_tried() -> None:
    """The tables here have every place that the schema of pack.yaml has."""
    schema = json.loads(resource("grammars", "pack.schema.json").read_text(encoding="utf-8"))
    assert set(_places(schema, ("type",))) == set(TYPES)
    assert set(_places(schema, ("expression", "message"))) == set(EXPRESSIONS)


@pytest.mark.parametrize("place", TYPES)
def test_a_vocabulary_is_used_wherever_a_type_has_it(tmp_path: Path, place: str) -> None:
    """A vocabulary that is part of one type somewhere is not found, and one that is not, is."""
    pack = boxes(tmp_path)
    merge(pack / "pack.yaml", SHADE)
    assert "nothing uses vocabulary `shade`" in _found(pack)
    merge(pack / "pack.yaml", TYPES[place])
    assert "nothing uses vocabulary `shade`" not in _found(pack)


@pytest.mark.parametrize("place", TYPES)
def test_a_vocabulary_is_used_by_the_packs_that_extend_its_own(tmp_path: Path, place: str) -> None:
    """So is one that only a pack beside it needs."""
    pack = boxes(tmp_path)
    merge(pack / "pack.yaml", SHADE)
    other = tmp_path / "other"
    other.mkdir()
    (other / "pack.yaml").write_text("summary: More boxes.\nextends: boxes\n", encoding="utf-8")
    merge(other / "pack.yaml", TYPES[place])
    assert "nothing uses vocabulary `shade`" not in _found(pack)


@pytest.mark.parametrize("place", EXPRESSIONS)
def test_a_function_is_used_wherever_an_expression_calls_it(tmp_path: Path, place: str) -> None:
    """A function that one expression calls somewhere is not found, and one that none calls, is."""
    pack = boxes(tmp_path)
    merge(pack / "pack.yaml", HALF)
    assert "nothing calls function `half`" in _found(pack)
    merge(pack / "pack.yaml", EXPRESSIONS[place])
    assert "nothing calls function `half`" not in _found(pack)


GIVES = "summary: A\nwhy: b\nresolve: shade\nfirst:\n  - {value: '\"dark\"'}\n"
KNOWN = {"stages": {"boxes": {"gives": {"shade": "shade"}}}}
HEAD = "summary: A\nwhy: b\n"
TABLE = "summary: A\nwhy: b\ntable: label\ninputs: {one: shade}\nrows:\n"
RULES = {  # what names value `pale` of the vocabulary, apart from constants
    "a cell": TABLE + "  - {match: {one: pale}, value: '\"p\"'}\n  - {value: '\"d\"'}\n",
    "a cell of several": TABLE + "  - {match: {one: [pale]}, value: '\"p\"'}\n  - {value: '\"d\"'}\n",
    "a condition": HEAD + 'check: shade != "pale"\nmessage: no\n',
    "a message": HEAD + "check: box.lid\nmessage: '{if shade == \"pale\" then 1 else 2}'\n",
}


@pytest.mark.parametrize("name", RULES)
def test_a_value_of_a_vocabulary_is_used_where_a_rule_names_it(tmp_path: Path, name: str) -> None:
    """A value that nothing gives or names is found, and one that a rule names is not."""
    pack = boxes(tmp_path)
    merge(pack / "pack.yaml", SHADE)
    merge(pack / "pack.yaml", KNOWN)
    write(pack / "boxes" / "shade.yaml", GIVES)
    assert "nothing names or gives value `pale` of vocabulary `shade`" in _found(pack)
    write(pack / "boxes" / "example.yaml", RULES[name])
    assert "nothing names or gives value `pale` of vocabulary `shade`" not in _found(pack)


CHECK = HEAD + "check: shade != 'dark'\nmessage: no\n"
CASES = """cases:
  - {name: pale boxes are fine, given: {shade: pale}, expect: pass}
  - {name: dark ones are not, given: {shade: dark}, expect: {fail: 'no'}}
"""
NOT_MADE = "its fix is not made: then case `pale boxes are fine` of `boxes/boxes/light` would not give what it gives"


@pytest.fixture
def needed(tmp_path: Path) -> Path:
    """Return a pack with an unused function, and with a value of a vocabulary that nothing but a test needs."""
    pack = boxes(tmp_path)
    for part in (HALF, SHADE, KNOWN):
        merge(pack / "pack.yaml", part)
    write(pack / "boxes" / "shade.yaml", GIVES)
    write(pack / "boxes" / "light.yaml", CHECK)
    (pack / "boxes" / "light.test.yaml").write_text(CASES, encoding="utf-8")
    return pack


def test_a_fix_that_breaks_a_test_is_not_made(needed: Path) -> None:
    """Its finding stays and says why; the fixes that break nothing are made."""
    found, changed = fix_pack(needed)
    assert [(each.message, each.help) for each in found if each.rule == "lint/unused-vocabulary-value"] == [
        ("nothing names or gives value `pale` of vocabulary `shade`", NOT_MADE)
    ]
    assert changed == [needed / "pack.yaml"]
    declared = yaml.safe_load((needed / "pack.yaml").read_text(encoding="utf-8"))
    assert declared["vocabularies"]["shade"] == SHADE["vocabularies"]["shade"]
    assert "half" not in declared.get("functions", {})
    assert run_pack_tests(needed).count("passed") == 2


def test_nothing_is_written_where_all_would_break(needed: Path) -> None:
    """A pack whose only fix is harmful keeps its bytes, and the command says that there are findings."""
    fix_pack(needed)
    before = {path: path.read_bytes() for path in needed.rglob("*.yaml")}
    assert main(["pack", "lint", "--fix", str(needed)]) == 1
    assert {path: path.read_bytes() for path in needed.rglob("*.yaml")} == before


def test_formatting_that_would_change_a_test_is_not_written(
    needed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Were the formatter at fault, no file would be written, and the command would say so."""
    before = {path: path.read_bytes() for path in needed.rglob("*.yaml")}

    def wrong(folder: Path) -> list[Formatted]:
        return [replace(each, after=each.after.replace("!=", "==")) for each in format_pack(folder)]

    monkeypatch.setattr("kernelpath.analysis.formatting.format_pack", wrong)
    assert main(["pack", "fmt", str(needed)]) == 2
    assert "case `pale boxes are fine` of `boxes/boxes/light` would not give what it gives" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in needed.rglob("*.yaml")} == before
    monkeypatch.undo()
    assert main(["pack", "fmt", str(needed)]) == 0


def test_a_pack_that_is_wrong_is_formatted(needed: Path) -> None:
    """A mistake that formatting leaves as it is does not keep the files from being formatted."""
    (needed / "boxes" / "light.yaml").write_text(CHECK.replace("shade", " shad"), encoding="utf-8")
    assert main(["pack", "fmt", str(needed)]) == 0
    assert "check: shad != " in (needed / "boxes" / "light.yaml").read_text(encoding="utf-8")


def test_a_pack_that_extends_another_is_not_broken(tmp_path: Path) -> None:
    """A name that only a pack beside needs, in a place that no lint knows of, is not taken out."""
    pack = boxes(tmp_path)
    merge(pack / "pack.yaml", {"values": {"extra": "1"}})
    other = tmp_path / "other"
    other.mkdir()
    text = yaml.safe_dump({"summary": "More.", "extends": "boxes", "replace": {"values.extra.is": "2"}})
    (other / "pack.yaml").write_text(text, encoding="utf-8")
    assert "nothing reads value `extra`" in _found(pack)
    fix_pack(pack)
    read_pack(other)
    assert "extra" in yaml.safe_load((pack / "pack.yaml").read_text(encoding="utf-8"))["values"]


#: What every pack has, though perhaps for nothing.
HAD: list[Declared] = [
    HALF,
    SHADE,
    KNOWN,
    {"functions": {"twice": {"parameters": {"size": "int"}, "is": "half(size) * 4"}}},
    {"constants": {"least": {"type": "int", "value": 1}, "rare": {"type": "list<shade>", "value": ["pale"]}}},
    {"values": {"spare": "least", "tint": SHADED}},
    _shelves("half(box.size)"),
]
#: What it or a pack that extends it may have besides.
MAY_HAVE: list[Declared] = [
    *(declared for place, declared in TYPES.items() if place != "items.*.fields.*.type"),
    {"items": {"sizes": {"of": "[twice(spare)]", "as": "one"}}},
    {"values": {"halves": "[s.one for s in shelves]"}},
]
MAY_SAY = {
    "light": CHECK,
    "least": HEAD + "let: {a: box.size, b: a}\ncheck: box.size > least\nmessage: no\n",
    "twice": HEAD + "when: true\ncheck: box.size > twice(spare)\nmessage: no\n",
}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.sampled(3)
def test_fixes_change_nothing_that_a_pack_does(tmp_path: Path, seed: int) -> None:
    """Whatever a pack has, after all fixes it can be used, its tests give what they gave, and so do packs beside it."""
    chance = random.Random(seed)
    pack, other = boxes(tmp_path), tmp_path / "other"
    other.mkdir()
    (other / "pack.yaml").write_text("summary: More boxes.\nextends: boxes\n", encoding="utf-8")
    for part in HAD:
        merge(pack / "pack.yaml", part)
    write(pack / "boxes" / "shade.yaml", GIVES)
    for part in MAY_HAVE:
        if chance.random() < 0.3:
            merge(chance.choice([pack, other]) / "pack.yaml", part)
    for name, text in MAY_SAY.items():
        if chance.random() < 0.5:
            write(pack / "boxes" / f"{name}.yaml", text)
    if (pack / "boxes" / "light.yaml").exists():
        (pack / "boxes" / "light.test.yaml").write_text(CASES, encoding="utf-8")
    before = [_results(pack), _results(other)]
    _, changed = fix_pack(pack)
    assert changed
    assert [_results(pack), _results(other)] == before


def _results(pack: Path) -> list[tuple[str, str, str]]:
    """Return what the tests of a pack give; it can be read."""
    return [(result.rule, result.name, result.outcome) for result in run_pack_tests(pack).results]
