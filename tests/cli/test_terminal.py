"""Nothing that a file, a name or an argument holds reaches a terminal as anything but visible text."""

from __future__ import annotations

import json
import re
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.conftest import Ran
from kernelpath.cli import console
from kernelpath.cli.commands import COMMANDS
from kernelpath.cli.streams import harmless

HOSTILE = "a\x1b[31mRED\x1b]0;title\x07\x9b2J\x85\u202egnol\u2066\u200f\ufeff\u2028b"
DIRECTIONS = "a\u202egnol\u2066\u200f\ufeff\u2028b"  # a pack may have these, and no control characters
IN_YAML = json.dumps(DIRECTIONS)
CONTROLS = json.dumps(HOSTILE)
Cli = Callable[..., Ran]

RULE = f"""summary:  {IN_YAML}
why: {IN_YAML}
decisions: []
severity: warning
check: step.id != "widen"
message: {json.dumps(DIRECTIONS + " {step.id}")}
help: {IN_YAML}
"""
TESTS = f"""cases:
  - name: {IN_YAML}
    given: {{step: {{id: {IN_YAML}}}}}
    expect: skip
  - name: {json.dumps(DIRECTIONS + "2")}
    given: {{step: {{id: widen}}}}
    expect: {{fail: {IN_YAML}}}
"""


@pytest.fixture
def hostile(folder: Path) -> Path:
    """Return a folder with a pack, manifests, a catalogue and waivers that are full of what terminals act on."""
    pack = folder / "bad"
    (pack / "flow").mkdir(parents=True)
    values = f"values: {{odd: {{is: '1', decisions: [X1], doc: {IN_YAML}}}}}\n"
    (pack / "pack.yaml").write_text(f"summary: {IN_YAML}\nextends: execution-v0\n{values}", encoding="utf-8")
    (pack / "flow" / "odd.yaml").write_text(RULE, encoding="utf-8")
    (pack / "flow" / "odd.test.yaml").write_text(TESTS, encoding="utf-8")
    broken = folder / "broken"
    worse = folder / "worse"
    shutil.copytree(pack, worse)
    (worse / "flow" / "odd.yaml").write_text(RULE.replace(IN_YAML, CONTROLS), encoding="utf-8")
    (broken / "flow").mkdir(parents=True)
    (broken / "pack.yaml").write_text(f"summary: {CONTROLS}\nextends: {CONTROLS}\n{CONTROLS}: 1\n", encoding="utf-8")
    for name in ("passes", "fails"):
        manifest = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        manifest["modelId"] = HOSTILE
        steps = manifest["inference"]["execution"]["steps"]
        steps[1]["id"] = HOSTILE
        steps[1]["op"] = HOSTILE
        (folder / f"odd-{name}.json").write_text(json.dumps(manifest), encoding="utf-8")
    entry = {"rule": HOSTILE, "model": "*", "reason": HOSTILE, "owner": HOSTILE, "expires": "2099-12-31"}
    request = {"id": HOSTILE, "fn": HOSTILE, "options": {HOSTILE: HOSTILE}}
    (folder / "odd-requests.jsonl").write_text(json.dumps(request), encoding="utf-8")
    for name, value in (("odd", HOSTILE), ("other", {HOSTILE: HOSTILE})):
        found = {"rule": f"a/{HOSTILE}/{name}", "severity": "error"}
        answer = {"id": HOSTILE, "ok": True, "value": value, "diagnostics": [found]}
        (folder / f"{name}-answers.jsonl").write_text(json.dumps(answer), encoding="utf-8")
    (folder / "waivers.yaml").write_text(json.dumps({"waivers": [entry]}), encoding="utf-8")
    return folder


RUNS = [
    "check odd-fails.json --pack bad",
    "check odd-passes.json --pack bad -q",
    "check odd-fails.json --waivers waivers.yaml",
    "check @",
    "compile odd-passes.json --pack bad",
    "compile odd-fails.json",
    "compile odd-passes.json --part @",
    "apply odd-passes.json @",
    "apply odd-passes.json odd-fails.json",
    "explain odd-passes.json @",
    "explain odd-passes.json widen",
    "explain flow/odd --pack bad",
    "explain @ --pack bad",
    "fix odd-fails.json",
    "kernels list --catalog @",
    "kernels list @",
    "kernels repin odd-passes.json --to @",
    "kernels verify @",
    "kernels pin @",
    "pack show --pack bad",
    "pack show flow/odd --pack bad",
    "pack show flow --pack bad",
    "pack show flow/odd --python --pack bad",
    "pack show --pack broken",
    "pack doc --pack bad --output pages",
    "pack lint bad",
    "pack lint broken",
    "pack lint worse",
    "pack test worse",
    "pack fmt worse",
    "pack fmt --check bad",
    "pack fmt --diff bad",
    "pack test bad -v",
    "pack test @",
    "pack new @",
    "pack new bad/flow/@",
    "pack diff execution-v0 bad",
    "pack diff execution-v0 @",
    "replay @",
    "replay odd-requests.jsonl --pack bad",
    "replay --compare odd-answers.jsonl other-answers.jsonl",
    "replay --compare odd-requests.jsonl odd-requests.jsonl",
    "pack analyze bad",
    "pack analyze broken",
    "matrix odd-passes.json --device @",
    "devices list --format text",
    "devices show @",
    "devices probe --output @/none/x",
    "run @",
    "bench @",
    "init @",
    "demo --copy-to @",
    "@",
    "pack @",
    "check --@",
]
FORMATS = ["json", "sarif", "junit", "github"]


