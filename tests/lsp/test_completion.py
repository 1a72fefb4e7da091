"""What may come next is offered wherever one writes: keys, names, members, words of vocabularies, functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsp.client import Client

#: What every expression of the pack of boxes sees: documents, constants, values, tables and flows.
CELLS = ["boxes", "findings", "labels", "most_boxes", "painted", "raw_boxes", "shades", "shelf", "strokes"]


def labels(items: list[dict[str, object]]) -> list[str]:
    """Return the labels in the order in which the editor shows them."""
    return [str(item["label"]) for item in sorted(items, key=lambda item: str(item["sortText"]))]


@pytest.mark.parametrize(
    ("old", "new", "offered"),
    [
        ("severity: error\n", "severity: error\n|\n", ["at", "fix", "guards", "subject", "tags"]),
        ("severity: error", "severity: |", ["error", "note", "warning"]),
        ("decisions: [D1, D2]", "decisions: [D1, |", ["D1", "D2", "D3", "D5"]),
        ('check: wanted == "blue"', 'check: wanted == "|', ["blue", "green", "red"]),
        ('check: wanted == "blue"', 'check: wanted in ["blue", "|', ["blue", "green", "red"]),
        ('check: wanted == "blue"', 'check: (wanted ?? "|', ["blue", "green", "red"]),
        ('check: wanted == "blue"', 'check: box.paint != "|" and true', ["blue", "green", "red"]),
        ('check: wanted == "blue"', "check: 'box.material == \"|", ["card", "tin", "wood"]),
    ],
)
def test_all_that_fits_is_offered(editor: Client, rule: Path, old: str, new: str, offered: list[str]) -> None:
    """Where only certain words fit, just these are offered."""
    assert labels(editor.type_at(rule, old, new)) == offered


@pytest.mark.parametrize(
    ("old", "new", "first"),
    [
        ('wanted == "blue"', "box.|", ["material", "name", "paint", "raw", "size"]),
        ('wanted == "blue"', "box.pa|", ["material", "name", "paint", "raw", "size"]),
        ('wanted == "blue"', "box.raw.|", ["material", "name", "paint", "size"]),
        ('wanted == "blue"', "wan|", ["box", "finish", "label", "wanted", *CELLS, "colour_of"]),
        ("{wanted}", "{|}", ["box", "finish", "label", "wanted", *CELLS, "colour_of"]),
        ("wanted: box.paint", "wanted: |", ["box", "finish", "label", *CELLS, "colour_of"]),
        ('wanted == "blue"', "boxes.|", ["finish", "label"]),
        ('wanted == "blue"', "strokes.|", ["first", "second"]),
        ('wanted == "blue"', "strokes.first.|", ["shade", "slots"]),
        ('wanted == "blue"', 'any part in split(box.name, " "): part == |', ["box", "finish", "label"]),
    ],
)
def test_the_nearest_comes_first(editor: Client, rule: Path, old: str, new: str, first: list[str]) -> None:
    """Members, and names of the rule and its scope, come before functions and keywords."""
    assert labels(editor.type_at(rule, old, new))[: len(first)] == first


def test_members_of_a_loop_variable(editor: Client, rule: Path) -> None:
    """Inside a loop its variable has the type of the list's items."""
    found = labels(editor.type_at(rule, 'wanted == "blue"', 'any part in split(box.name, " "): part.|'))
    assert "lower" in found
    assert "material" not in found


def test_functions_say_what_they_take(editor: Client, rule: Path) -> None:
    """A function is offered with its signature and its doc; accepting it opens its brackets."""
    items = {item["label"]: item for item in editor.type_at(rule, 'wanted == "blue"', "col|")}
    assert items["colour_of"]["detail"] == "colour_of(value: json)"
    assert items["colour_of"]["documentation"]["value"] == "the colour that a value names, null if it names none"
    assert items["colour_of"]["textEdit"]["newText"] == "colour_of("
    assert editor.stretch(items["colour_of"]["textEdit"], rule) == "col"
    assert items["ends_with"]["detail"] == "ends_with(s: string, end: string) -> bool"


def test_words_are_quoted_where_no_quote_is(editor: Client, rule: Path) -> None:
    """Behind a comparison, the words of the vocabulary come in quotes that the YAML around them allows."""
    items = editor.type_at(rule, 'wanted == "blue"', "wanted == |")
    assert labels(items)[:3] == ['"blue"', '"green"', '"red"']
    items = editor.type_at(rule, "check: wanted == ", 'check: "wanted == |')
    assert labels(items)[:3] == ["'blue'", "'green'", "'red'"]


@pytest.mark.parametrize(
    ("file", "old", "new", "offered"),
    [
        ("finish", "resolve: finish", "resolve: |", ["finish", "label"]),
        ("finish", "value: '\"blue\"'", "value: '\"|", ["blue", "green", "red"]),
        ("finish", "{when: box.paint != null, value: box.paint, ", "{when: box.paint != null, |", ["value"]),
        ("label", "colour_here: red", "colour_here: |", ["blue", "green", "red"]),
        ("label", "{colour_here: red}", "{|", ["colour_here"]),
        ("label", "table: label", "table: label\nhit: |", ["build", "collect", "first", "unique"]),
    ],
)
def test_resolutions_and_tables(editor: Client, pack: Path, file: str, old: str, new: str, offered: list[str]) -> None:
    """A rule that gives a variable is offered what its scope lets it give, and values of that variable's type."""
    path = pack / "checks" / f"{file}.yaml"
    editor.open(path)
    assert labels(editor.type_at(path, old, new)) == offered


