"""The tests beside a rule, run while they are written: by the interpreter, on the rule as it stands in the editor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kernelpath.analysis.testing import NotGiven, PackTests, TestFile, wording
from kernelpath.analysis.testing.cases import cases_of, test_schema
from kernelpath.analysis.testing.outcomes import agrees
from kernelpath.diagnostics import Diagnostic, Span
from kernelpath.lsp.checking.session import PackSession
from kernelpath.lsp.texts.files import Files
from kernelpath.packs.documents import DocumentErrors, Mapping, Node
from kernelpath.packs.files import PACK_FILE, TEST_SUFFIX
from kernelpath.packs.model import Pack, Rule
from kernelpath.packs.shape import validate


def test_of(path: Path) -> Path:
    """Return the test file that belongs beside a rule file."""
    return path.with_name(path.stem + TEST_SUFFIX)


def rule_of(path: Path) -> Path:
    """Return the rule file that a test file belongs beside."""
    return path.with_name(path.name.removesuffix(TEST_SUFFIX) + ".yaml")


@dataclass(slots=True)
class Cases:
    """Finds what is wrong with test files, and which cases differ; each is run again only after a change."""

    files: Files
    _known: dict[Path, tuple[tuple[Node, Rule | None, object], list[Diagnostic]]] = field(default_factory=dict)

    def findings(self, session: PackSession, path: Path) -> list[Diagnostic]:
        """Return what is wrong with a test file; cases are run only where their pack and rule have no faults."""
        try:
            root = self.files.tree(path)
        except DocumentErrors as errors:
            return errors.diagnostics
        rule = self._rule(session, path)
        key = (root, rule, session.memory.declarations)
        known = self._known.get(path)
        if known is None or any(a is not b for a, b in zip(known[0], key, strict=True)):
            known = self._known[path] = (key, list(self._found(session, path, root, rule)))
        return known[1]

    def _rule(self, session: PackSession, path: Path) -> Rule | None:
        """Return the rule as it stands, None where it or the pack has faults."""
        rule_path = rule_of(path)
        if session.model is None or session.findings.get(rule_path) or session.findings.get(session.folder / PACK_FILE):
            return None
        return session.model.rule(rule_path)

    def _found(self, session: PackSession, path: Path, root: Node, rule: Rule | None) -> Iterator[Diagnostic]:
        faults = validate(root, test_schema())
        yield from faults
        if not faults and not self.files.exists(rule_of(path)):
            folder = path.parent.name
            rules = {f"{rule.parent.name}/{rule.stem}": None for rule in self.files.rule_paths(session.folder)}
            name = f"{folder}/{path.name.removesuffix(TEST_SUFFIX)}"
            yield wording.told(wording.no_rule(name, rules), Span(str(path), 1, 1, 1, 1))
        if not faults and rule is not None and session.model is not None and isinstance(root, Mapping):
            yield from _run(session.model.pack, rule, path, root)


def _run(pack: Pack, rule: Rule, path: Path, root: Mapping) -> Iterator[Diagnostic]:
    cases, faults = cases_of(pack, rule, root)
    yield from faults
    tests = PackTests(pack, (TestFile(path, str(path), rule, cases, faults),))
    for case in cases:
        if case.run is not None:
            continue  # it needs the whole pack generated: that is for the command line
        try:
            actual = tests.outcome(rule, case)
            lacking = [actual.unknown[name] for name in case.expected.parts if name in actual.unknown]
            if lacking:
                raise NotGiven(lacking[0])
            if not agrees(case.expected, actual):
                yield tests.mismatch(rule, case, actual)
        except NotGiven as error:
            yield wording.told(wording.not_given(error.path), case.span)
