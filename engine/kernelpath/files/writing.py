"""Write files: whoever reads one, even after a crash or on a full disk, finds the old content or the new, nothing else.

The new content goes to a temporary file in the same folder, is flushed to the disk, and then takes the place of the
old. The file keeps its permissions and, if the system allows it, its owner. A link stays, and the file that it leads to
is replaced. What is not a file, such as `/dev/null` or a pipe, is written as it is.
"""

from __future__ import annotations

import errno
import os
from codecs import BOM_UTF8
from contextlib import contextmanager, suppress
from pathlib import Path

from kernelpath.files.reading import JSON_BYTES, Refused, read_file, stream_number
from kernelpath.resources import installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_PERMISSIONS = 0o7777


def write_file(path: str | os.PathLike[str], content: bytes, before: bytes | None = None) -> None:
    """Give a file its content, whole or not at all; raises OSError.

    `before` is the content that the new one was made from: if the file has another one by now, `Refused` is raised.
    """
    with replaced(path, before) as file:
        file.write(content)


def rewrite_file(path: str | os.PathLike[str], before: str, after: str) -> None:
    """Give a file another text than it had when it was read; a byte order mark before it stays. Raises OSError.

    If the file has another text by now, `Refused` is raised.
    """
    content = before.encode()
    if read_file(path, JSON_BYTES).startswith(BOM_UTF8) and not content.startswith(BOM_UTF8):
        write_file(path, BOM_UTF8 + after.encode(), BOM_UTF8 + content)
    else:
        write_file(path, after.encode(), content)


def write_new_files(contents: dict[Path, bytes]) -> None:
    """Write files that are not there yet, all or none of them; raises FileExistsError for one that is."""
    written: list[Path] = []
    try:
        for path, content in contents.items():
            with _blamed(str(path)):
                _write_new(path, content)
            written.append(path)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


@contextmanager
def replaced(path: str | os.PathLike[str], before: bytes | None = None) -> Iterator[BinaryIO]:
    """Give, as a context, a stream whose bytes become a file's content at the end; an exception leaves the file alone.

    `before` is as for `write_file`. Raises OSError.
    """
    name = _named(path)
    with _blamed(name):
        direct = _direct(name)
        with direct if direct is not None else _in_place_of(Path(os.path.realpath(name)), before) as stream:
            yield stream


@contextmanager
def _blamed(name: str) -> Iterator[None]:
    """Have errors name the file that was to be written, not a temporary one."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = name, None
        raise


@contextmanager
def _in_place_of(target: Path, before: bytes | None) -> Iterator[BinaryIO]:
    _refuse(target)
    with _temporary(target) as (stream, temporary):
        yield stream
        _flush(stream)
        if before is not None and read_file(target, JSON_BYTES) != before:
            raise Refused("it was changed meanwhile", target)
        os.replace(temporary, target)
    _flush_folder(target.parent)


def _named(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    try:
        os.stat(name)
    except FileNotFoundError:
        pass
    except ValueError as error:  # a name with characters that no file's name has
        raise FileNotFoundError(errno.ENOENT, str(error), "") from None
    return name


def _direct(name: str) -> BinaryIO | None:
    """Return a stream to what is written as it is: an open stream, a device, a pipe; None for a file and for nothing.

    A folder is refused by the system.
    """
    number = stream_number(name)
    if number is not None:
        return open(os.dup(number), "wb")
    if not os.path.exists(name) or os.path.isfile(name):
        return None
    return open(name, "wb")


def _refuse(target: Path) -> None:
    """Refuse a file that may not be written: a folder's permissions alone would allow to replace it."""
    data = installed()
    if data is not None and target.is_relative_to(data):
        raise Refused("it belongs to the installed kernelpath", target)
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))


@contextmanager
def _temporary(target: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """Give a new file beside a target, with the target's permissions and owner; it is gone at the end."""
    temporary = target.with_name(f".kernelpath-{os.getpid()}-{os.urandom(6).hex()}.tmp")
    descriptor = os.open(temporary, _NEW, 0o666)
    try:
        with open(descriptor, "wb") as stream:
            _take_over(stream.fileno(), target)
            yield stream, temporary
    finally:
        with suppress(OSError):  # it took the target's place, or the folder is gone
            temporary.unlink()


def _take_over(descriptor: int, target: Path) -> None:
    """Give an open file another one's permissions and owner, so far as the system allows; a new file has its own."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return
    if hasattr(os, "fchown"):
        with suppress(PermissionError):
            os.fchown(descriptor, status.st_uid, status.st_gid)
        os.fchmod(descriptor, status.st_mode & _PERMISSIONS)


def _flush(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _flush_folder(folder: Path) -> None:
    """Have the folder on the disk, too; some systems and file systems cannot."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_new(path: Path, content: bytes) -> None:
    """Write a file that is not there yet."""
    _refuse(path)
    with _temporary(path) as (stream, temporary):
        stream.write(content)
        _flush(stream)
        _name(temporary, path)
    _flush_folder(path.parent)


def _name(temporary: Path, path: Path) -> None:
    """Give a temporary file a name that nothing has yet; not every file system lets a file have two for a moment."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        os.replace(temporary, path)
