"""A verdict is of the files as they are: what an editor does while a pack or a catalogue is read is never kept."""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import kernelpath as kp
from kernelpath.evaluate import loading
from kernelpath.evaluate.question import ask
from kernelpath.graph import catalog
from kernelpath.packs import cache, cache_folder, contents

from .folders import BOXES, copied, written

ORDER = [{"name": "a", "size": 1, "on": "floor"}]
BILL = (BOXES / "reply" / "bill.yaml").read_text(encoding="utf-8")
OLD, NEW = BILL, BILL.replace("path: coats", "path: colours")
ANSWERS = {OLD: {"coats": ["red by below"], "boxes": 1}, NEW: {"colours": ["red by below"], "boxes": 1}}


@pytest.fixture(autouse=True)
def cache_in_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test an empty cache."""
    monkeypatch.setenv("KERNELPATH_CACHE", str(tmp_path / "cache"))


def answer(pack: Path) -> Any:
    """Return what a pack answers in a process that remembers nothing."""
    loading._loaded.cache_clear()
    contents._extended_names.cache_clear()
    return ask(loading.load_folder(pack), "paint", {"order": {"boxes": ORDER}}).value


#: Every place at which something is read, listed, digested, built or kept; an editor may act before or after each.
SEAMS: list[tuple[object, str]] = [
    (contents, "_yaml_files"),
    (contents, "read_file"),
    (contents, "_digest"),
    (contents, "extended_folder"),
    (contents, "PackFiles"),
    (loading, "read_pack_files"),
    (loading, "_built"),
    (loading, "_compiled"),
    (cache, "_dumped"),
    (cache_folder, "_write"),
]


def acting(
    monkeypatch: pytest.MonkeyPatch, seam: tuple[object, str], when: str, call: int, act: Callable[[], object]
) -> None:
    """Have an editor act at a call of a seam's function, before or after it."""
    real = getattr(*seam)
    calls = iter(range(1_000_000))

    def acted(*arguments: Any, **named: Any) -> Any:
        mine = next(calls) == call
        if mine and when == "before":
            act()
        value = real(*arguments, **named)
        if mine and when == "after":
            act()
        return value

    monkeypatch.setattr(*seam, acted)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("seam", SEAMS, ids=lambda seam: seam[1])
def test_an_editor_at_every_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seam: tuple[object, str], when: str
) -> None:
    """Whatever is changed at any step of the first load, and changed back: the next load is of what is there then."""
    boxes = copied(BOXES, tmp_path / "boxes").resolve()
    bill = boxes / "reply" / "bill.yaml"
    for call in range(6 if seam[1] == "read_file" else 1):
        bill.write_text(f"{OLD}# {call}\n", encoding="utf-8")  # another text, so that nothing is cached yet
        with monkeypatch.context() as patch:
            acting(patch, seam, when, call, lambda: bill.write_text(NEW, encoding="utf-8"))
            assert answer(boxes) in ANSWERS.values()
        bill.write_text(f"{OLD}# {call}\n", encoding="utf-8")
        assert answer(boxes) == ANSWERS[OLD]


@pytest.mark.parametrize("edit", ["a file taken away", "a file more", "another base"])
@pytest.mark.parametrize("seam", [SEAMS[0], SEAMS[1], SEAMS[4], SEAMS[6]], ids=lambda seam: seam[1])
def test_an_editor_who_moves_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seam: tuple[object, str], edit: str
) -> None:
    """The same holds for files that come and go, and for the pack that is extended; such a pack may be refused."""
    boxes = copied(BOXES, tmp_path / "boxes").resolve()
    copied(BOXES, tmp_path / "other")
    change, back = edits(boxes / "reply" / "bill.yaml")[edit]
    with monkeypatch.context() as patch, contextlib.suppress(kp.PackErrors):
        acting(patch, seam, "before", 0, change)
        assert answer(boxes) == ANSWERS[OLD]
    back()
    assert answer(boxes) == ANSWERS[OLD]


def edits(bill: Path) -> dict[str, tuple[Callable[[], object], Callable[[], object]]]:
    """Return what an editor may do to a pack, and how it is taken back."""
    more, off = bill.with_name("more.yaml"), bill.with_name("bill.off")
    pack = bill.parent.parent / "pack.yaml"
    text = pack.read_text(encoding="utf-8")
    return {
        "a file taken away": (lambda: bill.rename(off), lambda: off.rename(bill)),
        "a file more": (lambda: more.write_text("summary: ["), more.unlink),
        "another base": (lambda: pack.write_text(text + "extends: other\n"), lambda: pack.write_text(text)),
    }


