"""What nothing looked at is never a success: exit code 2, what was recognised, and what would have been judged."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.conftest import Ran
from kernelpath.cli.commands import COMMANDS
from plain_user import plain_user

COMMAND = [sys.executable, "-c", "import sys; from kernelpath.cli import main; sys.exit(main())"]
Cli = Callable[..., Ran]
PACKS = ("execution-v0", "execution-v0-0.1.5", "strict")
JUDGES = "judges an execution graph, which is a list of steps under `execution.steps`, of schema `doppler.execution/v0`"

#: What becomes of the demo's manifest that passes, what is then said of it, and what it was taken for.
ODD: dict[str, tuple[Callable[[dict[str, Any]], Any], str, str]] = {
    "another generation": (
        lambda section: section | {"schema": "doppler.execution/v1", "execution": {"kernels": {}, "decode": []}},
        "its schema is `doppler.execution/v1`, not `doppler.execution/v0`",
        "",
    ),
    "a schema that is no text": (
        lambda section: section | {"schema": 1, "execution": {}},
        "its schema is a number, not `doppler.execution/v0`",
        "",
    ),
    "step": (
        lambda section: section | {"execution": {"step": section["execution"]["steps"]}},
        "`execution` has `step` and no `steps`",
        "steps",
    ),
    "Steps": (
        lambda section: section | {"execution": {"Steps": []}},
        "`execution` has `Steps` and no `steps`",
        "steps",
    ),
    "executon": (
        lambda section: _renamed(section, "execution", "executon"),
        "the section has `executon` and no `execution`",
        "execution",
    ),
    "Execution": (
        lambda section: _renamed(section, "execution", "Execution"),
        "the section has `Execution` and no `execution`",
        "execution",
    ),
    "no execution": (
        lambda section: {"schema": section["schema"], "defaultKernelPath": "a"},
        "the section has no `execution`, only `schema`, `defaultKernelPath`",
        "",
    ),
    "an empty section": (lambda section: {}, "the section has no `execution`, and no other member", ""),
    "an execution without members": (
        lambda section: section | {"execution": {}},
        "`execution` has no `steps`, and no other member",
        "",
    ),
    "an execution of other members": (
        lambda section: section | {"execution": {"policies": {}, "nodes": []}},
        "`execution` has no `steps`, only `policies`, `nodes`",
        "",
    ),
    "a list": (lambda section: section | {"execution": []}, "`execution` is a list, not an object", ""),
    "a text": (lambda section: section | {"execution": "x"}, "`execution` is a string, not an object", ""),
    "null": (lambda section: section | {"execution": None}, "`execution` is null, not an object", ""),
    "steps by name": (
        lambda section: section | {"execution": {"steps": {"0": {}}}},
        "`execution.steps` is an object, not a list",
        "",
    ),
    "no steps": (lambda section: section | {"execution": {"steps": []}}, "`execution.steps` is empty", ""),
}


def _renamed(section: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if name == old else name: value for name, value in section.items()}


def _written(folder: Path, name: str, whole: bool) -> None:
    manifest = json.loads((folder / "passes.json").read_text())
    section = ODD[name][0](manifest["inference"])
    (folder / "odd.json").write_text(json.dumps({**manifest, "inference": section} if whole else section, indent=2))


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("name", ODD)
@pytest.mark.sampled(12)
def test_what_is_in_the_place_of_a_graph(cli: Cli, folder: Path, name: str, pack: str) -> None:
    """It is said in every command that judges manifests, by every shipped pack, and none takes it for a pass."""
    _written(folder, name, whole=True)
    _, found, meant = ODD[name]
    message = f"error[cli/not-judged]: nothing was judged: {found}\n"
    help_text = (f"did you mean `{meant}`? " if meant else "") + f"pack `{pack}` {JUDGES}"
    for words in (["check"], ["compile"], ["compile", "--plan"], ["fix"]):
        ran = cli(*words, "odd.json", "--pack", pack)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(message)
        assert f"  = help: {help_text}\n" in ran.err
    (folder / "config.json").write_text('{"inference": {"session": {}}}')
    for words in (["apply", "odd.json", "config.json"], ["check", "odd.json", "--runtime", "config.json"]):
        ran = cli(*words, "--pack", pack)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(message)


@pytest.mark.parametrize("name", ODD)
def test_steps_of_what_has_none(cli: Cli, folder: Path, name: str) -> None:
    """Whoever asks why a step is as it is reads why there is none."""
    _written(folder, name, whole=True)
    ran = cli("explain", "odd.json", "norm", "-q", "--pack", "execution-v0")
    assert (ran.code, ran.out) == (2, "")
    assert f"error[cli/not-judged]: nothing was judged: {ODD[name][1]}\n" in ran.err


@pytest.mark.parametrize("name", [name for name in ODD if name != "an empty section"])
def test_a_section_that_stands_alone(cli: Cli, folder: Path, name: str) -> None:
    """A section without the manifest round it is recognised, too."""
    _written(folder, name, whole=False)
    ran = cli("check", "odd.json", "-q", "--pack", "execution-v0")
    assert (ran.code, ran.out) == (2, "")
    assert f"nothing was judged: {ODD[name][1]}\n" in ran.err or name in ("executon", "Execution")


@pytest.mark.parametrize("pack", PACKS)
def test_a_manifest_of_another_generation(cli: Cli, pack: str) -> None:
    """It is placed at its schema."""
    ran = cli("check", "next-generation.json", "--pack", pack, "-q")
    message = "nothing was judged: its schema is `doppler.execution/v1`, not `doppler.execution/v0`"
    assert ran == Ran(2, "", f"next-generation.json:7:15: error[cli/not-judged]: {message}\n")


def test_a_misspelt_member_is_underlined(cli: Cli, folder: Path) -> None:
    """The place is the member's name."""
    text = (folder / "passes.json").read_text().replace('"steps": [', '"step": [')
    (folder / "odd.json").write_text(text)
    line = next(number for number, each in enumerate(text.splitlines(), 1) if '"step": [' in each)
    assert cli("check", "odd.json", "-q").err.startswith(f"odd.json:{line}:7: error[cli/not-judged]")


