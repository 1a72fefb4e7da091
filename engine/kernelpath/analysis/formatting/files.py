"""Format the files of a pack's folder."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from kernelpath.analysis.formatting.format_text import format_text
from kernelpath.packs.files import PACK_FILE, TEST_SUFFIX, pack_paths, read_source, shown_path


@dataclass(frozen=True, slots=True)
class Formatted:
    """A file as it is and as it should be; `shown` is its path as messages show it."""

    path: Path
    shown: str
    before: str
    after: str

    @property
    def changed(self) -> bool:
        """Whether formatting changes the file."""
        return self.before != self.after


def kind_of(path: Path) -> str:
    """Return the kind of a pack's file by its name: `pack`, `test` or `rule`."""
    if path.name == PACK_FILE:
        return "pack"
    return "test" if path.name.endswith(TEST_SUFFIX) else "rule"


def format_pack(folder: Path) -> list[Formatted]:
    """Return every YAML file of a pack's own folder, formatted; nothing is written.

    Raises PackErrors or DocumentErrors for the first file or folder that cannot be read.
    """
    return [format_file(path, folder) for path in pack_paths(folder)]


def format_file(path: Path, within: Path | None = None) -> Formatted:
    """Return one file, formatted; raises PackErrors or DocumentErrors where it cannot be read.

    `within` is the folder that a link may not leave.
    """
    shown, source = shown_path(path), read_source(path, within)
    return Formatted(path, shown, source.text, format_text(source.text, kind_of(path), shown))


def difference(formatted: Formatted) -> str:
    """Return what formatting changes as a unified diff, empty where nothing."""
    before, after = formatted.before.splitlines(keepends=True), formatted.after.splitlines(keepends=True)
    return "".join(unified_diff(before, after, formatted.shown, f"{formatted.shown} (formatted)"))
