"""Each mistake in pack.yaml is refused, in words that say what was meant, at its line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.diagnostics import Diagnostic
from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.question import ask
from kernelpath.packs.files import PackErrors

from .folders import BOXES, copied, told, underlined, written
from .pack_mistakes import CHAIN, EDITS, RULES, Edit
from .test_rule_mistakes import assert_golden

#: Mistakes that are two: two things are wrong at once, or two built-ins are not known.
TWICE = {"two-things-wrong", "builtin-of-a-library-where-none-is-used"}


def broken(folder: Path, edit: Edit) -> Path:
    """Return a copy of the small pack with one text of its pack.yaml replaced."""
    pack = copied(BOXES, folder / "boxes")
    text = (pack / "pack.yaml").read_text(encoding="utf-8")
    assert text.count(edit[0]) == 1
    return written(pack, {"pack.yaml": text.replace(*edit)})


@pytest.fixture(scope="module")
def mistakes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, list[Diagnostic]]]:
    """Return each broken pack and what is reported about it."""
    found = {}
    for name, edit in EDITS.items():
        pack = broken(tmp_path_factory.mktemp(name), edit)
        found[name] = (pack, told(pack))
    return found


def test_each_mistake_is_reported_once(mistakes: dict[str, tuple[Path, list[Diagnostic]]]) -> None:
    """One mistake gives one message, and what depends on it is not blamed."""
    assert len(mistakes) > 150
    counts = {name: len(found) for name, (_, found) in mistakes.items()}
    assert {name: count for name, count in counts.items() if count != 1 + (name in TWICE)} == {}


def test_words_and_places(mistakes: dict[str, tuple[Path, list[Diagnostic]]]) -> None:
    """Every message, its underlined place and its help are those of the golden file."""
    parts = [f"## {name}\n" + "".join(_shown(pack, found) for found in all_) for name, (pack, all_) in mistakes.items()]
    assert_golden("pack_mistakes.txt", "\n".join(parts))


def _shown(pack: Path, found: Diagnostic) -> str:
    return underlined(pack, found).replace(f"{pack.as_posix()}/", "")


def test_packs_that_extend_another(tmp_path: Path) -> None:
    """What a pack adds to a base, and replaces in it, is checked against the base: each mistake is reported once."""
    parts = []
    for name, text in CHAIN.items():
        copied(BOXES, tmp_path / name / "boxes")
        pack = written(tmp_path / name / "more", {"pack.yaml": text})
        found = told(pack)
        assert len(found) == 1, (name, found)
        parts.append(f"## {name}\n" + _shown(pack, found[0]).replace(f"{pack.parent.as_posix()}/", ""))
    assert_golden("chain_mistakes.txt", "\n".join(parts))


def test_rules_that_do_not_fit_together(tmp_path: Path) -> None:
    """Rules that need each other, give one variable, or hide names of the pack are reported at their own lines."""
    parts = []
    for name, files in RULES.items():
        pack = written(copied(BOXES, tmp_path / name / "boxes"), files)
        found = told(pack)
        assert len(found) == 1, (name, found)
        parts.append(f"## {name}\n" + _shown(pack, found[0]))
    assert_golden("set_mistakes.txt", "\n".join(parts))


def test_names_that_cannot_be_told_apart(tmp_path: Path) -> None:
    """Two rules whose names differ in a sign only would share their generated functions: they are refused."""
    pack = copied(BOXES, tmp_path / "boxes")
    rule = "summary: A\nwhy: b\ncheck: box.size > {}\nmessage: no\n"
    written(pack, {"paint/a-b.yaml": rule.format(1), "paint/a_b.yaml": rule.format(2)})
    with pytest.raises(PackErrors, match="differ only in"):
        load_folder(pack)


def test_texts_of_rules_stay_out_of_the_generated_code(tmp_path: Path) -> None:
    """A summary of several lines is a comment of one."""
    pack = copied(BOXES, tmp_path / "boxes")
    rule = "why: b\ncheck: box.size > 0\nmessage: no\n"
    rule = f"summary: |\n  One\n  raise SystemExit\n{rule}"
    assert ask(load_folder(written(pack, {"paint/size.yaml": rule})), "paint", {"order": None}).report.ok
