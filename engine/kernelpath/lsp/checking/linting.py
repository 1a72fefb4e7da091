"""What the lints find in a pack, for as long as the files that they found it in stay as they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from kernelpath.analysis.lint import lint_pack
from kernelpath.analysis.lint.linted import linted
from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.lsp.checking.session import PackSession
from kernelpath.lsp.texts.files import Files
from kernelpath.packs.documents import DocumentErrors

Found = dict[Path, tuple[Source, list[Diagnostic]]]


@dataclass(slots=True)
class Lints:
    """Lints packs that have no faults; a lint takes too long to be done at every key.

    INVARIANT: a finding is told only while its file's text is the one that it was found in.
    """

    files: Files
    _found: dict[Path, Found] = field(default_factory=dict)

    def run(self, session: PackSession) -> None:
        """Lint a pack as it is now."""
        clean = session.model is not None and not session.findings
        self._found[session.folder] = self._lint(session) if clean else {}

    def findings(self, folder: Path) -> dict[Path, list[Diagnostic]]:
        """Return what the last lint of a pack found in files that have not changed since."""
        return {path: own for path, (source, own) in self._found.get(folder, {}).items() if self._is(path, source)}

    def _is(self, path: Path, source: Source) -> bool:
        try:
            return self.files.source(path) is source
        except DocumentErrors:
            return False

    def _lint(self, session: PackSession) -> Found:
        assert session.model is not None
        found: Found = {}
        for finding in lint_pack(linted(session.model.pack, session.model.reader.chain, self.files.tree)):
            assert finding.span is not None  # INVARIANT: a lint has a place
            path = Path(finding.span.file)
            found.setdefault(path, (self.files.source(path), []))[1].append(finding)
        return found
