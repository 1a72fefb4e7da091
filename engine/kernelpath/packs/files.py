"""Find a pack's files: its folder, the packs that it extends, and which file each rule comes from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from kernelpath.diagnostics import ERROR, Diagnostic, Source, Span
from kernelpath.packs.documents import DocumentErrors, Mapping, Scalar, read_yaml
from kernelpath.resources import resource

PACK_FILE = "pack.yaml"
TEST_SUFFIX = ".test.yaml"
MAX_CHAIN = 8


class PackErrors(Exception):
    """A pack that cannot be used, with all diagnostics that say why, file by file."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("; ".join(f"{d.span}: {d.message}" for d in diagnostics))
        self.diagnostics = diagnostics


@dataclass(frozen=True, slots=True)
class RuleFile:
    """One rule file: its pack, its stage (the folder), its name (the stem), and its path as messages show it."""

    pack: str
    stage: str
    name: str
    path: Path
    shown: str

    @property
    def identity(self) -> str:
        """The rule's id, which is its path without the ending."""
        return f"{self.pack}/{self.stage}/{self.name}"


@dataclass(frozen=True, slots=True)
class Layer:
    """One pack of a chain: its folder, its pack.yaml, and the rule files that lie in it."""

    name: str
    folder: Path
    root: Mapping
    rules: tuple[RuleFile, ...]


def pack_folder(name_or_path: str) -> Path:
    """Return the folder of a shipped pack's name, or of a path; raises PackErrors where there is no pack."""
    shipped = resource("rules", name_or_path)
    folder = shipped if "/" not in name_or_path and (shipped / PACK_FILE).is_file() else Path(name_or_path)
    if (folder / PACK_FILE).is_file():
        return folder.resolve()
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


def read_chain(folder: Path) -> list[Layer]:
    """Return the pack's layers, the extended ones first; raises PackErrors, also for a cycle."""
    chain: list[Layer] = []
    seen: list[Path] = []
    extends: Scalar | None = None
    current: Path | None = folder
    while current is not None:
        if current in seen or len(seen) >= MAX_CHAIN:
            raise PackErrors([_cycle([*seen, current], extends)])
        seen.append(current)
        layer = read_layer(current)
        chain.append(layer)
        node = layer.root.get("extends")
        extends = node if isinstance(node, Scalar) else None
        current = _extended(layer, extends) if extends else None
    return chain[::-1]


def _cycle(seen: list[Path], node: Scalar | None) -> Diagnostic:
    names = " -> ".join(path.name for path in seen)
    return Diagnostic(
        "pack/extends-cycle",
        (),
        ERROR,
        f"packs extend each other in a circle: {names}",
        span=node.span if node else None,
    )


def _extended(layer: Layer, node: Scalar) -> Path:
    beside = layer.folder.parent / node.text
    if (beside / PACK_FILE).is_file():
        return beside.resolve()
    try:
        return pack_folder(node.text)
    except PackErrors as errors:
        [found] = errors.diagnostics
        raise PackErrors([found.with_span(node.span)]) from None


def read_source(path: Path) -> Source:
    """Return a file as a source; raises PackErrors where it cannot be read as UTF-8 text."""
    shown = shown_path(path)
    try:
        return Source(shown, path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8"
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
    raise PackErrors([Diagnostic("pack/unreadable", (), ERROR, message, span=Span(shown, 1, 1, 1, 1))])


def read_layer(folder: Path) -> Layer:
    """Return one pack's own files, not those of the pack that it extends."""
    source = read_source(folder / PACK_FILE)
    try:
        root = read_yaml(source)
    except DocumentErrors as errors:
        raise PackErrors(errors.diagnostics) from None
    if not isinstance(root, Mapping):
        raise PackErrors([Diagnostic("pack/shape", (), ERROR, f"{PACK_FILE} must be a mapping", span=root.span)])
    return Layer(folder.name, folder, root, tuple(rule_files(folder)))


def rule_files(folder: Path) -> list[RuleFile]:
    """Return the rule files of a pack's own folder, by stage and name."""
    paths = sorted(path for path in folder.glob("*/*.yaml") if not path.name.endswith(TEST_SUFFIX))
    return [RuleFile(folder.name, path.parent.name, path.stem, path, shown_path(path)) for path in paths]


def content_digest(folder: Path) -> str:
    """Return the content digest of a pack: of every YAML file of its chain, with their names, and of the generator.

    Only names and bytes count; a file's date does not.
    """
    digest = hashlib.sha256()
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
