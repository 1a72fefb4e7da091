"""`check --waivers` lets findings stand that somebody answers for, and says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran

Cli = Callable[..., Ran]
RULES = ("decode-loop/stop-check-mode", "flow/src-produced", "flow/read-dtype-mismatch")


def _waivers(folder: Path, *items: tuple[str, str], model: str = "tiny-*") -> None:
    lines = [
        f"  - {{rule: {rule}, model: '{model}', reason: old weights, owner: ann, expires: '{day}'}}\n"
        for rule, day in items
    ]
    (folder / "waivers.yaml").write_text("waivers:\n" + "".join(lines) if lines else "waivers: []\n")


@pytest.fixture(autouse=True)
def model(folder: Path) -> None:
    """Call the model of the demo by a name of the tests' own."""
    text = (folder / "fails.json").read_text()
    head, _, tail = text.partition('"modelId": "')
    (folder / "fails.json").write_text(head + '"modelId": "tiny-1' + tail[tail.index('"') :])


def test_a_waived_finding_is_told_as_waived(cli: Cli, folder: Path) -> None:
    """It becomes a note that says who answers for it and until when; the others stay errors."""
    _waivers(folder, ("execution-v0/flow/src-produced", "9999-12-31"))
    ran = cli("check", "-q", "fails.json", "--waivers", "waivers.yaml")
    lines = ran.out.splitlines()
    assert ran.code == 1
    assert ["error" in line for line in lines] == [True, False, True]
    assert "note[execution-v0/flow/src-produced]: waived by ann until 9999-12-31 (old weights): step" in lines[1]


def test_a_manifest_with_nothing_but_waived_findings_passes(cli: Cli, folder: Path) -> None:
    """If every rule has its verdict, and somebody answers for every finding, the exit code is 0."""
    text = (folder / "passes.json").read_text().replace('"modelId": "', '"modelId": "tiny-')
    (folder / "fails.json").write_text(text.replace('"batch"', '"sometimes"'))
    _waivers(folder, ("execution-v0/decode-loop/stop-check-mode", "9999-12-31"))
    assert cli("check", "-q", "fails.json").code == 1
    ran = cli("check", "-q", "fails.json", "--waivers", "waivers.yaml")
    assert (ran.code, ran.out.count("note["), ran.out.count("error[")) == (0, 1, 0)


#: Rules that the errors of the demo's manifest keep from being asked.
HIDDEN = ("path-lists/cache-dtype", "path-kernels/attention-kernel-dtypes")
BOTH = "`execution-v0/path-lists/cache-dtype`, `execution-v0/path-kernels/attention-kernel-dtypes`"


@pytest.mark.parametrize(
    ("answered", "count", "listed"),
    [
        ((), "2 rules were", BOTH),
        (HIDDEN[:1], "1 rule was", "`execution-v0/path-kernels/attention-kernel-dtypes`"),
        (HIDDEN[1:], "1 rule was", "`execution-v0/path-lists/cache-dtype`"),
    ],
)
def test_waived_errors_do_not_hide_what_was_not_asked(
    cli: Cli, folder: Path, answered: tuple[str, ...], count: str, listed: str
) -> None:
    """Rules without a verdict because of waived errors are an error that names them."""
    _waivers(folder, *((f"execution-v0/{rule}", "9999-12-31") for rule in (*RULES, *answered)))
    ran = cli("check", "fails.json", "--waivers", "waivers.yaml")
    assert ran.code == 1
    assert [line for line in ran.out.splitlines() if line.startswith("error[")] == [
        f"error[waiver/hides]: {count} not asked about model `tiny-1`, because of errors that are waived"
    ]
    assert f"  = help: fix what is waived, or waive what was not asked, too: {listed}\n" in ran.out


def test_what_was_not_asked_may_be_waived_too(cli: Cli, folder: Path) -> None:
    """If somebody answers for the rules without a verdict as well, the manifest passes, and no waiver is unused."""
    _waivers(folder, *((f"execution-v0/{rule}", "9999-12-31") for rule in (*RULES, *HIDDEN)))
    ran = cli("check", "-q", "fails.json", "--waivers", "waivers.yaml")
    assert (ran.code, ran.out.count("note["), ran.out.count("error[")) == (0, 3, 0)


def test_an_expired_waiver_of_what_was_not_asked(cli: Cli, folder: Path) -> None:
    """It does not count: the rule that it was for is one without a verdict again."""
    days = [(f"execution-v0/{rule}", "9999-12-31") for rule in (*RULES, HIDDEN[0])]
    _waivers(folder, *days, (f"execution-v0/{HIDDEN[1]}", "2001-01-01"))
    ran = cli("check", "-q", "fails.json", "--waivers", "waivers.yaml")
    assert ran.code == 1
    assert [line.split(": ")[1] for line in ran.out.splitlines() if "error[" in line] == [
        "error[waiver/expired]",
        "error[waiver/hides]",
    ]


def test_an_expired_waiver_waives_nothing(cli: Cli, folder: Path) -> None:
    """What it was for is an error again, and it is one itself, at its line."""
    _waivers(folder, ("execution-v0/flow/src-produced", "2001-01-01"))
    ran = cli("check", "-q", "fails.json", "--waivers", "waivers.yaml")
    expected = "error[waiver/expired]: the waiver of `execution-v0/flow/src-produced` expired on 2001-01-01"
    assert ran.code == 1
    assert ran.out.count("error[") == 4
    assert ran.out.splitlines()[-1] == f"waivers.yaml:2:5: {expected}"


@pytest.mark.parametrize(("model_glob", "code"), [("tiny-*", 1), ("another", 0)])
def test_an_unused_waiver_is_a_finding_where_its_model_is_checked(
    cli: Cli, folder: Path, model_glob: str, code: int
) -> None:
    """A waiver of a model that is not checked here is left alone."""
    text = (folder / "passes.json").read_text()
    (folder / "fails.json").write_text(text.replace('"modelId": "', '"modelId": "tiny-'))
    _waivers(folder, ("execution-v0/flow/src-produced", "9999-12-31"), model=model_glob)
    ran = cli("check", "-q", "fails.json", "--waivers", "waivers.yaml")
    assert (ran.code, "waiver/unused" in ran.out) == (code, bool(code))


@pytest.mark.parametrize("text", ["waivers: 3", "waivers:\n  - rule: a\n", "{", "", "\xff"])
def test_waivers_that_cannot_be_used(cli: Cli, folder: Path, text: str) -> None:
    """What is wrong with the file is told, with exit code 2."""
    (folder / "waivers.yaml").write_bytes(text.encode("latin-1"))
    ran = cli("check", "-q", "passes.json", "--waivers", "waivers.yaml")
    assert ran.code == 2
    assert "waivers.yaml" in ran.err


def test_a_missing_file_of_waivers(cli: Cli, folder: Path) -> None:
    """A file that is not there is told with the nearest that is."""
    _waivers(folder)
    ran = cli("check", "passes.json", "--waivers", "waiver.yaml")
    assert ran.code == 2
    assert "did you mean `waivers.yaml`?" in ran.err
