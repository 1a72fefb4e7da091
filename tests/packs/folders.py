"""Copies of packs to be changed, and what is told about them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from kernelpath.diagnostics import Diagnostic
from kernelpath.packs.files import PackErrors
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource

BOXES = Path(__file__).parent / "boxes"
SHIPPED = resource("rules", "execution-v0")


def copied(source: Path, target: Path) -> Path:
    """Return a copy of a pack in a folder, without its tests."""
    return Path(shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.test.yaml")))


def written(pack: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files of a pack, by their names below its folder."""
    for name, content in files.items():
        path = pack / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return pack


def told(pack: Path) -> list[Diagnostic]:
    """Return what is wrong with a pack."""
    try:
        read_pack(pack)
    except PackErrors as errors:
        return errors.diagnostics
    return []


def underlined(pack: Path, found: Diagnostic) -> str:
    """Return a mistake as an author sees it: its file and place, the line with what is meant underlined, the words."""
    if found.span is None:
        return f"{found.message}\n" + (f"= {found.help}\n" if found.help else "")
    span = found.span
    path = pack.parent / span.file
    lines = path.read_bytes().decode("utf-8", "replace").splitlines() if path.is_file() else []
    line = lines[span.line - 1] if span.line <= len(lines) else ""
    end = span.end_column if span.end_line == span.line else len(line) + 1
    marks = " " * (span.column - 1) + "^" * max(1, min(end, 100) - span.column)
    help_text = [f"= {found.help}"] if found.help else []
    shown = line[:100].replace("\t", "→").replace("\x07", "␇")
    return "\n".join([f"{span.file}:{span.line}:{span.column}", shown, f"{marks} {found.message}", *help_text]) + "\n"
