"""A cache entry saves time and does nothing else: whatever is wrong with it or its folder, the answer is the same."""

from __future__ import annotations

import hashlib
import marshal
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import kernelpath
from kernelpath.evaluate import loading
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.question import ask
from kernelpath.packs import cache as cache_module
from kernelpath.packs import cache_folder
from kernelpath.packs.cache import DATA, ROOMS, cached
from kernelpath.packs.cache_folder import open_folder
from kernelpath.resources import resource

from .folders import BOXES, copied, written

ORDER = [{"name": "a", "size": 1, "on": "floor"}]
ANSWER = {"coats": ["red by below"], "boxes": 1}
SEAL = 32


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache folder that is in force."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("KERNELPATH_CACHE", str(folder))
    return folder


@pytest.fixture
def boxes(tmp_path: Path) -> Path:
    """Return a copy of the small pack, which no other test has loaded."""
    return copied(BOXES, tmp_path / "boxes").resolve()


def load_again(pack: Path) -> CompiledPack:
    """Load a pack as a new process does: what this one remembers is forgotten."""
    loading._loaded.cache_clear()
    return loading.load_folder(pack)


def built(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return a list to which each pack is added that is read and generated, not taken from the cache."""
    seen: list[Path] = []
    build = loading._built
    monkeypatch.setattr(loading, "_built", lambda files: seen.append(files.folder) or build(files))
    return seen


def answer(pack: CompiledPack) -> object:
    """Return what the small pack answers to an order."""
    return ask(pack, "paint", {"order": {"boxes": ORDER}}).value


def packs(cache: Path) -> list[Path]:
    """Return the entries of packs in a cache folder; entries of another kind and the key are left out."""
    return sorted(cache.glob("pack-*"))


def kept(cache: Path, boxes: Path) -> Path:
    """Load the pack, and return the entry that it was kept in."""
    load_again(boxes)
    [entry] = packs(cache)
    return entry


def test_a_pack_is_built_once(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second load takes the entry that the first one wrote, and it answers alike."""
    seen = built(monkeypatch)
    assert answer(load_again(boxes)) == answer(load_again(boxes)) == ANSWER
    assert seen == [boxes]
    assert [entry.suffix for entry in packs(cache)] == [".bin"]


def test_a_changed_file_is_another_entry(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Content counts, not dates: a changed byte builds again, a touched file does not."""
    seen = built(monkeypatch)
    load_again(boxes)
    os.utime(boxes / "pack.yaml", (1, 1))
    load_again(boxes)
    assert len(seen) == 1
    coat = (boxes / "paint" / "coat.yaml").read_text(encoding="utf-8")
    written(boxes, {"paint/coat.yaml": coat + "# more\n"})
    load_again(boxes)
    assert len(seen) == 2


def test_tests_beside_rules_do_not_count(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test file is no part of what runs."""
    seen = built(monkeypatch)
    load_again(boxes)
    written(boxes, {"paint/coat.test.yaml": "cases: []\n"})
    load_again(boxes)
    assert len(seen) == 1


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut in the seal": lambda content: content[:10],
    "cut after the seal": lambda content: content[:SEAL],
    "half written": lambda content: content[: len(content) // 2],
    "a flipped bit": lambda content: content[:-5] + bytes([content[-5] ^ 1]) + content[-4:],
    "another file": lambda content: b"not a cache entry at all" * 10,
    "longer": lambda content: content + b"\0",
    "sealed without the key": lambda content: hashlib.sha256(content[SEAL:]).digest() + content[SEAL:],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_made_again(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    """An entry that is not whole is not used, and is put right for the next time."""
    entry = kept(cache, boxes)
    entry.write_bytes(DAMAGES[damage](entry.read_bytes()))
    seen = built(monkeypatch)
    assert answer(load_again(boxes)) == answer(load_again(boxes)) == ANSWER
    assert seen == [boxes]


OTHER_VALUES: dict[str, object] = {
    "null": None,
    "a number": 5,
    "no code": ("print()", {}),
    "no data": (compile("", "", "exec"), None),
    "data of nothing": (compile("", "", "exec"), {}),
    "code that fails": (compile("1 // 0", "", "exec"), {"digest": ""}),
    "three parts": (1, 2, 3),
}


@pytest.mark.parametrize("value", OTHER_VALUES)
def test_a_sealed_entry_of_something_else(
    cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """An entry that this user's kernelpath sealed, but that is not what it should be, is made again."""
    seal(kept(cache, boxes), marshal.dumps(OTHER_VALUES[value]))
    seen = built(monkeypatch)
    assert answer(load_again(boxes)) == answer(load_again(boxes)) == ANSWER
    assert seen == [boxes]


def seal(entry: Path, payload: bytes) -> None:
    """Write an entry as the cache would."""
    folder = open_folder()
    assert folder is not None
    folder.write(entry.name, payload)
    folder.close()


def test_a_sealed_entry_that_is_no_data_at_all(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be unmarshalled is made again, too."""
    seal(kept(cache, boxes), b"\xff not marshalled")
    seen = built(monkeypatch)
    assert answer(load_again(boxes)) == answer(load_again(boxes)) == ANSWER
    assert seen == [boxes]


def test_an_entry_under_another_name(cache: Path, boxes: Path, tmp_path: Path) -> None:
    """A seal is for one name: a pack's entry cannot be put in the place of another's."""
    entry = kept(cache, boxes)
    other = copied(BOXES, tmp_path / "other").resolve()
    paint = other / "reply" / "bill.yaml"
    paint.write_text(paint.read_text(encoding="utf-8").replace("path: coats", "path: colours"), encoding="utf-8")
    load_again(other)
    [second] = set(packs(cache)) - {entry}
    second.write_bytes(entry.read_bytes())
    assert answer(load_again(other)) == {"colours": ["red by below"], "boxes": 1}


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(path.name)


IN_ITS_PLACE: dict[str, Callable[[Path], object]] = {
    "a pipe that nothing writes to": os.mkfifo,
    "a socket": _socket,
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to a pipe": lambda path: (os.mkfifo(path.with_name("pipe")), path.symlink_to("pipe")),
    "a link to nowhere": lambda path: path.symlink_to("nowhere"),
}


@pytest.mark.parametrize("place", ["entry", "key"])
@pytest.mark.parametrize("kind", IN_ITS_PLACE)
def test_what_is_not_a_file(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch, kind: str, place: str) -> None:
    """Whatever lies in the place of an entry or of the key is neither waited for nor followed, but replaced."""
    monkeypatch.chdir(cache)  # a socket's path is short
    path = kept(cache, boxes) if place == "entry" else cache / "key"
    kept(cache, boxes)
    path.unlink()
    IN_ITS_PLACE[kind](path)
    assert answer(load_again(boxes)) == ANSWER
    assert path.is_file()
    assert not path.is_symlink()


@pytest.mark.parametrize("place", ["entry", "key"])
def test_a_folder_in_the_place_of_a_file(cache: Path, boxes: Path, place: str) -> None:
    """What cannot be replaced is done without."""
    entry = kept(cache, boxes)
    path = entry if place == "entry" else cache / "key"
    path.unlink()
    path.mkdir()
    assert answer(load_again(boxes)) == ANSWER
    assert path.is_dir()
    assert not list(cache.glob("*.tmp"))


@pytest.mark.parametrize("place", ["file", "file/below", "/dev/null", "/dev/null/below", "/proc/nowhere", "a\0b"])
def test_a_cache_folder_that_cannot_be(
    tmp_path: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """A cache folder that is a file, is below one, or cannot be made costs time and nothing else."""
    (tmp_path / "file").write_text("a file", encoding="utf-8")
    folder = place if place.startswith("/") else str(tmp_path / place)
    monkeypatch.setattr(os, "environ", {**os.environ, "KERNELPATH_CACHE": folder})
    assert answer(load_again(boxes)) == ANSWER
    assert (tmp_path / "file").read_text(encoding="utf-8") == "a file"


@pytest.mark.parametrize("call", ["write", "replace", "listdir"])
def test_a_cache_folder_that_cannot_be_written(
    cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """On a disk that is full, or with a system that refuses, none is left behind half made."""
    load_again(boxes)
    for entry in packs(cache):
        entry.unlink()
    real = getattr(os, call)
    monkeypatch.setattr(cache_folder.os, call, lambda first, *rest, **named: _refuse(real, first, *rest, **named))
    assert answer(load_again(boxes)) == ANSWER
    assert not list(cache.glob("*.tmp"))


def _refuse(real: Callable[..., object], first: object, *rest: object, **named: object) -> object:
    """Refuse what is asked of the cache folder, which is open and goes by its number or by a name below it."""
    if isinstance(first, int) or named:
        raise OSError(28, "No space left on device")
    return real(first, *rest, **named)


UNSAFE = {
    "writable by the group": lambda folder: folder.chmod(0o770),
    "writable by all": lambda folder: folder.chmod(0o707),
    "a link": lambda folder: (folder.rename(folder.with_name("real")), folder.symlink_to("real")),
}
OF_ANOTHER = {"of another user": lambda folder: os.chown(folder, 1234, 1234)}


@pytest.mark.parametrize("fault", [*UNSAFE, *(OF_ANOTHER if os.geteuid() == 0 else ())])
def test_a_folder_that_is_not_the_users_alone(
    cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """A folder in which others could put something is neither read nor written."""
    entry = kept(cache, boxes)
    (UNSAFE | OF_ANOTHER)[fault](cache)
    seen = built(monkeypatch)
    assert answer(load_again(boxes)) == answer(load_again(boxes)) == ANSWER
    assert seen == [boxes, boxes]
    entry.unlink()
    load_again(boxes)
    assert packs(cache) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("name", ["entry", "key"])
def test_a_file_of_another_user(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """What another user owns is not used, and is replaced by one's own."""
    entry = kept(cache, boxes)
    path = entry if name == "entry" else cache / "key"
    os.chown(path, 1234, 1234)
    seen = built(monkeypatch)
    assert answer(load_again(boxes)) == answer(load_again(boxes)) == ANSWER
    assert (seen, path.stat().st_uid) == ([boxes], 0)


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o622])
def test_a_key_that_others_may_read(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch, mode: int) -> None:
    """A key that others could know is replaced, and what it sealed is made again."""
    kept(cache, boxes)
    (cache / "key").chmod(mode)
    before = (cache / "key").read_bytes()
    seen = built(monkeypatch)
    assert answer(load_again(boxes)) == answer(load_again(boxes)) == ANSWER
    assert seen == [boxes]
    assert (cache / "key").read_bytes() != before
    assert (cache / "key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("key", [b"", b"short", b"x" * 33])
def test_a_key_of_another_length(cache: Path, boxes: Path, key: bytes) -> None:
    """A key that is none is replaced."""
    (cache / "key").write_bytes(key)
    (cache / "key").chmod(0o600)
    kept(cache, boxes)
    assert len((cache / "key").read_bytes()) == 32


ENVIRONMENTS: dict[str, tuple[dict[str, str], str | None]] = {
    "the user's cache folder": ({"XDG_CACHE_HOME": "{}/xdg", "HOME": "{}/home"}, "xdg/kernelpath"),
    "below home": ({"HOME": "{}/home"}, "home/.cache/kernelpath"),
    "its own": ({"KERNELPATH_CACHE": "{}/own", "HOME": "{}/home"}, "own"),
    "one that is to be made": ({"KERNELPATH_CACHE": "{}/a/b/c"}, "a/b/c"),
    "a relative cache folder of the user's": ({"XDG_CACHE_HOME": "xdg", "HOME": "{}/home"}, "home/.cache/kernelpath"),
    "a relative one of its own": ({"KERNELPATH_CACHE": "own", "HOME": "{}/home"}, None),
    "no home": ({}, None),
    "an empty home": ({"HOME": "", "XDG_CACHE_HOME": "", "KERNELPATH_CACHE": ""}, None),
    "a relative home": ({"HOME": "home"}, None),
    "a home by its short name": ({"HOME": "~"}, None),
}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_where_the_cache_is(tmp_path: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch, environment: str) -> None:
    """The cache is where an absolute path says, below the user's cache folder or below home; else there is none."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    variables, expected = ENVIRONMENTS[environment]
    for name in ("KERNELPATH_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(tmp_path))
    before = set(tmp_path.rglob("*"))
    assert answer(load_again(boxes)) == ANSWER
    files = {path for path in set(tmp_path.rglob("*")) - before if path.is_file()}
    assert {path.parent for path in files} == ({tmp_path / expected} if expected else set())
    if expected:
        assert len(packs(tmp_path / expected)) == 1
        assert (tmp_path / expected).stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_home_of_another_user(tmp_path: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root in another user's home leaves nothing there that the user could not use."""
    (tmp_path / "home").mkdir()
    os.chown(tmp_path / "home", 1234, 1234)
    for name in ("KERNELPATH_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert answer(load_again(boxes)) == ANSWER
    assert list((tmp_path / "home").iterdir()) == []


def test_what_was_not_used_for_longest_is_dropped(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are never more entries than the bound, and what was used last stays."""
    monkeypatch.setattr(cache_folder, "MOST_ENTRIES", 3)
    names = [keep(cache, number, age=100 - number) for number in range(5)]
    assert {path.name for path in cache.glob("*.bin")} == set(names[2:])


def test_there_are_never_more_bytes_than_the_bound(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large entries push out as many old ones as they need room for."""
    monkeypatch.setattr(cache_folder, "MOST_BYTES", 1000)
    small = [keep(cache, number, age=100 - number, size=200) for number in range(3)]
    large = keep(cache, 3, age=1, size=700)
    assert {path.name for path in cache.glob("*.bin")} == {small[-1], large}
    keep(cache, 4, age=0, size=2000)
    assert list(cache.glob("*.bin")) == []


def test_reading_is_using(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry that is read now outlives one that was written later."""
    monkeypatch.setattr(cache_folder, "MOST_ENTRIES", 2)
    day = 86_400
    first, second = keep(cache, 0, age=9 * day), keep(cache, 1, age=5 * day)
    assert cached("some", "0", _never, len) == 0
    third = keep(cache, 2, age=0)
    assert {path.name for path in cache.glob("*.bin")} == {first, third} != {second}


def _never() -> object:
    raise AssertionError("it was in the cache")


def keep(cache: Path, number: int, age: int, size: int = 0) -> str:
    """Keep something of a size as if it were used some seconds ago; return its entry's name, dropped or not."""
    before = {path.name for path in cache.glob("*.bin")}
    real = os.replace
    made: list[str] = []

    def aged(source: str, target: str, **named: int) -> None:
        made.append(target)
        seconds = os.stat(source, dir_fd=named["src_dir_fd"]).st_mtime - age
        os.utime(source, (seconds, seconds), dir_fd=named["src_dir_fd"])
        real(source, target, **named)

    os.replace = aged  # type: ignore[assignment]
    try:
        cached("some", str(number), lambda: b"x" * size, lambda value: value)
    finally:
        os.replace = real
    assert made[0] not in before
    return made[0]


def test_what_is_not_the_caches_is_left_alone(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that others put into the folder are neither counted nor dropped; what a killed writer left is."""
    monkeypatch.setattr(cache_folder, "MOST_ENTRIES", 1)
    others = ["notes.txt", "pack-short.bin", "key", f"pack-{'z' * 40}.bin", f"pack-{'0' * 40}.yaml"]
    ours = [f"pack-{'0' * 40}.bin", f"pack-{'1' * 40}.bin.{'a' * 12}.tmp", f"key.{'b' * 12}.tmp"]
    for name in [*others[:2], *others[3:], *ours]:
        (cache / name).write_bytes(b"x")
        os.utime(cache / name, (1, 1))
    entry = keep(cache, 0, age=0)
    assert {path.name for path in cache.iterdir()} == {*others, entry}


def test_two_kinds_of_one_digest_are_apart(cache: Path) -> None:
    """Entries of several kinds do not answer for each other."""
    assert cached("first", "digest", lambda: [1], list) == [1]
    assert cached("second", "digest", lambda: [2], list) == [2]
    assert cached("first", "digest", lambda: [3], list) == [1]


def test_what_cannot_be_kept_is_made_each_time(cache: Path) -> None:
    """A value that is nested too deeply to be marshalled is used, and is no fault."""
    deep: list[object] = []
    for _ in range(10_000):
        deep = [deep]
    assert cached("deep", "digest", lambda: deep, len) == 1
    assert list(cache.glob("deep-*")) == []


LOAD = """
import sys
from pathlib import Path
from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.question import ask
sys.stdin.readline()
pack = load_folder(Path(sys.argv[1]))
print(ask(pack, "paint", {"order": {"boxes": [{"name": "a", "size": 1, "on": "floor"}]}}).value)
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
    assert answer(load_again(boxes)) == ANSWER
    assert (seen, len(packs(cache))) == ([], 1)


BUILD = """
import sys
import kernelpath as kp
from kernelpath.graph.catalog import load_presets
kp.load_pack("execution-v0"), kp.load_catalog(sys.argv[1]), load_presets()
print(*sorted(module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "kernelpath"))
"""
#: Modules that say where files are and read them, or call what builds.
NOT_MAKING = ("__init__.py", "resources.py", "api.py", "files")


def test_what_makes_entries_is_in_their_names(cache: Path, tmp_path: Path) -> None:
    """Every module that has a part in what is built, and the grammars, belong to what an entry is named after."""
    catalog = tmp_path / "mine.yaml"
    catalog.write_bytes(resource("kernels", "catalogs", "kernelpath.yaml").read_bytes())
    done = subprocess.run([sys.executable, "-c", BUILD, str(catalog)], capture_output=True, text=True, check=True)
    package = Path(kernelpath.__file__).parent
    rooms = {Path(file).relative_to(package).parts[0] for file in done.stdout.split()}
    assert rooms - set(NOT_MAKING) == set(ROOMS)


@pytest.mark.parametrize("name", [*ROOMS, *DATA])
def test_another_generator_makes_another_entry(tmp_path: Path, name: str) -> None:
    """A file of a room, or of the data, that has another size or date is another generator."""
    path = tmp_path / Path(name).name
    folder = Path(kernelpath.__file__).parent / name if name in ROOMS else resource(name)
    (shutil.copytree if folder.is_dir() else shutil.copyfile)(folder, path)
    file = next(found for found in sorted(path.rglob("*")) if found.is_file()) if path.is_dir() else path
    before = sorted(cache_module._states(str(path)))
    os.utime(file, (1, 1))
    touched = sorted(cache_module._states(str(path)))
    file.write_bytes(file.read_bytes() + b"#")
    os.utime(file, (1, 1))
    longer = sorted(cache_module._states(str(path)))
    assert len({tuple(before), tuple(touched), tuple(longer)}) == 3


def test_a_cache_that_is_only_read(cache: Path, boxes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old entry is used though its date cannot be set any more."""
    entry = kept(cache, boxes)
    os.utime(entry, (1, 1))
    monkeypatch.setattr(os, "utime", lambda *_: _refuse(lambda: None, 0))
    seen = built(monkeypatch)
    assert answer(load_again(boxes)) == ANSWER
    assert seen == []
