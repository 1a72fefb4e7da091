"""Where a pack's files lie, and what it extends: found, or told at the line that names it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kernelpath.evaluate.loading import load, load_folder
from kernelpath.evaluate.question import ask
from kernelpath.packs import contents
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
    assert ask(load_folder(top), "paint", {"order": {"boxes": ORDER}}).value == {"coats": ["red by below"], "boxes": 1}


SPELLINGS = [
    "summary: A pack.\nextends: boxes",
    "summary: A pack.\nextends:   'boxes'",
    'summary: A pack.\n"extends": boxes',
    "summary: A pack.\nextends: # below\n  boxes",
    "summary: A pack.\nextends: boxes # x",
    "summary: A pack.\nextends: >-\n  boxes",
    "{summary: A pack., extends: boxes}",
    'summary: A pack.\n"ext\\u0065nds": "b\\x6fxes"',
    'summary: "x\nextends: other\ny"\nextends: boxes',
    "summary: 'x\n\nextends: other'\nextends: boxes",
    "extends: boxes\nsummary: >\n A pack.\n\n extends: other",
    "# extends: other\nsummary: A pack.\nextends: boxes",
    "records:\n  X: {fields: {extends: int}}\nsummary: A pack.\nextends: boxes",
    "\ufeffextends: boxes\nsummary: A pack.",
    "summary: A pack.\r\nextends: boxes\r\n",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_change_of_the_extended_pack_counts(tmp_path: Path, spelling: str) -> None:
    """However `extends` is written, and whatever looks like it, the cache sees when the extended pack changes."""
    boxes = copied(BOXES, tmp_path / "boxes")
    copied(BOXES, tmp_path / "other")
    top = written(tmp_path / "top", {"pack.yaml": f"{spelling}\n"})
    before = load_folder(top)
    bill = boxes / "reply" / "bill.yaml"
    written(boxes, {"reply/bill.yaml": bill.read_text(encoding="utf-8").replace("path: coats", "path: colours")})
    assert ask(before, "paint", {"order": {"boxes": ORDER}}).value == {"coats": ["red by below"], "boxes": 1}
    assert ask(load_folder(top), "paint", {"order": {"boxes": ORDER}}).value == {
        "colours": ["red by below"],
        "boxes": 1,
    }


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


@pytest.mark.parametrize("name", ["nowhere", "../../..", "''", "5", "null", "a/b", "[]"])
def test_a_pack_that_extends_nothing_that_there_is(tmp_path: Path, name: str) -> None:
    """What cannot be found is told where it is named."""
    [(place, message, _)] = told_shortly(extending(tmp_path, "top", name))
    assert place == "top/pack.yaml:2:10"
    assert "extend" in message or message.startswith(("expected a string", "the text is empty", "a list of at least 1"))


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
    (boxes / "paint" / "link.yaml").symlink_to("nowhere")
    assert [(place, message) for place, message, _ in told_shortly(boxes)] == [
        ("boxes/paint/folder.yaml:1:1", "cannot be read: it is a folder, not a file"),
        ("boxes/paint/link.yaml:1:1", "cannot be read: no such file or directory"),
    ]
    with pytest.raises(PackErrors, match="cannot be read"):
        load_folder(boxes)


def test_a_folder_that_links_to_itself(tmp_path: Path) -> None:
    """Links that lead back up do not lead round for ever."""
    boxes = copied(BOXES, tmp_path / "boxes")
    (boxes / "paint" / "loop").symlink_to(boxes)
    assert "this file is not read: it lies in no stage's folder" in {message for _, message, _ in told_shortly(boxes)}


def test_a_chain_that_is_too_long(tmp_path: Path) -> None:
    """A chain has as many packs as the limit says, and one more is refused by it."""
    copied(BOXES, tmp_path / "p8")
    for number in range(7, -1, -1):
        extending(tmp_path, f"p{number}", f"p{number + 1}")
    assert told_shortly(tmp_path / "p1") == []
    assert told_shortly(tmp_path / "p0") == [
        (
            "p7/pack.yaml:2:10",
            "more than 8 packs extend each other: p0 -> p1 -> p2 -> p3 -> p4 -> p5 -> p6 -> p7 -> p8",
            None,
        )
    ]


def test_links_and_other_kinds(tmp_path: Path) -> None:
    """A link that stays in the pack is a rule; one that leaves it, and what is not a file, are refused."""
    boxes = copied(BOXES, tmp_path / "boxes")
    (boxes / "paint" / "again.yaml").symlink_to("coat.yaml")
    assert [message for _, message, _ in told_shortly(boxes)] == ["`coat` is already given by rule `boxes/paint/again`"]
    (boxes / "paint" / "again.yaml").unlink()
    written(tmp_path, {"outside/secret.yaml": "password: a-secret\n"})
    (boxes / "paint" / "secret.yaml").symlink_to("../../outside/secret.yaml")
    (boxes / "paint" / "zero.yaml").symlink_to("/dev/zero")
    (boxes / "shape" / "outside").symlink_to("../../outside")
    (boxes / "outside").symlink_to("../outside")
    os.mkfifo(boxes / "paint" / "pipe.yaml")
    out = "cannot be read: it is a link that leads out of `boxes`"
    assert [(place, message) for place, message, _ in told_shortly(boxes) if "not read" not in message] == [
        ("boxes/outside/secret.yaml:1:1", out),
        ("boxes/paint/pipe.yaml:1:1", "cannot be read: it is a named pipe, not a file"),
        ("boxes/paint/secret.yaml:1:1", out),
        ("boxes/paint/zero.yaml:1:1", out),
    ]


def test_a_pack_yaml_that_leads_elsewhere(tmp_path: Path) -> None:
    """A pack.yaml is held to the same as rules are."""
    written(tmp_path, {"outside.yaml": "summary: A secret\n"})
    (tmp_path / "top").mkdir()
    (tmp_path / "top" / "pack.yaml").symlink_to("../outside.yaml")
    assert told_shortly(tmp_path / "top") == [
        ("top/pack.yaml:1:1", "cannot be read: it is a link that leads out of `top`", None)
    ]


def test_more_files_than_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pack has a limit of files and of bytes, and either is named."""
    boxes = copied(BOXES, tmp_path / "boxes")
    monkeypatch.setattr(contents, "MAX_ENTRIES", 3)
    assert [message for _, message, _ in told_shortly(boxes)] == [
        f"`{boxes}` cannot be read: it has more than 3 files and folders, the most that are read"
    ]
    monkeypatch.setattr(contents, "MAX_ENTRIES", 1000)
    monkeypatch.setattr(contents, "MAX_PACK_BYTES", 100)
    assert [message for _, message, _ in told_shortly(boxes)] == [
        f"`{boxes}` cannot be read: its files have more than 100 bytes, the most that are read"
    ]
