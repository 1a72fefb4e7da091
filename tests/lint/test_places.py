"""What the lints say of their examples, and where: the whole text that an author sees."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kernelpath.analysis.lint import LINTS, lint
from kernelpath.analysis.lint.linting import pack_texts
from kernelpath.diagnostics import Source
from kernelpath.diagnostics.render.text import render
from lint.packs import example

GOLDEN = Path(__file__).parent / "findings.txt"


def test_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each finding underlines what is meant, and says so; KERNELPATH_UPDATE_GOLDEN=1 writes the texts anew."""
    parts = []
    for each in LINTS:
        folder = tmp_path / each.code
        folder.mkdir()
        monkeypatch.chdir(folder)
        pack = example(folder, each.bad, tested=each.code != "untested-rule")
        sources = {name: Source(name, text) for name, (_, text) in pack_texts(pack).items()}
        for other in folder.glob("*"):
            sources |= {name: Source(name, text) for name, (_, text) in pack_texts(other).items()}
        parts.append(render(lint(pack), sources))
    text = "\n".join(parts)
    if os.environ.get("KERNELPATH_UPDATE_GOLDEN") == "1":
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
