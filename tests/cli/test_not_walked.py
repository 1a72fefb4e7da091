"""A rule that is not asked does not seem to pass: its stage is named, and what walks it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran

Cli = Callable[..., Ran]

RULE = """\
summary: Heads are as wide as ours.
why: |
  Ours are 64 wide.
decisions: []
severity: error
each: {scope}
check: {check}
message: this is not asked by every command
"""
FALSE = 'length("a") == 2'
CONFIG = '{"inference": {"session": {}}}'


@pytest.fixture
def ours(folder: Path) -> Callable[..., str]:
    """Return a function that writes a rule into a stage of a pack that extends the shipped one."""
    (folder / "config.json").write_text(CONFIG)

    def write(stage: str, scope: str, check: str, pack: str = "summary: Ours.\nextends: execution-v0\n") -> str:
        rule = folder / "ours" / stage / f"rule-{len(list(folder.glob('ours/*/*.yaml')))}.yaml"
        rule.parent.mkdir(parents=True, exist_ok=True)
        rule.write_text(RULE.format(scope=scope, check=check))
        (folder / "ours" / "pack.yaml").write_text(pack)
        return "ours"

    return write


#: Stages that `check` walks only under a runtime config, or never, with what is said of each.
STAGES = {
    "application": ("application", "asked by program `apply`; `--runtime` with a runtime config judges by it"),
    "application-result": ("application", "asked by program `apply`; `--runtime` with a runtime config judges by it"),
    "derivation": (
        "derivation",
        "asked by programs `apply`, `kernel_path`; `--runtime` with a runtime config judges by",
    ),
    "contract": ("contract-step", "asked by program `contract`; `kernelpath.contract` asks it"),
    "graph-artifact": ("artifact", "asked by program `graph`"),
}


@pytest.mark.parametrize("stage", STAGES)
def test_a_rule_that_the_command_does_not_ask(cli: Cli, ours: Callable[..., str], stage: str) -> None:
    """`check` and `compile` judge by the program `compile`, and say what that does not walk."""
    scope, help_text = STAGES[stage]
    pack = ours(stage, scope, FALSE)
    found = json.loads(cli("check", "passes.json", "--pack", pack, "--format", "json").out)["diagnostics"]
    assert [(one["rule"], one["severity"], one["message"]) for one in found] == [
        (
            "cli/not-walked",
            "warning",
            f"rule `ours/{stage}/rule-0` is not asked here: program `compile` does not walk stage `{stage}`",
        )
    ]
    assert found[0]["help"].startswith(help_text)
    assert found[0]["span"]["file"] == f"ours/{stage}/rule-0.yaml"
    assert "warning[cli/not-walked]" in cli("compile", "passes.json", "--pack", pack).err
    assert cli("check", "passes.json", "section.json", "--pack", pack, "-q").out.count("cli/not-walked") == 1


@pytest.mark.parametrize("stage", ["application", "application-result"])
def test_a_rule_that_a_config_has_asked(cli: Cli, ours: Callable[..., str], stage: str) -> None:
    """Under a runtime config the rule is asked, and finds what it finds."""
    pack = ours(stage, "application", FALSE)
    for words in (["check", "passes.json", "--runtime", "config.json"], ["apply", "passes.json", "config.json"]):
        ran = cli(*words, "--pack", pack)
        assert (ran.code, "not-walked" in ran.out + ran.err) == (1, False)
        assert f"error[ours/{stage}/rule-0]: this is not asked by every command" in ran.out + ran.err


def test_several_rules_of_a_stage_are_one_finding(cli: Cli, ours: Callable[..., str]) -> None:
    """A stage is named once, with how many rules it has."""
    for check in (FALSE, 'length("a") == 3'):
        pack = ours("contract", "contract-step", check)
    ran = cli("check", "passes.json", "--pack", pack, "-q")
    message = "2 rules of pack `ours` are not asked here: program `compile` does not walk stage `contract`"
    assert ran.out == f"ours/contract/rule-0.yaml:7:1: warning[cli/not-walked]: {message}\n"


@pytest.mark.parametrize("pack", ["execution-v0", "strict"])
def test_shipped_packs_say_nothing_of_themselves(cli: Cli, pack: str) -> None:
    """Their stages are known to be for other questions."""
    assert cli("check", "passes.json", "--pack", pack, "-q").out.count("not-walked") == 0


def test_a_pack_of_its_own_says_so_in_a_note(cli: Cli, shipped_pack: Path) -> None:
    """A pack that extends none declares which of its programs walk which of its stages."""
    ran = cli("check", "passes.json", "--pack", str(shipped_pack), "-q")
    assert ran.code == 0
    message = (
        "7 rules of pack `execution-v0` are not asked here: program `compile` does not walk stages `derivation-path`, "
        "`derivation`, `contract`"
    )
    place = "packs/execution-v0/derivation-path/path-known.yaml:8:1"
    assert ran.out == f"{place}: note[cli/not-walked]: {message}\n"


UNGIVEN = """\
summary: Ours.
extends: execution-v0
values: {architecture: {type: json, doc: what nothing gives}}
scopes:
  path:
    doc: the kernel path, and what nothing gives
    uses: [session, activation, cache_dtype, fallback, inference, base, overrides, base_lists, has_path, architecture,
      model_id, pre_steps, post_steps, sampling_steps]
    given: {fallback: 'string?', base_lists: object, base_keys: list<int>, has_path: bool, kernel_path: 'object?'}
    at: manifest#
"""
TAKING = """\
summary: Odd.
values:
{values}programs:
  {program}: {{doc: odd, inputs: [{inputs}], run: [], value: 'null'}}
"""


def test_a_value_that_nothing_gives(cli: Cli, ours: Callable[..., str]) -> None:
    """A pack that reads a value without a source is refused before it judges anything, where it reads it."""
    pack = ours("kernel-path", "path", "architecture.headDim == 64", UNGIVEN)
    for command in ("check", "compile", "fix"):
        ran = cli(command, "passes.json", "--pack", pack)
        assert (ran.code, ran.out) == (2, "")
        assert "error[pack/order]: nothing gives `architecture`, which is read here\n" in ran.err
        assert " --> ours/kernel-path/rule-0.yaml:7:8\n" in ran.err


@pytest.mark.parametrize(
    ("program", "inputs", "command"),
    [
        ("compile", "inference, architecture", "check passes.json"),
        ("compile", "inference, manifest", "compile passes.json"),
        ("apply", "manifest, runtime_config, device", "apply passes.json config.json"),
    ],
)
def test_an_input_that_no_command_gives(cli: Cli, folder: Path, program: str, inputs: str, command: str) -> None:
    """A program's inputs are those that commands give to programs of its name."""
    (folder / "config.json").write_text(CONFIG)
    (folder / "odd" / "a").mkdir(parents=True)
    values = "".join(f"  {name}: {{type: json, doc: given}}\n" for name in inputs.split(", "))
    (folder / "odd" / "pack.yaml").write_text(TAKING.format(values=values, program=program, inputs=inputs))
    ran = cli(*command.split(), "--pack", "odd")
    strange = inputs.rsplit(", ", 1)[-1]
    assert (ran.code, ran.out) == (2, "")
    assert f"program `{program}` takes `{strange}`, which nothing gives it" in ran.err
