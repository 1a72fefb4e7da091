"""`replay` writes an answer for each request, and says what changes between two files of answers."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran

Cli = Callable[..., Ran]
REQUESTS = "requests.jsonl"


def test_answers_go_where_they_are_asked_for(cli: Cli, folder: Path) -> None:
    """Standard output, a file, and a packed file have the same lines; a summary is for a file only."""
    ran = cli("replay", REQUESTS)
    assert [json.loads(line)["ok"] for line in ran.out.splitlines()] == [True, False, False, False]
    written = cli("replay", REQUESTS, "--output", "answers.jsonl", "--jobs", "1")
    assert (written.code, written.out) == (1, "4 requests: 1 pass, 1 are refused, 2 cannot be read\n")
    assert (folder / "answers.jsonl").read_text(encoding="utf-8") == ran.out
    assert cli("replay", REQUESTS, "--output", "answers.jsonl.gz", "-q") == Ran(1, "", "")
    assert gzip.decompress((folder / "answers.jsonl.gz").read_bytes()).decode() == ran.out


def test_requests_may_be_packed_or_come_on_standard_input(cli: Cli, folder: Path) -> None:
    """Requests are the same in a file, in a packed one, and on standard input."""
    content = (folder / REQUESTS).read_bytes()
    (folder / "packed.gz").write_bytes(gzip.compress(content))
    plain = cli("replay", REQUESTS)
    assert cli("replay", "packed.gz") == plain
    assert cli("replay", "-", stdin=content) == plain


def test_what_changes_between_two_runs(cli: Cli, folder: Path) -> None:
    """The exit code says whether something changes if that is asked for."""
    cli("replay", REQUESTS, "--output", "old.jsonl")
    content = (folder / REQUESTS).read_text(encoding="utf-8").replace('"decodeLoop": null', '"decodeLoop": 5')
    (folder / "new-requests.jsonl").write_text(content, encoding="utf-8")
    cli("replay", "new-requests.jsonl", "--output", "new.jsonl.gz")
    same = cli("replay", "--compare", "old.jsonl", "old.jsonl", "--exit-code")
    assert same == Ran(0, "4 answers compared, 0 changed\n", "")
    assert cli("replay", "--compare", "old.jsonl", "old.jsonl", "-q") == Ran(0, "", "")
    changed = cli("replay", "--compare", "old.jsonl", "new.jsonl.gz", "--exit-code")
    assert changed == Ran(
        1,
        "4 answers compared, 1 changed\n"
        "verdicts: 1\n"
        "  passes: refused now by session-parts/decode-loop-object\n"
        "rules: 1\n"
        "  session-parts/decode-loop-object: 1 gained (first passes)\n",
        "",
    )
    told = json.loads(cli("replay", "--compare", "old.jsonl", "new.jsonl.gz", "--format", "json").out)
    assert told["verdicts"] == [{"id": "passes", "ok": False, "rules": ["session-parts/decode-loop-object"]}]
    assert told["rules"] == [
        {"rule": "session-parts/decode-loop-object", "gained": ["passes"], "lost": [], "other": []}
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.jsonl",), "there is no file `nowhere.jsonl`"),
        ((REQUESTS, REQUESTS), "one file of requests is replayed at a time"),
        ((REQUESTS, "--exit-code"), "`--exit-code` needs `--compare`"),
        ((REQUESTS, "--compare"), "`--compare` takes two files of answers"),
        (("empty.jsonl",), "`empty.jsonl` has no request, so nothing was asked"),
        (("broken.gz",), "`broken.gz` cannot be read: it is not whole as a gzip file"),
        ((REQUESTS, "--pack", "nowhere"), "there is no pack `nowhere`"),
        ((REQUESTS, "--output", "no/folder.jsonl"), "`no/folder.jsonl` cannot be written: no such file or directory"),
        (("--compare", REQUESTS, REQUESTS), "does not hold answers: line 1 is not an answer with"),
    ],
)
def test_what_cannot_be_done(cli: Cli, folder: Path, arguments: tuple[str, ...], message: str) -> None:
    """Bad input is exit code 2 and a message."""
    (folder / "empty.jsonl").write_text('\n{"part": 1, "value": 2}\n', encoding="utf-8")
    (folder / "broken.gz").write_bytes(gzip.compress(b"x" * 1000)[:-4])
    ran = cli("replay", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"modelId": 1}\nno JSON\n', "no line is a request, so nothing was asked"),
        (
            '{"id": "a", "fn": "compile", "options": {"manifestInference": {"schema": "doppler.execution/v1"}}}\n',
            "pack `execution-v0` judged none of the requests, so nothing was asked",
        ),
    ],
)
def test_requests_of_which_none_is_judged(cli: Cli, folder: Path, text: str, why: str) -> None:
    """What nothing looked at is not a success, though every line has its answer."""
    (folder / "odd.jsonl").write_text(text, encoding="utf-8")
    ran = cli("replay", "odd.jsonl", "--output", "answers.jsonl", "-q")
    assert (ran.code, ran.out) == (2, "")
    assert f"error[cli/nothing]: {why}\n" in ran.err
    assert len((folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()) == text.count("\n")


def test_nothing_to_compare(cli: Cli, folder: Path) -> None:
    """Two files without an answer are not equal runs."""
    (folder / "none.jsonl").write_text("", encoding="utf-8")
    ran = cli("replay", "--compare", "none.jsonl", "none.jsonl", "-q")
    assert (ran.code, ran.out) == (2, "")
    assert "neither file has an answer, so nothing was compared" in ran.err


def test_progress_is_for_terminals(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar is drawn on standard error if that is a terminal, and not with `--quiet`."""
    assert cli("replay", REQUESTS).err == ""
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True)
    assert cli("replay", REQUESTS).err == "\rrequests [##############################] 4/4\r\x1b[K"
    assert cli("replay", REQUESTS, "-q").err == ""
