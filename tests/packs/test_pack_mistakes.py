"""Each mistake in pack.yaml is refused, in words that say what was meant, at its line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.diagnostics import Diagnostic
from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.program import run_program
from kernelpath.packs.files import PackErrors

from .folders import BOXES, copied, told, underlined, written
from .pack_mistakes import EDITS, OPERATIONS, Edit
from .test_rule_mistakes import assert_golden

#: Mistakes that are two: a key is missing twice over, or two are wrong at once.
TWICE = {"two-things-wrong"}


def broken(folder: Path, edit: Edit) -> Path:
    """Return a copy of the small pack with one text of its pack.yaml replaced."""
    pack = copied(BOXES, folder / "boxes")
    text = (pack / "pack.yaml").read_text(encoding="utf-8")
    assert text.count(edit[0]) == 1
    return written(pack, {"pack.yaml": text.replace(*edit)})


@pytest.fixture(scope="module")
def mistakes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, list[Diagnostic]]]:
    """Return each broken pack and what is told about it."""
    found = {}
    for name, edit in EDITS.items():
        pack = broken(tmp_path_factory.mktemp(name), edit)
        found[name] = (pack, told(pack))
    return found


def test_each_mistake_is_told_once(mistakes: dict[str, tuple[Path, list[Diagnostic]]]) -> None:
    """One mistake gives one message, and what hangs on it is not blamed."""
    assert len(mistakes) > 60
    counts = {name: len(found) for name, (_, found) in mistakes.items()}
    assert {name: count for name, count in counts.items() if count != 1 + (name in TWICE)} == {}


def test_words_and_places(mistakes: dict[str, tuple[Path, list[Diagnostic]]]) -> None:
    """Every message, its underlined place and its help are those of the golden file."""
    parts = [f"## {name}\n" + "".join(_shown(pack, found) for found in all_) for name, (pack, all_) in mistakes.items()]
    assert_golden("pack_mistakes.txt", "\n".join(parts))


def _shown(pack: Path, found: Diagnostic) -> str:
    return underlined(pack, found).replace(f"{pack.as_posix()}/", "")


def test_operations_are_held_to_what_there_is(tmp_path: Path) -> None:
    """What a program asks of an operation is checked when the pack is loaded, not when a request comes to it."""
    parts = []
    for name, edit in OPERATIONS.items():
        pack = broken(tmp_path / name, edit)
        with pytest.raises(PackErrors) as raised:
            load_folder(pack)
        [found] = raised.value.diagnostics
        parts.append(f"## {name}\n" + _shown(pack, found))
    assert_golden("operation_mistakes.txt", "\n".join(parts))


def test_what_nothing_gives_is_refused(tmp_path: Path) -> None:
    """A value that is neither an input, nor set by an entry, nor the engine's has no source: no caller gives it."""
    folder = broken(tmp_path, ("collect: {coats: coat_text}", "collect: {}"))
    with pytest.raises(PackErrors) as raised:
        load_folder(folder)
    [found] = raised.value.diagnostics
    assert (found.rule, found.message) == ("pack/order", "nothing gives `coats`, which is read here")
    assert found.help == "set it in an entry, or take it as an input; the engine gives catalog, presets"
    assert found.span is not None
    assert found.span.file.endswith("boxes/reply/bill.yaml")


def test_what_a_program_takes_is_asked_of_the_caller(tmp_path: Path) -> None:
    """A caller that leaves an input out is told so, and no rule is passed over in silence."""
    pack = load_folder(copied(BOXES, tmp_path / "boxes"))
    with pytest.raises(PackErrors) as raised:
        run_program(pack, "paint", {})
    assert str(raised.value) == "nothing sets `ordered`, which program `paint` reads"
    with pytest.raises(PackErrors) as raised:
        run_program(pack, "pant", {})
    assert str(raised.value) == "pack `boxes` has no program `pant`, so it cannot answer this"


def test_a_verdict_that_no_program_gives(tmp_path: Path) -> None:
    """A rule that turns a verdict which nobody reads is told, with the one that was meant."""
    check = (
        "summary: A\nwhy: b\nseverity: error\neach: painting\ncheck: box.size > 0\nmessage: no\nverdicts: [painted]\n"
    )
    pack = written(copied(BOXES, tmp_path / "boxes"), {"paint/size.yaml": check})
    assert [(found.message, found.help) for found in told(pack)] == [
        ("no program gives a verdict `painted`", "name it under `judge` in a program")
    ]
    assert underlined(pack, told(pack)[0]).splitlines()[1:] == [
        "verdicts: [painted]",
        "           ^ no program gives a verdict `painted`",
        "= name it under `judge` in a program",
    ]
    text = (pack / "pack.yaml").read_text(encoding="utf-8")
    judged = text.replace("values:\n  ordered", "values:\n  verdicts: {type: map<bool>}\n  ordered").replace(
        "      - {walk: reply", "      - {judge: [paintd], of: [paint], into: verdicts}\n      - {walk: reply"
    )
    written(pack, {"pack.yaml": judged})
    assert [found.help for found in told(pack)] == ["did you mean `paintd`?"]


def test_names_that_cannot_be_told_apart(tmp_path: Path) -> None:
    """Two rules whose names differ in a sign only would share their generated functions: they are refused."""
    pack = copied(BOXES, tmp_path / "boxes")
    rule = "summary: A\nwhy: b\nseverity: error\neach: painting\ncheck: box.size > {}\nmessage: no\n"
    written(pack, {"paint/a-b.yaml": rule.format(1), "paint/a_b.yaml": rule.format(2)})
    with pytest.raises(PackErrors, match="differ only in"):
        load_folder(pack)


def test_texts_of_rules_stay_out_of_the_generated_code(tmp_path: Path) -> None:
    """A summary of several lines is a comment of one."""
    pack = copied(BOXES, tmp_path / "boxes")
    rule = "why: b\nseverity: error\neach: painting\ncheck: box.size > 0\nmessage: no\n"
    rule = f"summary: |\n  One\n  raise SystemExit\n{rule}"
    assert run_program(load_folder(written(pack, {"paint/size.yaml": rule})), "paint", {"ordered": []}).report.ok
