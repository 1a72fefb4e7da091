"""Read files from outside: each at once, up to a limit, and nothing but files.

A device may give bytes for ever, and a pipe by name may never give one, so both are refused before they are opened. A
link may lead out of the folder that a reader was asked to read: where that folder is known, such a link is refused too.
Everything that keeps a file from being read is an `OSError` whose `strerror` says why.
"""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

JSON_BYTES = 256_000_000
YAML_BYTES = 5_000_000

_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"):  # not every system has each; files are not inherited in Python
    _FLAGS |= getattr(os, _name, 0)
_CHUNK = 1 << 20
_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_STREAM_FOLDERS = ("/dev/fd/", "/proc/self/fd/")


class Refused(OSError):
    """A path that is not read or written although the system would allow it; `strerror` says why."""

    def __init__(self, why: str, path: str | os.PathLike[str]) -> None:
        super().__init__(errno.EINVAL, why, os.fspath(path))


def read_file(path: str | os.PathLike[str], limit: int, within: Path | None = None) -> bytes:
    """Return the content of a file of at most `limit` bytes.

    `within` is a folder that the file must lie in, links followed. Raises OSError: `Refused` for what is not a file,
    is too large, or lies elsewhere.
    """
    name = os.fspath(path)
    try:
        if within is not None and not _lies_in(name, within):
            raise Refused(f"it is a link that leads out of `{within.name}`", path)
        refuse_other_kinds(os.stat(name), name)
        descriptor = os.open(name, _FLAGS)
    except ValueError as error:  # a name with characters that no file's name has
        raise FileNotFoundError(errno.ENOENT, str(error), "") from None
    try:
        status = os.fstat(descriptor)
        refuse_other_kinds(status, name)  # it may be another one by now
        if status.st_size > limit:
            raise _too_large(limit, name)
        return _content(descriptor, limit, name)
    finally:
        os.close(descriptor)


def read_named(name: str, limit: int) -> bytes:
    """Return the content of a file that a user names: as `read_file`, but an open stream such as `/dev/fd/63` is read.

    Shells put such names in the place of `<(command)`.
    """
    descriptor = stream_number(name)
    if descriptor is None:
        return read_file(name, limit)
    return _content(descriptor, limit, name)


def stream_number(name: str) -> int | None:
    """Return the number of the open stream that a path stands for; None for a path of a file."""
    for folder in _STREAM_FOLDERS:
        number = name.removeprefix(folder)
        if number != name and number.isascii() and number.isdecimal():
            return int(number[:9])
    return _STREAMS.get(name)


def refuse_other_kinds(status: os.stat_result, name: str) -> None:
    """Raise `Refused` for what is not a regular file."""
    if not stat.S_ISREG(status.st_mode):
        raise Refused(f"it is {kind_of(status)}, not a file", name)


def kind_of(status: os.stat_result) -> str:
    """Return in words what is not a regular file."""
    kinds = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    return next((words for is_kind, words in kinds if is_kind(status.st_mode)), "of another kind")


def _lies_in(name: str, folder: Path) -> bool:
    """Whether a path, links followed, leads to something below a folder."""
    root = os.path.realpath(folder)
    return os.path.commonpath([root, os.path.realpath(name)]) == root


def _content(descriptor: int, limit: int, name: str) -> bytes:
    """Return what is left in an open file, asked for until its end: a size that the system says may not be its last."""
    chunks: list[bytes] = []
    size = 0
    while chunk := os.read(descriptor, min(_CHUNK, limit + 1 - size)):
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            raise _too_large(limit, name)
    return b"".join(chunks)


def _too_large(limit: int, name: str) -> Refused:
    return Refused(f"it has more than {limit:,} bytes, the most that is read", name)
