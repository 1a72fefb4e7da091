"""Find a pack's folder, and the digest of all that is in it; nothing is parsed here, a cached pack needs no more."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from kernelpath.resources import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelpath.diagnostics import Diagnostic

PACK_FILE = "pack.yaml"
TEST_SUFFIX = ".test.yaml"
YAML = (".yaml", ".yml")
_DEEPEST = 3  # where files that lie astray are looked for; a link may lead back up


class PackErrors(Exception):
    """A pack that cannot be used, with all diagnostics that say why, file by file."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("; ".join(f"{d.span}: {d.message}" if d.span else d.message for d in diagnostics))
        self.diagnostics = diagnostics


def pack_folder(name_or_path: str | os.PathLike[str]) -> Path:
    """Return the folder of a shipped pack's name, or of a path; raises PackErrors where there is no pack."""
    known = isinstance(name_or_path, (str, os.PathLike))
    name = os.fspath(name_or_path) if known else None
    if isinstance(name, str):
        shipped = resource("rules", name)
        folder = shipped if "/" not in name and is_pack(shipped) else Path(name)
        if is_pack(folder):
            return folder.resolve()
    from kernelpath.diagnostics import ERROR, Diagnostic  # only a mistake pays for it
    from kernelpath.diagnostics.render.printable import printable

    listed = ", ".join(sorted(path.parent.name for path in resource("rules").glob(f"*/{PACK_FILE}")))
    message = f"there is no pack `{printable(str(name_or_path)[:200])}`"
    help_text = f"shipped packs are {listed}; a folder needs a {PACK_FILE}"
    raise PackErrors([Diagnostic("pack/unknown", (), ERROR, message, help=help_text)])


def is_pack(folder: Path) -> bool:
    """Return whether a folder has a pack.yaml; what is no path at all has none."""
    try:
        return (folder / PACK_FILE).is_file()
    except (OSError, ValueError):  # a name that is too long, or has characters that no path has
        return False


def extended_folder(folder: Path, name: str) -> Path | None:
    """Return the folder of the pack that a pack in a folder extends: one beside it, or a shipped one."""
    for target in (folder.parent / name, resource("rules", name)):
        if name and is_pack(target):
            return target.resolve()
    return None


def shown_path(path: Path) -> str:
    """Return a path as messages show it: below the shipped rules, below the working folder, or in full."""
    for base, prefix in ((resource("rules"), "rules/"), (Path.cwd(), "")):
        if path.is_relative_to(base):
            return prefix + path.relative_to(base).as_posix()
    return path.as_posix()


def content_digest(folder: Path) -> str:
    """Return the content digest of a pack: of every YAML file of its chain, with their names, and of the generator.

    Only names and bytes count; a file's date does not.
    """
    digest = sha256()
    for name, content in _contents(folder):
        digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "surrogatepass"))
        digest.update(content)
    return digest.hexdigest()


def _contents(folder: Path) -> list[tuple[str, bytes]]:
    contents: list[tuple[str, bytes]] = []
    seen: set[Path] = set()
    current: Path | None = folder
    while current is not None and current not in seen:
        seen.add(current)
        files, strays = yaml_files(current)
        own = [current / PACK_FILE, *(path for path in files if not path.name.endswith(TEST_SUFFIX))]
        contents += [(f"{current.name}/{path.parent.name}/{path.name}", _content(path)) for path in own]
        contents += [(path.as_posix(), b"") for path in strays]
        current = _next_folder(current, contents[len(contents) - len(own) - len(strays)][1])
    return contents


def _content(path: Path) -> bytes:
    """Return a file's bytes, or why there are none: reading the pack says so at the file."""
    try:
        return path.read_bytes()
    except OSError as error:
        return f"{path}: {error}".encode("utf-8", "surrogatepass")


def yaml_files(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return a pack's files one folder down, and the YAML files that lie where no rule is read; no hidden ones."""
    files: list[Path] = []
    strays: list[Path] = []
    waiting = [(folder, 0)]
    while waiting:
        current, depth = waiting.pop()
        for entry in os.scandir(current):
            if entry.name.startswith("."):
                continue
            if entry.is_dir() and not entry.name.endswith(YAML) and depth < _DEEPEST:
                waiting.append((Path(entry.path), depth + 1))
            elif entry.name.endswith(YAML[0]) and depth == 1:
                files.append(Path(entry.path))
            elif entry.name.lower().endswith(YAML) and (depth, entry.name) != (0, PACK_FILE):
                strays.append(Path(entry.path))
    return sorted(files), sorted(strays)


def _next_folder(folder: Path, content: bytes) -> Path | None:
    """Return the extended pack's folder by a cheap look at `extends:`; the YAML is read only where that will not do."""
    if b"extends" not in content:
        return None
    for line in content.decode("utf-8", "replace").splitlines():
        name = line.removeprefix("extends: ").split(" #")[0].strip()
        if line.startswith("extends: ") and name.replace("-", "").replace("_", "").isalnum():
            return extended_folder(folder, name)
    from kernelpath.packs.files import extended_name

    found = extended_name(folder)
    return extended_folder(folder, found) if found else None
