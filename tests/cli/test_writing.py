"""Commands that write files: on a full disk or killed in the middle, each file has its old content or its new one."""

from __future__ import annotations

import ast
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import kernelpath
from cli.conftest import Ran
from kernelpath.execute import lock
from plain_user import plain_user

Cli = Callable[..., Ran]
SHOP = Path(__file__).parent.parent / "planted" / "shop"
MAIN = [sys.executable, "-c", "import sys; from kernelpath.cli import main; sys.exit(main())"]


def fixable(folder: Path) -> str:
    """Return a manifest with one error that `fix` can put right."""
    manifest = json.loads((folder / "fails.json").read_text(encoding="utf-8"))
    inference = manifest["inference"]
    inference["sessionDefaults"]["decodeLoop"]["stopCheckMode"] = "batch"
    for step in inference["execution"]["steps"]:
        if step.get("src") == "normd":
            step["src"] = "normed"
    return json.dumps(manifest, indent=2)


@dataclass(frozen=True)
class Writer:
    """A command that writes, one of the files that it changes, and what makes it do so."""

    words: str
    file: str
    changes: tuple[str, str] = ("", "")


WRITERS = {
    "a report": Writer("check passes.json --output report.txt", "report.txt"),
    "a compiled graph": Writer("compile passes.json --output report.txt", "report.txt"),
    "fix": Writer("fix --apply fixable.json", "fixable.json"),
    "fmt": Writer("pack fmt shop", "shop/boxes/fits.yaml", ("message: box", "message:   box")),
    "lint": Writer("pack lint --fix shop", "shop/boxes/fits.yaml", ("check:", "let: {one: 1}\ncheck:")),
    "test": Writer("pack test shop --update", "shop/boxes/label.test.yaml", ("value: later", "value: first")),
    "doc": Writer("pack doc --pack shop --output pages", "pages/README.md"),
}


@pytest.fixture
def written(folder: Path) -> Path:
    """Return the folder with all that commands write over."""
    shutil.copytree(SHOP, folder / "shop")
    (folder / "fixable.json").write_text(fixable(folder), encoding="utf-8")
    (folder / "pages").mkdir()
    for name in ("report.txt", "pages/README.md"):
        (folder / name).write_text("what was there before\n", encoding="utf-8")
    for writer in WRITERS.values():
        path = folder / writer.file
        path.write_text(path.read_text(encoding="utf-8").replace(*writer.changes), encoding="utf-8")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder with their contents."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_each_of_them_writes(cli: Cli, written: Path, writer: Writer) -> None:
    """Left alone, each changes its file, and leaves nothing beside it."""
    before = contents(written)
    assert cli(*writer.words.split()).code == 0
    after = contents(written)
    assert before[writer.file] != after[writer.file]
    assert not [name for name in after if ".tmp" in name]


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
@pytest.mark.sampled(6)
def test_a_system_that_refuses(
    cli: Cli, written: Path, monkeypatch: pytest.MonkeyPatch, writer: Writer, call: str
) -> None:
    """A disk that is full is a message and exit code 2, and every file is as it was."""
    before = contents(written)
    monkeypatch.setattr(os, call, _full)
    ran = cli(*writer.words.split())
    assert (ran.code, contents(written)) == (2, before)
    message = f"error[cli/output]: `{writer.file}` cannot be written: no space left on device\n"
    assert message in ran.err.replace(f"{written}/", "")


def _full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
from kernelpath.cli import main
sys.exit(main())
"""
KILLED = """
import os, signal, sys
def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, sys.argv.pop(1), killed)
from kernelpath.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_a_limit_of_the_size_of_files(written: Path, writer: Writer) -> None:
    """A limit that the system sets stops the writing in the middle, as a full disk does."""
    before = contents(written)
    ran = subprocess.run([sys.executable, "-c", LIMITED, *writer.words.split()], capture_output=True, check=False)
    assert (ran.returncode, contents(written)) == (2, before)
    assert b"cannot be written: file too large" in ran.stderr


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
@pytest.mark.sampled(6)
def test_a_command_that_is_killed(written: Path, writer: Writer, call: str) -> None:
    """Killed when all is written and nothing replaced yet, a command leaves every file as it was."""
    environment = {**os.environ, "KERNELPATH_CACHE": "none"}  # it is not absolute, and so there is none
    before = contents(written)
    command = [sys.executable, "-c", KILLED, call, *writer.words.split()]
    ran = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert ran.returncode == -signal.SIGKILL
    assert {name: content for name, content in contents(written).items() if ".tmp" not in name} == before


