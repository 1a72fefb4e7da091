"""A pack's files as an editor holds them: its layers, the extended packs first."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from kernelpath.diagnostics import ERROR, Diagnostic
from kernelpath.lsp.texts.files import Files
from kernelpath.packs.documents import DocumentErrors, Mapping, Node, Scalar
from kernelpath.packs.files import MAX_CHAIN, PACK_FILE, Layer, PackErrors, RuleFile, pack_folder, too_long
from kernelpath.packs.reading import pack_schema
from kernelpath.packs.shape import control_characters, validate


@dataclass(slots=True)
class Chains:
    """Reads layers, and checks each pack.yaml against its schema: only the sections that were not right before.

    `right` has the texts of sections that were, by their names.
    """

    files: Files
    shapes: dict[Path, tuple[Node, list[Diagnostic]]] = field(default_factory=dict)
    right: dict[str, set[str]] = field(default_factory=dict)

    def layers(self, folder: Path) -> list[Layer]:
        """Return the layers of a pack; raises PackErrors where a pack.yaml cannot be read or has another shape."""
        chain: list[Layer] = []
        current: Path | None = folder
        while current is not None:
            layer = _layer(current, self.files)
            chain.append(layer)
            current = _extended(layer, self.files, [known.folder for known in chain])
        found = [fault for layer in reversed(chain) for fault in self._shape(layer)]
        if found:
            raise PackErrors(found)
        return chain[::-1]

    def _shape(self, layer: Layer) -> list[Diagnostic]:
        known = self.shapes.get(layer.folder)
        if known is None or known[0] is not layer.root:
            known = self.shapes[layer.folder] = (layer.root, self._validated(layer.root))
        return known[1]

    def _validated(self, root: Mapping) -> list[Diagnostic]:
        texts = {key.text: root.source.text[key.start : value.end] for key, value in root.entries}
        new = [entry for entry in root.entries if texts[entry[0].text] not in self.right.get(entry[0].text, ())]
        needed = [entry for entry in root.entries if entry in new or entry[0].text in pack_schema()["required"]]
        part = Mapping(tuple(needed), root.source, root.start, root.end)
        if not _misshapen(part):
            for key, _ in new:
                self.right.setdefault(key.text, set()).add(texts[key.text])
            return []
        return _misshapen(root)


def _misshapen(root: Mapping) -> list[Diagnostic]:
    return [*validate(root, pack_schema()), *control_characters(root)]


def _layer(folder: Path, files: Files) -> Layer:
    try:
        root = files.tree(folder / PACK_FILE)
    except DocumentErrors as errors:
        raise PackErrors(errors.diagnostics) from None
    if not isinstance(root, Mapping):
        raise PackErrors([Diagnostic("pack/shape", (), ERROR, f"{PACK_FILE} must be a mapping", span=root.span)])
    rules = tuple(rule_file(folder, rule) for rule in files.rule_paths(folder))
    return Layer(folder.name, folder, root, rules)


def rule_file(folder: Path, path: Path) -> RuleFile:
    """Return a rule file's place in its pack."""
    return RuleFile(folder.name, path.parent.name, path.stem, path, str(path))


def _extended(layer: Layer, files: Files, seen: list[Path]) -> Path | None:
    node = layer.root.get("extends")
    if not isinstance(node, Scalar):
        return None
    beside = Path(os.path.normpath(layer.folder.parent / node.text))
    folder = beside if files.exists(beside / PACK_FILE) else _shipped(node)
    if folder in seen or len(seen) >= MAX_CHAIN:
        raise PackErrors([too_long([*seen, folder], node)])
    return folder


def _shipped(node: Scalar) -> Path:
    try:
        return pack_folder(node.text)
    except PackErrors as errors:
        raise PackErrors([found.with_span(node.span) for found in errors.diagnostics]) from None
