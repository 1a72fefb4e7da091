"""Find a pack's files: its folder, the packs that it extends, and which file each rule comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kernelpath.diagnostics import ERROR, Diagnostic, Source, Span, did_you_mean
from kernelpath.diagnostics.render.printable import printable
from kernelpath.packs.contents import (
    MAX_CHAIN,
    FileContent,
    LayerFiles,
    PackFiles,
    pack_paths,
    read_content,
    read_pack_files,
    test_paths,
)
from kernelpath.packs.documents import DocumentErrors, Mapping, Node, Scalar, Sequence, read_yaml, to_plain
from kernelpath.packs.folders import (
    DATA_SUFFIX,
    PACK_FILE,
    TEST_SUFFIX,
    YAML,
    PackErrors,
    is_pack,
    pack_folder,
    shown_path,
)
from kernelpath.resources import resource

__all__ = [
    "MAX_CHAIN",
    "PACK_FILE",
    "TEST_SUFFIX",
    "Layer",
    "PackErrors",
    "PackFiles",
    "RuleFile",
    "pack_folder",
    "pack_paths",
    "read_chain",
    "read_layer",
    "read_node",
    "read_pack_files",
    "read_plain",
    "read_source",
    "rule_files",
    "shown_path",
    "test_paths",
]


@dataclass(frozen=True, slots=True)
class RuleFile:
    """One rule file: its pack, its stage (the folder), its name (the stem), and its path as messages show it.

    `content` is the file as it was read with its pack, None where whoever lists files reads them itself.
    """

    pack: str
    stage: str
    name: str
    path: Path
    shown: str
    content: FileContent | None = field(default=None, compare=False, repr=False)

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


def read_chain(files: PackFiles) -> list[Layer]:
    """Return the pack's layers, the extended ones first; raises PackErrors, also for a cycle."""
    layers = {read.folder: read_layer(read) for read in files.layers}
    bases = {read.folder: read.bases for read in files.layers}
    _refuse_bases(files.folder, [], layers, bases)
    return [*layers.values()][::-1]


def _refuse_bases(
    folder: Path, path: list[Path], layers: dict[Path, Layer], bases: dict[Path, tuple[Path | None, ...]]
) -> None:
    """Refuse a pack to extend that does not exist, or that extends this one, or is one too many."""
    for node, base in zip(extends_at(layers[folder].root), bases[folder], strict=True):
        _refuse_base(base, [*path, folder], node, layers)
        assert base is not None
        _refuse_bases(base, [*path, folder], layers, bases)


def _refuse_base(base: Path | None, seen: list[Path], node: Scalar, layers: dict[Path, Layer]) -> None:
    if base is None:
        message = f"there is no pack `{printable(node.text)}` to extend"
        help_text = "a pack extends one beside it, or a shipped one"
        raise PackErrors([Diagnostic("pack/unknown", (), ERROR, message, span=node.span, help=help_text)])
    if base in seen or base not in layers or len(seen) >= MAX_CHAIN:
        raise PackErrors([too_long([*seen, base], node)])


def too_long(folders: list[Path], node: Scalar) -> Diagnostic:
    """Return what is wrong with a chain of packs that comes back to one of them, or has too many."""
    names = " -> ".join(path.name for path in folders)
    message = f"packs extend each other in a circle: {names}"
    if folders[-1] not in folders[:-1]:
        message = f"more than {MAX_CHAIN} packs extend each other: {names}"
    return Diagnostic("pack/extends-cycle", (), ERROR, message, span=node.span)


def extended_names(content: bytes) -> tuple[str, ...]:
    """Return the names of the packs that a pack.yaml says to extend, none if it says none or cannot be read."""
    try:
        root = read_yaml(Source(PACK_FILE, content.decode("utf-8")))
    except (UnicodeDecodeError, DocumentErrors):
        return ()
    return tuple(node.text for node in extends_at(root)) if isinstance(root, Mapping) else ()


def extends_at(root: Mapping) -> list[Scalar]:
    """Return where a pack.yaml names the packs that it extends, one alone or a list of them."""
    node = root.get("extends")
    named = node.items if isinstance(node, Sequence) else (node,)
    return [each for each in named if isinstance(each, Scalar)]


def read_source(path: Path, within: Path | None = None) -> Source:
    """Return a file as a source; raises PackErrors where it cannot be read as UTF-8 text.

    `within` is the folder that a link may not leave.
    """
    return source_of(read_content(path, within))


def source_of(file: FileContent) -> Source:
    """Return a file that was read as a source; raises PackErrors where there is no UTF-8 text."""
    shown = shown_path(file.path)
    line, column = 1, 1
    message, help_text = f"cannot be read: {file.why}", None
    if not file.why:
        try:
            return Source(shown, file.content.decode("utf-8"))
        except UnicodeDecodeError as error:
            before = Source(shown, file.content[: error.start].decode("utf-8"))
            line, column = before.position(len(before.text))
            message, help_text = f"the byte 0x{file.content[error.start]:02x} is not UTF-8", "save the file as UTF-8"
    span = Span(shown, line, column, line, column + 1)
    raise PackErrors([Diagnostic("pack/unreadable", (), ERROR, message, span=span, help=help_text)])


