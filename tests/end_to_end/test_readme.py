"""What the README shows is what happens. KERNELPATH_UPDATE_GOLDEN=1 rewrites the output in it."""

from __future__ import annotations

import doctest
import os
import re
import shlex
from pathlib import Path

import pytest

import kernelpath.cli.demo as demo
from kernelpath.analysis.testing import run_pack_tests
from kernelpath.cli import main

README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCK = re.compile(r"```(\w+)\n(.*?)```\n", re.DOTALL)
UPDATE = "KERNELPATH_UPDATE_GOLDEN"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder as a reader has it who did what the README says: the demo's manifests, and the pack."""
    for name in demo.MANIFESTS:
        (tmp_path / name).write_text((Path(demo.__file__).parent / name).read_text())
    for language, block in BLOCK.findall(TEXT):
        if language == "yaml":
            first, rest = block.split("\n", 1)
            _write(tmp_path / first.removeprefix("# "), rest)
            _write(tmp_path / first.removeprefix("# ").replace("my-pack", "my-broken-pack"), _broken(rest))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _broken(text: str) -> str:
    """Return the rule with a mistake that everybody makes."""
    return text.replace('step.op == "attention" and', 'step.op == "atention" and')


def test_commands_print_what_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every `$ kernelpath` in the README prints exactly what stands below it."""
    shown = [block for language, block in BLOCK.findall(TEXT) if language == "console"]
    real = []
    for block in shown:
        command = block.split("\n", 1)[0]
        main(shlex.split(command.removeprefix("$ kernelpath ")))
        captured = capsys.readouterr()
        real.append(f"{command}\n{captured.out}{captured.err}")
    if os.environ.get(UPDATE) == "1":
        _rewrite(shown, real)
    else:
        assert shown == real


def _rewrite(shown: list[str], real: list[str]) -> None:
    text = TEXT
    for old, new in zip(shown, real, strict=True):
        text = text.replace(f"```console\n{old}```", f"```console\n{new}```", 1)
    README.write_text(text, encoding="utf-8")


def test_python_gives_what_is_shown(folder: Path) -> None:
    """The Python in the README gives exactly what stands below it."""
    [block] = [block for language, block in BLOCK.findall(TEXT) if language == "python"]
    test = doctest.DocTestParser().get_doctest(block, {}, "README.md", str(README), 0)
    assert test.examples
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_the_rules_tests_pass(folder: Path) -> None:
    """The rule in the README does what its test file there says."""
    results = run_pack_tests(folder / "my-pack")
    assert [result.name for result in results.results] == [
        "the small kernel is refused in prefill",
        "a streaming kernel may run",
        "decode may attend as it likes",
    ]
    assert results.ok


@pytest.mark.parametrize("command", ["fmt --check", "lint", "test"])
def test_the_pack_is_as_its_own_tools_want_it(folder: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    """The pack in the README is in its canonical form, clean, and tested."""
    assert (main(["pack", *command.split(), "my-pack"]), capsys.readouterr().err) == (0, "")


def test_two_commands_set_it_up() -> None:
    """There are exactly two commands to copy: one to use it, one to test it."""
    commands = [block for language, block in BLOCK.findall(TEXT) if language == "sh"]
    assert commands == ["pip install . && kernelpath demo\n", "pip install '.[test]' && pytest\n"]


def test_every_place_is_there() -> None:
    """The folders and files that the README names are in the project."""
    named = re.findall(r"`((?:engine|rules|grammars|kernels|tests)/[^`]*)`", TEXT)
    assert named
    assert [name for name in named if not (README.parent / name).exists()] == []
