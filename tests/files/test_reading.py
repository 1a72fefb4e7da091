"""Only files are read, up to a limit, and out of no other folder than the one that was asked for."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kernelpath.files.reading import Refused, read_file, read_named


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


OTHER_KINDS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pipe that nothing writes to": (os.mkfifo, "it is a named pipe, not a file"),
    "a folder": (Path.mkdir, "it is a folder, not a file"),
    "a socket": (_socket, "it is a socket, not a file"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a file"),
    "a link to a folder": (lambda path: path.symlink_to(path.parent), "it is a folder, not a file"),
}


@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_what_is_not_a_file(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused by its kind, at once, and without being opened."""
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    make, why = OTHER_KINDS[kind]
    make(Path("odd"))
    monkeypatch.setattr(os, "open", _never)
    with pytest.raises(Refused) as caught:
        read_file("odd", 10)
    assert (caught.value.strerror, caught.value.filename) == (why, "odd")


def _never(*_: object) -> int:
    raise AssertionError("it was opened")


def test_what_is_not_a_file_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe that takes a file's place after the look at it neither hangs nor is read."""
    path = tmp_path / "file"
    path.write_bytes(b"x")
    look = os.stat(path)
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(os, "stat", lambda _: look)
    with pytest.raises(Refused, match="named pipe"):
        read_file(path, 10)


@pytest.mark.parametrize(("size", "limit"), [(0, 0), (0, 5), (5, 5), (4, 5)])
def test_up_to_the_limit(tmp_path: Path, size: int, limit: int) -> None:
    """A file of as many bytes as the limit is read."""
    (tmp_path / "file").write_bytes(b"x" * size)
    assert read_file(tmp_path / "file", limit) == b"x" * size


@pytest.mark.parametrize("size", [6, 7, 5_000_000])
def test_over_the_limit(tmp_path: Path, size: int) -> None:
    """One byte more is refused, and the limit is named."""
    (tmp_path / "file").write_bytes(b"x" * size)
    with pytest.raises(Refused) as caught:
        read_file(tmp_path / "file", 5)
    assert caught.value.strerror == "it has more than 5 bytes, the most that is read"


def test_a_file_that_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is of what is read, not of the size that the system gave."""
    (tmp_path / "file").write_bytes(b"x")
    monkeypatch.setattr(os, "read", lambda _, size: b"y" * size)
    with pytest.raises(Refused, match="more than 1,000 bytes"):
        read_file(tmp_path / "file", 1000)


LINKS = {
    "a link to a file beside": ("beside.yaml", None),
    "a link to a file in another of its folders": ("../other/file.yaml", None),
    "a link out": ("../../outside.yaml", "it is a link that leads out of `pack`"),
    "a link to a folder whose name begins alike": ("../../pack-two/file.yaml", "it is a link that leads out of `pack`"),
    "a link to a device": ("/dev/zero", "it is a link that leads out of `pack`"),
}


@pytest.mark.parametrize("link", LINKS)
def test_links(tmp_path: Path, link: str) -> None:
    """A link that stays in the folder is read; one that leaves it is refused, wherever it leads."""
    pack = tmp_path / "pack"
    for name in ("pack/own/beside.yaml", "pack/other/file.yaml", "outside.yaml", "pack-two/file.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"text")
    target, why = LINKS[link]
    (pack / "own" / "link.yaml").symlink_to(target)
    if why is None:
        assert read_file(pack / "own" / "link.yaml", 10, pack) == b"text"
        return
    with pytest.raises(Refused) as caught:
        read_file(pack / "own" / "link.yaml", 10, pack)
    assert caught.value.strerror == why


def test_a_folder_that_is_a_link_out(tmp_path: Path) -> None:
    """A file is not in a folder that it is reached through by a link in the middle of its path."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "file.yaml").write_bytes(b"a secret")
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "stage").symlink_to("../secrets")
    with pytest.raises(Refused, match="leads out of `pack`"):
        read_file(tmp_path / "pack" / "stage" / "file.yaml", 10, tmp_path / "pack")


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "a" * 5000, "", "nowhere"])
def test_names_that_no_file_has(name: str) -> None:
    """Whatever a name is, what keeps it from being read is an error of the system's kind with words."""
    with pytest.raises(OSError) as caught:  # noqa: PT011 (its words are the system's)
        read_file(name, 10)
    assert caught.value.strerror


def test_an_open_stream_by_its_path() -> None:
    """What a shell puts in the place of `<(command)` is read, though it is a pipe."""
    reading, writing = os.pipe()
    os.write(writing, b"text")
    os.close(writing)
    assert read_named(f"/dev/fd/{reading}", 10) == b"text"
    os.close(reading)


def test_an_open_stream_has_a_limit_too() -> None:
    """A stream without an end is refused when it has given as much as is read."""
    program = "from kernelpath.files.reading import read_named; read_named('/dev/stdin', 1000)"
    with open("/dev/zero", "rb") as endless:
        done = subprocess.run([sys.executable, "-c", program], stdin=endless, capture_output=True, check=False)
    assert b"it has more than 1,000 bytes, the most that is read" in done.stderr
