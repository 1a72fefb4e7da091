"""What a server holds of a file is what the file has, however quickly it changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kernelpath.lsp.texts.files import Files
from kernelpath.packs.documents import DocumentErrors


def test_a_change_that_leaves_size_and_date(tmp_path: Path) -> None:
    """A text of the same length, written in the same tick of the clock, is another text."""
    path = tmp_path / "rule.yaml"
    path.write_text("a: 1\n")
    date = path.stat().st_mtime_ns
    files = Files()
    assert files.source(path).text == "a: 1\n"
    path.write_text("a: 2\n")
    os.utime(path, ns=(date, date))
    assert files.source(path).text == "a: 2\n"


def test_a_file_in_another_ones_place(tmp_path: Path) -> None:
    """A file that takes the place of an old one, with its size and its date, is another file."""
    path = tmp_path / "rule.yaml"
    files = Files()
    for text in ("a: 1\n", "a: 2\n"):
        beside = tmp_path / "beside.yaml"
        beside.write_text(text)
        os.utime(beside, (1_000_000_000, 1_000_000_000))
        os.replace(beside, path)
        assert files.source(path).text == text


def test_a_text_that_is_the_same_is_the_same_source(tmp_path: Path) -> None:
    """A file that was only touched does not count as changed."""
    path = tmp_path / "rule.yaml"
    path.write_text("a: 1\n")
    files = Files()
    first, tree = files.source(path), files.tree(path)
    os.utime(path, (1, 1))
    assert files.source(path) is first
    assert files.tree(path) is tree


@pytest.mark.parametrize(("kind", "why"), [("pipe", "it is a named pipe, not a file"), ("link", "leads out of `pack`")])
def test_what_is_not_read(tmp_path: Path, kind: str, why: str) -> None:
    """A server does not wait for a pipe, and shows nothing of what lies outside a pack."""
    stage = tmp_path / "pack" / "stage"
    stage.mkdir(parents=True)
    (tmp_path / "pack" / "pack.yaml").write_text("summary: A pack.\n")
    (tmp_path / "secret.yaml").write_text("password: a-secret\n")
    os.mkfifo(stage / "pipe.yaml")
    (stage / "link.yaml").symlink_to("../../secret.yaml")
    with pytest.raises(DocumentErrors, match=why):
        Files().tree(stage / f"{kind}.yaml")
