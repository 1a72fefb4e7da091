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

    from kernelpath.packs.model import Pack


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
    return _run(code, data)


def compiled_pack(pack: Pack) -> CompiledPack:
    """Return a pack that was read already as the engine runs it."""
    from kernelpath.packs.generate import generate

    generated = generate(pack)
    return _run(compile(generated.text, f"<pack {pack.name}>", "exec"), generated.data)


def _run(code: Any, data: Any) -> CompiledPack:
    """Run the module of a pack, among the built-ins that it calls."""
    from kernelpath.language.runtime import namespace

    load_modules(data["libraries"])
    names: dict[str, Any] = namespace()
    exec(code, names)
    return CompiledPack(names, data)


def _built(folder: Path) -> tuple[Any, Any]:
    """Read, check and generate; nothing of this is imported where the cache has the pack."""
    from kernelpath.packs.generate import generate
    from kernelpath.packs.reading import read_pack

    pack = read_pack(folder)
    generated = generate(pack)
    return compile(generated.text, f"<pack {folder.name}>", "exec"), generated.data


def _unreadable(folder: Path, error: OSError) -> Any:
    from kernelpath.diagnostics import ERROR, Diagnostic

    message = f"`{error.filename or folder}` cannot be read: {error.strerror}"
    return Diagnostic("pack/unreadable", (), ERROR, message)
