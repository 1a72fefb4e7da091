"""From a name to its declaration, and to everywhere that it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp.client import Client, ResponseError, path_of

CHECKS = "checks: {each: boxes, gives: {label: string, finish: 'colour?'}, doc: what may be painted}"
DRYING = "drying: {each: strokes, gives: {shade: 'colour?'}, after: [shape], doc: what a coat leaves}"


def lines(editor: Client, found: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return locations as file names and the whole lines, without what surrounds them."""
    shown = []
    for place in found:
        path = path_of(place["uri"])
        text = editor.texts.get(path) or path.read_text(encoding="utf-8")
        shown.append((path.name, text.split("\n")[place["range"]["start"]["line"]].strip()))
    return shown


def declared(editor: Client, path: Path, around: str) -> list[tuple[str, str]]:
    """Return where the name at the `|` of a text is declared."""
    return lines(editor, editor.request("textDocument/definition", editor.place(path, around)))


def named(editor: Client, path: Path, around: str, *, declaration: bool = True) -> list[dict[str, Any]]:
    """Return everywhere that the name at the `|` of a text stands."""
    params = {**editor.place(path, around), "context": {"includeDeclaration": declaration}}
    found: list[dict[str, Any]] = editor.request("textDocument/references", params)
    return found


@pytest.mark.parametrize(
    ("around", "line"),
    [
        ("when: bo|x.material", "as: box"),
        ("box.mat|erial", "material: {type: material, is: text(raw.material), doc: what it is made of}"),
        ("?? fin|ish", CHECKS),
        ('"t|in"', "values: [card, tin, wood]"),
    ],
)
def test_names_lead_to_the_pack(editor: Client, rule: Path, around: str, line: str) -> None:
    """A row, a field, a given variable and a word lead to their line of pack.yaml."""
    assert declared(editor, rule, around) == [("pack.yaml", line)]


def test_own_names_lead_to_the_let(editor: Client, rule: Path) -> None:
    """A rule's own name leads to its let, also out of a message."""
    for around in ("check: wan|ted", "is {wan|ted}"):
        assert declared(editor, rule, around) == [("tin-is-blue.yaml", "wanted: box.paint ?? finish")]


@pytest.mark.parametrize(
    ("around", "line"),
    [
        ("is: colour_|of(raw.paint)", "colour_of:"),
        ("type: list<B|ox>", "boxes:"),
        ("tint: {type: 'colo|ur?'", "colour:"),
        ("after: [sh|ape], doc", "shape: {each: raw_boxes, doc: the shape of a box}"),
        ("each: bo|xes, gives", "boxes:"),
        ("    over: bo|xes", "boxes:"),
        ("    of: raw_bo|xes", "raw_boxes:"),
        ("is: text(ra|w.name)", "as: raw"),
        ("subject: '{b|ox.name}'", "as: box"),
        ("subject: '{ind|ex}'", "index: index"),
        ("is: boxes.lab|el", CHECKS),
        ("is: bo|xes.label", "boxes:"),
        (
            "is: strokes.first.sha|de",
            DRYING,
        ),
        ("is: strokes.fir|st.shade", "first: {start: {brush: '\"red\"'}}"),
        ("is: stro|kes.first.shade", "strokes:"),
        ("start: strokes.fi|rst.slots", "first: {start: {brush: '\"red\"'}}"),
        ("of: elements(sh|elf.boxes)", "shelf: {doc: the shelf as it was ordered}"),
        ("given: [she|lf]", "shelf: {doc: the shelf as it was ordered}"),
        ("answer: lab|els", "labels: {is: boxes.label, doc: what is written on each box}"),
        ("colour(lower(trim(text(val|ue))))", "parameters: {value: json}"),
    ],
)
def test_declarations_lead_to_each_other(editor: Client, pack: Path, around: str, line: str) -> None:
    """In pack.yaml, functions, types, values, tables, flows, stages and columns lead to where they are declared."""
    path = pack / "pack.yaml"
    editor.open(path)
    assert declared(editor, path, around) == [("pack.yaml", line)]


def test_decisions_lead_to_their_rules(editor: Client, rule: Path) -> None:
    """Where no page explains a decision, it leads to the rules that carry it."""
    found = declared(editor, rule, "[D1, D|2]")
    assert found == [("finish.yaml", "decisions: [D2]"), ("tin-is-blue.yaml", "decisions: [D1, D2]")]


def test_decisions_lead_to_their_page(editor: Client, rule: Path) -> None:
    """Where a page of decisions is near the pack, a decision leads to its row there."""
    page = editor.folder / "DECISIONS.md"
    page.write_text("| id | what |\n|---|---|\n| D1 | a box is an object |\n| D2 | tin is blue |\n", encoding="utf-8")
    try:
        assert declared(editor, rule, "[D1, D|2]") == [("DECISIONS.md", "| D2 | tin is blue |")]
        said = editor.request("textDocument/hover", editor.place(rule, "[D1, D|2]"))["contents"]["value"]
        assert said.endswith("| D2 | tin is blue |")
    finally:
        page.unlink()


def test_packs_and_rules_lead_to_their_files(editor: Client) -> None:
    """`extends` leads to the other pack, a rule whose level is set to its file."""
    path = editor.folder / "strict-boxes" / "pack.yaml"
    editor.open(path)
    assert declared(editor, path, "extends: box|es")[0][0] == "pack.yaml"
    assert declared(editor, path, "  boxes/checks/tin-is|-blue:") == [
        ("tin-is-blue.yaml", "summary: A tin box is blue.")
    ]


