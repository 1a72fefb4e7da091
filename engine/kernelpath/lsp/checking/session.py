"""One pack while it is being written: read after each edit, with the findings of each of its files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kernelpath.diagnostics import Diagnostic, Span
from kernelpath.language import Checked
from kernelpath.lsp.checking.chain import Chains, rule_file
from kernelpath.lsp.checking.reader import IncrementalReader, Memory
from kernelpath.lsp.symbols.occurrence import Symbol
from kernelpath.lsp.symbols.origins import cell_symbols
from kernelpath.lsp.texts.files import Files
from kernelpath.packs.documents import DocumentErrors
from kernelpath.packs.files import PACK_FILE, PackErrors
from kernelpath.packs.libraries import SHIPPED, load_modules
from kernelpath.packs.model import Pack, Rule
from kernelpath.packs.reading import set_of
from kernelpath.packs.rules import _shaped


@dataclass(frozen=True)
class Model:
    """A pack as far as it can be read, and the reader that knows its declarations."""

    reader: IncrementalReader
    pack: Pack

    @cached_property
    def origins(self) -> dict[str, Symbol]:
        """The symbols of all that every expression of the pack sees."""
        return cell_symbols(self.reader)

    def rule(self, path: Path) -> Rule | None:
        """Return the checked rule of a file, None where it has faults."""
        known = self.reader.memory.rules.get(path)
        return known[1] if known else None

    def facts(self, path: Path) -> tuple[Checked, ...]:
        """Return what holds of every item that comes to a rule, since earlier rules let it pass."""
        known = self.reader.memory.rules.get(path)
        return known[0].facts if known else ()


@dataclass(slots=True)
class PackSession:
    """Holds a pack's model and findings, and renews them on `refresh`.

    `model` is that of the last pack.yaml that had the shape of one, None before there was one: help goes on while a
    line is half written. INVARIANT: `findings` depend on the texts alone, not on the edits that led to them.
    """

    folder: Path
    files: Files
    model: Model | None = None
    findings: dict[Path, list[Diagnostic]] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)
    chains: Chains = field(init=False)

    def __post_init__(self) -> None:
        self.chains = Chains(self.files)
        load_modules(module for module in SHIPPED.values() if module)  # so that one of another library is known as that

    def refresh(self) -> None:
        """Read what changed, and find again what is wrong."""
        try:
            chain = self.chains.layers(self.folder)
        except PackErrors as errors:
            self.findings = self._sorted([*errors.diagnostics, *self._shapes()])
            return
        reader = IncrementalReader(chain, "", files=self.files, memory=self.memory)
        try:
            self.model = Model(reader, reader.read_all())
        except PackErrors as errors:
            self.findings = self._sorted(set_of(errors.diagnostics))
            return
        self.findings = self._sorted(set_of(reader.terms.diagnostics))

    def _shapes(self) -> list[Diagnostic]:
        """Return what can be said of rule files without their pack: their syntax and their shape."""
        found: list[Diagnostic] = []
        for path in self.files.rule_paths(self.folder):
            try:
                _shaped(rule_file(self.folder, path), self.files.tree(path), found)
            except DocumentErrors as errors:
                found.extend(errors.diagnostics)
        return found

    def _sorted(self, diagnostics: Iterable[Diagnostic]) -> dict[Path, list[Diagnostic]]:
        """Return the findings by file, in the order of each file; what has no place is the pack's as a whole."""
        pack = self.folder / PACK_FILE
        whole = Span(str(pack), 1, 1, 1, 1)
        findings: dict[Path, list[Diagnostic]] = {}
        for found in diagnostics:
            placed = found if found.span else found.with_span(whole)
            assert placed.span is not None
            findings.setdefault(Path(placed.span.file), []).append(placed)
        for own in findings.values():
            own.sort(key=_line_and_column)
        return findings

    def folders(self) -> list[Path]:
        """Return the folders of the pack and of those that it extends, its own last."""
        return [layer.folder for layer in self.model.reader.chain] if self.model else [self.folder]


def _line_and_column(found: Diagnostic) -> tuple[int, int, str]:
    return (found.span.line, found.span.column, found.message) if found.span else (0, 0, "")
