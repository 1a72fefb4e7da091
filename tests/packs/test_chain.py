"""Where a pack's files lie, and what it extends: found, or told at the line that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.evaluate.loading import load, load_folder
from kernelpath.evaluate.program import run_program
from kernelpath.packs.files import PackErrors

from .folders import BOXES, copied, told, written

ORDER = [{"name": "a", "size": 1, "on": "floor"}]


def told_shortly(pack: Path) -> list[tuple[str, str, str | None]]:
    """Return place, message and help of what is wrong with a pack, places below the folder around it."""
    return [(str(d.span).replace(f"{pack.parent.as_posix()}/", ""), d.message, d.help) for d in told(pack)]


def extending(folder: Path, name: str, base: str, **files: str) -> Path:
    """Write a pack that extends another."""
    texts = {"pack.yaml": f"summary: A pack.\nextends: {base}\n"}
    return written(folder / name, texts | {f"{file.replace('__', '/')}.yaml": text for file, text in files.items()})


def test_a_pack_extends_one_beside_it(tmp_path: Path) -> None:
    """A pack without anything of its own is the one that it extends; through several steps, too."""
    copied(BOXES, tmp_path / "boxes")
    extending(tmp_path, "middle", "boxes")
    top = extending(tmp_path, "top", "middle")
    assert run_program(load_folder(top), "paint", {"ordered": ORDER}).value == {"coats": ["red by below"], "boxes": 1}


@pytest.mark.parametrize(
    "spelling",
    ["extends: boxes", "extends:   'boxes'", '"extends": boxes', "extends: # below\n  boxes", "extends: boxes # x"],
)
def test_a_change_of_the_extended_pack_counts(tmp_path: Path, spelling: str) -> None:
    """However `extends` is written, the cache sees when a file of the extended pack changes."""
    boxes = copied(BOXES, tmp_path / "boxes")
    top = written(tmp_path / "top", {"pack.yaml": f"summary: A pack.\n{spelling}\n"})
    before = load_folder(top)
    bill = boxes / "reply" / "bill.yaml"
    written(boxes, {"reply/bill.yaml": bill.read_text(encoding="utf-8").replace("path: coats", "path: colours")})
    assert run_program(before, "paint", {"ordered": ORDER}).value == {"coats": ["red by below"], "boxes": 1}
    assert run_program(load_folder(top), "paint", {"ordered": ORDER}).value == {"colours": ["red by below"], "boxes": 1}


def test_packs_that_extend_each_other(tmp_path: Path) -> None:
    """A circle is told at the line that closes it, with the way round."""
    extending(tmp_path, "one", "two")
    extending(tmp_path, "two", "one")
    assert told_shortly(tmp_path / "one") == [
        ("two/pack.yaml:2:10", "packs extend each other in a circle: one -> two -> one", None)
    ]
    assert told_shortly(extending(tmp_path, "self", "self")) == [
        ("self/pack.yaml:2:10", "packs extend each other in a circle: self -> self", None)
    ]
    with pytest.raises(PackErrors, match="circle"):
        load_folder(tmp_path / "one")


@pytest.mark.parametrize("name", ["nowhere", "../../..", "''", "5", "null", "a/b", "[a]"])
def test_a_pack_that_extends_nothing_that_there_is(tmp_path: Path, name: str) -> None:
    """What cannot be found is told where it is named."""
    [(place, message, _)] = told_shortly(extending(tmp_path, "top", name))
    assert place == "top/pack.yaml:2:10"
    assert "extend" in message or message.startswith(("expected a string", "the text is empty"))


def test_all_broken_files_of_a_chain_are_told(tmp_path: Path) -> None:
    """Mistakes of pack.yaml do not hide those of rule files, nor those of one pack another's."""
    boxes = copied(BOXES, tmp_path / "boxes")
    written(boxes, {"paint/broken.yaml": "summary: [", "shape/empty.yaml": ""})
    top = extending(tmp_path, "top", "boxes", paint__tab="summary: A\n\twhy: b\n")
    (top / "pack.yaml").write_text("summary: A pack.\nextends: boxes\nscope: {}\n", encoding="utf-8")
    assert [place for place, _, _ in told_shortly(top)] == [
        "boxes/paint/broken.yaml:1:10",
        "boxes/shape/empty.yaml:1:1",
        "top/pack.yaml:3:1",
        "top/paint/tab.yaml:2:1",
    ]