def test_other_files_are_judged_all_the_same(cli: Cli) -> None:
    """The worst file decides the exit code, and formats for tools hold everything."""
    ran = cli("check", "no-graph.json", "passes.json", "fails.json", "--format", "json")
    assert ran.code == 2
    rules = [found["rule"] for found in json.loads(ran.out)["diagnostics"]]
    assert len(rules) == 4
    assert rules[-1] == "cli/not-judged"
    for format in ("sarif", "junit", "github"):
        ran = cli("check", "no-graph.json", "--format", format)
        assert (ran.code, "nothing was judged" in ran.out) == (2, True)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"inferense": {}}, "did you mean `inference`?"),
        ({"Inference": {}}, "did you mean `inference`?"),
        ({"executon": {}}, "did you mean `execution`?"),
        ({"sessionDefault": {}}, "did you mean `sessionDefaults`?"),
        ({"session": {}, "executionPatch": {}}, "no pack recognises this document\n"),
        ({"id": "p", "decode": {"steps": []}}, "no pack recognises this document\n"),
    ],
)
def test_documents_that_hold_no_section(cli: Cli, folder: Path, document: object, message: str) -> None:
    """They are refused with what they are, or with the name that was meant."""
    (folder / "odd.json").write_text(json.dumps(document))
    ran = cli("check", "odd.json")
    assert (ran.code, message in ran.err) == (2, True)


EMPTY = "summary: A pack that nobody wrote a rule for.\n"
SILENT = EMPTY + (
    "documents: {anything: {doc: whatever it is}}\n"
    "questions: {compile: {doc: nothing, given: anything, answer: 'true'}}\n"
    "fixes: {question: compile, list: anything#/a, slots: {reads: a, writes: b}, "
    "moves: {a: {doc: a, set: a, to: {removed: true}}}}\n"
)
NULL = SILENT.replace("'true'", "'null'")