def test_tests_lead_to_the_pack(editor: Client, pack: Path) -> None:
    """In a test file, a given variable and its fields lead to pack.yaml."""
    path = pack / "checks" / "tin-is-blue.test.yaml"
    editor.open(path)
    assert declared(editor, path, "given: {b|ox: {material: wood}}") == [("pack.yaml", "as: box")]
    [(name, line)] = declared(editor, path, "given: {box: {mat|erial: wood}}")
    assert (name, line.partition(":")[0]) == ("pack.yaml", "material")


def test_references_are_found_in_all_files(editor: Client, rule: Path) -> None:
    """A field is found in pack.yaml, in every rule and in every test, each place once."""
    found = named(editor, rule, "box.pa|int")
    assert {editor.stretch(place) for place in found} == {"paint"}
    names = [Path(place["uri"]).name for place in found]
    rules = [*["finish.yaml"] * 2, "tin-is-blue.yaml", *["dries.yaml"] * 2, "shade.yaml"]
    assert names == [*["pack.yaml"] * 3, *rules, *["tin-is-blue.test.yaml"] * 2]


def test_declarations_can_be_left_out(editor: Client, rule: Path) -> None:
    """Without its declaration, a let is found where it is read."""
    found = named(editor, rule, "check: wan|ted", declaration=False)
    assert [line for _, line in lines(editor, found)] == [
        'check: wanted == "blue"',
        "message: box `{box.name}` is {wanted}, and tin takes blue only",
    ]


def test_builtins_have_no_declaration(editor: Client, pack: Path) -> None:
    """A built-in function is declared in no file."""
    path = pack / "pack.yaml"
    editor.open(path)
    assert declared(editor, path, "colour(low|er(trim(") == []


def test_rename_of_a_let(editor: Client, rule: Path) -> None:
    """Renaming a let changes it in its expressions and in its messages, and nothing else."""
    place = editor.place(rule, "check: wan|ted")
    assert editor.stretch(editor.request("textDocument/prepareRename", place), rule) == "wanted"
    answer = editor.request("textDocument/rename", {**place, "newName": "shade"})
    [(uri, edits)] = answer["changes"].items()
    assert uri == rule.as_uri()
    assert [editor.stretch(edit, rule) for edit in edits] == ["wanted"] * 3
    assert editor.change(rule, applied(editor.texts[rule], edits)) == []
    assert editor.texts[rule].count("shade") == 3


def test_rename_of_an_input(editor: Client, pack: Path) -> None:
    """Renaming a table's input changes the cells that are held against it."""
    path = pack / "checks" / "label.yaml"
    editor.open(path)
    answer = editor.request("textDocument/rename", {**editor.place(path, "  colour|_here: finish"), "newName": "shade"})
    assert editor.change(path, applied(editor.texts[path], answer["changes"][path.as_uri()])) == []
    assert editor.texts[path].count("shade") == 3
    assert "colour_here" not in editor.texts[path]


@pytest.mark.parametrize(
    ("around", "new", "refusal"),
    [
        ("check: wan|ted", "box", "`box` is already a name here"),
        ("check: wan|ted", "finish", "`finish` is already a name here"),
        ("check: wan|ted", "if", "`if` is no name: one is a small letter, then letters, digits and `_`"),
        ("check: wan|ted", "two words", "`two words` is no name: one is a small letter, then letters, digits and `_`"),
        ("box.mat|erial", "stuff", "`material` is not this rule's own: only names under `let` and `inputs` are"),
        ("summary: A t|in", "stuff", "there is no name here"),
    ],
)
def test_rename_is_refused(editor: Client, rule: Path, around: str, new: str, refusal: str) -> None:
    """A name that is taken, that is none, or that is not the rule's own is refused with the reason."""
    with pytest.raises(ResponseError) as refused:
        editor.request("textDocument/rename", {**editor.place(rule, around), "newName": new})
    assert str(refused.value) == refusal


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    """Return a text with edits made, from the last to the first."""
    split = text.split("\n")
    starts = [sum(len(line) + 1 for line in split[:number]) for number in range(len(split))]
    places = [
        (starts[s["line"]] + s["character"], starts[e["line"]] + e["character"], edit["newText"])
        for edit in edits
        for s, e in [(edit["range"]["start"], edit["range"]["end"])]
    ]
    for start, end, new in sorted(places, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def test_slots_lead_to_their_producer(editor: Client, manifest: Path) -> None:
    """The slot that a step reads leads to the step that writes it."""
    assert declared(editor, manifest, '"src": "log|its"') == [("manifest.json", '"dst": "logits",')]


def test_each_pass_has_its_producer(editor: Client, manifest: Path) -> None:
    """A slot that one step writes in one pass and another in the other leads to both."""
    found = editor.request("textDocument/definition", editor.place(manifest, '"src": "att|ended"'))
    above = editor.texts[manifest].split("\n")
    assert [above[place["range"]["start"]["line"] - 6].strip() for place in found] == [
        '"id": "attend",',
        '"id": "attend_one",',
    ]


def test_slots_are_found_wherever_they_stand(editor: Client, manifest: Path) -> None:
    """The references of a slot are all members that name it."""
    found = [line for _, line in lines(editor, named(editor, manifest, '"dst": "nor|med"'))]
    assert found == ['"dst": "normed",', '"src": "normed",', '"src": "normed",']
