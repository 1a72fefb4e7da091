"""Whatever happens while a file is written, it has its old content or its new content, and nothing lies beside it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kernelpath import resources
from kernelpath.files.reading import Refused
from kernelpath.files.writing import replaced, write_file, write_new_files
from plain_user import plain_user

OLD, NEW = b"old\n" * 1000, b"new\n" * 2000

#: A program that writes a file and is killed at a call of the system; it is given the call, when, and the file.
KILLED = """
import os, signal, sys
from kernelpath.files.writing import write_file
name, when, path = sys.argv[1:]
real = getattr(os, name)
def killed(*arguments, **named):
    if when == "after":
        real(*arguments, **named)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, name, killed)
write_file(path, b"new\\n" * 2000)
"""

POINTS = [("open", "before"), ("open", "after"), ("fsync", "before"), ("fsync", "after"), ("replace", "before")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file alone in a folder, with the old content."""
    path = tmp_path / "folder" / "file"
    path.parent.mkdir()
    path.write_bytes(OLD)
    return path


@pytest.mark.parametrize(("call", "when", "left"), [*((*point, OLD) for point in POINTS), ("replace", "after", NEW)])
def test_a_process_that_is_killed(file: Path, call: str, when: str, left: bytes) -> None:
    """Up to the moment in which the file is replaced it has its old content, from then on the new."""
    done = subprocess.run([sys.executable, "-c", KILLED, call, when, str(file)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert file.read_bytes() == left


@pytest.mark.parametrize("call", ["fsync", "replace", "fchmod"])
def test_a_system_that_refuses(file: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """An error of the system at any point leaves the old file, and no other."""
    monkeypatch.setattr(os, call, _full)
    with pytest.raises(OSError, match="No space left"):
        write_file(file, NEW)
    assert (file.read_bytes(), os.listdir(file.parent)) == (OLD, ["file"])


def _full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_disk_that_is_full(file: Path) -> None:
    """A limit of the size of files stands for a full disk: the old content stays, and nothing beside it."""
    program = (
        "import resource, sys; from kernelpath.files.writing import write_file\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); write_file(sys.argv[1], b'new' * 5000)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(file)], capture_output=True, check=False)
    assert b"File too large" in done.stderr
    assert (file.read_bytes(), os.listdir(file.parent)) == (OLD, ["file"])


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_writer_that_gives_up(file: Path, error: type[BaseException]) -> None:
    """What was written so far is gone with the exception."""
    with pytest.raises(error):
        _give_up(file, error)
    assert (file.read_bytes(), os.listdir(file.parent)) == (OLD, ["file"])


def _give_up(file: Path, error: type[BaseException]) -> None:
    with replaced(file) as stream:
        stream.write(NEW)
        stream.flush()
        raise error


def test_a_reader_meanwhile(file: Path) -> None:
    """Until the end of the writing a reader finds the old content."""
    with replaced(file) as stream:
        stream.write(NEW)
        stream.flush()
        assert file.read_bytes() == OLD
    assert file.read_bytes() == NEW


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o666])
def test_permissions_are_kept(file: Path, mode: int) -> None:
    """A file that is replaced may be read and run by whoever might before."""
    file.chmod(mode)
    write_file(file, NEW)
    assert (file.stat().st_mode & 0o7777, file.read_bytes()) == (mode, NEW)


def test_a_new_file_has_the_users_permissions(tmp_path: Path) -> None:
    """It has those that the user's mask leaves."""
    mask = os.umask(0o027)
    try:
        write_file(tmp_path / "file", NEW)
    finally:
        os.umask(mask)
    assert (tmp_path / "file").stat().st_mode & 0o7777 == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_is_kept(file: Path) -> None:
    """A file of another user stays that user's."""
    os.chown(file, 1234, 1235)
    write_file(file, NEW)
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 1235)


@pytest.mark.parametrize("target", ["folder/file", "folder/nothing-yet"])
def test_a_link_stays(file: Path, target: str) -> None:
    """What a link leads to is written, or made; the link itself is not replaced."""
    link = file.parent.parent / "link"
    link.symlink_to(target)
    write_file(link, NEW)
    assert link.is_symlink()
    assert (file.parent.parent / target).read_bytes() == NEW


def test_a_device_is_no_file(tmp_path: Path) -> None:
    """A device stays one, and takes what is written."""
    link = tmp_path / "null"
    link.symlink_to(os.devnull)
    write_file(link, NEW)
    write_file(os.devnull, NEW)
    assert not Path(os.devnull).is_file()
    with pytest.raises(OSError, match="No space left"):
        write_file("/dev/full", NEW)


def test_a_pipe_and_an_open_stream(tmp_path: Path) -> None:
    """Both are written as they are."""
    reading, writing = os.pipe()
    write_file(f"/dev/fd/{writing}", b"through a stream")
    os.close(writing)
    assert os.read(reading, 100) == b"through a stream"
    os.close(reading)
    os.mkfifo(tmp_path / "pipe")
    reading = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_file(tmp_path / "pipe", b"through a pipe")
    assert os.read(reading, 100) == b"through a pipe"
    os.close(reading)


def test_a_file_that_changed_meanwhile(file: Path) -> None:
    """An edit of a text that is not there any more is not written over what is."""
    with pytest.raises(Refused, match="it was changed meanwhile"):
        write_file(file, NEW, before=b"older")
    assert file.read_bytes() == OLD
    write_file(file, NEW, before=OLD)
    assert file.read_bytes() == NEW


READ_ONLY = """
import sys
from kernelpath.files.writing import write_file
write_file(sys.argv[1], b"new")
"""


def test_a_file_that_may_not_be_written(file: Path) -> None:
    """A file that its user may not write is not replaced either, though the folder would allow it."""
    file.chmod(0o444)
    command = [sys.executable, "-c", READ_ONLY, str(file)]
    done = subprocess.run(command, capture_output=True, check=False, **plain_user())
    assert b"PermissionError" in done.stderr
    assert (file.read_bytes(), os.listdir(file.parent)) == (OLD, ["file"])


def test_what_is_installed_is_not_written(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of an installed kernelpath belong to what installed it."""
    monkeypatch.setattr(resources, "_PACKAGE", file.parent)
    monkeypatch.setattr(resources, "_INSTALLED", file.parent)
    for write in (lambda: write_file(file, NEW), lambda: write_new_files({file.parent / "new": NEW})):
        with pytest.raises(Refused, match="it belongs to the installed kernelpath"):
            write()
    assert (file.read_bytes(), os.listdir(file.parent)) == (OLD, ["file"])


@pytest.mark.parametrize("links", [True, False])
def test_new_files_come_together(file: Path, links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several new files all are written, or none; a file that is there is left as it is."""
    if not links:
        monkeypatch.setattr(os, "link", _full)
    folder = file.parent
    with pytest.raises(FileExistsError):
        write_new_files({folder / "one": NEW, file: NEW})
    assert (file.read_bytes(), os.listdir(folder)) == (OLD, ["file"])
    write_new_files({folder / "one": NEW, folder / "two": OLD})
    assert ((folder / "one").read_bytes(), (folder / "two").read_bytes()) == (NEW, OLD)
    assert sorted(os.listdir(folder)) == ["file", "one", "two"]


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "a" * 5000, "", "no/where", "/"])
def test_names_that_no_file_can_have(name: str) -> None:
    """Whatever a name is, what keeps it from being written is an error of the system's kind with words."""
    with pytest.raises(OSError) as caught:  # noqa: PT011 (its words are the system's)
        write_file(name, NEW)
    assert caught.value.strerror
