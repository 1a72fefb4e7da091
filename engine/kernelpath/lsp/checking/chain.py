"""A pack's files as an editor holds them: its layers, the extended packs first."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from kernelpath.diagnostics import ERROR, Diagnostic
from kernelpath.lsp.texts.files import Files
from kernelpath.packs.documents import DocumentErrors, Mapping, Node
from kernelpath.packs.files import (
    MAX_CHAIN,
    PACK_FILE,
    Layer,
    PackErrors,
    RuleFile,
    _refuse_bases,
    extends_at,
)
from kernelpath.packs.folders import extended_folder
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
        """Return the layers of a pack, the extended ones first.

        Raises PackErrors where a pack.yaml cannot be read or has another shape.
        """
        read: dict[Path, Layer | PackErrors] = {}
        bases: dict[Path, tuple[Path | None, ...]] = {}
        chain = self._visited(folder, read, bases)
        layers: dict[Path, Layer] = {}
        for each in reversed(chain):
            layer = read[each]
            if isinstance(layer, PackErrors):
                raise layer
            layers[each] = layer
        _refuse_bases(folder, [], layers, bases)
        found = [fault for each in chain for fault in self._shape(layers[each])]
        if found:
            raise PackErrors(found)
        return [layers[each] for each in chain]

    def _visited(
        self, folder: Path, read: dict[Path, Layer | PackErrors], bases: dict[Path, tuple[Path | None, ...]]
    ) -> list[Path]:
        """Read a pack and those that it extends, each once; return their folders, the extended ones first."""
        if folder in read or len(read) >= MAX_CHAIN:
            return []
        try:
            layer = read[folder] = _layer(folder, self.files)
        except PackErrors as errors:
            read[folder], bases[folder] = errors, ()
            return [folder]
        bases[folder] = tuple(_base(folder, node.text, self.files) for node in extends_at(layer.root))
        before = [each for base in bases[folder] if base for each in self._visited(base, read, bases)]
        return [*before, folder]

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


def _base(folder: Path, name: str, files: Files) -> Path | None:
    """Return the folder of a pack that is extended by a name: beside the pack, shipped, or installed."""
    beside = Path(os.path.normpath(folder.parent / name))
    return beside if files.exists(beside / PACK_FILE) else extended_folder(folder, name)
