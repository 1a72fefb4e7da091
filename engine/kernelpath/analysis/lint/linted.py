"""A pack as the lints see it: its checked model beside the files that it was read from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from kernelpath.analysis.rule_text import RuleText
from kernelpath.packs import documents
from kernelpath.packs.contents import dependants
from kernelpath.packs.documents import Node, Scalar, read_yaml
from kernelpath.packs.files import (
    Layer,
    PackErrors,
    PackFiles,
    RuleFile,
    read_chain,
    read_pack_files,
    rule_source,
)
from kernelpath.packs.model import Pack
from kernelpath.packs.reading import read_pack


@dataclass(frozen=True)
class LintedRule(RuleText):
    """A rule beside its file, and whether that lies in the pack's own folder."""

    file: RuleFile
    own: bool


@dataclass(frozen=True)
class LintedPack:
    """A pack, the layers of its chain, and its rules with their files; only what the last layer holds is linted."""

    pack: Pack
    chain: tuple[Layer, ...]
    rules: tuple[LintedRule, ...]

    @cached_property
    def models(self) -> tuple[Pack, ...]:
        """The pack and those beside it that extend it: what they use of it is used."""
        return (self.pack, *(pack for pack, _ in self._dependants))

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The layers of the chain, and those of the packs beside it that extend the pack."""
        own = {layer.folder for layer in self.chain}
        beside = {layer.folder: layer for _, chain in self._dependants for layer in chain if layer.folder not in own}
        return (*self.chain, *beside.values())

    @cached_property
    def _dependants(self) -> tuple[tuple[Pack, tuple[Layer, ...]], ...]:
        return tuple(_dependants(self.layer.folder))

    @property
    def layer(self) -> Layer:
        """The pack's own files."""
        return self.chain[-1]

    @property
    def own_rules(self) -> list[LintedRule]:
        """The rules whose files lie in the pack's own folder."""
        return [text for text in self.rules if text.own]

    def section(self, name: str) -> tuple[tuple[Scalar, Node], ...]:
        """Return the entries of a section of the pack's own pack.yaml."""
        node = self.layer.root.get(name)
        return node.entries if isinstance(node, documents.Mapping) else ()


def read_linted(folder: Path) -> LintedPack:
    """Return a pack to be linted; raises PackErrors where it cannot be used at all."""
    files = read_pack_files(folder)
    chain = read_chain(files)
    read = {file.path: file for layer in chain for file in layer.rules}
    return linted(read_pack(folder, files), chain, lambda path: read_yaml(rule_source(read[path])))


def linted(pack: Pack, chain: Sequence[Layer], tree: Callable[[Path], Node | None]) -> LintedPack:
    """Return a pack as the lints see it, out of its model, its chain, and what gives the tree of a file."""
    files = {file.identity: file for layer in chain for file in layer.rules}
    own = {file.path for file in chain[-1].rules}
    texts = []
    for rule in pack.rules():
        file = files[rule.identity]
        root = tree(file.path)
        assert isinstance(root, documents.Mapping)  # INVARIANT: the file gave a rule
        texts.append(LintedRule(rule, root, file, file.path in own))
    return LintedPack(pack, tuple(chain), tuple(texts))


@lru_cache(maxsize=8)
def _read_dependant(files: PackFiles) -> tuple[Pack, tuple[Layer, ...]]:
    """Read a pack: while its files are these, it need not be read again when the other is linted again."""
    return read_pack(files.folder, files), tuple(read_chain(files))


def _dependants(folder: Path) -> Iterator[tuple[Pack, tuple[Layer, ...]]]:
    """Yield the packs beside a folder that extend its pack, directly or not; one that cannot be used says nothing."""
    for files in dependants(folder):
        try:
            yield _read_dependant(files)
        except PackErrors:
            continue