@pytest.fixture
def empty(folder: Path) -> Path:
    """Return a pack without rules or questions."""
    return _pack(folder, EMPTY)


def _pack(folder: Path, text: str) -> Path:
    pack = folder / "empty"
    pack.mkdir()
    (pack / "pack.yaml").write_text(text)
    return pack


#: Commands that would otherwise find nothing wrong with nothing, beside the pack `empty`, and why they do not.
NOTHING = {
    "check passes.json --pack empty": "pack `empty` does not judge this document",
    "compile passes.json --pack empty": "pack `empty` does not judge this document",
    "fix passes.json --pack empty": "pack `empty` does not judge this document",
    "explain passes.json norm --pack empty": "pack `empty` does not judge this document",
    "apply passes.json config.json --pack empty": "pack `empty` has no question `apply`, so it cannot answer this",
    "check passes.json --runtime config.json --pack empty": "pack `empty` does not judge this document",
    "demo --pack empty": "pack `empty` does not judge this document",
    "explain stripping --pack strict": "`strict/stripping` has no rules, so nothing was looked at",
    "pack show --pack empty": "`empty` has no rules, so nothing was looked at",
    "pack show --python --pack empty": "`empty` has no rules, so nothing was looked at",
    "pack show boundary --python --pack strict": "`strict/boundary` has no rules, so nothing was looked at",
    "pack doc --pack empty": "`empty` has no rules, so nothing was looked at",
    "pack lint empty": "`empty` has no rules, so nothing was looked at",
    "pack analyze empty": "`empty` has no rules, so nothing was looked at",
    "pack diff empty empty": "`empty` and `empty` has no rules, so nothing was looked at",
    "pack diff execution-v0 strict --manifests no*.file": "`no*.file` names no file",
    "pack diff execution-v0 strict --manifests no-graph.json": "nothing was judged: the section has no `execution`",
    "pack diff execution-v0 strict --manifests empt?": "`empty` cannot be read: it is a folder, not a file",
    "check passes.json --waivers nothing.yaml": "a list of at least 1 is expected, but this has 0",
    "check passes.json --waivers blank.yaml": "the file is empty",
    "check passes.json --catalog kernels.yaml": "a list of at least 1 is expected, but this has 0",
    "check empty": "`empty` cannot be read: it is a folder, not a file",
    "kernels list --op nothing": "the catalogue has no kernel of op `nothing`",
    "kernels repin no-graph.json": "`no-graph.json` refers to no kernel, in a graph or a profile",
    "matrix no-graph.json": "0 pass, 0 fail, 1 not judged",
    "devices show no-such-device": "no-such-device",
    "replay empty.jsonl": "empty.jsonl",
    "pack lint": "no pack is named, and the working folder is not a pack",
    "pack fmt": "no pack is named, and the working folder is not a pack",
    "pack fmt --check": "no pack is named, and the working folder is not a pack",
    "pack test": "no pack is named, and the working folder is not a pack",
    "pack analyze": "no pack is named, and the working folder is not a pack",
    "pack lint empty --pack strict": "packs are named both as they are and by `--pack`",
    "pack fmt empty --pack strict": "packs are named both as they are and by `--pack`",
    "pack test empty --pack strict": "packs are named both as they are and by `--pack`",
    "pack analyze empty --pack strict": "packs are named both as they are and by `--pack`",
}


@pytest.mark.parametrize("words", NOTHING)
@pytest.mark.sampled(15)
def test_nothing_to_look_at(cli: Cli, folder: Path, empty: Path, words: str) -> None:
    """Whatever a command is about, what it does not find it does not pass."""
    (folder / "nothing.yaml").write_text("waivers: []\n")
    (folder / "blank.yaml").write_text("")
    (folder / "kernels.yaml").write_text("kernels: []\n")
    ran = cli(*words.split())
    assert (ran.code, NOTHING[words] in ran.out + ran.err) == (2, True), ran


