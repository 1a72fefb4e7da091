"""Lint a pack, and put right what can be put right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

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

    Raises OSError for a file that cannot be written.
    """
    changed: dict[Path, None] = {}
    for _ in range(_MOST_ROUNDS):
        found = lint(folder)
        files = pack_texts(folder)
        fixed = apply_fixes(found, {name: text for name, (_, text) in files.items()})
        if not fixed:
            break
        for name, text in fixed.items():
            rewrite_file(files[name][0], files[name][1], text)
            changed[files[name][0]] = None
    return found, list(changed)
