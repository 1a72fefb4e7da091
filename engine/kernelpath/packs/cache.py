"""Keep what was generated from data files on disk, by the digest of their content.

A cache entry only saves time: one that is missing, unreadable, half written or from another version is made again, and
a cache folder that cannot be written is done without. The folder is `KERNELPATH_CACHE`, else `kernelpath` below
`XDG_CACHE_HOME` or `~/.cache`.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from functools import lru_cache
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_SEAL = 32
_PACKAGE = Path(__file__).resolve().parent.parent
_GENERATORS = tuple(_PACKAGE.joinpath(*parts) for parts in (("language",), ("language", "builtins"), ("packs",)))


def cached(kind: str, digest: str, build: Callable[[], Any]) -> Any:
    """Return what `build` gives, from the cache where it was built before from content of this digest.

    The value must be made of what `marshal` takes: plain data and code objects.
    """
    path = _folder() / f"{kind}-{_key(digest)}.bin"
    found, value = _read(path)
    if found:
        return value
    value = build()
    _write(path, value)
    return value


def _folder() -> Path:
    named = os.environ.get("KERNELPATH_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "kernelpath"


def _key(digest: str) -> str:
    """Return a key that changes with the content, with Python's bytecode, and with the generator itself."""
    made_by = f"{digest} {sys.implementation.cache_tag} {sys.version} {_generator()}"
    return hashlib.sha256(made_by.encode()).hexdigest()[:40]


@lru_cache(maxsize=1)
def _generator() -> str:
    """Return what tells one state of the generator from another: the names, sizes and dates of its files.

    An installed file may have the date of its archive, so dates alone would not do.
    """
    files = (entry for folder in _GENERATORS for entry in os.scandir(folder) if entry.name.endswith(".py"))
    found = ((entry.name, entry.stat()) for entry in files)
    return " ".join(sorted(f"{name}:{stat.st_size}:{stat.st_mtime_ns}" for name, stat in found))


def _read(path: Path) -> tuple[bool, Any]:
    """Return whether the entry is whole, and its value. Unmarshalling is safe only below an intact seal."""
    try:
        content = path.read_bytes()
        seal, payload = content[:_SEAL], content[_SEAL:]
        if hashlib.sha256(payload).digest() != seal:
            return False, None
        return True, marshal.loads(payload)
    except (OSError, ValueError, EOFError, TypeError):
        return False, None


def _write(path: Path, value: Any) -> None:
    """Write an entry beside its place and move it there, so that no reader ever sees half of it."""
    payload = marshal.dumps(value)
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(hashlib.sha256(payload).digest() + payload)
        os.replace(beside, path)
    except OSError:
        _remove(beside)


def _remove(path: Path) -> None:
    from contextlib import suppress  # only where writing failed

    with suppress(OSError):  # it was never written, or nobody may write there
        path.unlink()