@pytest.mark.parametrize(
    ("old", "new", "offered"),
    [
        ("after: [shape], doc", "after: [|", ["checks", "drying", "shape"]),
        ("checks: {each: boxes", "checks: {each: |", ["boxes", "raw_boxes", "request", "strokes"]),
        ("    over: boxes\n", "    over: |\n", ["boxes", "raw_boxes"]),
        ("start: strokes.first.slots", "start: |", ["strokes.first.slots", "strokes.second.slots"]),
        ("given: [shelf]", "given: [|", ["shelf"]),
        ("uses: [javascript]", "uses: [|", ["execution-graph", "javascript"]),
        ("answer: labels", "answer: |", CELLS),
        ("is: boxes.label", "is: boxes.|", ["finish", "label"]),
        ("is: strokes.first.shade", "is: strokes.first.|", ["shade", "slots"]),
        ("of: elements(shelf.boxes)", "of: elements(|", CELLS),
        ("visits: box.paint", "visits: |", ["box", "coat", "shade", "wet", *CELLS]),
        ("is: colour(lower(trim(text(value))))", "is: |", ["value", "colour_of"]),
        ("    open: true\n", "    open: |\n", ["false", "true"]),
        ("  shape: {each: raw_boxes", "  shape: {|", ["after", "at", "decisions", "doc"]),
        ("material: {type: material, is: text(raw.material)", "material: {is: text(raw.|", ["name", "paint", "size"]),
    ],
)
def test_declarations(editor: Client, pack: Path, old: str, new: str, offered: list[str]) -> None:
    """pack.yaml is offered the names that it has declared, and the keys that each section takes."""
    path = pack / "pack.yaml"
    editor.open(path)
    assert labels(editor.type_at(path, old, new))[: len(offered)] == offered


def test_types(editor: Client, pack: Path) -> None:
    """Where a type is spelled, the pack's own types come before the built-in ones."""
    path = pack / "pack.yaml"
    editor.open(path)
    found = labels(editor.type_at(path, "type: list<Box>", "type: list<|"))
    assert {"Box", "Lid", "colour", "material"} <= set(found[: found.index("bool")])
    assert found[found.index("bool") :] == ["bool", "float", "int", "json", "list", "map", "object", "string"]


def test_rule_ids(editor: Client) -> None:
    """A pack that sets levels is offered the ids of the rules of those that it extends."""
    path = editor.folder / "strict-boxes" / "pack.yaml"
    editor.open(path)
    found = labels(editor.type_at(path, "  boxes/checks/tin-is-blue: {", "  |: {"))
    assert found == [
        *("boxes/checks/finish", "boxes/checks/label", "boxes/checks/tin-is-blue"),
        *("boxes/drying/dries", "boxes/drying/shade", "boxes/shape/box-object", "strict-boxes/checks/has-size"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "offered"),
    [
        ("given: {box: {material: wood}}", "given: {|", ["box", "finish", "label"]),
        ("given: {box: {material: wood}}", "given: {box: {|", ["material", "name", "paint", "raw", "size"]),
        ("given: {box: {material: wood}}", "given: {box: {paint: |", ["blue", "green", "red"]),
        ("expect: skip", "expect: |", ["pass", "skip"]),
        ("    expect: skip\n", "    |\n", ["expect", "run"]),
    ],
)
def test_cases(editor: Client, pack: Path, old: str, new: str, offered: list[str]) -> None:
    """A test file is offered the variables of its rule's scope, their fields, and their words."""
    path = pack / "checks" / "tin-is-blue.test.yaml"
    editor.open(path)
    assert labels(editor.type_at(path, old, new))[: len(offered)] == offered


def test_nothing_behind_a_closed_quote(editor: Client, rule: Path) -> None:
    """Behind a whole quoted value there is nothing to offer."""
    assert editor.type_at(rule, 'check: wanted == "blue"', "check: 'true'|") == []


@pytest.mark.parametrize(
    ("old", "new", "offered"),
    [
        ('"src": "normed"', '"src": "|"', ["attended", "logits", "normed", "state", "token", "wide"]),
        ('"src": "normed"', '"src": |', ["attended", "logits", "normed", "state", "token", "wide"]),
        ('"phase": "decode",\n          "section": "sampling"', '"phase": "|', ["both", "decode", "prefill"]),
        ('"section": "sampling"', '"section": "|', ["layer", "postLayer", "preLayer", "sampling"]),
        (
            '"src": "normed"',
            '"src": "normed", "precision": {"|',
            ["accumDtype", "inputDtype", "mathDtype", "outputDtype"],
        ),
        ('"src": "normed"', '"src": "normed", "precision": {"inputDtype": "|', ["f16", "f32"]),
    ],
)
def test_manifests(editor: Client, manifest: Path, old: str, new: str, offered: list[str]) -> None:
    """A manifest is offered its slots, and the members and words that the rules read."""
    text = editor.texts[manifest]
    at = text.index(old)
    editor.change(manifest, text[:at] + "@@" + text[at + len(old) :])
    assert labels(editor.type_at(manifest, "@@", new)) == offered
