"""`fix` offers what it can prove, says what remains, and edits no graph but the one that is judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran

Cli = Callable[..., Ran]
EDITS = [
    "set src of `attend` to state",
    "insert before `lm_head`: phase both, section postLayer, op cast, src state, dst state, layers all, toDtype f32",
]
LEFT = "execution-v0/decode-loop/stop-check-mode: `stopCheckMode` of the decode loop is `sometimes`, not a mode"


def test_one_error_out_of_reach_withholds_no_edit(cli: Cli) -> None:
    """Of the three errors, two are mended; the third is named, and the exit code is that of findings."""
    ran = cli("fix", "fails.json")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.split("\n\n")[0].splitlines() == [
        "2 edits (proven: compiled again, nothing but what remains is found)",
        *(f"  {edit}" for edit in EDITS),
        "what remains, which no edit of the graph mends",
        f"  {LEFT}",
        "these are edits of the file itself",
    ]
    told = json.loads(cli("fix", "fails.json", "--format", "json").out)
    assert (told["edits"], told["proven"]) == (EDITS, True)
    assert [one["rule"] for one in told["open"]] == ["execution-v0/decode-loop/stop-check-mode"]


def test_what_is_written_leaves_only_what_remains(cli: Cli) -> None:
    """`--apply` writes the edits, and fails for what they leave; then only that is found."""
    ran = cli("fix", "--apply", "fails.json")
    said = f"fails.json: 2 edits written\nwhat remains, which no edit of the graph mends\n  {LEFT}\n"
    assert ran == Ran(1, said, "")
    assert [line.split("[")[1].split("]")[0] for line in cli("check", "-q", "fails.json").out.splitlines()] == [
        "execution-v0/decode-loop/stop-check-mode"
    ]
    assert cli("fix", "fails.json").out.startswith("no fix: no edits make this pass; this rule conflicts")


def test_nothing_to_fix(cli: Cli) -> None:
    """A manifest that passes needs nothing."""
    assert cli("fix", "passes.json") == Ran(0, "passes.json: nothing to fix\n", "")


def test_a_graph_that_is_derived_is_not_edited(cli: Cli) -> None:
    """Under a config that names a kernel path, the manifest's own steps are not what is judged."""
    ran = cli("fix", "passes.json", "--runtime", "bad-path-config.json", "-q")
    message = "what is judged is made of `/inference/kernelPath` of the file beside, so there are no items to edit"
    assert ran == Ran(2, "", f"-: error[cli/fix]: {message}\n")


def test_a_config_has_other_members_than_an_overlay(cli: Cli, folder: Path) -> None:
    """What a runtime config says beside session and patch is the runtime's own, for `fix` as for `check`."""
    config = {"inference": {"session": {}, "compute": {"activationDtype": "f32"}, "batching": {}}}
    (folder / "config.json").write_text(json.dumps(config))
    ran = cli("fix", "fails.json", "--runtime", "config.json")
    assert (ran.code, ran.out.split("\n")[0]) == (1, cli("fix", "fails.json").out.split("\n")[0])


@pytest.mark.parametrize("name", ["a\x1b[31mb", "a\u202eb", "a\x9bb", "a\nb"])
def test_names_do_not_reach_the_terminal_as_they_are(cli: Cli, folder: Path, name: str) -> None:
    """A step's id may hold anything, and what is printed of it only what can be seen."""
    text = (folder / "fails.json").read_text().replace('"attend"', json.dumps(name))
    (folder / "odd.json").write_text(text)
    ran = cli("fix", "odd.json")
    assert ran.out.split("\n\n")[0].count("\n") == 5
    assert all(line.isprintable() for line in ran.out.split("\n\n")[0].splitlines())