@pytest.mark.parametrize(("words", "files"), [("pack new shop/boxes/more", 2), ("demo --copy-to new", 3)])
@pytest.mark.parametrize("call", range(4))
def test_new_files_come_together(
    cli: Cli, written: Path, monkeypatch: pytest.MonkeyPatch, words: str, files: int, call: int
) -> None:
    """Of files that belong together none is left if one of them cannot be written, whichever it is."""
    before = contents(written)
    calls = iter(range(100))
    real = os.fsync  # of each file, then of its folder
    monkeypatch.setattr(os, "fsync", lambda descriptor: _full() if next(calls) == call else real(descriptor))
    ran = cli(*words.split())
    if call in (0, 2):
        assert (ran.code, contents(written)) == (2, before)
        assert "cannot be written: no space left on device" in ran.err
    else:  # a folder that cannot be flushed is not a failure
        assert (ran.code, len(contents(written))) == (0, len(before) + files)


def test_pinning(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock file and the catalogue are whole, or as they were."""
    monkeypatch.setattr(lock, "lock_file", lambda: folder / "lock.yaml")
    monkeypatch.setattr(lock, "catalog_file", lambda: folder / "kernelpath.yaml")
    (folder / "lock.yaml").write_text("kernels: {}\n")
    before = contents(folder)
    monkeypatch.setattr(os, "replace", _full)
    ran = cli("kernels", "pin")
    assert (ran.code, contents(folder)) == (2, before)
    assert "cannot be written: no space left on device" in ran.err


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("locked", ["file", "folder"])
@pytest.mark.sampled(5)
def test_what_may_not_be_written(written: Path, writer: Writer, locked: str) -> None:
    """A file or a folder that its user may not write is a message and exit code 2, and stays as it is."""
    path = written / writer.file
    (path if locked == "file" else path.parent).chmod(0o555)
    before = contents(written)
    ran = subprocess.run([*MAIN, *writer.words.split()], capture_output=True, check=False, **plain_user())
    path.parent.chmod(0o755)
    assert (ran.returncode, contents(written)) == (2, before)
    assert b"cannot be written: permission denied" in ran.stderr


def test_a_reader_beside_fix(cli: Cli, written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the last moment a reader finds the manifest as it was, and then as it is to be."""
    before = (written / "fixable.json").read_bytes()
    seen = []
    real = os.replace

    def replace(*arguments: str) -> None:
        seen.append((written / "fixable.json").read_bytes())
        real(*arguments)
        seen.append((written / "fixable.json").read_bytes())

    monkeypatch.setattr(os, "replace", replace)
    assert cli("fix", "--apply", "fixable.json").code == 0
    assert seen == [before, (written / "fixable.json").read_bytes()]
    assert json.loads(seen[1]) != json.loads(before)


@pytest.mark.parametrize(
    ("words", "file"), [("fix --apply fixable.json", "fixable.json"), ("pack fmt shop", "shop/boxes/fits.yaml")]
)
def test_an_editor_who_saves_meanwhile(
    cli: Cli, written: Path, monkeypatch: pytest.MonkeyPatch, words: str, file: str
) -> None:
    """What was saved since the file was read is not lost: the command says so and writes nothing."""
    path = written / file
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (path.write_bytes(b"saved"), real(descriptor)))
    ran = cli(*words.split(), "-q")
    assert (ran.code, path.read_bytes()) == (2, b"saved")
    assert ran.err.endswith("cannot be written: it was changed meanwhile\n")


def test_a_text_that_no_file_can_have(cli: Cli, written: Path) -> None:
    """Half of a surrogate pair in a manifest stays the escape that it is, and the manifest is fixed."""
    path = written / "fixable.json"
    path.write_text(path.read_text().replace('"id": "lm_head"', '"id": "lm_\\ud800head"'), encoding="utf-8")
    assert cli("fix", "--apply", "fixable.json").code == 0
    assert '"id": "lm_\\ud800head"' in path.read_text()
    assert cli("check", "fixable.json").code == 0


