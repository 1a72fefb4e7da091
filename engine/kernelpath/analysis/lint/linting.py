"""Lint a pack, and put right what can be put right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kernelpath.analysis.keeping import behaviour
from kernelpath.analysis.lint.allowances import without_allowed
from kernelpath.analysis.lint.catalogue import LINTS
from kernelpath.analysis.lint.edits import Edit, apply_edits
from kernelpath.analysis.lint.linted import LintedPack, read_linted
from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.files.writing import rewrite_file
from kernelpath.packs.files import PACK_FILE, pack_paths, read_source, shown_path

_MOST_ROUNDS = 20


def lint(folder: Path) -> list[Diagnostic]:
    """Return what the lints find in a pack's own files, in the order of files and places.

    A finding's `fix`, where it has one, holds text `edits`. Raises PackErrors where the pack cannot be used at all.
    """
    return lint_pack(read_linted(folder))


def lint_pack(pack: LintedPack) -> list[Diagnostic]:
    """Return what the lints find in a pack that is read already, in the order of files and places."""
    found = [diagnostic for each in LINTS for diagnostic in each.diagnostics(pack)]
    return sorted(without_allowed(pack, found), key=_place)


def _place(diagnostic: Diagnostic) -> tuple[bool, str, int, int, str]:
    span = diagnostic.span
    assert span is not None  # INVARIANT: a finding has a place
    return not span.file.endswith(f"/{PACK_FILE}"), span.file, span.line, span.column, diagnostic.rule


def apply_fixes(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts that fixes change, by the file names of the diagnostics, with the fixes made.

    Of fixes that touch the same stretch the first is made; lint again for the others.
    """
    chosen: dict[str, list[Edit]] = {}
    for diagnostic in diagnostics:
        edits: Sequence[Any] = diagnostic.fix.get("edits", ()) if diagnostic.fix else ()  # type: ignore[assignment]
        if edits and all(edit["file"] in texts and _is_free(edit, chosen, texts) for edit in edits):
            for edit in edits:
                chosen.setdefault(edit["file"], []).append(edit)
    return {file: apply_edits(texts[file], edits) for file, edits in chosen.items()}


def _is_free(edit: Edit, chosen: Mapping[str, list[Edit]], texts: Mapping[str, str]) -> bool:
    file = str(edit["file"])
    start, end = _stretch(edit, texts[file])
    others = (_stretch(other, texts[file]) for other in chosen.get(file, ()))
    return all(end <= other_start or other_end <= start for other_start, other_end in others)


def _stretch(edit: Mapping[str, Any], text: str) -> tuple[int, int]:
    source = Source("", text)
    return source.offset(edit["line"], edit["column"]), source.offset(edit["endLine"], edit["endColumn"])


def pack_texts(folder: Path) -> dict[str, tuple[Path, str]]:
    """Return a pack's own YAML files by the names that diagnostics give them, each with its path and text."""
    return {shown_path(path): (path, read_source(path, folder).text) for path in pack_paths(folder)}


def fix_pack(folder: Path) -> tuple[list[Diagnostic], list[Path]]:
    """Make every fix in a pack's files, again until none is left; return what remains, and the files that changed.

    A fix after which the pack, or one that extends it, could not be used, or a test would give something else, is not
    made; its finding says so. Raises OSError for a file that cannot be written.
    """
    fixing = _Fixing(folder.resolve())
    for _ in range(_MOST_ROUNDS):
        found = lint(fixing.folder)
        if not fixing.round(found):
            break
    return [fixing.told(diagnostic) for diagnostic in found], list(fixing.changed)


@dataclass(slots=True)
class _Fixing:
    """Fixes of one pack: `harmful` are those that are not made, by what they are of, with what they would break."""

    folder: Path
    changed: dict[Path, None] = field(default_factory=dict)
    harmful: dict[tuple[str, ...], str] = field(default_factory=dict)

    def round(self, found: Sequence[Diagnostic]) -> bool:
        """Make the fixes that break nothing; return whether there were any."""
        files = pack_texts(self.folder)
        texts = {name: text for name, (_, text) in files.items()}
        wanted = [each for each in found if each.fix and _name(each) not in self.harmful]
        fixed = apply_fixes(self._harmless(wanted, texts, files), texts)
        for name, text in fixed.items():
            path, before = files[name]
            rewrite_file(path, before, text)
            self.changed[path] = None
        return bool(fixed)

    def _harmless(
        self, wanted: list[Diagnostic], texts: Mapping[str, str], files: Mapping[str, tuple[Path, str]]
    ) -> list[Diagnostic]:
        """Return the findings whose fixes, made together, change nothing that the pack does."""
        if not wanted:
            return []
        before = behaviour(self.folder)
        taken: list[Diagnostic] = []
        waiting = [wanted]
        while waiting:
            more = waiting.pop()
            fixed = apply_fixes([*taken, *more], texts)
            broken = before.broken_by(behaviour(self.folder, {files[name][0]: text for name, text in fixed.items()}))
            if broken is None:
                taken += more
            elif len(more) == 1:
                self.harmful[_name(more[0])] = broken
            else:
                waiting += [more[len(more) // 2 :], more[: len(more) // 2]]
        return taken

    def told(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a finding as it is reported: one whose fix was not made says why."""
        broken = self.harmful.get(_name(diagnostic))
        return replace(diagnostic, fix=None, help=f"its fix is not made: then {broken}") if broken else diagnostic


def _name(diagnostic: Diagnostic) -> tuple[str, ...]:
    """Return what tells a finding from others of its pack, lines left out: fixes move them."""
    return diagnostic.rule, diagnostic.span.file if diagnostic.span else "", diagnostic.message
