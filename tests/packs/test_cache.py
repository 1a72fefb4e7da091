"""A cache entry saves time and does nothing else: whatever is wrong with it or its folder, the answer is the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kernelpath.evaluate import loading
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.program import run_program
from kernelpath.packs.cache import cached

from .folders import BOXES, copied, written

ORDER = [{"name": "a", "size": 1, "on": "floor"}]
ANSWER = {"coats": ["red by below"], "boxes": 1}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache folder that is in force."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("KERNELPATH_CACHE", str(folder))
    return folder


@pytest.fixture
def boxes(tmp_path: Path) -> Path:
    """Return a copy of the small pack, which no other test has loaded."""
    return copied(BOXES, tmp_path / "boxes").resolve()


def load_anew(pack: Path) -> CompiledPack:
    """Load a pack as a new process does: what this one remembers is forgotten."""
    loading._loaded.cache_clear()
    return loading.load_folder(pack)


def built(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return a list to which each pack is added that is read and generated, not taken from the cache."""
    seen: list[Path] = []
    build = loading._built
    monkeypatch.setattr(loading, "_built", lambda folder: seen.append(folder) or build(folder))
    return seen


def answer(pack: CompiledPack) -> object:
    """Return what the small pack answers to an order."""
    return run_program(pack, "paint", {"ordered": ORDER}).value


def test_a_pack_is_built_once(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second load takes the entry that the first one wrote, and it answers alike."""
    seen = built(monkeypatch)
    assert answer(load_anew(boxes)) == answer(load_anew(boxes)) == ANSWER
    assert seen == [boxes]
    assert [entry.suffix for entry in cache.iterdir()] == [".bin"]


def test_a_changed_file_is_another_entry(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Content counts, not dates: a changed byte builds anew, a touched file does not."""
    seen = built(monkeypatch)
    load_anew(boxes)
    os.utime(boxes / "pack.yaml", (1, 1))
    load_anew(boxes)
    assert len(seen) == 1
    coat = (boxes / "paint" / "coat.yaml").read_text(encoding="utf-8")
    written(boxes, {"paint/coat.yaml": coat + "# more\n"})
    load_anew(boxes)
    assert len(seen) == 2


def test_tests_beside_rules_do_not_count(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test file is no part of what runs."""
    seen = built(monkeypatch)
    load_anew(boxes)
    written(boxes, {"paint/coat.test.yaml": "cases: []\n"})
    load_anew(boxes)
    assert len(seen) == 1


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut in the seal": lambda content: content[:10],
    "half written": lambda content: content[: len(content) // 2],
    "a flipped bit": lambda content: content[:-5] + bytes([content[-5] ^ 1]) + content[-4:],
    "another file": lambda content: b"not a cache entry at all" * 10,
    "longer": lambda content: content + b"\0",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_made_again(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    """An entry that is not whole is not used, and is put right for the next time."""
    load_anew(boxes)
    [entry] = cache.iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(DAMAGES[damage](whole))
    seen = built(monkeypatch)
    assert answer(load_anew(boxes)) == ANSWER
    assert (seen, entry.read_bytes()) == ([boxes], whole)


def test_a_folder_in_the_place_of_an_entry(cache: Path, boxes: Path) -> None:
    """What cannot be replaced is done without."""
    load_anew(boxes)
    [entry] = cache.iterdir()
    entry.unlink()
    entry.mkdir()
    assert answer(load_anew(boxes)) == ANSWER
    assert [path.name for path in cache.iterdir()] == [entry.name]


@pytest.mark.parametrize("place", ["file", "file/below", "/dev/null", "/dev/null/below", "/proc/nowhere"])
def test_a_cache_folder_that_cannot_be(
    tmp_path: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """A cache folder that is a file, is below one, or cannot be made costs time and nothing else."""
    (tmp_path / "file").write_text("a file", encoding="utf-8")
    monkeypatch.setenv("KERNELPATH_CACHE", place if place.startswith("/") else str(tmp_path / place))
    assert answer(load_anew(boxes)) == ANSWER
    assert (tmp_path / "file").read_text(encoding="utf-8") == "a file"


def test_a_cache_folder_that_cannot_be_written(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no file may be made, none is left behind half made."""
    cache.mkdir()
    monkeypatch.setattr(Path, "write_bytes", _refuse)
    assert answer(load_anew(boxes)) == ANSWER
    assert list(cache.iterdir()) == []


def _refuse(path: Path, content: bytes) -> int:
    raise PermissionError(13, "Permission denied", str(path))


def test_the_cache_folder_by_default(tmp_path: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder of its own the cache is below the user's cache folder, else below home."""
    monkeypatch.delenv("KERNELPATH_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    load_anew(boxes)
    assert len(list((tmp_path / "xdg" / "kernelpath").iterdir())) == 1
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    load_anew(boxes)
    assert len(list((tmp_path / "home" / ".cache" / "kernelpath").iterdir())) == 1


def test_two_kinds_of_one_digest_are_apart(cache: Path) -> None:
    """Entries of several kinds do not answer for each other."""
    assert cached("first", "digest", lambda: [1]) == [1]
    assert cached("second", "digest", lambda: [2]) == [2]
    assert cached("first", "digest", lambda: [3]) == [1]


LOAD = """
import sys
from pathlib import Path
from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.program import run_program
sys.stdin.readline()
pack = load_folder(Path(sys.argv[1]))
print(run_program(pack, "paint", {"ordered": [{"name": "a", "size": 1, "on": "floor"}]}).value)
"""


def test_two_processes_at_once(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that build one pack at the same time do not disturb each other, and leave one whole entry."""
    command = [sys.executable, "-c", LOAD, str(boxes)]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate()[0].strip() for process in processes]
    assert outputs == [str(ANSWER)] * 3
    seen = built(monkeypatch)
    assert answer(load_anew(boxes)) == ANSWER
    assert (seen, len(list(cache.iterdir()))) == ([], 1)
