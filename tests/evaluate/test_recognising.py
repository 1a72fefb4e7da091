"""How a pack's documents are recognised in files, alone and beside each other, each on a pack of a few lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.recognising import beside, profiles, question_about, recognisable, recognised, replaces
from packs.folders import told, written

PACK = """\
summary: Books, and what a shop changes in them.
uses: javascript
constants:
  blank_book: {value: {title: untitled}, type: object}
documents:
  book:
    doc: a book
    recognise: file.kind == "book"
    resembles: has(file, "pages")
    part: {when: is_list(file), resembles: 'is_string(file)', at: /pages/all}
    completed: merge(blank_book, file)
    named: title
  change:
    doc: what a shop changes
    optional: true
    recognise: has(file, "set")
  shop:
    doc: a shop
    optional: true
    recognise: is_object(file.change)
    holds: {change: /change}
    instead: {of: book, when: truthy(file.books), at: /books}
  stock: {doc: what there is, optional: true, resource: shelves}
questions:
  print: {given: [book, change, stock], answer: book}
  sell: {given: [book, shop], answer: book}
"""


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> CompiledPack:
    """Return the pack of books."""
    folder = written(tmp_path_factory.mktemp("books") / "books", {"pack.yaml": PACK})
    assert [found.message for found in told(folder)] == []
    return load_folder(folder)


@pytest.mark.parametrize(
    ("value", "meant", "found"),
    [
        ({"kind": "book"}, False, ("book", {"title": "untitled", "kind": "book"}, "")),
        ({"kind": "book", "title": "a"}, False, ("book", {"title": "a", "kind": "book"}, "")),
        ([1], False, ("book", {"title": "untitled", "pages": {"all": [1]}}, "/pages/all")),
        ({"pages": 3}, False, None),
        ({"pages": 3}, True, ("book", {"title": "untitled", "pages": 3}, "")),
        ("text", True, ("book", {"title": "untitled", "pages": {"all": "text"}}, "/pages/all")),
        ({"set": 1}, True, None),
        (None, True, None),
    ],
)
def test_a_file_is_a_document_or_a_part_of_one(
    pack: CompiledPack, value: Any, meant: bool, found: tuple[str, Any, str] | None
) -> None:
    """What a file stands for has what it may leave out; documents of which no question is asked alone are not meant."""
    what = recognised(pack, value, meant=meant)
    assert (None if what is None else (what.name, what.value, what.prefix)) == found


def test_pointers_of_a_part(pack: CompiledPack) -> None:
    """A pointer into the document is one into the file, if it leads there."""
    what = recognised(pack, [1])
    assert what is not None
    assert [what.inside(each) for each in ("/pages/all/0", "/pages/all", "/pages", "/title", "/pages/allele")] == [
        "/0",
        "",
        None,
        None,
        None,
    ]


def test_documents_beside_another(pack: CompiledPack) -> None:
    """Questions say what may be given together; one document may hold another, or stand for its items."""
    assert beside(pack, "book") == ["change", "shop"]
    assert (question_about(pack, "book"), question_about(pack, "book", "shop")) == ("print", "sell")
    assert question_about(pack, "change") is None
    assert question_about(pack, "change", "shop") is None
    found = recognised(pack, {"change": {}}, beside(pack, "book"))
    assert (found.name if found else None) == "shop"
    assert profiles(pack, "print") == ["change"]
    assert profiles(pack, "sell") == ["shop"]
    assert replaces(pack, "shop", {"books": [1]}) == ("book", "/books")
    assert replaces(pack, "shop", {"books": []}) == ("book", "/books")
    assert replaces(pack, "shop", {}) is None
    assert replaces(pack, "change", {"books": [1]}) is None
    assert recognisable(pack) == [("book", "a book")]
    assert recognisable(pack, ["shop"]) == [("shop", "a shop")]


def test_without_conditions_any_file_is_the_first_document(tmp_path: Path) -> None:
    """A pack that does not say how its documents are recognised takes files as they come."""
    text = "summary: A\ndocuments: {a: {}, b: {optional: true}}\nquestions: {q: {given: [a, b], answer: a}}\n"
    pack = load_folder(written(tmp_path / "plain", {"pack.yaml": text}))
    what = recognised(pack, 7)
    assert (what.name, what.value) == ("a", 7) if what else False


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("holds: {change: /change}", "holds: {chance: /change}", "there is no document `chance`"),
        ("instead: {of: book,", "instead: {of: boook,", "there is no document `boook`"),
        ("resembles: has(file", "resembles: has(fil", "unknown name `fil`"),
        ("completed: merge(blank_book, file)", "completed: merge(blank_bok, file)", "unknown name `blank_bok`"),
    ],
)
def test_mistakes_are_at_their_places(tmp_path: Path, old: str, new: str, message: str) -> None:
    """A name in a document's declaration is one that there is."""
    assert old in PACK
    folder = written(tmp_path / "books", {"pack.yaml": PACK.replace(old, new)})
    assert [found.message for found in told(folder)] == [message]
