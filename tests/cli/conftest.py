"""A folder with the tests' manifests in it, and a way to run commands there as a user does."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import kernelpath.cli.demo as demo
from kernelpath.cli import main
from kernelpath.resources import resource

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Ran:
    """What a command did: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder that holds copies of the demo's manifests and of the tests' own."""
    for source in [*DATA.iterdir(), *(Path(demo.__file__).parent / name for name in demo.MANIFESTS)]:
        shutil.copy(source, tmp_path / source.name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cli(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Return a function that runs a command in the folder; `stdin` is what it reads there."""

    def run(*arguments: str, stdin: str | bytes = b"") -> Ran:
        content = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        capsys.readouterr()
        code = main(arguments)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def shipped_pack(folder: Path) -> Path:
    """Return a copy of the shipped pack, without its tests, to be changed."""
    target = folder / "packs" / "execution-v0"
    shutil.copytree(resource("rules", "execution-v0"), target, ignore=shutil.ignore_patterns("*.test.yaml"))
    return target
