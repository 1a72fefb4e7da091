"""Reports for tools: rules described alike in every run, files that code hosts find, and a case for all that passed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from cli.conftest import Ran

Cli = Callable[..., Ran]


def _run(ran: Ran) -> dict[str, Any]:
    return json.loads(ran.out)["runs"][0]  # type: ignore[no-any-return]


def _rules(ran: Ran) -> dict[str, Any]:
    return {rule["id"]: rule for rule in _run(ran)["tool"]["driver"]["rules"]}


def _uris(ran: Ran) -> set[str]:
    places = [place for result in _run(ran)["results"] for place in result.get("locations", ())]
    return {place["physicalLocation"]["artifactLocation"]["uri"] for place in places if "physicalLocation" in place}


def test_a_rule_is_described_alike_in_every_run(cli: Cli, folder: Path) -> None:
    """Whatever files are checked, and in whatever order, a rule says of itself what its file says."""
    text = (folder / "fails.json").read_text()
    (folder / "other.json").write_text(text.replace('"normd"', '"other"'))
    one, two = (_rules(cli("check", *names, "--format", "sarif")) for names in (("fails.json", "other.json"),) * 2)
    three = _rules(cli("check", "other.json", "--format", "sarif"))
    assert one == two == three
    assert one["execution-v0/flow/src-produced"] == {
        "id": "execution-v0/flow/src-produced",
        "shortDescription": {"text": "A step reads a slot that something wrote before."},
        "fullDescription": {"text": WHY},
        "help": {"text": WHY},
    }


WHY = "Each phase starts with slot `state` alone. A slot that nothing wrote holds whatever was in memory."


def test_results_keep_their_own_help(cli: Cli) -> None:
    """What helps against one finding is with the finding."""
    [result] = [one for one in _run(cli("check", "fails.json", "--format", "sarif"))["results"] if "attend" in str(one)]
    assert result["properties"]["help"] == "let an earlier step of the same phase write `normd`, or read `state`"


def test_files_are_named_as_a_checkout_has_them(cli: Cli, folder: Path) -> None:
    """The way to a file is the shortest one, and its name is its own."""
    (folder / "sub").mkdir()
    shutil.copy("fails.json", "back\\slash.json")
    for name, uri in (("./sub/../fails.json", "fails.json"), ("back\\slash.json", "back%5Cslash.json")):
        assert _uris(cli("check", name, "--format", "sarif")) == {uri}


def test_standard_input_has_no_place(cli: Cli, folder: Path) -> None:
    """A code host cannot open it; a file of its name it can."""
    ran = cli("check", "-", "--format", "sarif", stdin=(folder / "fails.json").read_bytes())
    assert (_uris(ran), "%3Cstdin%3E" in ran.out) == (set(), False)
    assert len(_run(ran)["results"]) == 3
    shutil.copy("fails.json", "<stdin>")
    assert _uris(cli("check", "<stdin>", "--format", "sarif")) == {"%3Cstdin%3E"}
    assert cli("check", "<stdin>", "-q").out.startswith("./<stdin>:66:26: error")


def _cases(ran: Ran) -> list[tuple[str, bool]]:
    cases = ElementTree.fromstring(ran.out)[0].iter("testcase")
    return [(case.attrib["name"], bool(case.findall("failure"))) for case in cases]


def test_a_case_for_every_clean_file(cli: Cli) -> None:
    """Each manifest that passes is a case of its own, whether others fail or not."""
    ran = cli("check", "passes.json", "section.json", "--format", "junit")
    assert _cases(ran) == [("passes.json", False), ("section.json", False)]
    ran = cli("check", "fails.json", "passes.json", "no-graph.json", "--format", "junit")
    assert [name for name, failed in _cases(ran) if not failed] == ["passes.json"]
    assert sum(failed for _, failed in _cases(ran)) == 4


BAD = """\
summary: Nothing is wrong here
why: |
  To be found fault with.
decisions: []
severity: error
when: raw.id == "a" and raw.id == "b"
check: raw.id != "c"
message:    id `{text(raw.id)}` is not one.
"""


@pytest.fixture
def packs(folder: Path) -> Path:
    """Return a folder with a pack that tools find fault with, and one that is clean."""
    for name in ("bad", "good"):
        (folder / name / "step-shape").mkdir(parents=True)
        (folder / name / "pack.yaml").write_text(f"summary: The {name} one.\nextends: execution-v0\n")
    (folder / "bad" / "step-shape" / "odd.yaml").write_text(BAD)
    return folder


@pytest.mark.parametrize("command", ["lint", "fmt --check", "analyze"])
@pytest.mark.sampled(1)
def test_packs_in_the_formats_of_tools(cli: Cli, packs: Path, command: str) -> None:
    """What is wrong with a pack has a described rule and a place in the pack; what passes is a case of its own."""
    words = ["pack", *command.split(), "bad", "good"]
    ran = cli(*words, "--format", "sarif")
    assert ran.code == 1
    assert _uris(ran) == {"bad/step-shape/odd.yaml"}
    assert all(len(rule["shortDescription"]["text"]) > 10 for rule in _rules(ran).values())
    passed = [name for name, failed in _cases(cli(*words, "--format", "junit")) if not failed]
    assert {"good", "good/pack.yaml"} & set(passed)
    assert "file=bad/step-shape/odd.yaml," in cli(*words, "--format", "github").out


def test_an_analysis_as_sarif(cli: Cli, packs: Path) -> None:
    """A finding of an analysis is a result with the rule that it is about, and what shows it."""
    run = _run(cli("pack", "analyze", "bad", "--format", "sarif"))
    results = [one for one in run["results"] if one["ruleId"] == "analyze/dead-rule"]
    assert [one["message"]["text"] for one in results] == ["the rule never applies: its condition never holds"]
    assert results[0]["properties"]["values"][0] == {"name": "rule", "value": "bad/step-shape/odd"}


@pytest.mark.parametrize("format", ["text", "json", "markdown", "sarif"])
@pytest.mark.sampled(2)
def test_analyses_of_several_packs_are_one_output(cli: Cli, packs: Path, format: str) -> None:
    """A file holds what is found in every pack, not in the last one alone."""
    ran = cli("pack", "analyze", "bad", "good", "--format", format, "--output", "found")
    text = (packs / "found").read_text()
    assert (ran.code, "odd" in text, "bad" in text) == (1, True, True)
    if format == "json":
        assert [one["pack"] for one in json.loads(text)] == ["bad", "good"]