def test_broken_yaml_of_pack_and_rules_are_told_together(tmp_path: Path) -> None:
    """A pack.yaml that is no YAML is told together with rule files that are none."""
    boxes = written(
        copied(BOXES, tmp_path / "boxes"), {"pack.yaml": "summary: 'open\n", "paint/tab.yaml": "a:\n\tb: c\n"}
    )
    assert [place for place, _, _ in told_shortly(boxes)] == ["boxes/pack.yaml:1:10", "boxes/paint/tab.yaml:2:1"]


def test_files_astray_are_told(tmp_path: Path) -> None:
    """A rule that lies where none is read would be believed in force; so it is refused."""
    boxes = copied(BOXES, tmp_path / "boxes")
    rule = (boxes / "paint" / "coat.yaml").read_text(encoding="utf-8")
    astray = "this file is not read: it lies in no stage's folder"
    astray_files = ("loose.yaml", "paint/deep/er.yaml", "paint/short.yml", "paint/LOUD.YAML")
    written(boxes, {**dict.fromkeys(astray_files, rule), "paint/.hidden.yaml": "x: ["})
    assert told_shortly(boxes) == [
        ("boxes/loose.yaml:1:1", astray, "a rule is `boxes/<stage>/<rule>.yaml`"),
        ("boxes/paint/LOUD.YAML:1:1", "this file is not read: its name ends in `.YAML`", "end it in `.yaml`"),
        ("boxes/paint/deep/er.yaml:1:1", astray, "a rule is `boxes/<stage>/<rule>.yaml`"),
        ("boxes/paint/short.yml:1:1", "this file is not read: its name ends in `.yml`", "end it in `.yaml`"),
    ]


def test_a_file_astray_is_seen_in_spite_of_the_cache(tmp_path: Path) -> None:
    """A pack that was loaded without a stray file is not taken from the cache once there is one."""
    boxes = copied(BOXES, tmp_path / "boxes")
    load_folder(boxes)
    written(boxes, {"loose.yaml": "summary: A\n"})
    with pytest.raises(PackErrors, match="not read"):
        load_folder(boxes)


@pytest.mark.parametrize("name", ["nowhere", "", "a" * 5_000, "a\0b", "\ud800", "..", None, 5, ["a"], {}, b"boxes"])
def test_what_is_no_pack(name: object) -> None:
    """Whatever is given for a pack's name, there is a pack or there is none."""
    with pytest.raises(PackErrors, match="there is no pack"):
        load(name)  # type: ignore[arg-type]


def test_a_pack_by_its_path(tmp_path: Path) -> None:
    """A path object serves as well as its text."""
    boxes = copied(BOXES, tmp_path / "boxes")
    assert load(boxes) is load(str(boxes))  # type: ignore[arg-type]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A folder that is named as a file, and a link to nowhere, are told; neither is a traceback."""
    boxes = copied(BOXES, tmp_path / "boxes")
    (boxes / "paint" / "folder.yaml").mkdir()
    (boxes / "paint" / "link.yaml").symlink_to(tmp_path / "nowhere")
    assert [(place, message) for place, message, _ in told_shortly(boxes)] == [
        ("boxes/paint/folder.yaml:1:1", "cannot be read: Is a directory"),
        ("boxes/paint/link.yaml:1:1", "cannot be read: No such file or directory"),
    ]
    with pytest.raises(PackErrors, match="cannot be read"):
        load_folder(boxes)


def test_a_folder_that_links_to_itself(tmp_path: Path) -> None:
    """Links that lead back up do not lead round for ever."""
    boxes = copied(BOXES, tmp_path / "boxes")
    (boxes / "paint" / "loop").symlink_to(boxes)
    assert "this file is not read: it lies in no stage's folder" in {message for _, message, _ in told_shortly(boxes)}
