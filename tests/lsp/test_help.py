"""Hover says what a name is and where it comes from; folding shows what can be put away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp.client import Client


def told(editor: Client, path: Path, around: str) -> str:
    """Return what hover says at the `|` of a text."""
    answer = editor.request("textDocument/hover", editor.place(path, around))
    return str(answer["contents"]["value"]) if answer else ""


@pytest.mark.parametrize(
    ("around", "title", "said"),
    [
        ("check: wan|ted", "wanted: colour?", "a name of this rule"),
        ("when: bo|x.material", "box: Box", "the row of `boxes`"),
        ("box.mat|erial", "Box.material: material", "what it is made of"),
        ("box.mat|erial", "Box.material: material", "is `text(raw.material)`"),
        ("?? fin|ish", "finish: colour?", "given by `checks/finish`"),
        ('"t|in"', '"tin": material', "open; rules may name `card`, `tin`, `wood`"),
        ('"bl|ue"', '"blue": colour', "one of `red`, `green`, `blue`"),
    ],
)
def test_names_are_told(editor: Client, rule: Path, around: str, title: str, said: str) -> None:
    """A name is told with its type, its doc, and what gives it."""
    text = told(editor, rule, around)
    assert text.startswith(f"```\n{title}\n```")
    assert said in text


def test_where_a_name_is_declared_is_told(editor: Client, rule: Path, pack: Path) -> None:
    """The last thing that hover says is the line of the declaration."""
    lines = (pack / "pack.yaml").read_text(encoding="utf-8").split("\n")
    line = 1 + next(number for number, text in enumerate(lines) if text.startswith("      paint:"))
    assert told(editor, rule, "box.pa|int").endswith(f"declared in `boxes/pack.yaml`, line {line}")


def test_decisions_are_told_with_their_rules(editor: Client, rule: Path) -> None:
    """A decision is told by the rules that carry it."""
    said = told(editor, rule, "[D1, D|2]")
    assert "- `checks/finish`: A box has the colour that was asked for, else that of its material." in said
    assert "- `checks/tin-is-blue`: A tin box is blue." in said


def test_tests_narrow_what_is_told(editor: Client, pack: Path) -> None:
    """Behind a test for null, hover tells the narrowed type."""
    path = pack / "checks" / "finish.yaml"
    editor.open(path)
    assert told(editor, path, "value: box.pa|int").startswith("```\nBox.paint: colour?  (here: colour)\n```")


@pytest.mark.parametrize(
    ("around", "title", "said"),
    [
        ("is: boxes.la|bel", "label: list<string>", "given by `checks/label`"),
        ("is: bo|xes.label", "table boxes: list<Box>", "- `boxes.label: list<string>`"),
        ("is: strokes.first.sh|ade", "shade: list<colour?>", "given by `drying/shade`"),
        ("is: strokes.fi|rst.shade", "pass strokes.first", "- `strokes.first.slots: map<colour>`"),
        ("is: str|okes.first.shade", "flow strokes", "visits rows of `boxes`; slots hold `colour`"),
        (
            "start: strokes.first.sl|ots",
            "strokes.first.slots: map<colour>",
            "at the end of pass `first`",
        ),
        ("of: elements(she|lf.boxes)", "document shelf: json", "the shelf as it was ordered"),
        ("answer: lab|els", "labels: list<string>", "is `boxes.label`"),
        ("reads: {w|et: box.name}", "wet: colour?", "what the slot holds that a visit reads"),
        ("pass: {co|at: string}", "coat: string", "the name of the pass"),
        ("    index: ind|ex\n", "index: int", "the row's place in the list"),
        ("each: str|okes", "flow strokes", "one box in one coat of paint"),
        ("after: [sha|pe], doc", "stage shape", "for each of `raw_boxes`, rules in order: `box-object`"),
        ("gives: {label: string, fin|ish", "finish: colour?", "given by `checks/finish`"),
        ("  ord|er:\n", "question order", "given `shelf`: `labels`"),
        ("tint: {type: 'col|our?'", "vocabulary colour", "one of `red`, `green`, `blue`"),
        ("      ti|nt: {type", "Lid.tint: colour?", "the colour of its inside"),
        ("most_bo|xes: {type", "constant most_boxes: int", "`40`"),
    ],
)
def test_declarations_are_told(editor: Client, pack: Path, around: str, title: str, said: str) -> None:
    """In pack.yaml, each kind of name is told with its type and what makes it; dotted names part by part."""
    path = pack / "pack.yaml"
    editor.open(path)
    text = told(editor, path, around)
    assert text.startswith(f"```\n{title}\n```")
    assert said in text


def test_functions_are_told(editor: Client, pack: Path) -> None:
    """A function of the pack is told with its body, a built-in one with its examples."""
    path = pack / "pack.yaml"
    editor.open(path)
    own = told(editor, path, "is: colour|_of(raw.paint)")
    assert own.startswith("```\ncolour_of(value: json) -> colour?\n```")
    assert "stands for `colour(lower(trim(text(value))))`" in own
    assert '"É".lower()  ->  "é"' in told(editor, path, "colour(low|er(trim(")


@pytest.mark.parametrize(
    ("around", "said"),
    [
        ("che|ck: wanted", "**check**: what must be true"),
        (
            "sever|ity: error",
            "**severity**: how hard a finding is; `error` unless it is said; one of `error`, `warning`, `note`",
        ),
        ("let|:", "**let**: named values for the rule's other expressions"),
    ],
)
def test_keys_are_told(editor: Client, rule: Path, around: str, said: str) -> None:
    """A key of the file's own form is told by its schema."""
    assert told(editor, rule, around) == said