def test_every_command_that_looks_at_something_is_held() -> None:
    """The table above has each command that gives a verdict, and one that makes things needs no line in it."""
    held = {name for name in COMMANDS if any(words.startswith(f"{name} ") or words == name for words in NOTHING)}
    makes = {"pack new", "kernels pin", "init", "run", "bench", "lsp", "devices probe", "devices list"}
    assert COMMANDS.keys() - held - makes - {"pack test", "kernels verify"} == set()


@pytest.mark.parametrize("text", [SILENT, NULL])
def test_a_question_that_asks_nothing(cli: Cli, folder: Path, text: str) -> None:
    """A pack that gives an answer without a rule judges nothing."""
    _pack(folder, text)
    for command in ("check", "compile", "fix"):
        ran = cli(command, "passes.json", "--pack", "empty", "-q")
        assert (ran.code, ran.out) == (2, "")
        assert "nothing was judged: question `compile` of pack `empty` asks no rule of this document\n" in ran.err


def test_a_pack_without_tests(cli: Cli, empty: Path) -> None:
    """A pack whose rules nobody tests does not pass its tests, and neither does a selection of none."""
    assert cli("pack", "test", "empty").code == 1
    assert cli("pack", "test", "strict", "-k", "no such case").code == 1


def test_the_working_folder_may_be_the_pack(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a name, commands on packs take the folder that one stands in, if it is one."""
    pack = _pack(folder, EMPTY + "extends: execution-v0\n")
    monkeypatch.chdir(pack)
    assert cli("pack", "fmt", "--check") == Ran(0, "all 1 files are formatted\n", "")
    assert cli("pack", "lint") == Ran(0, ".: clean\n", "")


@pytest.mark.parametrize("option", ["--pack", "--catalog", "--runtime", "--waivers", "--num-layers", "--output"])
@pytest.mark.parametrize("joined", [False, True])
def test_an_option_given_twice(cli: Cli, option: str, joined: bool) -> None:
    """The last of two would win in silence: whatever the first one asks for would not be looked at."""
    twice = [f"{option}=4", f"{option}=4"] if joined else [option, "4", option, "4"]
    ran = cli("check", "passes.json", *twice)
    assert (ran.code, ran.out) == (2, "")
    assert f"error: argument {option}: given more than once, and only one can count" in ran.err


def test_hooks_name_their_packs(cli: Cli, folder: Path) -> None:
    """Each hook on packs, run as its entry says in a folder that is not a pack, is refused: it would look elsewhere."""
    hooks = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    entries = [hook["entry"].split()[1:] for hook in hooks if hook.get("pass_filenames") is False]
    assert sorted(entries) == [["pack", "fmt"], ["pack", "lint"], ["pack", "test"]]
    for words in entries:
        assert cli(*words, "-q") == Ran(
            2, "", "-: error[cli/usage]: no pack is named, and the working folder is not a pack\n"
        )


@pytest.mark.parametrize("words", ["fmt", "fmt --check", "lint", "lint --fix", "test", "analyze", "doc", "show"])
def test_a_stage_that_cannot_be_read(folder: Path, words: str) -> None:
    """Rules may lie in a folder that nobody may list, so a pack with one is not looked at at all."""
    pack = _pack(folder, EMPTY + "extends: execution-v0\n")
    stage = pack / "flow"
    stage.mkdir()
    stage.chmod(0)
    named = ["empty"] if words.split()[0] not in ("doc", "show") else ["--pack", "empty"]
    command = [*COMMAND, "pack", *words.split(), *named, "-q"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, **plain_user())
    stage.chmod(0o755)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "-: error[pack/unreadable]: `empty/flow` cannot be read: permission denied\n"
