"""Pages that are generated are what the sources give; KERNELPATH_UPDATE_GOLDEN=1 writes them."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from kernelpath.language import render_reference
from kernelpath.packs.decisions import carriers, decision_matrix, decision_page
from kernelpath.packs.grammar_page import grammar_page
from kernelpath.packs.libraries import SHIPPED, load_modules
from kernelpath.packs.model import Pack
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource

UPDATE = "KERNELPATH_UPDATE_GOLDEN"
DECISIONS = (
    *(f"E{number:02}" for number in range(1, 90)),
    *(f"K{number:02}" for number in range(1, 7)),
    *(f"G{number:02}" for number in range(1, 5)),
)


#: The decisions of execution-v1 that nothing carries out: a graph that is no object does not pass the gate, facts that
#: no row of the capability table reads.
UNCARRIED = frozenset(("V012", "V067", "V068", "V069", "V070"))
DECISIONS_V1 = tuple(f"V{number:03}" for number in range(1, 191) if f"V{number:03}" not in UNCARRIED)


@cache
def shipped(name: str = "execution-v0") -> Pack:
    """Return a pack that decides as the reference does."""
    return read_pack(resource("rules", name))


def assert_generated(path: Path, text: str) -> None:
    """Compare a page with what generates it, or write it where that was asked for."""
    if os.environ.get(UPDATE) == "1":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"{path.name} is not up to date; {UPDATE}=1 writes it"


def test_every_decision_is_carried_out() -> None:
    """Each decision of the reference is a rule's, or that of an entry of pack.yaml; there are no others."""
    assert sorted(carriers(shipped())) == sorted(DECISIONS)
    assert sorted(carriers(shipped("execution-v1"))) == sorted(DECISIONS_V1)


@pytest.mark.parametrize("name", ["execution-v0", "execution-v1"])
def test_decision_matrix(name: str) -> None:
    """DECISIONS.md beside the rules is the matrix that they give."""
    assert_generated(resource("rules", name, "DECISIONS.md"), decision_matrix(shipped(name)))


@pytest.mark.parametrize("name", ["execution-v0", "execution-v1"])
def test_decision_pages(name: str) -> None:
    """docs/spec has what each decision says."""
    assert_generated(Path(__file__).parents[2] / "docs" / "spec" / f"{name}.md", decision_page(shipped(name)))


def test_reference_of_pack_files() -> None:
    """docs/reference/pack.md is what the annotated schemas give."""
    assert_generated(Path(__file__).parents[2] / "docs" / "reference" / "pack.md", grammar_page())


def test_language_reference() -> None:
    """grammars/REFERENCE.md is what the declarations of the language and of its libraries give."""
    load_modules(module for module in SHIPPED.values() if module)
    assert_generated(resource("grammars", "REFERENCE.md"), render_reference())


def test_links_of_the_matrix_lead_to_files() -> None:
    """Every rule of the matrix is a file beside it."""
    folder = resource("rules", "execution-v0")
    files = {folder / rule.stage / f"{rule.name}.yaml" for rule in shipped().rules()}
    assert [path for path in files if not path.is_file()] == []
