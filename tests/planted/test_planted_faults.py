"""Mistakes of every kind in rules, packs and tests: the right command says so at its place, and lets twins pass."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from kernelpath.cli import main

HERE = Path(__file__).parent
FAULTS: list[dict[str, Any]] = yaml.safe_load((HERE / "faults.yaml").read_text(encoding="utf-8"))
COMMANDS = ("test --coverage --mutate --fail-under 100", "lint", "fmt --check")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the shop, beside which commands run."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(HERE / "shop", tmp_path / "shop"))


def plant(shop: Path, fault: dict[str, Any], new: str | None) -> None:
    """Put a text in place of the one that is there once; without the one or the other, write or take away the file."""
    path = shop / fault["file"]
    if "old" not in fault:
        path.unlink() if new is None else path.write_text(new, encoding="utf-8")
        return
    text = path.read_text(encoding="utf-8")
    assert text.count(fault["old"]) == 1
    path.write_text(text.replace(fault["old"], str(new)), encoding="utf-8")


def told(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """Return a command's exit code, and what it says of the shop, a line for each finding."""
    code = main(["pack", *command.split(), "-q", "shop"])
    captured = capsys.readouterr()
    return code, (captured.out + captured.err).splitlines()


def test_there_are_forty_kinds() -> None:
    """The list is long enough, and no kind is in it twice."""
    assert len({fault["name"] for fault in FAULTS}) == len(FAULTS) >= 40


@pytest.mark.parametrize("fault", FAULTS, ids=[fault["name"] for fault in FAULTS])
def test_planted_fault_is_told_at_its_place(
    fault: dict[str, Any], shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command fails, and what it says first is this fault at its line and column."""
    plant(shop, fault, fault.get("new"))
    code, lines = told(fault["command"], capsys)
    assert (code, lines[:1]) == (fault["code"], [fault["told"]])


TWINS = [fault for fault in FAULTS if "twin" in fault]


@pytest.mark.parametrize("fault", TWINS, ids=[fault["name"] for fault in TWINS])
def test_near_twin_passes(fault: dict[str, Any], shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is nearly the fault, and right, is left alone."""
    plant(shop, fault, fault["twin"])
    assert told(fault["command"], capsys) == (0, [])


@pytest.mark.parametrize("command", COMMANDS)
def test_shop_as_it_is_passes(command: str, shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The shop itself has no fault: it is the twin of those faults that have no other."""
    assert told(command, capsys) == (0, [])
