"""Whatever is in the files that a command reads, it ends with a verdict or says what is wrong with them: never exit 3.

Each file of one kind is spoilt in turn, by a seed, and given to a command that reads it. More seeds:
`python tests/fuzz/test_any_command.py KIND|all|words FIRST COUNT` prints those that end otherwise.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.files import KINDS, OPTIONS, VALUES, Kind, written
from kernelpath.cli import main
from kernelpath.cli.commands import COMMANDS

SEEDS = 40
FOUND = (0, 1, 2)
#: Options with which a command may have nothing to write.
SILENT = ("-q", "--diff", "--format github")


class Fault(AssertionError):
    """A command that ended otherwise than with a verdict or a refusal."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a working folder with one of each kind of file, and a cache of its own."""
    folder = written(tmp_path_factory.mktemp("any"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERNELPATH_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.chdir(folder)
        yield folder


def attempt(folder: Path, kind: Kind, seed: int) -> None:
    """Spoil one file of a kind, run a command on it, and put the file back as it was; raises Fault."""
    chance = random.Random(seed)
    name = kind.files[seed % len(kind.files)]
    command = kind.commands[seed // len(kind.files) % len(kind.commands)].replace("FILE", name)
    path = folder / name
    good = path.read_bytes()
    spoilt = chance.choice(kind.spoils)(chance, good)
    path.write_bytes(spoilt)
    try:
        code, output = ran(command.split())
        left = path.read_bytes()
    finally:
        path.write_bytes(good)
    if code not in FOUND:
        raise Fault(f"seed {seed}: `kernelpath {command}` ends with {code}:\n{output[-2000:]}")
    if left != spoilt:
        raise Fault(f"seed {seed}: `kernelpath {command}` changed what it was to read")
    if not output and not any(option in command for option in SILENT):
        raise Fault(f"seed {seed}: `kernelpath {command}` says nothing")


def ran(words: Sequence[str]) -> tuple[int, str]:
    """Return the exit code of a command that gets nothing by standard input, and what it wrote."""
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    given, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO())
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = main(words)
            output.flush()
    finally:
        sys.stdin = given
    return code, output.buffer.getvalue().decode("utf-8", "replace")  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sampled(4)
def test_a_spoilt_file(folder: Path, kind: str) -> None:
    """A few seeds for each file and command."""
    some = max(SEEDS, len(KINDS[kind].files) * len(KINDS[kind].commands))
    for seed in range(some):
        attempt(folder, KINDS[kind], seed)


#: Commands that may be given any words: none writes beside the working folder, or waits for an editor.
NAMES = sorted(COMMANDS.keys() - {"lsp", "kernels pin", "bench", "kernels verify"})


def attempt_words(folder: Path, seed: int) -> None:
    """Give a command any words, in a folder of its own; raises Fault."""
    chance = random.Random(seed)
    words = chance.choice(NAMES).split()
    for _ in range(chance.randint(0, 5)):
        words.append(chance.choice(OPTIONS if chance.random() < 0.4 else VALUES))
    if words[0] == "run":
        words += ["--backend", "numpy"]
    code, output = ran(words)
    if code not in FOUND:
        raise Fault(f"seed {seed}: `kernelpath {words}` ends with {code}:\n{output[-2000:]}")


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder that commands may write into."""
    monkeypatch.setenv("KERNELPATH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "files").mkdir()
    monkeypatch.chdir(tmp_path / "files")
    return written(tmp_path / "files")


def test_any_words(own_folder: Path) -> None:
    """Options and values that do not fit together, or do not exist, are refused."""
    for seed in range(150):
        attempt_words(own_folder, seed)


def faults(folder: Path, kind: Kind | None, seeds: range, say: Callable[[str], None]) -> int:
    """Return how many of the seeds end in a fault; each is said."""
    count = 0
    for seed in seeds:
        try:
            attempt(folder, kind, seed) if kind else attempt_words(folder, seed)
        except Fault as fault:
            count += 1
            say(str(fault))
    return count


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        os.environ["KERNELPATH_CACHE"] = str(Path(place, "cache"))
        Path(place, "files").mkdir()
        files = written(Path(place, "files"))
        os.chdir(files)
        first, many = int(sys.argv[2]), int(sys.argv[3])
        kinds = [KINDS.get(sys.argv[1])] if sys.argv[1] != "all" else list(KINDS.values())
        print(sum(faults(files, kind, range(first, first + many), print) for kind in kinds), "faults")
