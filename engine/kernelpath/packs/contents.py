"""Read a pack's files, each once: what is digested is what is parsed, checked and compiled.

Nothing is parsed here unless a pack.yaml is seen for the first time: which pack it extends is kept by its content.
"""

from __future__ import annotations

import os
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from kernelpath.files.reading import YAML_BYTES, Refused, read_file
from kernelpath.packs.cache import cached
from kernelpath.packs.folders import DATA_SUFFIX, PACK_FILE, TEST_SUFFIX, YAML, PackErrors, extended_folder, shown_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

MAX_CHAIN = 8
MAX_ENTRIES = 20_000  # files and folders that are looked at in one pack
MAX_PACK_BYTES = 50_000_000
#: A file one folder down: its stage, its name, its path, and whether there is a link on the way to it.
Listed = tuple[str, str, str, bool]
_DEEPEST = 3  # where files that lie astray are looked for; a link may lead back up


class FileContent:
    """A file as it was read: its content, or, where `why` says something, why there is none."""

    __slots__ = ("content", "name", "why")

    def __init__(self, path: str | Path, content: bytes, why: str = "") -> None:
        self.name = os.fspath(path)
        self.content = content
        self.why = why

    @property
    def path(self) -> Path:
        """The file's path; most files of a pack that is cached are never asked for it."""
        return Path(self.name)


class LayerFiles:
    """The files of one pack's own folder.

    `root` is its pack.yaml, `bases` the folder of each pack that it says to extend, None where there is none. `strays`
    lie where no rule is read. `data` are the files beside pack.yaml whose names end in `.data.yaml`.
    """

    __slots__ = ("bases", "data", "folder", "root", "rules", "strays")

    def __init__(
        self,
        folder: Path,
        rules: tuple[FileContent, ...],
        strays: tuple[Path, ...],
        root: FileContent | None = None,
        data: tuple[FileContent, ...] = (),
    ) -> None:
        self.folder = folder
        self.data = data
        self.root = root or read_content(folder / PACK_FILE, folder)
        self.rules = rules
        self.strays = strays
        self.bases = tuple(extended_folder(folder, name) for name in _extended_names(self.root.content))


class PackFiles:
    """All files of a pack's chain as they were read, its own first, then those of the packs that it extends.

    Of several packs that it extends, a later one stands before an earlier one, to which it adds.

    `digest` is of every YAML file but tests, with their names; only names and bytes count, a file's date does not.
    Two are equal if they give the same pack, whose rules carry their places as shown from the present working folder.
    """

    __slots__ = ("digest", "key", "layers")

    def __init__(self, layers: tuple[LayerFiles, ...]) -> None:
        self.layers = layers
        self.digest = _digest(layers)
        places = [f"{layer.folder}\0{shown_path(layer.folder)}" for layer in layers]
        self.key = "\0".join([*places, self.digest])

    @property
    def folder(self) -> Path:
        """The pack's own folder."""
        return self.layers[0].folder

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PackFiles) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def read_pack_files(folder: Path) -> PackFiles:
    """Return the files of a pack and of those that it extends; a file that cannot be read says so itself.

    Raises PackErrors where a folder cannot be looked into, or where there is too much to read.
    """
    read: dict[Path, LayerFiles] = {}
    done: list[LayerFiles] = []

    def visit(current: Path) -> None:
        if current not in read and len(read) < MAX_CHAIN:
            layer = read[current] = _read_layer(current)
            for base in layer.bases:
                if base is not None:
                    visit(base)
            done.append(layer)

    visit(folder)
    return PackFiles(tuple(done[::-1]))


def dependants(folder: Path) -> Iterator[PackFiles]:
    """Yield the files of each pack beside a folder that extends its pack, directly or not.

    One whose files cannot be listed is left out.
    """
    own = folder.resolve()
    for path in sorted(own.parent.glob(f"*/{PACK_FILE}")):
        if path.parent == own:
            continue
        try:
            files = read_pack_files(path.parent)
        except PackErrors:
            continue
        if own in [layer.folder for layer in files.layers[1:]]:
            yield files


def changed_files(files: PackFiles, contents: Mapping[Path, bytes]) -> PackFiles:
    """Return a pack's files with other contents in the place of some, as they would be read if these were written.

    A path of the pack's own at which no file is yet becomes a new rule file.
    """
    changed = {os.fspath(path): FileContent(path, content) for path, content in contents.items()}
    layers = [
        LayerFiles(
            layer.folder,
            tuple(changed.get(file.name, file) for file in (*layer.rules, *_new(layer, changed))),
            layer.strays,
            changed.get(layer.root.name, layer.root),
            tuple(changed.get(file.name, file) for file in layer.data),
        )
        for layer in files.layers
    ]
    return PackFiles(tuple(layers))


def _new(layer: LayerFiles, changed: Mapping[str, FileContent]) -> list[FileContent]:
    known = {layer.root.name, *(file.name for file in layer.rules)}
    return [
        file
        for name, file in changed.items()
        if name not in known and file.path.parents[1:2] == (layer.folder,) and not name.endswith(TEST_SUFFIX)
    ]


