"""Find a pack's folder, and the digest of all that is in it; nothing is parsed here, a cached pack needs no more."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from kernelpath.resources import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelpath.diagnostics import Diagnostic

PACK_FILE = "pack.yaml"
TEST_SUFFIX = ".test.yaml"


class PackErrors(Exception):
    """A pack that cannot be used, with all diagnostics that say why, file by file."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("; ".join(f"{d.span}: {d.message}" if d.span else d.message for d in diagnostics))
        self.diagnostics = diagnostics


def pack_folder(name_or_path: str) -> Path:
    """Return the folder of a shipped pack's name, or of a path; raises PackErrors where there is no pack."""
    shipped = resource("rules", name_or_path)
    folder = shipped if "/" not in name_or_path and (shipped / PACK_FILE).is_file() else Path(name_or_path)
    if (folder / PACK_FILE).is_file():
        return folder.resolve()
    from kernelpath.diagnostics import ERROR, Diagnostic  # only a mistake pays for it

    known = ", ".join(sorted(path.parent.name for path in resource("rules").glob(f"*/{PACK_FILE}")))
    message = f"there is no pack `{name_or_path}`"
    raise PackErrors(
        [
            Diagnostic(
                "pack/unknown", (), ERROR, message, help=f"shipped packs are {known}; a folder needs a {PACK_FILE}"
            )
        ]
    )


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
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _contents(folder: Path) -> list[tuple[str, bytes]]:
    contents: list[tuple[str, bytes]] = []
    seen: set[Path] = set()
    current: Path | None = folder
    while current is not None and current not in seen:
        seen.add(current)
        for path in sorted([current / PACK_FILE, *current.glob("*/*.yaml")]):
            if not path.name.endswith(TEST_SUFFIX):
                contents.append((f"{current.name}/{path.parent.name}/{path.name}", path.read_bytes()))
        current = _next_folder(current)
    return contents


def _next_folder(folder: Path) -> Path | None:
    """Return the extended pack's folder by a cheap look at `extends:`, without reading the YAML."""
    for line in (folder / PACK_FILE).read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("extends:"):
            name = line.removeprefix("extends:").split("#")[0].strip().strip("'\"")
            beside = folder.parent / name
            target = beside if (beside / PACK_FILE).is_file() else resource("rules", name)
            return target.resolve() if (target / PACK_FILE).is_file() else None
    return None
