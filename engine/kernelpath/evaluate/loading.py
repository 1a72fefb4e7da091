"""Load a pack as the engine runs it, from the cache where it was generated before."""

from __future__ import annotations

from functools import lru_cache
from types import CodeType

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.packs.cache import cached
from kernelpath.packs.contents import PackFiles, read_pack_files
from kernelpath.packs.folders import pack_folder
from kernelpath.packs.libraries import load_modules

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
    return _loaded(read_pack_files(folder))


@lru_cache(maxsize=32)
def _loaded(files: PackFiles) -> CompiledPack:
    """Return a pack; its rules carry their places as they are shown from the present working folder."""
    return cached("pack", files.key, lambda: _built(files), lambda value: _compiled(files, value))


def compiled_pack(pack: Pack) -> CompiledPack:
    """Return a pack that was read already as the engine runs it."""
    from kernelpath.packs.generate import generate

    generated = generate(pack)
    return _run(compile(generated.text, f"<pack {pack.name}>", "exec"), generated.data)


def _run(code: CodeType, data: Any, folder: str = "") -> CompiledPack:
    """Run the module of a pack, among the built-ins that it calls."""
    from kernelpath.language.runtime import namespace

    load_modules(data["libraries"])
    names: dict[str, Any] = namespace()
    exec(code, names)
    return CompiledPack(names, data, folder)


def _built(files: PackFiles) -> tuple[Any, Any]:
    """Check and generate; nothing of this is imported where the cache has the pack."""
    from kernelpath.packs.generate import generate
    from kernelpath.packs.reading import read_pack

    generated = generate(read_pack(files.folder, files))
    return compile(generated.text, f"<pack {files.folder.name}>", "exec"), generated.data


def _compiled(files: PackFiles, value: Any) -> CompiledPack:
    """Return what was built as it runs; raises an exception for anything else."""
    code, data = value
    if not isinstance(code, CodeType) or data["digest"] != files.digest:
        raise TypeError("this was not built from these files")
    return _run(code, data, str(files.folder))
