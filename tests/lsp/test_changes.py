"""What the server changes for an author: quick fixes and formatting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp.client import Client
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
        ("each: box", "each: bx"),
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