def test_fix_of_a_text_in_a_value_that_it_writes(cli: Cli, written: Path) -> None:
    """Where an edit writes a step again, half of a surrogate pair in it is escaped."""
    path = written / "fixable.json"
    manifest = json.loads(path.read_text())
    step = next(step for step in manifest["inference"]["execution"]["steps"] if step["id"] == "lm_head")
    step["precision"]["note"] = "\ud800"
    path.write_text(json.dumps(manifest, indent=2))
    assert cli("fix", "--apply", "fixable.json").code == 0
    assert json.loads(path.read_text())["inference"]["execution"]["steps"]


def test_a_byte_order_mark_stays(cli: Cli, written: Path) -> None:
    """The layout of a manifest is its author's, and so is a mark before it."""
    path = written / "fixable.json"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert cli("fix", "--apply", "fixable.json").code == 0
    assert path.read_bytes().startswith(b"\xef\xbb\xbf{")
    assert cli("check", "fixable.json").code == 0


def test_a_link_stays(cli: Cli, written: Path) -> None:
    """What a link leads to is fixed, with its permissions; the link stays."""
    real = written / "real.json"
    (written / "fixable.json").rename(real)
    real.chmod(0o640)
    (written / "fixable.json").symlink_to("real.json")
    assert cli("fix", "--apply", "fixable.json").code == 0
    assert (written / "fixable.json").is_symlink()
    assert (cli("check", "real.json").code, real.stat().st_mode & 0o777) == (0, 0o640)


def test_fix_from_standard_input(cli: Cli, written: Path) -> None:
    """`fix --apply -` writes the manifest to standard output and says what it did elsewhere; no file comes to be."""
    before = contents(written)
    text = (written / "fixable.json").read_text()
    ran = cli("fix", "--apply", "-", stdin=text)
    assert (ran.code, ran.err) == (0, "-: 1 edits written\n")
    assert contents(written) == before
    assert cli("fix", "--apply", "fixable.json").code == 0
    assert ran.out == (written / "fixable.json").read_text()
    again = cli("fix", "--apply", "-", stdin=ran.out)
    assert (again.code, again.out, again.err) == (0, ran.out, "-: nothing to fix\n")


def test_fix_from_standard_input_with_a_report(cli: Cli, written: Path) -> None:
    """A report for tools goes to its file, or to standard error."""
    text = (written / "fixable.json").read_text()
    ran = cli("fix", "--apply", "-", "--format", "json", "--output", "report.json", stdin=text)
    assert (ran.code, ran.err) == (0, "")
    assert json.loads((written / "report.json").read_text())["proven"] is True
    beside = cli("fix", "--apply", "-", "--format", "json", stdin=text)
    assert (beside.out, json.loads(beside.err)["proven"]) == (ran.out, True)


def test_no_fix_of_standard_input(cli: Cli, written: Path) -> None:
    """What cannot be fixed is not passed on."""
    ran = cli("fix", "--apply", "-", "--trials", "1", stdin=(written / "fails.json").read_text())
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("no fix: ")


@pytest.mark.parametrize("device", ["/dev/null", "/dev/stdout"])
def test_a_report_to_a_device(folder: Path, device: str) -> None:
    """A device or a stream is written as it is, and stays one."""
    ran = subprocess.run([*MAIN, "check", "passes.json", "--output", device], capture_output=True, check=False)
    told = b"passes.json: clean, 8 steps over 4 layers by pack execution-v0\n"
    assert (ran.returncode, ran.stdout) == (0, told if device == "/dev/stdout" else b"")
    assert not Path("/dev/null").is_file()


def test_only_two_modules_write_files() -> None:
    """All that writes goes through what writes whole files, or is the cache."""
    found = {
        f"{path.relative_to(ENGINE)}:{node.lineno}"
        for path in ENGINE.rglob("*.py")
        if path.relative_to(ENGINE).as_posix() not in ("files/writing.py", "packs/cache_folder.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _writes(node)
    }
    assert found == set()


ENGINE = Path(kernelpath.__file__).parent
_WRITING = {"write_text", "write_bytes", "savetxt", "save", "copyfile", "copytree", "move", "rename", "touch"}


def _writes(call: ast.Call) -> bool:
    """Whether a call writes a file by what it is called: a method that only writes, or an opening for writing."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name == "open":
        return any(_is_mode(argument) for argument in [*call.args, *(keyword.value for keyword in call.keywords)])
    return isinstance(call.func, ast.Attribute) and name in _WRITING


def _is_mode(node: ast.expr) -> bool:
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and set(text) <= set("rwxab+t") and bool(set(text) & set("wxa+"))
