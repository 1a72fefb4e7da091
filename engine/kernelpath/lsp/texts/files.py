"""The texts that a language server works on: what editors hold open, else what is on disk."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from kernelpath.diagnostics import ERROR, Diagnostic, Source, Span
from kernelpath.diagnostics.source import BYTE_ORDER_MARK
from kernelpath.files.reading import YAML_BYTES, read_file
from kernelpath.lsp.texts.places import Marked
from kernelpath.packs.documents import DocumentErrors, Node, read_yaml
from kernelpath.packs.files import PACK_FILE, TEST_SUFFIX

Stamp = object
_JUST_NOW = 2_000_000_000  # nanoseconds; some file systems keep whole seconds, one of them every second one


@dataclass(slots=True)
class Files:
    """Sources and trees by path; each is made again only when its text changes, so identity tells whether it did.

    INVARIANT: a source is named by its path, so that every span leads back to its file. It has no byte order mark.
    """

    open: dict[Path, str] = field(default_factory=dict)
    _sources: dict[Path, tuple[Stamp, Source]] = field(default_factory=dict)
    _trees: dict[Path, tuple[Source, Node | DocumentErrors]] = field(default_factory=dict)

    def exists(self, path: Path) -> bool:
        """Return whether there is such a file, open or on disk."""
        return path in self.open or path.is_file()

    def source(self, path: Path) -> Source:
        """Return a file's text; raises DocumentErrors where it cannot be read as UTF-8."""
        stamp = self._stamp(path)
        known = self._sources.get(path)
        if known is None or known[0] != stamp:
            made = _source(path, self.open[path] if path in self.open else _read(path), path in self.open)
            same = known is not None and known[1].text == made.text and type(known[1]) is type(made)
            known = self._sources[path] = (stamp, known[1] if known and same else made)
        return known[1]

    def _stamp(self, path: Path) -> Stamp:
        if path in self.open:
            return self.open[path]
        try:
            status = path.stat()
        except OSError:
            return None
        if abs(time.time_ns() - status.st_mtime_ns) < _JUST_NOW:
            return object()  # another change may come in the same tick of the clock: read it again next time
        return status.st_mtime_ns, status.st_size, status.st_ino

    def tree(self, path: Path) -> Node:
        """Return a YAML file's tree; raises DocumentErrors."""
        source = self.source(path)
        known = self._trees.get(path)
        if known is None or known[0] is not source:
            known = self._trees[path] = (source, _tree(source))
        if isinstance(known[1], DocumentErrors):
            raise known[1]
        return known[1]

    def rule_paths(self, folder: Path) -> list[Path]:
        """Return the rule files of a pack's own folder, those that are open and not saved yet included."""
        return [path for path in self._yaml(folder) if not path.name.endswith(TEST_SUFFIX)]

    def test_paths(self, folder: Path) -> list[Path]:
        """Return the test files beside the rules."""
        return [path for path in self._yaml(folder) if path.name.endswith(TEST_SUFFIX)]

    def _yaml(self, folder: Path) -> list[Path]:
        unsaved = {path for path in self.open if path.parent.parent == folder and path.suffix == ".yaml"}
        return sorted(unsaved | set(folder.glob("*/*.yaml")))

    def pack_of(self, path: Path) -> Path | None:
        """Return the folder of the pack that a file belongs to: its own, or the one above its stage's."""
        if path.suffix != ".yaml":
            return None
        if path.name == PACK_FILE:
            return path.parent
        folder = path.parent.parent
        return folder if self.exists(folder / PACK_FILE) else None


def _source(path: Path, text: str, is_open: bool) -> Source:
    """Return a text without the byte order mark that it may begin with, which an editor counts as a character."""
    marked = text.startswith(BYTE_ORDER_MARK)
    return (Marked if marked and is_open else Source)(str(path), text.removeprefix(BYTE_ORDER_MARK))


def _tree(source: Source) -> Node | DocumentErrors:
    try:
        return read_yaml(source)
    except DocumentErrors as errors:
        return errors


def _read(path: Path) -> str:
    try:
        return read_file(path, YAML_BYTES, _pack_of(path)).decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8"
    except OSError as error:
        message = f"cannot be read: {(error.strerror or str(error)).lower()}"
    span = Span(str(path), 1, 1, 1, 1)
    raise DocumentErrors([Diagnostic("pack/unreadable", (), ERROR, message, span=span)])


def _pack_of(path: Path) -> Path | None:
    """Return the folder of the pack that a file lies in, which links may not leave; None for a file of no pack."""
    return next((folder for folder in list(path.parents)[:2] if (folder / PACK_FILE).is_file()), None)
