"""A rule whose error keeps other rules from being asked does not hide that it does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran

Cli = Callable[..., Ran]

STYLE = """\
summary: Ids are long.
why: |
  Short ones say nothing.
decisions: []
severity: {severity}
check: {check}
message: an id is short
"""
#: Where a rule of style stands, what it looks at, and what it finds fault with in the demo's manifest that passes.
EARLY = {
    "step-shape": 'text(raw.id) != "norm"',
    "pinning": 'text(raw.id) != "norm"',
    "session": "inference == null",
    "limits": "inference == null",
    "flow": 'step.id != "norm"',
    "session-start": "inference == null",
}


@pytest.fixture
def styled(folder: Path) -> Callable[[str, str], str]:
    """Return a function that writes a pack with a rule of style in a stage of the shipped one."""

    def write(stage: str, severity: str) -> str:
        rule = folder / "mine" / stage / "style.yaml"
        rule.parent.mkdir(parents=True)
        rule.write_text(STYLE.format(severity=severity, check=EARLY[stage]))
        (rule.parents[1] / "pack.yaml").write_text("summary: Ours.\nextends: execution-v0\n")
        return "mine"

    return write


def _accounts(cli: Cli, *words: str) -> list[dict[str, object]]:
    told: list[dict[str, object]] = json.loads(cli("check", *words, "--format", "json").out).get("notAsked", [])
    return told


@pytest.mark.parametrize("stage", EARLY)
@pytest.mark.sampled(2)
def test_what_a_rule_of_style_hides(cli: Cli, styled: Callable[[str, str], str], stage: str) -> None:
    """As an error it keeps the path's kernels from being looked at, and that is said; as a warning it does not."""
    pack = styled(stage, "error")
    accounts = _accounts(cli, "passes.json", "--pack", pack)
    assert all(account["because"] == [f"mine/{stage}/style"] for account in accounts)
    hidden = {rule for account in accounts for rule in account["rules"]}  # type: ignore[attr-defined]
    assert "execution-v0/path-kernels/attention-kernel-dtypes" in hidden
    ran = cli("check", "passes.json", "--pack", pack)
    assert ran.code == 1
    for account in accounts:
        assert f"{account['message']}\n" in ran.out
        assert str(account["message"]).endswith(f"not asked about `passes.json`, because of `mine/{stage}/style`") or (
            " of `passes.json`" in str(account["message"])
        )
    sarif = json.loads(cli("check", "passes.json", "--pack", pack, "--format", "sarif").out)
    [invocation] = sarif["runs"][0]["invocations"]
    assert [one["message"]["text"] for one in invocation["toolExecutionNotifications"]] == [
        account["message"] for account in accounts
    ]


@pytest.mark.parametrize("stage", EARLY)
@pytest.mark.parametrize("severity", ["warning", "note"])
@pytest.mark.sampled(3)
def test_what_does_not_stop_an_item_hides_nothing(
    cli: Cli, styled: Callable[[str, str], str], stage: str, severity: str
) -> None:
    """A finding that is not an error stops nothing, so that everything is asked."""
    pack = styled(stage, severity)
    assert _accounts(cli, "passes.json", "--pack", pack) == []
    assert cli("check", "passes.json", "--pack", pack).code == 0


@pytest.mark.parametrize("stage", EARLY)
@pytest.mark.sampled(2)
def test_what_is_hidden_is_what_would_be_found(
    cli: Cli, folder: Path, styled: Callable[[str, str], str], stage: str
) -> None:
    """A finding that disappears behind a rule of style is one of a rule that is said not to have been asked."""
    text = (folder / "passes.json").read_text().replace("attention_small_f16.wgsl", "no_such_kernel.wgsl")
    (folder / "odd.json").write_text(text)
    found = {found["rule"] for found in json.loads(cli("check", "odd.json", "--format", "json").out)["diagnostics"]}
    pack = styled(stage, "error")
    told = json.loads(cli("check", "odd.json", "--pack", pack, "--format", "json").out)
    hidden = {rule for account in told["notAsked"] for rule in account["rules"]}
    assert found - {one["rule"] for one in told["diagnostics"]} <= hidden


def test_items_that_were_not_looked_at_are_named(cli: Cli, styled: Callable[[str, str], str]) -> None:
    """Of a step that fails an early stage, later stages know nothing, nor what depends on it."""
    pack = styled("step-shape", "error")
    first = _accounts(cli, "passes.json", "--pack", pack)[0]
    assert first["subjects"] == ["1"]
    assert {str(rule).split("/")[1] for rule in first["rules"]} == {
        "pinning",
        "flow",
        "boundary",
        "kv-layout",
    }  # type: ignore[attr-defined]
    assert first["message"] == (
        "18 rules were not asked about `1` of `passes.json`, nor in full about what depends on it, "
        "because of `mine/step-shape/style`"
    )


def test_rules_that_guard_stop_without_a_word(cli: Cli) -> None:
    """A rule with `guards` says itself that the rules that read what it guards are not to be asked about the item."""
    assert _accounts(cli, "fails.json") == [
        {
            "message": "2 rules were not asked about `fails.json`, because of `execution-v0/flow/src-produced`, "
            "`execution-v0/flow/read-dtype-mismatch`",
            "document": "fails.json",
            "rules": ["execution-v0/path-lists/cache-dtype", "execution-v0/path-kernels/attention-kernel-dtypes"],
            "because": ["execution-v0/flow/src-produced", "execution-v0/flow/read-dtype-mismatch"],
        }
    ]


def test_each_file_has_its_own(cli: Cli) -> None:
    """Of several files, each is named, and one that passes has none."""
    told = _accounts(cli, "fails.json", "passes.json", "no-src.json")
    assert [account["document"] for account in told] == ["fails.json", "no-src.json", "no-src.json"]


@pytest.mark.parametrize("words", ["compile fails.json", "apply fails.json config.json"])
def test_other_commands_say_it_too(cli: Cli, folder: Path, words: str) -> None:
    """What keeps a manifest from being compiled is told with what was not asked."""
    (folder / "config.json").write_text('{"inference": {"session": {}}}')
    assert (
        "rules were not asked about `fails.json`, because of `execution-v0/flow/src-produced`"
        in cli(*words.split()).err
    )


def test_a_quiet_check_has_a_line_for_each_finding(cli: Cli) -> None:
    """With -q there is nothing but findings."""
    assert len(cli("check", "fails.json", "-q").out.splitlines()) == 3
