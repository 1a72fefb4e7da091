"""Whatever happens, a command ends with an exit code that means something, and quietly."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import kernelpath.cli.check
from cli.conftest import Ran
from kernelpath.cli import main
from kernelpath.cli.commands import COMMANDS

Cli = Callable[..., Ran]
COMMAND = [sys.executable, "-c", "import sys; from kernelpath.cli import main; sys.exit(main())"]


def test_every_command_is_listed_and_can_be_asked(cli: Cli) -> None:
    """Help lists every command, and each says what it takes."""
    listed = cli("--help").out
    for name, (_, summary) in COMMANDS.items():
        assert f"  {name} " in listed
        assert summary in listed
        ran = cli(*name.split(" "), "--help")
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith(f"usage: kernelpath {name} ")


def _fail(options: object) -> int:
    raise RuntimeError("the roof\nis on fire")


def test_a_fault_of_ours(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected exception is told in one line that blames us and says where, with exit code 3."""
    monkeypatch.setattr(kernelpath.cli.check, "run", _fail)
    ran = cli("check", "passes.json")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("kernelpath: this is a bug of kernelpath, not of your files: RuntimeError: the roof (at ")
    assert ran.err.endswith("; -v shows more\n")
    assert ran.err.count("\n") == 1


def test_a_fault_of_ours_in_full(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """With -v the traceback is there for the report."""
    monkeypatch.setattr(kernelpath.cli.check, "run", _fail)
    ran = cli("check", "passes.json", "-v")
    assert ran.code == 3
    assert "Traceback (most recent call last):" in ran.err


def test_an_interruption(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends a command without a traceback."""

    def interrupt(options: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(kernelpath.cli.check, "run", interrupt)
    assert cli("check", "passes.json") == Ran(130, "", "")


def test_a_reader_that_leaves(folder: Path) -> None:
    """A pipe whose reader has gone neither changes the verdict nor gives a word on standard error."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*COMMAND, "check", "fails.json"], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk(folder: Path) -> None:
    """Output that cannot be written is told once, with exit code 2."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, "check", "passes.json"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr == b"error[cli/output]: the output cannot be written: no space left on device\n\n1 error\n"


def test_a_terminal_without_unicode(folder: Path) -> None:
    """A terminal that takes ASCII alone gets escapes, not a fault."""
    text = (folder / "fails.json").read_text().replace("normd", "nörmd")
    (folder / "fails.json").write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    done = subprocess.run([*COMMAND, "check", "fails.json"], capture_output=True, env=environment, check=False)
    assert done.returncode == 1
    assert b"step `attend` reads slot `n\\xf6rmd` before it is produced" in done.stdout


@pytest.mark.parametrize(("setting", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colour_on_a_terminal(folder: Path, setting: dict[str, str], coloured: bool) -> None:
    """Findings are coloured on a terminal, unless its owner wants none."""
    pty = pytest.importorskip("pty")
    controller, terminal = pty.openpty()
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment = {**plain, "TERM": "xterm", **setting}
    done = subprocess.run([*COMMAND, "check", "fails.json"], stdout=terminal, env=environment, check=False)
    os.close(terminal)
    shown = os.read(controller, 100_000)
    os.close(controller)
    assert done.returncode == 1
    assert (b"\x1b[1;31merror" in shown) is coloured


def test_no_colour_elsewhere(cli: Cli) -> None:
    """What goes to a file or a pipe has no colours in it."""
    assert "\x1b" not in cli("check", "fails.json").out


def test_a_check_loads_little(folder: Path) -> None:
    """A check of a clean manifest with a cached pack loads neither what reads packs nor any library."""
    program = (
        "import sys; from kernelpath.cli import main; main(['check', 'passes.json']); main(['check', 'passes.json']);"
        "print(sorted(sys.modules.keys() & set(sys.argv[1:])))"
    )
    unwanted = ["yaml", "lark", "jsonschema", "numpy", "wgpu", "shutil", "difflib", "traceback", "importlib.metadata"]
    unwanted += ["kernelpath.packs.reading", "kernelpath.language.parser", "kernelpath.cli.explain"]
    subprocess.run([*COMMAND, "check", "passes.json"], check=True, capture_output=True)  # fills the cache
    done = subprocess.run([sys.executable, "-c", program, *unwanted], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


#: Commands with what becomes of their streams, and the exit code: the verdict, or 2 where what was asked for is lost.
STREAMS = {
    "--help >&-": 0,
    "--help >/dev/full": 2,
    "--version >&-": 0,
    "--version >/dev/full": 2,
    "check --help >/dev/full": 2,
    "check --help >&- 2>&-": 0,
    "pack --help >/dev/full": 2,
    "demo >&-": 0,
    "demo >/dev/full": 2,
    "demo --copy-to new >/dev/full": 2,
    "check passes.json >&-": 0,
    "check fails.json >&-": 1,
    "check fails.json >&- 2>&-": 1,
    "check fails.json >/dev/full": 2,
    "check fails.json >/dev/full 2>/dev/full": 2,
    "check fails.json >/dev/full 2>&-": 2,
    "check nosuch.json 2>&-": 2,
    "check nosuch.json 2>/dev/full": 2,
    "check nosuch.json --format json >/dev/full 2>/dev/full": 2,
    "check --nope 2>&-": 2,
    "check --nope 2>/dev/full": 2,
    "nope 2>&-": 2,
    "nope 2>/dev/full": 2,
    "2>&-": 2,
    ">/dev/full": 2,
    "check - <&-": 2,
    "check passes.json --waivers - <&-": 2,
    "lsp <&-": 2,
    "lsp >&-": 2,
    "lsp <&- 2>&-": 2,
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", STREAMS)
def test_streams_that_are_closed_or_full(folder: Path, words: str) -> None:
    """Whatever becomes of its streams, a command ends with a code that means something, and never blames itself."""
    command = f"{shlex.join(COMMAND)} {words}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, "bug" in done.stderr, "Exception ignored" in done.stderr) == (STREAMS[words], False, False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("stream", [None, "/dev/full"])
def test_a_fault_of_ours_that_cannot_be_told(cli: Cli, monkeypatch: pytest.MonkeyPatch, stream: str | None) -> None:
    """A fault has its exit code though nothing can be said of it."""
    monkeypatch.setattr(kernelpath.cli.check, "run", _fail)
    with open(stream or os.devnull, "w") as opened:
        monkeypatch.setattr(sys, "stderr", opened if stream else None)
        assert main(["check", "passes.json"]) == 3


def test_output_that_is_held_back(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written only at the end, and cannot be, is told."""

    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(28, "No space left on device")

        def fileno(self) -> int:
            return os.open(os.devnull, os.O_WRONLY)

    monkeypatch.setattr(kernelpath.cli.check, "run", lambda options: 0)
    monkeypatch.setattr(sys, "stdout", Full())
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    assert main(["check", "passes.json"]) == 2
    assert errors.getvalue() == "error[cli/output]: the output cannot be written: no space left on device\n\n1 error\n"
