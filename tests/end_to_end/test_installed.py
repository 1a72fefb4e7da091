"""The installed command works wherever one stands, whatever becomes of its cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import kernelpath.cli.demo as demo

SCRIPT = Path(sys.executable).parent / "kernelpath"
PASSES = Path(demo.__file__).parent / "passes.json"


def _run(folder: Path, cache: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "KERNELPATH_CACHE": str(cache)}
    return subprocess.run([SCRIPT, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an empty folder, far from any checkout."""
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def test_the_demo_runs_anywhere(folder: Path, tmp_path: Path) -> None:
    """The first thing that anybody runs works in an empty folder, and leaves it empty."""
    done = _run(folder, tmp_path / "cache", "demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("A manifest that may run.\n\n$ kernelpath check passes.json\npasses.json: clean, ")
    assert list(folder.iterdir()) == []


def test_the_demos_manifests_can_be_had(folder: Path, tmp_path: Path) -> None:
    """Copies of the demo's manifests are checked like the demo's own, and are never written over."""
    copied = _run(folder, tmp_path / "cache", "demo", "--copy-to", "copies")
    assert copied.stdout.splitlines() == ["copies/passes.json", "copies/fails.json", "copies/graph.json"]
    assert _run(folder, tmp_path / "cache", "check", *copied.stdout.split()).returncode == 1
    again = _run(folder, tmp_path / "cache", "demo", "--copy-to", "copies")
    assert (again.returncode, again.stdout) == (2, "")
    assert "`copies/passes.json` is there already" in again.stderr


def test_the_cache_changes_nothing_but_time(folder: Path, tmp_path: Path) -> None:
    """Without a cache, with one, with a broken one, and where none can be made, a check says the same."""
    cache = tmp_path / "cache"
    outcomes = [_run(folder, cache, "check", str(PASSES)) for _ in range(2)]
    entries = list(cache.iterdir())
    assert entries
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[:-100])
    outcomes.append(_run(folder, cache, "check", str(PASSES)))
    outcomes.append(_run(folder, PASSES, "check", str(PASSES)))
    assert {(done.returncode, done.stdout, done.stderr) for done in outcomes} == {
        (0, f"{PASSES}: clean, 8 steps over 4 layers by pack execution-v0\n", "")
    }
