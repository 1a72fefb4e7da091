"""Load a pack as the engine runs it, from the cache where it was generated before."""

from __future__ import annotations

from functools import lru_cache

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.packs.cache import cached
from kernelpath.packs.libraries import load_modules
from kernelpath.packs.folders import PackErrors, content_digest, pack_folder, shown_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


def load(name_or_path: str) -> CompiledPack:
    """Return the compiled pack of a shipped name or a folder; raises PackErrors with every mistake in its files."""
    return load_folder(pack_folder(name_or_path))


def load_folder(folder: Path) -> CompiledPack:
    """Return the compiled pack of a folder."""
    try:
        digest = content_digest(folder)
    except OSError as error:
        raise PackErrors([_unreadable(folder, error)]) from None
    return _loaded(folder, shown_path(folder), digest)


@lru_cache(maxsize=32)
def _loaded(folder: Path, shown: str, digest: str) -> CompiledPack:
    """Return a pack; its rules carry their places as they are shown from the present working folder."""
    code, data = cached("pack", f"{folder} {shown} {digest}", lambda: _built(folder))
    load_modules(data["libraries"])
    namespace: dict[str, Any] = _namespace()
    exec(code, namespace)
    return CompiledPack(namespace, data)


def _built(folder: Path) -> tuple[Any, Any]:
    """Read, check and generate; nothing of this is imported where the cache has the pack."""
    from kernelpath.packs.generate import generate
    from kernelpath.packs.reading import read_pack

    pack = read_pack(folder)
    generated = generate(pack)
    return compile(generated.text, f"<pack {folder.name}>", "exec"), generated.data


def _namespace() -> dict[str, Any]:
    from kernelpath.language.runtime import namespace

    return namespace()


def _unreadable(folder: Path, error: OSError) -> Any:
    from kernelpath.diagnostics import ERROR, Diagnostic

    message = f"`{error.filename or folder}` cannot be read: {error.strerror}"
    return Diagnostic("pack/unreadable", (), ERROR, message)