def read_content(path: str | Path, within: Path | None = None) -> FileContent:
    """Return a YAML file as it is now; `within` is the folder that a link may not leave."""
    try:
        return FileContent(path, read_file(path, YAML_BYTES, within))
    except OSError as error:
        return FileContent(path, b"", (error.strerror or str(error)).lower())


def pack_paths(folder: Path) -> list[Path]:
    """Return the paths of a pack's own files, tests too: its pack.yaml, then all of its stages in order.

    Raises PackErrors where a folder cannot be looked into.
    """
    return [folder / PACK_FILE, *(Path(path) for _, _, path, _ in _listed(folder)[0])]


def test_paths(folder: Path) -> list[Path]:
    """Return the paths of the test files in a pack's own folder, misplaced ones too; raises PackErrors."""
    files, strays = _listed(folder)
    paths = [*(path for _, _, path, _ in files), *strays]
    return sorted(Path(path) for path in paths if path.endswith(TEST_SUFFIX))


test_paths.__test__ = False  # type: ignore[attr-defined]  # it is not a test to pytest


def _read_layer(folder: Path) -> LayerFiles:
    files, strays = _listed(folder)
    data = [path for path in strays if _is_data(path, folder)]
    wanted = [(path, linked) for _, name, path, linked in files if not name.endswith(TEST_SUFFIX)]
    read = []
    size = 0
    for path, linked in [*wanted, *((path, True) for path in data)]:
        read.append(read_content(path, folder if linked else None))
        size += len(read[-1].content)
        if size > MAX_PACK_BYTES:
            raise _unreadable(folder, f"its files have more than {MAX_PACK_BYTES:,} bytes, the most that are read")
    others = tuple(Path(path) for path in strays if path not in data)
    return LayerFiles(folder, tuple(read[: len(wanted)]), others, data=tuple(read[len(wanted) :]))


def _is_data(path: str, folder: Path) -> bool:
    """Return whether a file lies beside pack.yaml, and has the data of a constant."""
    return path.endswith(DATA_SUFFIX) and os.path.dirname(path) == os.fspath(folder)


def _listed(folder: Path) -> tuple[list[Listed], list[str]]:
    try:
        return _yaml_files(folder)
    except OSError as error:
        raise _unreadable(Path(error.filename or folder), (error.strerror or str(error)).lower()) from None


def _yaml_files(folder: Path) -> tuple[list[Listed], list[str]]:
    """Return a pack's files one folder down, and the YAML files that lie where no rule is read; no hidden ones."""
    files: list[Listed] = []
    strays: list[str] = []
    waiting = [(os.fspath(folder), 0, False)]
    seen = 0
    while waiting:
        current, depth, linked = waiting.pop()
        stage = os.path.basename(current)
        for entry in _entries(current):
            name, seen = entry.name, seen + 1
            if seen > MAX_ENTRIES:
                raise Refused(f"it has more than {MAX_ENTRIES:,} files and folders, the most that are read", folder)
            if name.startswith("."):
                continue
            link = linked or entry.is_symlink()
            if not name.endswith(YAML) and depth < _DEEPEST and entry.is_dir():
                waiting.append((entry.path, depth + 1, link))
            elif depth == 1 and name.endswith(YAML[0]):
                files.append((stage, name, entry.path, link))
            elif name.lower().endswith(YAML) and (depth, name) != (0, PACK_FILE):
                strays.append(entry.path)
    return sorted(files), sorted(strays)


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        yield from entries


def _digest(layers: tuple[LayerFiles, ...]) -> str:
    digest = sha256()
    for layer in layers:
        for file in (layer.root, *layer.rules, *layer.data):
            stage, name = os.path.split(file.name)
            name = f"{layer.folder.name}/{os.path.basename(stage)}/{name}"
            content = file.why.encode("utf-8", "surrogatepass") or file.content
            digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "surrogatepass"))
            digest.update(content)
        for path in layer.strays:
            digest.update(f"{path.as_posix()}\0{0}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@lru_cache(maxsize=64)
def _extended_names(content: bytes) -> tuple[str, ...]:
    """Return the names of the packs that a pack.yaml of a content extends, as its parser reads it."""
    return cached("extends", sha256(content).hexdigest(), lambda: _parsed_names(content), _names)


def _parsed_names(content: bytes) -> tuple[str, ...]:
    from kernelpath.packs.files import extended_names

    return extended_names(content)


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, tuple) and all(isinstance(name, str) for name in value):
        return value
    raise TypeError(value)


def _unreadable(path: Path, why: str) -> PackErrors:
    from kernelpath.diagnostics import ERROR, Diagnostic  # only a mistake pays for it
    from kernelpath.diagnostics.render.printable import printable

    message = f"`{printable(shown_path(path))}` cannot be read: {why}"
    return PackErrors([Diagnostic("pack/unreadable", (), ERROR, message)])
