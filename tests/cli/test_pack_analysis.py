"""`pack analyze` and `pack diff` say what a pack holds, and what changes from one to another."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran

Cli = Callable[..., Ran]


def test_a_pack_without_fault_exits_0(cli: Cli) -> None:
    """What is shipped has no dead, shadowed or contradictory rule."""
    ran = cli("pack", "analyze", "execution-v0", "--format", "json")
    assert (ran.code, json.loads(ran.out)["findings"]) == (0, [])


def test_a_dead_rule_exits_1(cli: Cli, shipped_pack: Path) -> None:
    """A rule that can never fire is named, with the reason."""
    rule = shipped_pack / "flow" / "src-produced.yaml"
    rule.write_text(rule.read_text().replace("check: held", "when: 1 > 2\ncheck: held"))
    ran = cli("pack", "analyze", str(shipped_pack))
    assert ran.code == 1
    assert "flow/src-produced" in ran.out


def test_a_pack_does_not_differ_from_itself(cli: Cli) -> None:
    """Nothing changes from a pack to itself."""
    ran = cli("pack", "diff", "execution-v0", "execution-v0", "--manifests", "passes.json", "--exit-code")
    assert ran.code == 0


def test_a_removed_rule_is_a_difference(cli: Cli, shipped_pack: Path) -> None:
    """The rule is named, and so is the manifest that changes for it."""
    (shipped_pack / "flow" / "src-produced.yaml").unlink()
    arguments = ("pack", "diff", "execution-v0", str(shipped_pack), "--manifests", "*s.json")
    ran = cli(*arguments)
    assert ran.code == 0
    assert "src-produced" in ran.out
    assert "fails.json" in ran.out
    assert cli(*arguments, "--exit-code").code == 1


@pytest.mark.parametrize("arguments", [("analyze", "nosuch"), ("diff", "execution-v0", "nosuch")])
def test_an_unknown_pack(cli: Cli, arguments: tuple[str, ...]) -> None:
    """A pack that is not there is told."""
    assert cli("pack", *arguments).code == 2


def test_a_glob_that_names_nothing(cli: Cli) -> None:
    """Manifests that are not there are a mistake, not a pass."""
    ran = cli("pack", "diff", "execution-v0", "strict", "--manifests", "nosuch/*.json")
    assert (ran.code, "names no file" in ran.err) == (2, True)


def test_a_glob_of_manifests_goes_into_no_link(folder: Path, cli: Cli) -> None:
    """A folder with links that lead back up is gone through once, and every file in it is named once."""
    inner = folder / "fleet" / "inner"
    inner.mkdir(parents=True)
    for name in ("passes.json", ".hidden.json"):
        (inner / name).write_bytes((folder / "passes.json").read_bytes())
    for name in ("a", "b", "c"):
        (inner / name).symlink_to(folder / "fleet", target_is_directory=True)
    words = ("pack", "diff", "execution-v0", "execution-v0", "--manifests")
    assert "1 document" in cli(*words, "fleet/**/*.json").out
    ran = cli(*words, "fleet/**/*.nothing")
    assert (ran.code, ran.err.split("\n")[0]) == (2, "error[cli/input]: `fleet/**/*.nothing` names no file")


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("", "`` names no file"),
        (".", "`.` cannot be read: it is a folder, not a file"),
        ("/", "`/` cannot be read: it is a folder, not a file"),
        ("[", "`[` names no file"),
        ("nowhere/*/../**/x", "`nowhere/*/../**/x` names no file"),
        ("a\0b", "`a\\x00b` names no file"),
    ],
)
def test_a_glob_that_names_no_file(cli: Cli, pattern: str, message: str) -> None:
    """Whatever stands for a glob, what it does not name is said."""
    ran = cli("pack", "diff", "execution-v0", "execution-v0", "-q", "--manifests", pattern)
    assert ran.code == 2
    assert message in ran.err
