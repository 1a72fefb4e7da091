"""What a pack does, as far as its tests and the packs beside it show: what changes none of it may be written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kernelpath.analysis.testing import CaseResult, PackTests, read_tests
from kernelpath.analysis.testing.outcomes import Outcome
from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.packs.contents import PackFiles, changed_files, dependants
from kernelpath.packs.files import PackErrors, read_pack_files, shown_path
from kernelpath.packs.model import Pack
from kernelpath.packs.reading import read_pack

#: What one case is and gave, without its place in the file.
Seen = tuple[str, ...]
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What is wrong with a pack, what its tests give, and what is wrong with each pack beside it that extends it."""

    faults: tuple[str, ...]
    cases: tuple[Seen, ...]
    others: Mapping[str, tuple[str, ...]]

    def broken_by(self, after: Behaviour) -> str | None:
        """Return what another behaviour, after a change, breaks; None if it is the same."""
        if after.faults != self.faults:
            return f"the pack could not be used: {_first(self.faults, after.faults)}"
        for name, faults in after.others.items():
            if faults != self.others.get(name):
                return f"pack `{name}` could not be used: {_first(self.others.get(name, ()), faults)}"
        if after.cases != self.cases:
            pairs = zip(self.cases, after.cases, strict=False)
            rule, name, *_ = next((old for old, new in pairs if old != new), ("", "another"))
            return f"case `{name}` of `{rule}` would not give what it gives"
        return None


def _first(before: Sequence[str], after: Sequence[str]) -> str:
    """Return the first new fault, or an old one that is gone."""
    new = [message for message in after if message not in before] or [*after, *before]
    return new[0]


def behaviour(folder: Path, changes: Mapping[Path, str] | None = None) -> Behaviour:
    """Return what a pack does with some of its files changed; nothing is written.

    Raises PackErrors where its files cannot be listed.
    """
    contents = {path: text.encode() for path, text in (changes or {}).items()}
    files = changed_files(read_pack_files(folder), contents)
    others = {other.folder.name: _faults(changed_files(other, contents))[1] for other in dependants(folder)}
    pack, faults = _faults(files)
    cases = tuple(_cases(pack, folder, changes or {})) if pack else ()
    return Behaviour(faults, cases, others)


def _faults(files: PackFiles) -> tuple[Pack | None, tuple[str, ...]]:
    try:
        pack = read_pack(files.folder, files)
    except PackErrors as errors:
        return None, _messages(errors.diagnostics)
    return pack, ()


def _messages(found: Sequence[Diagnostic]) -> tuple[str, ...]:
    """Return what findings say, lines left out: a change may well move them."""
    return tuple(sorted(_NUMBER.sub("#", diagnostic.message) for diagnostic in found))


def _cases(pack: Pack, folder: Path, changes: Mapping[Path, str]) -> Iterator[Seen]:
    sources = {path: Source(shown_path(path), text) for path, text in changes.items()}
    for result in PackTests(pack, tuple(read_tests(pack, folder, sources))).run():
        yield _seen(result)


def _seen(result: CaseResult) -> Seen:
    told = _messages(result.diagnostics)
    expected = _whole(result.case.expected) if result.case else result.expected
    actual = _whole(result.given) if result.given else result.actual
    return (result.rule, result.name or result.file, result.outcome, expected, actual, *told)


def _whole(outcome: Outcome) -> str:
    """Return an outcome in full; the order in which a test file says its parts does not matter."""
    return outcome.kind + json.dumps(outcome.to_plain(), sort_keys=True, default=str)