def test_tested_variables_are_told(editor: Client, pack: Path) -> None:
    """In a test file, what a case gives is told as the rule's variable, and its fields as the record's."""
    path = pack / "checks" / "tin-is-blue.test.yaml"
    editor.open(path)
    assert told(editor, path, "given: {bo|x: {material: wood}}").startswith("```\nbox: Box\n```")
    assert told(editor, path, "given: {box: {mat|erial: wood}}").startswith("```\nBox.material: material\n```")
    assert told(editor, path, "given: {box: {material: wo|od}}").startswith('```\n"wood": material\n```')


def test_manifest_items_are_told_with_provenance(editor: Client, manifest: Path) -> None:
    """A step is told with what the rules resolved for it in each pass, and where each value came from."""
    said = told(editor, manifest, '"dst": "wi|de"')
    assert "| input | f16 | derived |" in said
    assert "| math | f16 | manifest |" in said
    assert "**prefill**" in said
    assert "**decode**" in said
    assert "the slot that it writes" in said


def test_slots_are_told(editor: Client, manifest: Path) -> None:
    """A slot is told with who writes it and who reads it."""
    said = told(editor, manifest, '"src": "log|its"')
    assert "slot `logits`" in said
    assert "written by `lm_head`" in said


def hints(editor: Client, path: Path) -> dict[str, str]:
    """Return the inlay hints of a file by the text of the line that they are on."""
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 10_000, "character": 0}}
    params = {"textDocument": {"uri": path.as_uri()}, "range": whole}
    lines = editor.texts[path].split("\n")
    found = editor.request("textDocument/inlayHint", params)
    return {lines[hint["position"]["line"]].strip(): hint["label"] for hint in found}


def test_steps_carry_their_dtypes(editor: Client, manifest: Path) -> None:
    """Each step that is visited has a hint of the dtype that it reads and the one that it leaves."""
    found = hints(editor, manifest)
    assert len(found) == 8
    assert found['"id": "widen",'] == "f16 → f32"
    assert found['"id": "lm_head",'] == "f32 → f32"


def test_hints_follow_the_text(editor: Client, manifest: Path) -> None:
    """A hint changes with what it tells, and goes away where nothing can be told."""
    before = hints(editor, manifest)
    editor.replace(manifest, '"activationDtype": "f16"', '"activationDtype": "f32"')
    assert hints(editor, manifest) != before
    editor.replace(manifest, '"activationDtype": "f32"', '"activationDtype": ')
    assert hints(editor, manifest) == {}
    editor.replace(manifest, '"activationDtype": ,', '"activationDtype": "f16",')
    assert hints(editor, manifest) == before


def folds(editor: Client, path: Path) -> list[tuple[Any, ...]]:
    """Return first and last lines, and the kind, of what can be folded."""
    found = editor.request("textDocument/foldingRange", {"textDocument": {"uri": path.as_uri()}})
    return [(fold["startLine"], fold["endLine"], fold["kind"]) for fold in found]


def test_yaml_folds(editor: Client, rule: Path) -> None:
    """A block of text and a nested mapping fold under their keys, and so do comments of several lines."""
    editor.change(rule, "# one\n# two\n" + editor.texts[rule])
    assert folds(editor, rule) == [(0, 1, "comment"), (3, 4, "region"), (8, 9, "region")]


def test_json_folds(editor: Client, manifest: Path) -> None:
    """An object folds up to the line before its closing bracket, which is left to be seen."""
    found = folds(editor, manifest)
    assert (2, 3, "region") in found  # architecture
    lines = editor.texts[manifest].split("\n")
    assert all(lines[last + 1].strip()[:1] in ("}", "]") for _, last, _ in found)