def rule_source(file: RuleFile) -> Source:
    """Return a rule file's text as it was read with its pack; raises PackErrors where there is none."""
    return read_source(file.path) if file.content is None else source_of(file.content)


def shown_text(shown: str) -> str | None:
    """Return the text of a pack's file by the path that messages show; None where it cannot be read.

    A link that leads out of the pack is not followed: what lies there is not the pack's to show.
    """
    for path in (Path(shown), resource("rules", shown.removeprefix("rules/"))):
        folders = (folder for folder in path.parents if is_pack(folder))
        read = read_content(path, next(folders, None))
        if not read.why:
            return read.content.decode("utf-8", "replace")
    return None


def read_node(path: Path, sharing: bool = False, within: Path | None = None) -> Node:
    """Return the tree of a YAML file; raises PackErrors with everything that is wrong with it.

    `within` is the folder that a link may not leave.
    """
    return node_of(read_content(path, within), sharing)


def node_of(file: FileContent, sharing: bool = False) -> Node:
    """Return the tree of a YAML file that was read; raises PackErrors with everything that is wrong with it."""
    try:
        return read_yaml(source_of(file), sharing)
    except DocumentErrors as errors:
        raise PackErrors(errors.diagnostics) from None


def read_plain(path: Path, sharing: bool = False) -> Any:
    """Return a YAML file's value as plain data; raises PackErrors with everything that is wrong with it."""
    return to_plain(read_node(path, sharing))


def read_layer(files: LayerFiles) -> Layer:
    """Return one pack's own files, not those of the pack that it extends."""
    root = node_of(files.root)
    if not isinstance(root, Mapping):
        raise PackErrors([Diagnostic("pack/shape", (), ERROR, f"{PACK_FILE} must be a mapping", span=root.span)])
    return Layer(files.folder.name, files.folder, with_data(root, files), tuple(rule_files(files)))


def with_data(root: Mapping, files: LayerFiles) -> Mapping:
    """Return a pack.yaml in which each constant that names a file has what is in it as its value."""
    constants = root.get("constants")
    if not isinstance(constants, Mapping):
        return root
    beside = {file.path.name: file for file in files.data}
    entries = tuple((key, _with_value(node, beside)) for key, node in constants.entries)
    made = Mapping(entries, constants.source, constants.start, constants.end)
    whole = tuple((key, made if node is constants else node) for key, node in root.entries)
    return Mapping(whole, root.source, root.start, root.end)


def _with_value(node: Node, beside: dict[str, FileContent]) -> Node:
    named = node.get("file") if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or not isinstance(named, Scalar):
        return node
    if named.text not in beside:
        near = did_you_mean(named.text, list(beside))
        help_text = f"did you mean `{near}`?" if near else f"it lies beside {PACK_FILE}, and ends in `{DATA_SUFFIX}`"
        message = f"there is no data file `{printable(named.text)}`"
        raise PackErrors([Diagnostic("pack/data", (), ERROR, message, span=named.span, help=help_text)])
    value = Scalar("value", "value", "", node.source, node.start, node.start)
    entries = (*node.entries, (value, node_of(beside[named.text])))
    return Mapping(entries, node.source, node.start, node.end)


def rule_files(files: LayerFiles) -> list[RuleFile]:
    """Return the rule files of a pack's own folder, by stage and name."""
    pack = files.folder.name
    return [
        RuleFile(pack, file.path.parent.name, file.path.stem, file.path, shown_path(file.path), file)
        for file in files.rules
    ]


def stray_files(files: LayerFiles) -> list[Diagnostic]:
    """Return what is to be said of YAML files that lie where no rule is read: an author believes them in force."""
    found = [_unread(file) for file in files.data if file.path.name not in _data_names(files)]
    for path in files.strays:
        message = "this file is not read: it lies in no stage's folder"
        help_text = f"a rule is `{files.folder.name}/<stage>/<rule>.yaml`"
        if path.suffix != YAML[0]:
            message, help_text = f"this file is not read: its name ends in `{path.suffix}`", f"end it in `{YAML[0]}`"
        span = Span(shown_path(path), 1, 1, 1, 1)
        found.append(Diagnostic("pack/stray", (), ERROR, message, span=span, help=help_text))
    return found


def _data_names(files: LayerFiles) -> set[str]:
    """Return the names of the data files that the constants of a pack.yaml name."""
    constants = node_of(files.root)
    section = constants.get("constants") if isinstance(constants, Mapping) else None
    entries = section.entries if isinstance(section, Mapping) else ()
    named = [node.get("file") for _, node in entries if isinstance(node, Mapping)]
    return {node.text for node in named if isinstance(node, Scalar)}


def _unread(file: FileContent) -> Diagnostic:
    shown = shown_path(file.path)
    message, help_text = "this data is not read: no constant names its file", f"add `file: {file.path.name}` to one"
    return Diagnostic("pack/stray", (), ERROR, message, span=Span(shown, 1, 1, 1, 1), help=help_text)
