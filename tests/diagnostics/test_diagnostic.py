"""A diagnostic is plain data with a stable JSON form."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kernelpath.diagnostics import Diagnostic, Label, Span, did_you_mean
from kernelpath.diagnostics.wording import Wording

SPAN = Span("a.json", 2, 3, 2, 6)


def test_absent_members_are_left_out() -> None:
    """A diagnostic with only what it must have prints only that."""
    made = Diagnostic("box/size", (), "error", "too big").to_dict()
    assert made == {"rule": "box/size", "decisions": [], "severity": "error", "message": "too big"}


def test_members_come_in_the_order_of_the_fields() -> None:
    """All members print as plain JSON, in one order."""
    made = Diagnostic(
        rule="box/size",
        decisions=("B1", "B2"),
        severity="warning",
        message="too big",
        subject="lid",
        document="box",
        pointer="/lid",
        span=SPAN,
        secondary=(Label(SPAN, "set here"),),
        values=(("size", "9"),),
        help="make it smaller",
        fix={"set": 3},
        docs="boxes.md",
    ).to_dict()
    span = {"file": "a.json", "line": 2, "column": 3, "endLine": 2, "endColumn": 6}
    assert list(made.items()) == [
        ("rule", "box/size"),
        ("decisions", ["B1", "B2"]),
        ("severity", "warning"),
        ("message", "too big"),
        ("subject", "lid"),
        ("document", "box"),
        ("pointer", "/lid"),
        ("span", span),
        ("secondary", [{"span": span, "text": "set here"}]),
        ("values", [{"name": "size", "value": "9"}]),
        ("help", "make it smaller"),
        ("fix", {"set": 3}),
        ("docs", "boxes.md"),
    ]


def test_the_root_pointer_is_kept() -> None:
    """The empty pointer is the whole document, and is not taken for an absent one."""
    assert Diagnostic("r", (), "error", "m", pointer="").to_dict()["pointer"] == ""


def test_with_span_moves_a_diagnostic_and_keeps_the_rest() -> None:
    """A new place leaves the second places alone unless they are given as well."""
    first = Diagnostic("r", (), "error", "m", secondary=(Label(SPAN, "x"),), help="h")
    moved = first.with_span(SPAN)
    assert (moved.span, moved.secondary, moved.help) == (SPAN, first.secondary, "h")
    assert first.span is None
    assert first.with_span(SPAN, secondary=()).secondary == ()


@pytest.mark.parametrize(
    ("word", "candidates", "expected"),
    [
        ("colour", ["color", "size"], "color"),
        ("Color", ["color", "colon"], "color"),
        ("boxSize", ["box_size", "box_sizes"], "box_size"),
        ("red", ["red"], None),
        ("weight", ["color", "size"], None),
        ("ab", ["ax", "ay"], None),
        ("sise", ["size", "side"], "side"),
        ("x" * 1000, ["x" * 999], None),
        ("", ["a"], None),
    ],
)
def test_did_you_mean(word: str, candidates: list[str], expected: str | None) -> None:
    """The nearest known word is named, whatever the order of the candidates, and none where none is near."""
    assert did_you_mean(word, candidates) == expected
    assert did_you_mean(word, reversed(candidates)) == expected


def test_wording_fills_in_values() -> None:
    """Message and help name the values they are told, and the second place is labelled where there is one."""
    wording = Wording("box/twice", "`{name}` is there twice", "rename `{name}`", "first here")
    other = Span("a.json", 1, 1, 1, 2)
    told = wording.told(SPAN, other, name="lid")
    assert told == Diagnostic(
        "box/twice",
        (),
        "error",
        "`lid` is there twice",
        span=SPAN,
        secondary=(Label(other, "first here"),),
        help="rename `lid`",
    )
    assert wording.told(SPAN, name="lid").secondary == ()


def test_the_import_is_light() -> None:
    """Importing the package, diagnostics included, loads no parser, no schema walker and nothing of a GPU."""
    heavy = ("yaml", "lark", "jsonschema", "numpy", "wgpu", "asyncio", "tokenizers", "gguf")
    script = f"import sys, kernelpath.diagnostics; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