def test_an_editor_in_the_extended_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same holds for the files of a pack that is extended."""
    boxes = copied(BOXES, tmp_path / "boxes").resolve()
    top = written(tmp_path / "top", {"pack.yaml": "summary: A pack.\nextends: boxes\n"}).resolve()
    bill = boxes / "reply" / "bill.yaml"
    with monkeypatch.context() as patch:
        acting(patch, (loading, "_built"), "before", 0, lambda: bill.write_text(NEW))
        assert answer(top) == ANSWERS[OLD]
    assert answer(top) == ANSWERS[NEW]
    bill.write_text(OLD)
    assert answer(top) == ANSWERS[OLD]


CATALOG = """\
kernels:
- {kernel: a.wgsl, entry: main, op: %s, variant: v, digest: %s, inputDtype: f32, outputDtype: f32, requires: [],
   bindings: [{index: 0, name: u, type: uniform}], uniforms: {size: 0, fields: []}, overrides: {}, workgroup: [1, 1, 1]}
"""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("seam", ["read_named", "_catalog", "_rows", "_kernels"])
def test_an_editor_of_a_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seam: str, when: str) -> None:
    """A catalogue that is changed while it is read, and changed back, is the one that is there."""
    old, new = (CATALOG % (op, f"'{'0' * 64}'") for op in ("attention", "cast"))
    path = tmp_path / "mine.yaml"
    path.write_text(old)
    with monkeypatch.context() as patch:
        acting(patch, (catalog, seam), when, 0, lambda: path.write_text(new))
        assert kp.load_catalog(str(path))["a.wgsl#main"].op in ("attention", "cast")
    assert kp.load_catalog(str(path))["a.wgsl#main"].op == "cast"
    path.write_text(old)
    catalog._catalog.cache_clear()
    assert kp.load_catalog(str(path))["a.wgsl#main"].op == "attention"


WORKER = """
import json, sys
from pathlib import Path
from kernelpath import PackErrors
from kernelpath.evaluate import loading
from kernelpath.evaluate.question import ask
from kernelpath.packs import contents
for line in sys.stdin:
    loading._loaded.cache_clear()
    contents._extended_names.cache_clear()
    try:
        pack = loading.load_folder(Path(sys.argv[1]))
        found = ask(pack, "paint", {"order": {"boxes": json.loads(sys.argv[2])}}).value
    except PackErrors:
        found = "refused"
    print(json.dumps(found), flush=True)
"""


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Callable[[], tuple[Callable[[], None], Callable[[], list[Any]]]]]:
    """Give what has two processes load the pack at the same time: a function that begins, and one that waits."""
    copied(BOXES, tmp_path / "boxes")
    command = [sys.executable, "-c", WORKER, str((tmp_path / "boxes").resolve()), json.dumps(ORDER)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes: list[Any] = [subprocess.Popen(command, **pipes) for _ in range(2)]

    def begin() -> None:
        for process in processes:
            process.stdin.write("load\n")
            process.stdin.flush()

    yield lambda: (begin, lambda: [json.loads(process.stdout.readline()) for process in processes])
    for process in processes:
        process.communicate()


@pytest.mark.parametrize("rounds", [5, pytest.param(200, marks=pytest.mark.exhaustive)])
def test_two_processes_and_an_editor(tmp_path: Path, workers: Any, rounds: int) -> None:
    """Two processes load a pack while an editor changes it: neither ever answers for a text that is not there."""
    begin, wait = workers()
    chance = random.Random(rounds)
    bill = tmp_path / "boxes" / "reply" / "bill.yaml"
    for number in range(rounds):
        texts = [f"{text}# {number}\n" for text in (OLD, NEW)]
        bill.write_text(texts[0], encoding="utf-8")
        stop = threading.Event()
        editor = threading.Thread(target=_edit, args=(bill, texts, stop, random.Random(chance.random())))
        editor.start()
        begin()
        meanwhile = wait()
        stop.set()
        editor.join()
        assert all(found in (*ANSWERS.values(), "refused") for found in meanwhile)  # half a text may be refused
        for text, kind in zip(texts, (OLD, NEW), strict=True):
            bill.write_text(text, encoding="utf-8")
            begin()
            assert wait() == [ANSWERS[kind]] * 2


def _edit(bill: Path, texts: list[str], stop: threading.Event, chance: random.Random) -> None:
    """Write one of the texts again and again, without a pause of any length that matters."""
    while not stop.wait(chance.random() / 1000):
        bill.write_text(chance.choice(texts), encoding="utf-8")
