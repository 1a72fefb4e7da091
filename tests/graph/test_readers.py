"""Files of other kinds become documents by readers, which are found by the end of a name."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kernelpath.cli import main
from kernelpath.graph import readers
from kernelpath.graph.readers import Origin, Read, ReadDocument, ReaderError, read_with, reader_of

LIST = "shopping:read"


@pytest.fixture
def shopping(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Declare a reader of `.list` files by an entry point: a line is an item."""
    module = ModuleType("shopping")

    def read(data: bytes) -> Read:
        lines = data.decode().splitlines()
        if "?" in lines:
            raise ReaderError("a question is not an item", "say what you want")
        return Read({"items": lines}, {"": "the list", **{f"/items/{n}": f"item `{t}`" for n, t in enumerate(lines)}})

    module.read = read  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "shopping", module)
    point = EntryPoint("list", LIST, readers.ENTRY_POINTS)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: EntryPoints([point]).select(group=group))
    return module


def test_readers_are_found_by_the_end_of_a_name(shopping: ModuleType) -> None:
    """JSON needs none; shipped ones are known, others come from entry points; case does not matter."""
    assert [reader_of(name) for name in ("a.list", "a.b.LIST", "list", "a.json", "a.other", "m.onnx")] == [
        LIST,
        LIST,
        None,
        None,
        None,
        readers.SHIPPED["onnx"],
    ]


def test_places_are_origins(shopping: ModuleType) -> None:
    """A place has the origin of the innermost place around it, and is shown by it."""
    document = read_with(LIST, "to-buy.list", b"milk\nbread\n")
    assert (document.ok, document.value) == (True, {"items": ["milk", "bread"]})
    places = [document.locate(pointer) for pointer in ("/items/1", "/items/0/x/y", "/items", "/other", "")]
    assert [str(place) for place in places] == [
        "to-buy.list: item `bread`",
        "to-buy.list: item `milk`",
        "to-buy.list: the list",
        "to-buy.list: the list",
        "to-buy.list: the list",
    ]
    assert places[0].to_dict()["origin"] == "item `bread`"
    assert places[0] == document.key_span("/items/1") != places[1]
    assert str(Origin("a", "")) == "a"


def test_what_cannot_be_read_is_a_diagnostic_at_the_file(shopping: ModuleType) -> None:
    """A reader's own words are the message."""
    [found] = read_with(LIST, "a.list", b"?").diagnostics
    assert (found.rule, found.message, found.help, str(found.span)) == (
        "document/unreadable",
        "a question is not an item",
        "say what you want",
        "a.list",
    )


def test_a_package_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names it, and the extra that brings it."""
    monkeypatch.delitem(sys.modules, "kernelpath.readers.onnx_models", raising=False)
    monkeypatch.setitem(sys.modules, "onnx", None)
    [found] = read_with(readers.SHIPPED["onnx"], "m.onnx", b"").diagnostics
    assert found.message == "this file is read by the package `onnx`, which is not installed"
    assert found.help == "pip install 'kernelpath[onnx]' brings it"


def test_a_reader_that_does_not_write(shopping: ModuleType) -> None:
    """Edits of such a file are refused; a reader may write beside reading."""
    document = read_with(LIST, "a.list", b"milk")
    assert isinstance(document, ReadDocument)
    with pytest.raises(ReaderError, match="does not write it"):
        document.written({"items": []})
    shopping.write = lambda data, value: "\n".join(value["items"]).encode()  # type: ignore[attr-defined]
    assert document.written({"items": ["a", "b"]}) == b"a\nb"


PACK = """\
summary: Lists.
documents: {list: {doc: a list, recognise: 'has(file, "items")'}}
items:
  wishes: {of: list(list.items), as: wish, index: index, subject: '{index}'}
stages: {wishes: {each: wishes}}
questions: {all: {given: list, answer: list}}
"""
RULE = "summary: A\nwhy: b\ncheck: wish != 'gold'\nmessage: no gold\n"


def test_a_check_of_such_a_file(
    shopping: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A finding is shown at its origin, and a file that cannot be read is bad input."""
    monkeypatch.chdir(tmp_path)
    files: dict[str, Any] = {
        "lists/pack.yaml": PACK,
        "lists/wishes/gold.yaml": RULE,
        "a.list": "milk\ngold",
        "b.list": "?",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert main(["check", "a.list", "--pack", "lists", "-q"]) == 1
    assert capsys.readouterr().out == "a.list: item `gold`: error[lists/wishes/gold]: no gold\n"
    assert main(["check", "b.list", "--pack", "lists", "-q"]) == 2
    assert capsys.readouterr().err == "b.list: error[document/unreadable]: a question is not an item\n"