def acting(text: str) -> set[str]:
    """Return what of a text a terminal may act on."""
    kinds = {"Cc", "Cf", "Zl", "Zp"}
    return {character for character in text if character not in "\n\t" and unicodedata.category(character) in kinds}


def words(line: str) -> list[str]:
    """Return the words of a command line; `@` stands for what is hostile."""
    return [word.replace("@", HOSTILE) for word in line.split(" ")]


def test_every_command_is_tried() -> None:
    """No command is missing here but the one that speaks a protocol."""
    tried = {name for name in COMMANDS if any(f"{run} ".startswith(f"{name} ") for run in RUNS)}
    assert tried == set(COMMANDS) - {"lsp"}


@pytest.mark.parametrize("line", RUNS)
@pytest.mark.sampled(15)
def test_nothing_that_a_terminal_acts_on_is_written(cli: Cli, hostile: Path, line: str) -> None:
    """Standard output and standard error have escapes that people see, and pages too."""
    ran = cli(*words(line))
    assert ran.code in (0, 1, 2)
    assert acting(ran.out) == set()
    assert acting(ran.err) == set()
    assert ran.out + ran.err
    for page in hostile.glob("pages/**/*.md"):
        assert acting(page.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize("line", [run for run in RUNS if run.startswith(("check odd", "pack lint", "pack test bad"))])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.sampled(6)
def test_tools_read_what_was_written(cli: Cli, hostile: Path, line: str, format: str) -> None:
    """Formats for tools escape by their own rules, and are still what they should be."""
    ran = cli(*words(line), "--format", format)
    assert acting(ran.out) == set()
    if format in ("json", "sarif"):
        json.loads(ran.out)
    elif format == "junit":
        ElementTree.fromstring(ran.out)


def test_values_are_still_the_same_in_json(cli: Cli, hostile: Path) -> None:
    """JSON's escapes stand for the characters that were there."""
    told = json.loads(cli("pack", "show", "--pack", "bad", "--format", "json").out)
    assert told["summary"] == DIRECTIONS
    ran = cli("explain", "flow/odd", "--pack", "bad", "--format", "json")
    assert json.loads(ran.out)[0]["summary"] == DIRECTIONS
    assert "\\u202e" in ran.out


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_only_findings_have_colours(cli: Cli, hostile: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """On a terminal the renderer's own colours are left, and nothing that looks like them in what is shown."""
    monkeypatch.setattr("kernelpath.cli.console.takes_colour", lambda stream: True)
    for line in RUNS[::step]:
        ran = cli(*words(line))
        for text in (ran.out, ran.err):
            assert acting(re.sub(r"\x1b\[(0|1|34|1;3[136])m", "", text)) == set(), line
        assert "\x1b[31mRED" not in ran.out + ran.err


def test_commands_write_through_one_place() -> None:
    """No module of the command line but those that draw writes to a standard stream by itself."""
    own = [path for path in resource_folder().glob("**/*.py") if path.name not in ("streams.py", "progress.py")]
    writing = re.compile(r"sys\.std(?:out|err)\.write|^\s*print\(", re.MULTILINE)
    assert [path.name for path in own if writing.search(path.read_text(encoding="utf-8"))] == []
    assert len(own) > 30


def resource_folder() -> Path:
    """Return the folder of the command line's modules."""
    return Path(console.__file__).parent


def test_a_models_text_is_shown() -> None:
    """Line breaks, tabs and what joins letters stay as they are; a line break of two characters is one."""
    text = "one\ttwo\r\nthree \u200d\u200c é \u3000 ¡\xa0!\n"
    assert harmless(text) == "one\ttwo\nthree \u200d\u200c é \u3000 ¡\xa0!\n"
    assert harmless(text + "\r\x1b\x9b\u202e") == harmless(text) + "\\r\\x1b\\x9b\\u202e"
