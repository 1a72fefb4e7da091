"""What the tutorial shows is what happens. KERNELPATH_UPDATE_GOLDEN=1 rewrites the output in it."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from kernelpath.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCK = re.compile(r"```(\w+)\n(.*?)```\n", re.DOTALL)
UPDATE = "KERNELPATH_UPDATE_GOLDEN"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the files that the tutorial writes."""
    for language, block in BLOCK.findall(TEXT):
        if language in ("yaml", "json"):
            first, rest = block.split("\n", 1)
            path = tmp_path / first.removeprefix("# ")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(rest, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_commands_print_what_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every `$ kernelpath` in the tutorial prints exactly what stands below it."""
    text = TEXT
    for language, block in BLOCK.findall(TEXT):
        if language == "console":
            command = block.split("\n", 1)[0]
            main(shlex.split(command.removeprefix("$ kernelpath ")))
            captured = capsys.readouterr()
            text = text.replace(block, f"{command}\n{captured.out}{captured.err}")
    if os.environ.get(UPDATE) == "1":
        PAGE.write_text(text, encoding="utf-8")
    assert text == PAGE.read_text(encoding="utf-8"), f"{PAGE.name} differs; {UPDATE}=1 rewrites it"


@pytest.mark.parametrize("command", ["fmt --check", "lint", "test", "analyze"])
def test_the_pack_is_as_its_own_tools_want_it(folder: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    """The tutorial ends in a pack that is canonical, clean and tested, and has no dead rule."""
    assert (main(["pack", *command.split(), "recipes"]), capsys.readouterr().err) == (0, "")
