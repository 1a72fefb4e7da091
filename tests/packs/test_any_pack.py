"""Whatever is done to the files of a pack, it loads, or it is refused with the places of what is wrong."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from kernelpath.diagnostics import Diagnostic
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.loading import compiled_pack
from kernelpath.evaluate.question import ask
from kernelpath.packs.files import PackErrors
from kernelpath.packs.reading import read_pack

from .folders import BOXES, copied

Chance = random.Random
Damage = Callable[[Chance, list[str]], None]


def drop_line(chance: Chance, lines: list[str]) -> None:
    """Leave out a line."""
    del lines[chance.randrange(len(lines))]


def repeat_line(chance: Chance, lines: list[str]) -> None:
    """Write a line twice."""
    place = chance.randrange(len(lines))
    lines.insert(place, lines[place])


def move_line(chance: Chance, lines: list[str]) -> None:
    """Put a line somewhere else."""
    lines.insert(chance.randrange(len(lines)), lines.pop(chance.randrange(len(lines))))


def indent_line(chance: Chance, lines: list[str]) -> None:
    """Indent a line more, or less."""
    place = chance.randrange(len(lines))
    lines[place] = (
        chance.choice(("  ", "    ", "\t", "- ")) + lines[place] if chance.random() < 0.5 else lines[place].lstrip()
    )


def change_word(chance: Chance, lines: list[str]) -> None:
    """Put another word of the file in the place of one."""
    words = [word for line in lines for word in line.split()]
    place = chance.randrange(len(lines))
    parts = lines[place].split(" ")
    parts[chance.randrange(len(parts))] = chance.choice(
        [*words, "null", "true", "[]", "{}", "''", "5", "-1", "a.b", "~"]
    )
    lines[place] = " ".join(parts)


def change_character(chance: Chance, lines: list[str]) -> None:
    """Leave out, double or replace a character."""
    place = chance.randrange(len(lines))
    line = lines[place]
    at = chance.randrange(len(line) + 1)
    lines[place] = (
        line[:at] + chance.choice(("", line[at : at + 1] * 2, *"{}[]:,'\"|>&*!%@`#?- .()<>=+")) + line[at + 1 :]
    )


DAMAGES: tuple[Damage, ...] = (
    drop_line, drop_line, repeat_line, move_line, indent_line, change_word, change_word, change_word, change_character,
    change_character,
)  # fmt: skip


def damaged(pack: Path, chance: Chance) -> dict[Path, str]:
    """Damage a pack in one to three places, and return the files as they were."""
    files = sorted(pack.rglob("*.yaml"))
    before: dict[Path, str] = {}
    for _ in range(chance.choice((1, 1, 2, 3))):
        path = pack / "pack.yaml" if chance.random() < 0.6 else chance.choice(files)
        text = path.read_text(encoding="utf-8")
        before.setdefault(path, text)
        lines = text.splitlines() or [""]
        chance.choice(DAMAGES)(chance, lines)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return before


ORDERS: tuple[object, ...] = (
    None,
    [],
    [{"name": "a", "size": 1, "on": "floor"}, {"name": "b", "size": 2.0, "on": "a", "paint": " Blue", "kind": 5}],
    [5, {"name": "c", "size": -1}, {"name": "d", "size": 3, "on": "gone"}, {"name": "e", "size": 3, "on": "d"}],
)


def outcome(pack: Path) -> list[Diagnostic]:
    """Return what is wrong with a pack; one that is accepted must also answer any order."""
    try:
        model = read_pack(pack)
    except PackErrors as errors:
        return errors.diagnostics or [Diagnostic("nothing", (), "error", "refused without a word")]
    answer_all(compiled_pack(model))
    return []


def answer_all(pack: CompiledPack) -> None:
    """Ask the pack's questions with orders good and bad."""
    for name in pack.meta["questions"]:
        for order in ORDERS:
            documents = {each: order if each != "order" else {"boxes": order} for each in pack.meta["documents"]}
            ask(pack, name, documents)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.sampled(2)
def test_damaged_files_are_refused_in_words(tmp_path: Path, seed: int) -> None:
    """A hundred damaged packs: each is read, or refused with a place; none raises anything else."""
    pack = copied(BOXES, tmp_path / "boxes")
    chance = random.Random(seed)
    refused = 0
    for _ in range(100):
        before = damaged(pack, chance)
        found = outcome(pack)
        refused += bool(found)
        assert all(diagnostic.span is not None for diagnostic in found), found
        for path, text in before.items():
            path.write_text(text, encoding="utf-8")
    assert refused > 50
