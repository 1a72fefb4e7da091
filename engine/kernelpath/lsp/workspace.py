"""All that a language server knows: open texts, the packs they belong to, and the names in each file."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.lsp.checking.cases import Cases, test_of
from kernelpath.lsp.checking.linting import Lints
from kernelpath.lsp.checking.session import Model, PackSession
from kernelpath.lsp.manifests.judging import Judge
from kernelpath.lsp.symbols.index import Index, index
from kernelpath.lsp.texts.cursor import Cursor, cursor_at
from kernelpath.lsp.texts.files import Files
from kernelpath.lsp.texts.json_tree import json_cursor, json_tree
from kernelpath.lsp.texts.recovery import recovered
from kernelpath.packs.documents import DocumentErrors, Node
from kernelpath.packs.files import PACK_FILE, TEST_SUFFIX
from kernelpath.packs.grammar import PACK, RULE, TEST

MANIFEST = "manifest"
MAX_LENGTH = 4_000_000


@dataclass
class Document:
    """One file as it is now: its kind, its text, and the pack that it belongs to."""

    path: Path
    kind: str
    source: Source
    session: PackSession | None = None

    @cached_property
    def root(self) -> Node | None:
        """The tree, or what is left of it where a line is half written; None for a text too long to help with."""
        if len(self.source.text) > MAX_LENGTH:
            return None
        return json_tree(self.source) if self.kind == MANIFEST else recovered(self.source)

    @property
    def model(self) -> Model | None:
        """The pack as far as it can be read; None where there is none."""
        return self.session.model if self.session else None

    def cursor(self, offset: int) -> Cursor:
        """Return where a cursor stands at an offset."""
        read = json_cursor if self.kind == MANIFEST else cursor_at
        return read(self.source.text, offset)


@dataclass(slots=True)
class Workspace:
    """Holds documents and packs; `refresh` after an edit makes them current.

    `shown` are the folders of the packs whose files an editor shows: their findings are published.
    """

    files: Files = field(default_factory=Files)
    sessions: dict[Path, PackSession] = field(default_factory=dict)
    shown: set[Path] = field(default_factory=set)
    judge: Judge = field(default_factory=Judge)
    cases: Cases = field(init=False)
    lints: Lints = field(init=False)
    _documents: dict[Path, Document] = field(default_factory=dict)
    _indexes: dict[Path, tuple[Source, object, Index]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.cases = Cases(self.files)
        self.lints = Lints(self.files)

    def kind(self, path: Path) -> str | None:
        """Return what kind of file a path is, None for one that is none of ours."""
        if path.suffix == ".json":
            return MANIFEST
        if path.name == PACK_FILE:
            return PACK
        if self.files.pack_of(path) is None:
            return None
        return TEST if path.name.endswith(TEST_SUFFIX) else RULE

    def session(self, folder: Path) -> PackSession:
        """Return the pack of a folder, read when it is first asked for."""
        if folder not in self.sessions:
            self.sessions[folder] = PackSession(folder, self.files)
            self.sessions[folder].refresh()
        return self.sessions[folder]

    def refresh(self, path: Path) -> None:
        """Read again what a changed file can have changed: its own pack, and the packs that extend it."""
        folder = self.files.pack_of(path)
        if folder is None:
            return
        self.shown.add(folder)
        if folder not in self.sessions:
            self.session(folder)
        for session in self.sessions.values():
            if folder in session.folders():
                session.refresh()

    def document(self, path: Path) -> Document | None:
        """Return a file as it is now; None where it cannot be read, or is none of ours."""
        kind = self.kind(path)
        if kind is None:
            return None
        try:
            source = self.files.source(path)
        except DocumentErrors:
            return None
        known = self._documents.get(path)
        if known is None or known.source is not source:
            folder = self.files.pack_of(path)
            known = self._documents[path] = Document(path, kind, source, self.session(folder) if folder else None)
        return known

    def index(self, document: Document) -> Index:
        """Return the names of a pack's file; none where no pack.yaml says what they mean."""
        model = document.model
        if model is None:
            return Index(document.path, ())
        known = self._indexes.get(document.path)
        token = model.reader.memory.declarations
        if known is None or known[0] is not document.source or known[1] is not token:
            made = index(model, document.kind, document.path, document.root)
            known = self._indexes[document.path] = (document.source, token, made)
        return known[2]

    def pack_documents(self, session: PackSession, *, tests: bool = True) -> list[Document]:
        """Return the files of a pack and of those that it extends, each pack.yaml first."""
        paths = [folder / PACK_FILE for folder in reversed(session.folders())]
        for folder in session.folders():
            paths += self.files.rule_paths(folder)
            paths += self.files.test_paths(folder) if tests else []
        return [found for path in paths if (found := self.document(path))]

    def findings(self) -> dict[Path, list[Diagnostic]]:
        """Return what is wrong with every pack that is known, with open manifests, and with tests that are looked at.

        INVARIANT: but for lints, which come later, it depends on the texts alone. A file of an extended pack that is
        known itself is told by that one.
        """
        found: dict[Path, list[Diagnostic]] = {}
        for folder in self.shown:
            for path, own in self.sessions[folder].findings.items():
                owner = self.files.pack_of(path)
                if owner == folder or owner not in self.shown:
                    found[path] = own
            for path, own in self.lints.findings(folder).items():
                found[path] = [*found.get(path, []), *own]
        for path in self.files.open:
            found |= self._open_findings(path)
        return found

    def lint(self) -> None:
        """Lint every pack whose files an editor shows."""
        for folder in self.shown:
            self.lints.run(self.sessions[folder])

    def _open_findings(self, path: Path) -> dict[Path, list[Diagnostic]]:
        """Return the findings of an open manifest, and of the tests of an open rule."""
        kind, folder = self.kind(path), self.files.pack_of(path)
        if kind == MANIFEST:
            document = self.document(path)
            is_one = document is not None and self.judge.recognised(document.root) is not None
            return {path: self.judge.findings(document.source)} if document and is_one else {}
        test = path if kind == TEST else test_of(path)
        if kind not in (TEST, RULE) or folder is None or not self.files.exists(test):
            return {}
        return {test: self.cases.findings(self.session(folder), test)}

    def close(self, path: Path) -> None:
        """Forget an editor's text; what is on disk counts again."""
        self.files.open.pop(path, None)
        self._documents.pop(path, None)
