"""Load a pack as the engine runs it, from the cache where it was generated before."""

from __future__ import annotations

from functools import lru_cache
from types import CodeType

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.packs.cache import cached
from kernelpath.packs.contents import PackFiles, read_pack_files
from kernelpath.packs.folders import PackErrors, pack_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


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


def _built(files: PackFiles) -> tuple[Any, Any]:
    """Check and generate; nothing of this is imported where the cache has the pack."""
    from kernelpath.evaluate.operation_use import misuses
    from kernelpath.packs.availability import idle, ungiven
    from kernelpath.packs.generate import generate
    from kernelpath.packs.reading import read_pack

    pack = read_pack(files.folder, files)
    wrong = [*misuses(pack), *idle(pack), *ungiven(pack)]
    if wrong:
        raise PackErrors(wrong)
    generated = generate(pack)
    return compile(generated.text, f"<pack {files.folder.name}>", "exec"), generated.data


def _compiled(files: PackFiles, value: Any) -> CompiledPack:
    """Return what was built as it runs; raises an exception for anything else."""
    code, data = value
    if not isinstance(code, CodeType) or data["digest"] != files.digest:
        raise TypeError("this was not built from these files")
    namespace: dict[str, Any] = dict(_runtime())
    exec(code, namespace)
    return CompiledPack(namespace, data)


def _runtime() -> dict[str, object]:
    from kernelpath.language import RUNTIME

    return RUNTIME
