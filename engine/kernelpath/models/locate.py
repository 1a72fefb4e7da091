"""Which files a model is: by what they begin with, and by the parts that a name or a header speaks of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from kernelpath.models import errors
from kernelpath.models.gguf_file import MAGIC
from kernelpath.models.reading import exists, is_folder, listed, mapped, read_json, refuse_other, status

GGUF, SAFETENSORS = "gguf", "safetensors"
INDEX, CONFIG = "model.safetensors.index.json", "config.json"
_PART = re.compile(r"(.*)-(\d{5})-of-(\d{5})(\.[^.]+)")
_PROJECTOR = "mmproj"  # how the names of vision parts begin, which lie beside the text model's file


@dataclass(frozen=True, slots=True)
class Located:
    """A model's format, and its files: of GGUF any one part, of safetensors all parts."""

    form: str
    files: tuple[Path, ...]


def locate(path: Path) -> Located:
    """Return the files of the model that a path names; raises `ModelErrors` where it names none, or several."""
    found = status(path)
    if is_folder(found):
        return _in_folder(path)
    refuse_other(path, found)
    begin = bytes(mapped(path)[:9]) if found.st_size else b""
    if begin.startswith(MAGIC) or _ends(path, GGUF):
        return Located(GGUF, (path,))
    if _ends(path, SAFETENSORS) or _is_safetensors(path, begin):
        return Located(SAFETENSORS, tuple(parts(path)))
    raise errors.unknown_format(path)


def _is_safetensors(path: Path, begin: bytes) -> bool:
    """Return whether a file begins with the length of a header that it could hold, and with the header's brace."""
    return begin[8:] == b"{" and int.from_bytes(begin[:8], "little") <= status(path).st_size - 8


def _ends(path: Path, ending: str) -> bool:
    return path.suffix.lower() == f".{ending}"


def parts(path: Path) -> list[Path]:
    """Return all parts of a model whose file's name says that it is one of several, or the file alone."""
    named = _PART.fullmatch(path.name)
    if named is None:
        return [path]
    front, _, count, ending = named.groups()
    found = [path.with_name(f"{front}-{number:05}-of-{count}{ending}") for number in range(1, int(count) + 1)]
    for number, part in enumerate(found, 1):
        if not exists(part):
            raise errors.missing_part(part, number, len(found))
    return found or [path]


def _in_folder(folder: Path) -> Located:
    files = listed(folder)
    tensors = [path for path in files if _ends(path, SAFETENSORS)]
    models = _models([path for path in files if _ends(path, GGUF)])
    has_config = exists(folder / CONFIG)
    if exists(folder / INDEX):
        return Located(SAFETENSORS, tuple(_indexed(folder)))
    if tensors and (has_config or not models):
        return Located(SAFETENSORS, tuple(tensors))
    if len(models) > 1:
        raise errors.several_models(folder, [path.name for path in models])
    if not models:
        raise errors.unknown_format(folder)
    return Located(GGUF, (models[0],))


def _models(files: list[Path]) -> list[Path]:
    """Return one file of each model among GGUF files, without the vision parts of others."""
    fronts: dict[str, Path] = {}
    for path in files:
        named = _PART.fullmatch(path.name)
        fronts.setdefault(named[1] if named else path.name, path)
    found = list(fronts.values())
    return [path for path in found if not path.name.lower().startswith(_PROJECTOR)] or found


def _indexed(folder: Path) -> list[Path]:
    """Return the weight files that a folder's index names."""
    index = folder / INDEX
    named = read_json(index).get("weight_map")
    if not isinstance(named, dict) or not named or not all(isinstance(name, str) for name in named.values()):
        raise errors.broken_config(index, "it has no `weight_map` of file names")
    # Only the last part of a name counts, so that an index cannot point out of its folder.
    found = [folder / Path(name).name for name in sorted(set(named.values()))]
    for path in found:
        if not exists(path):
            raise errors.no_such_file(path)
    return found
