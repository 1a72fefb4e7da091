"""What the server changes for an author: quick fixes and formatting."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsp.client import Client
from lsp.conftest import DATA
from lsp.test_navigation import applied


def fixes(editor: Client, path: Path, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the quick fixes at the first of some diagnostics."""
    params = {"textDocument": {"uri": path.as_uri()}, "range": found[0]["range"], "context": {"diagnostics": found}}
    actions: list[dict[str, Any]] = editor.request("textDocument/codeAction", params)
    return actions


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("check: wanted", "check: wantd"),
        ("box.material", "box.materal"),
        ('"blue"', '"bleu"'),
        ("severity: error", "severty: error"),
        ("severity: error", "severity: eror"),
        ("is {wanted}", "is {wantd}"),
    ],
)
def test_the_meant_word_is_put_in_place(editor: Client, rule: Path, old: str, new: str) -> None:
    """A quick fix puts the nearest known word in place, and the file is as it was."""
    before = editor.texts[rule]
    found = editor.replace(rule, old, new)
    [action] = fixes(editor, rule, found)
    assert action["kind"] == "quickfix"
    assert action["isPreferred"]
    assert action["diagnostics"] == found[:1]
    edited = applied(editor.texts[rule], action["edit"]["changes"][rule.as_uri()])
    assert edited == before
    assert editor.change(rule, edited) == []


def test_no_fix_without_a_finding(editor: Client, rule: Path) -> None:
    """Where nothing is wrong, nothing is offered."""
    [found] = editor.replace(rule, "check: wanted", "check: wantd")
    start = {"line": 0, "character": 0}
    assert fixes(editor, rule, [{**found, "range": {"start": start, "end": start}}]) == []


@pytest.mark.parametrize(
    ("old", "new", "title"),
    [
        (
            '"dst": "normed"',
            '"dst": "normd"',
            "make the graph pass: set src of `attend` to state; set src of `attend_one` to state",
        ),
        ('"toDtype": "f32"', '"toDtype": "f16"', "make the graph pass: insert before `lm_head`: "),
        (
            '"id": "norm",',
            '"id": "norm", "precision": {"inputDtype": "f32"},',
            "make the graph pass: insert before `norm`: ",
        ),
    ],
)
def test_graphs_are_mended_in_place(editor: Client, manifest: Path, old: str, new: str, title: str) -> None:
    """Where a fault is in a graph, the proven fix is offered: its text has no fault, and other lines are as before."""
    found = editor.replace(manifest, old, new)
    before = editor.texts[manifest].split("\n")
    [action] = fixes(editor, manifest, found)
    assert action["title"].startswith(title)
    assert action["diagnostics"] == found[:1]
    edited = applied(editor.texts[manifest], action["edit"]["changes"][manifest.as_uri()])
    assert editor.change(manifest, edited) == []
    changed = [line for line in before if line not in edited.split("\n")]
    assert len(changed) <= len(action["edit"]["changes"][manifest.as_uri()])


@pytest.fixture
def linting(tmp_path: Path) -> Iterator[Client]:
    """Return an editor whose server lints at once."""
    shutil.copytree(DATA, tmp_path / "work")
    client = Client(tmp_path / "work", {"lintDelay": 0})
    yield client
    assert client.close() == 0


def test_lints_are_shown_and_fixed(linting: Client) -> None:
    """A lint is shown once an edit gave cause for it, its fix is offered, and goes the way of the edit."""
    rule = linting.folder / "boxes" / "checks" / "tin-is-blue.yaml"
    linting.open(rule)
    before = linting.settled()
    linting.replace(rule, "  wanted: box.paint", "  spare: box.name\n  wanted: box.paint")
    [found] = linting.settled()[rule.as_uri()]
    assert (found["code"], found["severity"]) == ("lint/unused-let", 2)
    [action] = fixes(linting, rule, [found])
    edited = applied(linting.texts[rule], action["edit"]["changes"][rule.as_uri()])
    assert edited == rule.read_text(encoding="utf-8")
    linting.change(rule, edited)
    assert linting.settled() == before


def test_lints_wait_for_a_pack_without_faults(linting: Client) -> None:
    """While a pack has faults, only these are shown."""
    rule = linting.folder / "boxes" / "checks" / "tin-is-blue.yaml"
    linting.open(rule)
    linting.replace(rule, "check: wanted", "check: wantd")
    codes = {found["code"] for own in linting.settled().values() for found in own}
    assert codes == {"pack/expression"}


def formatting(editor: Client, path: Path) -> list[dict[str, Any]]:
    """Return the edits that formatting asks for."""
    options = {"tabSize": 2, "insertSpaces": True}
    params = {"textDocument": {"uri": path.as_uri()}, "options": options}
    edits: list[dict[str, Any]] = editor.request("textDocument/formatting", params)
    return edits


def test_formatting_brings_back_the_canonical_form(editor: Client, rule: Path) -> None:
    """A file out of form is put in form; one in form is left alone, comments and all."""
    canonical = applied(editor.texts[rule], formatting(editor, rule))
    editor.change(rule, canonical)
    assert formatting(editor, rule) == []
    editor.replace(rule, 'check: wanted == "blue"', 'check:   (wanted)=="blue"   # as tin takes nothing else')
    edits = formatting(editor, rule)
    assert len(edits) == 1
    expected = canonical.replace('check: wanted == "blue"', 'check: wanted == "blue"  # as tin takes nothing else')
    assert applied(editor.texts[rule], edits) == expected


def test_broken_files_are_not_formatted(editor: Client, rule: Path, manifest: Path) -> None:
    """What cannot be read is left as it is, and so are manifests."""
    editor.replace(rule, 'check: wanted == "blue"', "check: [")
    assert formatting(editor, rule) == []
    assert formatting(editor, manifest) == []
