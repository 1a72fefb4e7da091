"""Whatever is wrong with what a command is given, there is one clear message and exit code 2, and never a traceback."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran
from kernelpath.resources import resource

Cli = Callable[..., Ran]

DOCUMENTS = {
    "[1]": "no pack recognises this document: it is a list",
    "12": "no pack recognises this document: it is a number",
    '"text"': "no pack recognises this document: it is a string",
    "null": "no pack recognises this document: it is null",
    "true": "no pack recognises this document: it is true",
    "{}": "no pack recognises this document",
    '{"modelId": "m"}': "no pack recognises this document",
    '{"inference": []}': "no pack recognises this document: its `inference` is a list",
    '{"inference": null}': "no pack recognises this document: its `inference` is null",
    "": "the file is empty",
    '{"inference": {}': "the file ends inside an object",
    '{"inference": {},}': "a comma before `}`",
    "[" * 300 + "]" * 300: "nested over 200 levels deep",
}


@pytest.mark.parametrize("text", DOCUMENTS)
def test_no_manifest(cli: Cli, folder: Path, text: str) -> None:
    """A document that is no manifest is refused, and said why, by every command that takes one."""
    (folder / "odd.json").write_text(text)
    for command in (["check"], ["compile"], ["explain", "odd.json", "s"], ["apply", "odd.json", "config.json"]):
        words = [*command, "odd.json"] if len(command) == 1 else command
        ran = cli(*words)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.split(": ", 1)[1].split("\n")[0] == DOCUMENTS[text]


def test_a_missing_file_with_a_near_name(cli: Cli) -> None:
    """A misspelt file name is answered with the one that was meant."""
    ran = cli("check", "pases.json")
    assert ran.err == (
        "error[cli/input]: there is no file `pases.json`\n  = help: did you mean `passes.json`?\n\n1 error\n"
    )


def test_a_missing_folder(cli: Cli) -> None:
    """A file in a folder that is not there is simply not there."""
    ran = cli("check", "no/such.json", "-q")
    assert (ran.code, ran.err) == (2, "-: error[cli/input]: there is no file `no/such.json`\n")


def test_a_folder(cli: Cli, folder: Path) -> None:
    """A folder is no file."""
    ran = cli("check", str(folder), "-q")
    message = f"`{folder}` cannot be read: it is a folder, not a file"
    assert (ran.code, ran.err) == (2, f"-: error[cli/input]: {message}\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(cli: Cli, folder: Path) -> None:
    """A file that may not be read is told with the system's word for it."""
    (folder / "locked.json").write_text("{}")
    (folder / "locked.json").chmod(0)
    ran = cli("check", "locked.json", "-q")
    assert (ran.code, ran.err) == (2, "-: error[cli/input]: `locked.json` cannot be read: permission denied\n")


def test_a_name_that_no_system_takes(cli: Cli) -> None:
    """A name that cannot be opened at all is a message too."""
    ran = cli("check", "a\0b", "-q")
    assert (ran.code, ran.err) == (2, "-: error[cli/input]: there is no file `a\\x00b`\n")


def test_a_binary_file(cli: Cli, folder: Path) -> None:
    """A file of bytes that are no text is refused at the first such byte."""
    (folder / "weights.bin").write_bytes(b"GGUF\x03\x00\xff\xfe")
    ran = cli("check", "weights.bin", "-q")
    assert (ran.code, ran.err) == (2, "weights.bin:1:7: error[json/encoding]: the byte `0xff` is not UTF-8\n")


def test_a_huge_file(cli: Cli, folder: Path) -> None:
    """A file beyond the limit is refused by its size, without being kept in memory as a document."""
    with (folder / "huge.json").open("wb") as file:
        file.truncate(300_000_000)
    ran = cli("check", "huge.json", "-q")
    why = "it has more than 256,000,000 bytes, the most that is read"
    assert (ran.code, ran.err) == (2, f"-: error[cli/input]: `huge.json` cannot be read: {why}\n")


def test_standard_input_twice(cli: Cli) -> None:
    """Standard input can be read once, so it can be named once."""
    message = "-: error[cli/usage]: standard input is named more than once, but it can be read only once\n"
    for words in (["check", "-", "-"], ["compile", "-", "--runtime", "-"], ["apply", "-", "-"]):
        assert cli(*words, "-q", stdin="{}") == Ran(2, "", message)


