"""Fixes change what they say and nothing else, and comments allow what they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.analysis.lint import apply_fixes, fix_pack, lint
from kernelpath.analysis.lint.edits import apply_edits, removal
from kernelpath.diagnostics import ERROR, Diagnostic, Source
from kernelpath.packs.documents import read_yaml
from lint.packs import boxes, write

REMOVED = [
    ("a: 1\nb: 2\nc: 3\n", ("b",), "a: 1\nc: 3\n"),
    ("a: 1\nb: 2\n", ("b",), "a: 1\n"),
    ("a: 1\nb: 2", ("b",), "a: 1\n"),
    ("x:\n  a: 1\n  b:\n    - 1\n    - 2\ny: 3\n", ("x", "b"), "x:\n  a: 1\ny: 3\n"),
    ("x:\n  a: 1\ny: 3\n", ("x", "a"), "y: 3\n"),
    ("x: {a: 1, b: 2, c: 3}\n", ("x", "a"), "x: {b: 2, c: 3}\n"),
    ("x: {a: 1, b: 2, c: 3}\n", ("x", "b"), "x: {a: 1, c: 3}\n"),
    ("x: {a: 1, b: 2, c: 3}\n", ("x", "c"), "x: {a: 1, b: 2}\n"),
    ("x: [a, 'b', c]\n", ("x", 1), "x: [a, c]\n"),
    ("x:\n  - a\n  - b\n", ("x", 0), "x:\n  - b\n"),
    ("x:\n- a\n- {b: 1}\ny: 1\n", ("x", 1), "x:\n- a\ny: 1\n"),
    ("a: |\n  one\n  two\n\nb: 2\n", ("a",), "\nb: 2\n"),
]
KEPT = [
    ("a: 1  # why\nb: 2\n", ("a",)),
    ("# why\na: 1\nb: 2\n", ("a",)),
    ("x:\n  - a: 1\n    b: 2\n", ("x", 0, "a")),
    ("x:\n  a:\n    # why\n    - 1\n  b: 2\n", ("x", "a")),
    ("a: 1\n", ("a",)),
]


@pytest.mark.parametrize(("text", "path", "wanted"), REMOVED)
def test_removal(text: str, path: tuple[str | int, ...], wanted: str) -> None:
    """An entry is taken out with its lines or its comma; one that is alone takes along what holds it."""
    assert apply_edits(text, removal(read_yaml(Source("f", text)), path)) == wanted


@pytest.mark.parametrize(("text", "path"), KEPT)
def test_no_removal(text: str, path: tuple[str | int, ...]) -> None:
    """Where a comment would be lost, or the rest would not be read as before, there is no edit."""
    assert removal(read_yaml(Source("f", text)), path) == []


def finding(*places: tuple[int, int, int], file: str = "f") -> Diagnostic:
    """Return a diagnostic whose fix takes out stretches of lines: (line, column, end column)."""
    edits = [
        {"file": file, "line": line, "column": start, "endLine": line, "endColumn": end, "text": ""}
        for line, start, end in places
    ]
    return Diagnostic("lint/some", (), ERROR, "some", fix={"edits": edits})


def test_overlapping_fixes() -> None:
    """Of two fixes that touch one stretch the first is made, and a fix is made whole or not at all."""
    text = "abcdef\nghijkl\n"
    first, second, third = finding((1, 2, 4)), finding((2, 1, 3), (1, 3, 5)), finding((2, 6, 7))
    assert apply_fixes([first, second, third], {"f": text}) == {"f": "adef\nghijk\n"}
    assert apply_fixes([second, first], {"f": text}) == {"f": "abef\nijkl\n"}
    assert apply_fixes([finding((1, 1, 2), file="other")], {"f": text}) == {}


RULE = """\
summary: A red box has a lid.
why: |
  Red boxes are stored outside.
{when}let:
  {let}
check: box.lid
message: {message}
"""


MESSAGE = "box `{box.id}` has no lid"


def rule(folder: Path, let: str = "closed: box.lid", message: str = MESSAGE, when: str = "") -> Path:
    """Return a pack with one more rule."""
    pack = boxes(folder)
    write(pack / "boxes/red-lid.yaml", RULE.format(let=let, message=message, when=when))
    return pack


def test_fixes_follow_each_other(tmp_path: Path) -> None:
    """A name that only another unused name reads goes in the next round, and then the mapping that held both."""
    pack = rule(tmp_path, let="one: box.size\n  two: one + 1", when="when: true\n")
    remaining, [changed] = fix_pack(pack)
    assert remaining == []
    wanted = RULE.format(let="", message=MESSAGE, when="").replace("let:\n  \n", "")
    assert changed.read_text(encoding="utf-8") == wanted


def codes(pack: Path) -> list[str]:
    """Return the codes of what is found."""
    return [found.rule.removeprefix("lint/") for found in lint(pack)]


def test_allowed_above(tmp_path: Path) -> None:
    """A comment above an entry allows one code for the entry and what is in it."""
    assert codes(rule(tmp_path, let="# allow unused-let: soon\n  closed: box.lid")) == []


def test_allowed_behind(tmp_path: Path) -> None:
    """A comment behind an entry allows one code for it."""
    assert codes(rule(tmp_path, let="closed: box.lid  # allow unused-let: soon")) == []


def test_allowed_for_a_file(tmp_path: Path) -> None:
    """A comment at the top, with a blank line below, allows one code in the whole file."""
    pack = rule(tmp_path)
    path = pack / "boxes/red-lid.yaml"
    path.write_text("# allow unused-let: soon\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert codes(pack) == []


def test_allowed_for_others_only(tmp_path: Path) -> None:
    """A comment allows nothing outside its entry, and nothing of another code."""
    pack = rule(tmp_path, let="one: box.lid  # allow unused-let: soon\n  two: box.size", message="Box `{box.id}`")
    assert codes(pack) == ["unused-let", "message-case"]


@pytest.mark.parametrize(
    ("comment", "message", "help_text"),
    [
        ("# allow unused-let", "`allow unused-let` gives no reason", "write `# allow CODE: REASON`"),
        ("# allow unused-lets: soon", "nothing here is found by lint `unused-lets`", "did you mean `unused-let`?"),
        ("# allow message-stop: soon", "nothing here is found by lint `message-stop`", "take the comment out"),
    ],
)
def test_idle_allowances(comment: str, message: str, help_text: str, tmp_path: Path) -> None:
    """A comment that gives no reason allows nothing, and one that allows nothing is found."""
    found = lint(rule(tmp_path, let=f"closed: box.lid  {comment}"))
    assert {(each.message, each.help) for each in found} == {
        ("nothing reads `let` `closed`", "take it out"),
        (message, help_text),
    }
