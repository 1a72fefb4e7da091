"""Rows of a table that is made straight from a document are explained by their names and by their places."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran
from packs.folders import written

PACK = """\
summary: Voyages, and what lies where.
documents: {voyage: {doc: a voyage, recognise: 'has(file, "moves")'}}
vocabularies: {class: {values: [dry, tank]}}
items:
  moves:
    doc: a move
    of: list(voyage.moves)
    as: move
    subject: '{move.id}'
    at: voyage#/moves/{index}
    index: index
    fields:
      id: {is: 'if is_string(raw.id) then raw.id else ""', doc: its name}
      source: {is: 'if is_string(raw.from) then raw.from else ""', doc: where it begins}
flows:
  flow:
    doc: moves in their order
    over: moves
    slots: class?
    reads: {lying: move.source}
    passes: {all: {start: {quay: 'class("dry")'}}}
stages: {stowed: {doc: what is moved, each: flow, gives: {moved: class?}}}
questions: {sail: {doc: what lies where, given: voyage, answer: flow.all.slots}}
"""
RULE = "summary: What is moved.\nwhy: It lies there.\nresolve: moved\nfirst:\n  - {value: lying, source: '\"lying\"'}\n"


@pytest.mark.parametrize("name", ["m1", "0"])
def test_a_row_is_found(cli: Callable[..., Ran], folder: Path, name: str) -> None:
    """The answer says what the flow gave the row, and by which rule."""
    written(folder / "voyages", {"pack.yaml": PACK, "stowed/moved.yaml": RULE})
    (folder / "voyage.json").write_text('{"moves": [{"id": "m1", "from": "quay"}, {"id": "m2"}]}', encoding="utf-8")
    ran = cli("explain", "voyage.json", f"{name}.moved", "--pack", "voyages")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("move `m1`")
    assert "  moved = dry (lying)\n    rule voyages/stowed/moved (voyages/stowed/moved.yaml)\n" in ran.out