@pytest.mark.parametrize("text", ["[]", "3"])
def test_an_overlay_that_is_no_object(cli: Cli, folder: Path, text: str) -> None:
    """An overlay is an object."""
    (folder / "odd.json").write_text(text)
    ran = cli("check", "passes.json", "--runtime", "odd.json", "-q")
    assert ran.code == 2
    assert "this cannot be given beside a `manifest`: it is a" in ran.err


@pytest.mark.parametrize("number", ["-1", "1.5", "1e21", "many", "", "²"])
def test_layers_that_are_no_number(cli: Cli, number: str) -> None:
    """The number of layers is a whole number."""
    ran = cli("check", "passes.json", f"--num-layers={number}")
    assert ran.code == 2
    assert f"argument --num-layers: `{number}` is not a whole number" in ran.err


def test_more_layers_than_there_can_be(cli: Cli) -> None:
    """A number of layers beyond the limit is a finding that names the limit."""
    ran = cli("check", "passes.json", "--num-layers", "1" + "0" * 21, "-q")
    assert ran.code == 1
    assert "1e+21 layers are more than the limit of 65536" in ran.out


def test_an_unknown_pack(cli: Cli) -> None:
    """A pack that there is not is answered with those that there are."""
    ran = cli("check", "passes.json", "--pack", "execution-v9")
    assert ran.code == 2
    assert "there is no pack `execution-v9`" in ran.err
    assert "execution-v0" in ran.err


def test_an_unknown_catalogue(cli: Cli) -> None:
    """A catalogue that there is not is answered with those that there are."""
    ran = cli("kernels", "list", "--catalog", "doppler-9")
    assert ran.code == 2
    assert ran.err.startswith("error[catalog/unknown]: there is no kernel catalogue `doppler-9`\n")


def test_a_broken_pack_is_told_with_all_its_places(cli: Cli, shipped_pack: Path) -> None:
    """Every mistake in a pack is told at once, each under its line of the rule file, by whatever command."""
    gate = shipped_pack / "gate" / "schema-name.yaml"
    gate.write_text(gate.read_text().replace("inference.schema ==", "inferense.schema =="))
    flow = shipped_pack / "flow" / "src-produced.yaml"
    flow.write_text(flow.read_text().replace("held != null", "step.sorce != held"))
    for words in (["check", "passes.json"], ["pack", "show"], ["explain", "E01"], ["explain", "passes.json", "norm"]):
        ran = cli(*words, "--pack", str(shipped_pack))
        assert (ran.code, ran.out) == (2, "")
        assert "packs/execution-v0/gate/schema-name.yaml:" in ran.err
        assert "did you mean `inference`?" in ran.err
        assert "packs/execution-v0/flow/src-produced.yaml:" in ran.err


def test_an_output_that_cannot_be_written(cli: Cli) -> None:
    """A report that cannot be written is no report that was written."""
    for words in (["check", "passes.json"], ["compile", "passes.json"], ["check", "passes.json", "--format", "json"]):
        ran = cli(*words, "--output", "no/such/file")
        assert (ran.code, ran.out) == (2, "")
        assert "`no/such/file` cannot be written: no such file or directory" in ran.err


USAGE = {
    "": "usage: kernelpath COMMAND ...",
    "chekc": "kernelpath: there is no command `chekc`; did you mean `check`?",
    "frobnicate": "kernelpath: there is no command `frobnicate`; `kernelpath --help` lists the commands",
    "pack shwo": "kernelpath: there is no command `pack shwo`; did you mean `pack show`?",
    "pack": "usage: kernelpath pack ...",
    "check": "kernelpath check: error: the following arguments are required: FILE",
    "check passes.json --frmat json": "kernelpath check: error: unrecognized arguments: --frmat json",
    "check passes.json --format yaml": "kernelpath check: error: argument --format: invalid choice: 'yaml'",
    "check passes.json -q -v": "kernelpath check: error: argument -v/--verbose: not allowed with argument -q/--quiet",
}


@pytest.mark.parametrize("words", USAGE)
def test_wrong_usage(cli: Cli, words: str) -> None:
    """Wrong usage is exit code 2, with what was meant where that is clear."""
    ran = cli(*words.split())
    assert ran.code == 2
    assert USAGE[words] in ran.out + ran.err


@pytest.mark.parametrize("words", ["--help", "help", "-h", "pack --help", "pack show --help", "--version"])
def test_help_is_no_mistake(cli: Cli, words: str) -> None:
    """Whoever asks for help gets it on standard output, with exit code 0."""
    ran = cli(*words.split())
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(("usage: kernelpath", "kernelpath 0."))


