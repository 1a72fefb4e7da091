"""Keep what was generated from data files on disk, by the digest of the content that it was generated from.

A cache entry only saves time: one that is missing, unreadable, half written, from another version, or not what it
should be is made again, and without a folder of the user's own all is done without.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from functools import lru_cache
from pathlib import Path

from kernelpath.packs.cache_folder import open_folder
from kernelpath.resources import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    from kernelpath.packs.cache_folder import CacheFolder

    Used = TypeVar("Used")

_PACKAGE = Path(__file__).resolve().parent.parent
#: What entries are made by: rooms of the package, and data that comes with it.
ROOMS = ("diagnostics", "language", "packs", "graph", "execution_graph", "evaluate")
DATA = ("grammars", "kernels/catalogs/catalog.schema.json")


def cached(kind: str, digest: str, build: Callable[[], Any], use: Callable[[Any], Used]) -> Used:
    """Return what `use` makes of what `build` gives, which is kept for content of this digest.

    What `build` gives must be made of what `marshal` takes: plain data and code objects. An entry that `use` raises an
    exception for is made again.
    """
    folder = open_folder()
    if folder is None:
        return use(build())
    try:
        return _cached(folder, f"{kind}-{_key(digest)}.bin", build, use)
    finally:
        folder.close()


def _cached(folder: CacheFolder, name: str, build: Callable[[], Any], use: Callable[[Any], Used]) -> Used:
    payload = folder.read(name)
    if payload is not None:
        try:
            return use(marshal.loads(payload))
        except Exception:  # whatever is wrong with it, it is not what is written below
            payload = None
    value = build()
    used = use(value)
    payload = _dumped(value)
    if payload is not None:
        folder.write(name, payload)
    return used


def _dumped(value: Any) -> bytes | None:
    try:
        return marshal.dumps(value)
    except ValueError:  # it is nested too deeply to be kept
        return None


def _key(digest: str) -> str:
    """Return a key that changes with the content, with Python's bytecode, and with what generates."""
    made_by = f"{digest} {sys.implementation.cache_tag} {sys.version} {_generator()}"
    return hashlib.sha256(made_by.encode("utf-8", "surrogatepass")).hexdigest()[:40]


@lru_cache(maxsize=1)
def _generator() -> str:
    """Return what tells one state of the generator from another: the names, sizes and dates of its files.

    An installed file may have the date of its archive, so dates alone would not do.
    """
    paths = [os.path.join(_PACKAGE, name) for name in ROOMS] + [os.fspath(resource(name)) for name in DATA]
    return " ".join(sorted(state for path in paths for state in _states(path)))


def _states(path: str) -> Iterator[str]:
    """Yield the name, the size and the date of a file, or of all files below a folder."""
    if os.path.isdir(path):
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.name != "__pycache__":
                    yield from _states(entry.path)
        return
    status = os.stat(path)
    yield f"{path}:{status.st_size}:{status.st_mtime_ns}"
