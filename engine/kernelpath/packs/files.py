"""Find a pack's files: its folder, the packs that it extends, and which file each rule comes from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelpath.diagnostics import ERROR, Diagnostic, Source, Span
from kernelpath.diagnostics.render.printable import printable
from kernelpath.packs.documents import DocumentErrors, Mapping, Node, Scalar, read_yaml, to_plain
from kernelpath.packs.folders import (
    PACK_FILE,
    TEST_SUFFIX,
    YAML,
    PackErrors,
    content_digest,
    extended_folder,
    pack_folder,
    shown_path,
    yaml_files,
)

MAX_CHAIN = 8

__all__ = [
    "PACK_FILE",
    "TEST_SUFFIX",
    "Layer",
    "PackErrors",
    "RuleFile",
    "content_digest",
    "pack_folder",
    "read_chain",
    "read_layer",
    "read_node",
    "read_plain",
    "read_source",
    "rule_files",
    "shown_path",
]


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
    found = extended_folder(layer.folder, node.text)
    if found is None:
        message = f"there is no pack `{printable(node.text)}` to extend"
        help_text = "a pack extends one beside it, or a shipped one"
        raise PackErrors([Diagnostic("pack/unknown", (), ERROR, message, span=node.span, help=help_text)])
    return found


def extended_name(folder: Path) -> str | None:
    """Return the name of the pack that a pack extends, None where it extends none or cannot be read."""
    try:
        node = read_layer(folder).root.get("extends")
    except PackErrors:
        return None
    return node.text if isinstance(node, Scalar) else None


def read_source(path: Path) -> Source:
    """Return a file as a source; raises PackErrors where it cannot be read as UTF-8 text."""
    shown = shown_path(path)
    line, column = 1, 1
    try:
        content = path.read_bytes()
        return Source(shown, content.decode("utf-8"))
    except UnicodeDecodeError as error:
        before = Source(shown, content[: error.start].decode("utf-8"))
        line, column = before.position(len(before.text))
        message, help_text = f"the byte 0x{content[error.start]:02x} is not UTF-8", "save the file as UTF-8"
    except OSError as error:
        message, help_text = f"cannot be read: {error.strerror or error}", None
    span = Span(shown, line, column, line, column + 1)
    raise PackErrors([Diagnostic("pack/unreadable", (), ERROR, message, span=span, help=help_text)])


def read_node(path: Path, sharing: bool = False) -> Node:
    """Return the tree of a YAML file; raises PackErrors with everything that is wrong with it."""
    try:
        return read_yaml(read_source(path), sharing)
    except DocumentErrors as errors:
        raise PackErrors(errors.diagnostics) from None


def read_plain(path: Path, sharing: bool = False) -> Any:
    """Return a YAML file's value as plain data; raises PackErrors with everything that is wrong with it."""
    return to_plain(read_node(path, sharing))


def read_layer(folder: Path) -> Layer:
    """Return one pack's own files, not those of the pack that it extends."""
    root = read_node(folder / PACK_FILE)
    if not isinstance(root, Mapping):
        raise PackErrors([Diagnostic("pack/shape", (), ERROR, f"{PACK_FILE} must be a mapping", span=root.span)])
    return Layer(folder.name, folder, root, tuple(rule_files(folder)))


def rule_files(folder: Path) -> list[RuleFile]:
    """Return the rule files of a pack's own folder, by stage and name."""
    paths = [path for path in yaml_files(folder)[0] if not path.name.endswith(TEST_SUFFIX)]
    return [RuleFile(folder.name, path.parent.name, path.stem, path, shown_path(path)) for path in paths]


def stray_files(folder: Path) -> list[Diagnostic]:
    """Return what is to be said of YAML files that lie where no rule is read: an author believes them in force."""
    found = []
    for path in yaml_files(folder)[1]:
        message = "this file is not read: it lies in no stage's folder"
        help_text = f"a rule is `{folder.name}/<stage>/<rule>.yaml`"
        if path.suffix != YAML[0]:
            message, help_text = f"this file is not read: its name ends in `{path.suffix}`", f"end it in `{YAML[0]}`"
        span = Span(shown_path(path), 1, 1, 1, 1)
        found.append(Diagnostic("pack/stray", (), ERROR, message, span=span, help=help_text))
    return found
