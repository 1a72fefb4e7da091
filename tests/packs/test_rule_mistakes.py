"""Each mistake in a rule file is refused once, in words that say what was meant, at its line and column."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kernelpath.diagnostics import Diagnostic

from .folders import BOXES, SHIPPED, copied, told, underlined, written
from .rule_mistakes import RULE_MISTAKES

GOLDEN = Path(__file__).parent / "golden"
UPDATE = "KERNELPATH_UPDATE_GOLDEN"


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the shipped pack that has all mistakes at once."""
    folder = copied(SHIPPED, tmp_path_factory.mktemp("packs") / "mine")
    return written(folder, {f"{name}.yaml": text for name, text in RULE_MISTAKES.items()})


@pytest.fixture(scope="module")
def found(pack: Path) -> dict[str, list[Diagnostic]]:
    """Return what is reported about each file; all of it comes from one reading of the pack."""
    by_file: dict[str, list[Diagnostic]] = {}
    for diagnostic in told(pack):
        assert diagnostic.span is not None
        by_file.setdefault(diagnostic.span.file, []).append(diagnostic)
    return by_file


def test_each_mistake_is_reported_once_in_one_go(pack: Path, found: dict[str, list[Diagnostic]]) -> None:
    """One reading of a pack with a hundred broken files tells of each one thing, and of good files nothing."""
    wanted = {f"{(pack / name).as_posix()}.yaml": 1 for name in RULE_MISTAKES}
    assert len(wanted) > 100
    assert {file: len(mistakes) for file, mistakes in found.items()} == wanted


def test_words_and_places(pack: Path, found: dict[str, list[Diagnostic]]) -> None:
    """Every message, its underlined place and its help are those of the golden file, which reads as an author would."""
    told_of = {d.span.file: underlined(pack, d) for mistakes in found.values() for d in mistakes if d.span}
    text = "\n".join(told_of[f"{(pack / name).as_posix()}.yaml"] for name in RULE_MISTAKES)
    assert_golden("rule_mistakes.txt", text.replace(f"{pack.as_posix()}/", ""))


def test_messages_keep_the_house_style(found: dict[str, list[Diagnostic]]) -> None:
    """A message starts small, has no full stop, names no type of the host language, and help is apart."""
    for mistakes in found.values():
        for mistake in mistakes:
            assert not mistake.message[0].isupper(), mistake.message
            assert not mistake.message.endswith((".", "!")), mistake.message
            assert not any(word in mistake.message for word in ("dict", "NoneType", "str ", "Error")), mistake.message


def test_the_same_pack_without_mistakes_is_accepted(tmp_path: Path) -> None:
    """What the mistakes were put into is in order, and so is the small pack of these tests."""
    assert told(copied(SHIPPED, tmp_path / "mine")) == []
    assert told(copied(BOXES, tmp_path / "boxes")) == []


def assert_golden(name: str, text: str) -> None:
    """Compare a text with a golden file, or write it there where that was asked for."""
    path = GOLDEN / name
    if os.environ.get(UPDATE) == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{name} differs; {UPDATE}=1 rewrites it"
