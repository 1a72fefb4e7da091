"""The folder that cache entries lie in: the user's own, or there is none.

What lies there is sealed with a key that only the user can read, so that an entry is one that a kernelpath of this user
wrote; for code in it is executed. The folder is `KERNELPATH_CACHE`, else `kernelpath` below `XDG_CACHE_HOME` or below
`~/.cache`: an absolute path, owned by the user, and writable by no other. All of its files are opened below the folder
that was checked, links are not followed, and pipes are not waited for.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 64_000_000
MOST_ENTRIES = 256

_KEY, _KEY_BYTES, _SEAL_BYTES, _HEX_DIGITS = "key", 32, 32, 40
_DAY = 86_400
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_FOLDER = _READ | getattr(os, "O_DIRECTORY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_OTHERS, _OTHERS_WRITE = 0o077, 0o022


class CacheFolder:
    """An open cache folder, and the key that seals its entries; whatever is wrong with an entry, there is none."""

    __slots__ = ("_descriptor", "_key")

    def __init__(self, descriptor: int, key: bytes) -> None:
        self._descriptor = descriptor
        self._key = key

    def close(self) -> None:
        """Let go of the folder."""
        os.close(self._descriptor)

    def read(self, name: str) -> bytes | None:
        """Return what was kept under a name; None where there is nothing that this user's kernelpath kept."""
        content = _own_file(self._descriptor, name, MOST_BYTES, _OTHERS_WRITE)
        if content is None:
            return None
        import hmac

        payload = content[_SEAL_BYTES:]
        return payload if hmac.compare_digest(content[:_SEAL_BYTES], self._seal(name, payload)) else None

    def write(self, name: str, payload: bytes) -> None:
        """Keep something under a name, and drop what was not used for longest where there is too much by now."""
        temporary = f"{name}.{os.urandom(6).hex()}.tmp"
        try:
            _write(self._descriptor, temporary, self._seal(name, payload) + payload)
            os.replace(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        except OSError:
            _remove(self._descriptor, temporary)
        self._evict()

    def _seal(self, name: str, payload: bytes) -> bytes:
        """Return what only the owner of the key can say of an entry; of another name, it is another one."""
        import hmac

        return hmac.digest(hmac.digest(self._key, name.encode(), hashlib.sha256), payload, hashlib.sha256)

    def _evict(self) -> None:
        try:
            entries = sorted(_entries(self._descriptor), reverse=True)
        except OSError:
            return
        size = 0
        for number, (_, bytes_, name) in enumerate(entries, 1):
            size += bytes_
            if number > MOST_ENTRIES or size > MOST_BYTES:
                _remove(self._descriptor, name)


def open_folder() -> CacheFolder | None:
    """Return the user's cache folder, made where it was missing; None where there is none that is the user's alone."""
    path = _path()
    if path is None:
        return None
    try:
        descriptor = _own_folder(path)
    except (OSError, ValueError):
        return None
    key = _key(descriptor) if _is_own(os.fstat(descriptor), _OTHERS_WRITE) else None
    if key is None:
        os.close(descriptor)
        return None
    return CacheFolder(descriptor, key)


def _path() -> str | None:
    """Return where the cache folder is to be; None where the environment names no folder of the user's."""
    if not hasattr(os, "geteuid"):
        return None  # without owners there is nothing to check
    named = os.environ.get("KERNELPATH_CACHE")
    if named:
        return named if os.path.isabs(named) else None
    base, below = os.environ.get("XDG_CACHE_HOME") or "", "kernelpath"
    if not os.path.isabs(base):
        base, below = os.environ.get("HOME") or "", os.path.join(".cache", "kernelpath")
    return os.path.join(base, below) if os.path.isabs(base) and not _is_of_another(base) else None


def _is_of_another(folder: str) -> bool:
    """Whether a folder is another user's, whose home root may be working in."""
    try:
        return os.stat(folder).st_uid != os.geteuid()
    except (OSError, ValueError):
        return False  # it is made below, or cannot be


def _own_folder(path: str) -> int:
    try:
        return os.open(path, _FOLDER)
    except FileNotFoundError:
        os.makedirs(path, 0o700, exist_ok=True)
        return os.open(path, _FOLDER)


def _is_own(status: os.stat_result, forbidden: int) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & forbidden


def _key(folder: int) -> bytes | None:
    """Return the key; where there is none, or one that others could know, a new one."""
    key = _own_file(folder, _KEY, _KEY_BYTES, _OTHERS)
    if key is None or len(key) != _KEY_BYTES:
        _make_key(folder)
        key = _own_file(folder, _KEY, _KEY_BYTES, _OTHERS)
    return key if key is not None and len(key) == _KEY_BYTES else None


def _make_key(folder: int) -> None:
    """Put a new key in its place, whole from the first moment; of several processes that do, the first one's stays."""
    temporary = f"{_KEY}.{os.urandom(6).hex()}.tmp"
    _remove(folder, _KEY)
    from contextlib import suppress  # not where there is a key

    with suppress(OSError):
        _write(folder, temporary, os.urandom(_KEY_BYTES))
        os.link(temporary, _KEY, src_dir_fd=folder, dst_dir_fd=folder)
    _remove(folder, temporary)


def _own_file(folder: int, name: str, limit: int, forbidden: int) -> bytes | None:
    """Return a file's content if it is a file of the user's, of at most `limit` bytes, and has none of some modes."""
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not _is_own(status, forbidden) or status.st_size > limit:
            return None
        _used(descriptor, status)
        return _content(descriptor, status.st_size)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _used(descriptor: int, status: os.stat_result) -> None:
    """Note that a file is used, at most once a day: what is used is dropped last. A folder may be for reading only."""
    if time.time() - status.st_mtime > _DAY:
        from contextlib import suppress

        with suppress(OSError):
            os.utime(descriptor)


def _content(descriptor: int, size: int) -> bytes:
    content = b""
    while len(content) < size and (chunk := os.read(descriptor, size - len(content))):
        content += chunk
    return content


def _write(folder: int, name: str, content: bytes) -> None:
    descriptor = os.open(name, _NEW, 0o600, dir_fd=folder)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
    finally:
        os.close(descriptor)


def _remove(folder: int, name: str) -> None:
    from contextlib import suppress  # not where an entry is only read

    with suppress(OSError):  # it is gone, or is a folder
        os.unlink(name, dir_fd=folder)


def _entries(folder: int) -> Iterator[tuple[int, int, str]]:
    """Yield when each file that a cache wrote was used last, its size and its name; others' files are left alone."""
    for name in filter(_is_entry, os.listdir(folder)):
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(status.st_mode):
            yield status.st_mtime_ns, status.st_size, name


def _is_entry(name: str) -> bool:
    stem, _, ending = name.partition(".")
    digits = stem.rpartition("-")[2]
    if stem == _KEY:
        return ending.endswith(".tmp")
    return ending.startswith("bin") and len(digits) == _HEX_DIGITS and set(digits) <= set("0123456789abcdef")
