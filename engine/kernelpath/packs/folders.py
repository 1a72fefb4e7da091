"""Find a pack's folder, by its name or path, and the folders of the packs that it extends."""

from __future__ import annotations

import os
from pathlib import Path

from kernelpath.resources import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelpath.diagnostics import Diagnostic

PACK_FILE = "pack.yaml"
TEST_SUFFIX = ".test.yaml"
DATA_SUFFIX = ".data.yaml"
YAML = (".yaml", ".yml")


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
        folder = resource("rules", name) if is_shipped(name) else Path(name)
        if is_pack(folder):
            return folder.resolve()
        _refuse_locked(folder)
    from kernelpath.diagnostics import ERROR, Diagnostic  # only a mistake pays for it
    from kernelpath.diagnostics.render.printable import printable

    message = f"there is no pack `{printable(str(name_or_path)[:200])}`"
    help_text = f"shipped packs are {', '.join(shipped_packs())}; a folder needs a {PACK_FILE}"
    raise PackErrors([Diagnostic("pack/unknown", (), ERROR, message, help=help_text)])


def is_shipped(name: str) -> bool:
    """Return whether a name is a shipped pack's, as `pack_folder` reads it."""
    return "/" not in name and is_pack(resource("rules", name))


def lies_shipped(folder: str) -> bool:
    """Return whether the folder of a pack is that of a shipped one."""
    return os.path.dirname(folder) == os.path.realpath(resource("rules"))


def shipped_packs() -> list[str]:
    """Return the names of the shipped packs."""
    return sorted(path.parent.name for path in resource("rules").glob(f"*/{PACK_FILE}"))


def _refuse_locked(folder: Path) -> None:
    """Say of a folder that may not be looked into just that: there may well be a pack in it."""
    try:
        os.stat(folder / PACK_FILE)
    except PermissionError as error:
        from kernelpath.diagnostics import ERROR, Diagnostic
        from kernelpath.diagnostics.render.printable import printable

        message = f"pack `{printable(str(folder)[:200])}` cannot be read: {str(error.strerror).lower()}"
        raise PackErrors([Diagnostic("pack/unreadable", (), ERROR, message)]) from None
    except (OSError, ValueError):
        pass


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
    """Return a path as messages show it: below the shipped data, below the working folder, or in full."""
    shipped = ((resource(name), f"{name}/") for name in ("rules", "kernels"))
    for base, prefix in (*shipped, (_working_folder(), "")):
        if base is not None and path.is_relative_to(base):
            return prefix + path.relative_to(base).as_posix()
    return path.as_posix()


def _working_folder() -> Path | None:
    """Return the working folder; None where it was removed, or may not be entered."""
    try:
        return Path.cwd()
    except OSError:
        return None
