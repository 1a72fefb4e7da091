"""A rule that is not asked does not seem to pass: its stage is named, and what asks it."""

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
check: {check}
message: this is not asked by every command
"""
FALSE = 'length("a") == 2'
CONFIG = '{"inference": {"session": {}}}'


@pytest.fixture
def ours(folder: Path) -> Callable[..., str]:
    """Return a function that writes a rule into a stage of a pack that extends the shipped one."""
    (folder / "config.json").write_text(CONFIG)

    def write(stage: str, check: str, pack: str = "summary: Ours.\nextends: execution-v0\n") -> str:
        rule = folder / "ours" / stage / f"rule-{len(list(folder.glob('ours/*/*.yaml')))}.yaml"
        rule.parent.mkdir(parents=True, exist_ok=True)
        rule.write_text(RULE.format(check=check))
        (folder / "ours" / "pack.yaml").write_text(pack)
        return "ours"

    return write


#: Stages that `check` asks only under a runtime config, or never, with what is said of each.
STAGES = {
    "application": "asked by question `apply`",
    "application-result": "asked by question `apply`",
    "derivation": "asked by questions `apply`, `derive`",
    "contract": "asked by question `contract`",
    "graph-artifact": "asked by question `graph`",
}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.sampled(2)
def test_a_rule_that_the_command_does_not_ask(cli: Cli, ours: Callable[..., str], stage: str) -> None:
    """`check` and `compile` ask the question `compile`, and say what that does not ask."""
    pack = ours(stage, FALSE)
    found = json.loads(cli("check", "passes.json", "--pack", pack, "--format", "json").out)["diagnostics"]
    assert [(one["rule"], one["severity"], one["message"]) for one in found] == [
        (
            "cli/not-asked",
            "warning",
            f"rule `ours/{stage}/rule-0` is not asked here: question `compile` does not ask stage `{stage}`",
        )
    ]
    assert found[0]["help"] == STAGES[stage]
    assert found[0]["span"]["file"] == f"ours/{stage}/rule-0.yaml"
    assert "warning[cli/not-asked]" in cli("compile", "passes.json", "--pack", pack).err
    assert cli("check", "passes.json", "section.json", "--pack", pack, "-q").out.count("cli/not-asked") == 1


@pytest.mark.parametrize("stage", ["application", "application-result"])
def test_a_rule_that_a_config_has_asked(cli: Cli, ours: Callable[..., str], stage: str) -> None:
    """Under a runtime config the rule is asked, and finds what it finds."""
    pack = ours(stage, FALSE)
    for words in (["check", "passes.json", "--runtime", "config.json"], ["apply", "passes.json", "config.json"]):
        ran = cli(*words, "--pack", pack)
        assert (ran.code, "not-asked" in ran.out + ran.err) == (1, False)
        assert f"error[ours/{stage}/rule-0]: this is not asked by every command" in ran.out + ran.err


def test_several_rules_of_a_stage_are_one_finding(cli: Cli, ours: Callable[..., str]) -> None:
    """A stage is named once, with how many rules it has."""
    for check in (FALSE, 'length("a") == 3'):
        pack = ours("contract", check)
    ran = cli("check", "passes.json", "--pack", pack, "-q")
    message = "2 rules of pack `ours` are not asked here: question `compile` does not ask stage `contract`"
    assert ran.out == f"ours/contract/rule-0.yaml:6:1: warning[cli/not-asked]: {message}\n"


@pytest.mark.parametrize("pack", ["execution-v0", "strict"])
def test_shipped_packs_say_nothing_of_themselves(cli: Cli, pack: str) -> None:
    """Their stages are known to be for other questions."""
    assert cli("check", "passes.json", "--pack", pack, "-q").out.count("not-asked") == 0


def test_a_pack_of_its_own_says_so_in_a_note(cli: Cli, shipped_pack: Path) -> None:
    """A pack that extends none declares which of its questions ask which of its stages."""
    ran = cli("check", "passes.json", "--pack", str(shipped_pack), "-q")
    assert ran.code == 0
    message = (
        "7 rules of pack `execution-v0` are not asked here: question `compile` does not ask stages `derivation-path`, "
        "`derivation`, `contract`"
    )
    place = "packs/execution-v0/derivation-path/path-known.yaml:5:1"
    assert ran.out == f"{place}: note[cli/not-asked]: {message}\n"


def test_a_value_that_nothing_gives(cli: Cli, ours: Callable[..., str]) -> None:
    """A pack that reads a value without a source is refused before it judges anything, where it reads it."""
    pack = ours("kernel-path", "architecture.headDim == 64")
    for command in ("check", "compile", "fix"):
        ran = cli(command, "passes.json", "--pack", pack)
        assert (ran.code, ran.out) == (2, "")
        assert "error[pack/expression]: unknown name `architecture`" in ran.err
        assert " --> ours/kernel-path/rule-0.yaml:6:8\n" in ran.err


def test_a_document_that_the_question_is_not_given(cli: Cli, ours: Callable[..., str]) -> None:
    """A rule may read the documents of the questions that ask it, and no other."""
    pack = ours("kernel-path", "runtime_config == null")
    ran = cli("check", "passes.json", "--pack", pack)
    assert (ran.code, ran.out) == (2, "")
    assert "question `compile`" in ran.err
    assert "`runtime_config`" in ran.err