@pytest.mark.parametrize("field", ["id", "op", "phase", "src", "dst", "kernel", "layers", "precision", "kvIO"])
@pytest.mark.parametrize("value", [[], {}, [[1]], 5, None])
def test_odd_steps_are_no_fault_of_fix(cli: Cli, folder: Path, field: str, value: object) -> None:
    """Whatever a member of a step is, `fix` ends with an answer."""
    manifest = json.loads((folder / "passes.json").read_text())
    manifest["inference"]["execution"]["steps"][0][field] = value
    (folder / "odd.json").write_text(json.dumps(manifest))
    assert cli("fix", "odd.json", "--trials", "50").code in (0, 1)


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"inference": []}, "this cannot be given beside a `manifest`: its `inference` is a list"),
        ({"a": 1, "inference": 5}, "this cannot be given beside a `manifest`: its `inference` is a number"),
        ({"modelId": "m", "inference": {}}, "this is a `manifest` itself, and not what is given beside one"),
    ],
)
def test_what_is_no_runtime_config(cli: Cli, folder: Path, config: object, told: str) -> None:
    """A config that would change nothing is refused: whoever gave it meant something."""
    (folder / "odd.json").write_text(json.dumps(config))
    ran = cli("check", "passes.json", "--runtime", "odd.json")
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_closed_standard_input(folder: Path) -> None:
    """What cannot be read is bad input."""
    program = "import sys; from kernelpath.cli import main; sys.exit(main(['check', '-']))"
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(program)} <&-"
    ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (2, "error[cli/input]: standard input is closed\n\n1 error\n")


#: Commands that read a file, which is named FILE.
READERS = (
    "check FILE",
    "check passes.json --runtime FILE",
    "check passes.json --waivers FILE",
    "check passes.json --catalog FILE",
    "compile FILE",
    "apply FILE overlay.json",
    "apply passes.json FILE",
    "explain FILE attend",
    "fix FILE",
    "kernels repin FILE",
    "kernels list --catalog FILE",
    "pack diff strict execution-v0 --manifests FILE*",
)
KINDS = {
    "pipe": "it is a named pipe, not a file",
    "device": "it is a device, not a file",
    "folder": "it is a folder, not a file",
    "huge": "bytes, the most that is read",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", READERS)
def test_what_is_not_a_file_or_too_large(cli: Cli, folder: Path, command: str, kind: str) -> None:
    """Whatever is named for a file is neither waited for nor read without an end: it is bad input, by what it is."""
    os.mkfifo("pipe")
    Path("device").symlink_to("/dev/zero")
    Path("folder").mkdir()
    with open("huge", "wb") as file:
        file.truncate(300_000_000)
    ran = cli(*command.replace("FILE", kind).split(), "-q")
    assert (ran.code, ran.out, KINDS[kind] in ran.err) == (2, "", True)


def test_what_a_shell_gives_for_a_command(folder: Path) -> None:
    """`<(command)` is a stream that is open already, and is read like standard input."""
    program = shlex.join([sys.executable, "-c", "import sys; from kernelpath.cli import main; sys.exit(main())"])
    command = f"{program} check <(cat passes.json) --runtime <(echo '{{\"session\":{{}}}}') --catalog <(cat catalog)"
    shutil.copy(resource("kernels", "catalogs", "doppler-0.1.7.yaml"), "catalog")
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ": clean, 8 steps over 4 layers" in ran.stdout


@pytest.mark.parametrize(
    ("words", "limit"), [("check -", "256,000,000"), ("check passes.json --waivers -", "5,000,000")]
)
def test_standard_input_without_an_end(folder: Path, words: str, limit: str) -> None:
    """What comes on standard input has the limit that a file has."""
    program = "import sys; from kernelpath.cli import main; sys.exit(main())"
    with open("/dev/zero", "rb") as endless:
        command = [sys.executable, "-c", program, *words.split(), "-q"]
        ran = subprocess.run(command, stdin=endless, capture_output=True, text=True, check=False)
    message = f"-: error[cli/input]: standard input has more than {limit} bytes, the most that is read\n"
    assert (ran.returncode, ran.stderr) == (2, message)


def test_demo_into_a_file(cli: Cli) -> None:
    """A file is no folder to copy into."""
    ran = cli("demo", "--copy-to", "passes.json")
    assert (ran.code, "`passes.json` is there already" in ran.err) == (2, True)
