"""Write into a test file what its rule does now: where a case has an expectation already, and nothing beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from kernelpath.analysis.formatting.flow_text import flow
from kernelpath.analysis.testing.outcomes import Outcome
from kernelpath.analysis.testing.results import FAILED, CaseResult
from kernelpath.language.json_values import json_equal
from kernelpath.packs.documents import Mapping, Node, Scalar, to_plain
from kernelpath.packs.files import read_source

_MISMATCH = "test/mismatch"


@dataclass(frozen=True, slots=True)
class Update:
    """A test file as it is, and as it is with the expectations that its rule meets."""

    path: Path
    shown: str
    before: str
    after: str

    def difference(self) -> str:
        """Return what changes, as a unified diff."""
        before, after = self.before.splitlines(keepends=True), self.after.splitlines(keepends=True)
        return "".join(unified_diff(before, after, self.shown, f"{self.shown} (updated)"))


def updates(folder: Path, results: Sequence[CaseResult]) -> list[Update]:
    """Return the test files of a pack's folder with the failed cases' expectations rewritten; nothing is written."""
    by_file: dict[str, list[CaseResult]] = {}
    for result in results:
        told = {found.rule for found in result.diagnostics}
        if result.outcome == FAILED and told == {_MISMATCH} and result.given and result.given.kind != "not reached":
            by_file.setdefault(result.file, []).append(result)
    return [_update(folder, found) for found in by_file.values()]


def _update(folder: Path, results: Sequence[CaseResult]) -> Update:
    rule = results[0].rule.split("/", 1)[1]
    path = folder / f"{rule}.test.yaml"
    before = read_source(path, folder).text
    pairs = [(result.case.expect, result.given) for result in results if result.case and result.given]
    edits = [edit for node, outcome in pairs for edit in _edits(node, outcome)]
    after = before
    for start, end, text in sorted(edits, reverse=True):
        after = after[:start] + text + after[end:]
    return Update(path, results[0].file, before, after)


def _edits(node: Node, outcome: Outcome) -> Iterator[tuple[int, int, str]]:
    """Yield where a text goes: to single members where the kind of outcome stays, else to the whole expectation."""
    new = outcome.to_plain()
    if isinstance(node, Mapping) and isinstance(new, dict) and outcome.kind in node:
        for key, value in node.entries:
            if not json_equal(to_plain(value), new.get(key.text)):
                yield value.start, value.end, _written(value, new.get(key.text))
        return
    if isinstance(new, dict):
        new = {name: value for name, value in new.items() if value is not None or name == outcome.kind}
    yield node.start, node.end, _written(node, new)


def _written(node: Node, value: object) -> str:
    """Return a value on one line; a block that it takes the place of ended with a line break."""
    broken = isinstance(node, Scalar) and node.source.text[node.start : node.end].endswith("\n")
    return flow(value) + ("\n" if broken else "")
