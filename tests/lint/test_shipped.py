"""The shipped packs are free of findings, and a fault planted in a copy of them is found, its near twin is not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kernelpath.analysis.lint import lint
from kernelpath.diagnostics import Source
from kernelpath.packs.documents import read_yaml, to_plain
from kernelpath.resources import resource

PACKS = sorted(path.parent.name for path in resource("rules").glob("*/pack.yaml"))


@pytest.mark.parametrize("name", PACKS)
def test_shipped_pack(name: str) -> None:
    """No lint finds anything in a shipped pack."""
    assert [f"{each.span}: {each.rule}: {each.message}" for each in lint(resource("rules", name))] == []


Rule = dict[str, Any]


def plain(path: Path) -> Rule:
    """Return a YAML file's value."""
    value = to_plain(read_yaml(Source(path.name, path.read_text(encoding="utf-8"))))
    assert isinstance(value, dict)
    return value


Edit = Callable[[Rule], None]


def setting(**members: Any) -> Edit:
    """Return an edit that sets members of a rule."""
    return lambda rule: rule.update(members)


def pack_entry(section: str, name: str, value: Any) -> Edit:
    """Return an edit that adds an entry to a section of pack.yaml, or members to one that is there."""

    def edit(pack: Rule) -> None:
        entries = pack.setdefault(section, {})
        entries[name] = {**entries.get(name, {}), **value} if isinstance(value, dict) else value

    return edit


def column(table: str, name: str, value: str) -> Edit:
    """Return an edit that adds a column to a table."""
    return lambda pack: pack["items"][table]["fields"].update({name: value})


def given(stage: str, name: str, type_: str) -> Edit:
    """Return an edit that lets a stage give one more variable."""
    return lambda pack: pack["stages"][stage]["gives"].update({name: type_})


def first_row_twice(rule: Rule) -> None:
    """Repeat the first row of a table."""
    rule["rows"].insert(0, dict(rule["rows"][0]))


def first_row_elsewhere(rule: Rule) -> None:
    """Repeat the first row of a table under another path."""
    rule["rows"].insert(0, {**rule["rows"][0], "path": "elsewhere"})


def unconditional_first(rule: Rule) -> None:
    """Put a candidate without condition before all others."""
    rule["first"].insert(0, {"value": "held"})


def conditional_first(rule: Rule) -> None:
    """Put a candidate with a condition of its own before all others."""
    rule["first"].insert(0, {"when": 'step.op == "load"', "value": "held"})


MISMATCH = "execution-v0/flow/read-dtype-mismatch.yaml"
KNOWN = "execution-v0/pinning/kernel-known.yaml"
ID = "execution-v0/step-shape/step-id.yaml"
SRC = "execution-v0/flow/src-produced.yaml"
MATH = "execution-v0/flow/math-dtype.yaml"
INPUT = "execution-v0/flow/input-dtype.yaml"
RESULT = "execution-v0/result/result.yaml"
SCHEMA = "execution-v0/gate/schema-name.yaml"
PAIR = "execution-v0/flow/kv-pair.yaml"
PACK = "execution-v0/pack.yaml"
GIVEN = "execution-v0/flow/kv-cache-given.yaml"
CAST = "execution-v0/step-shape/cast-to.yaml"
SECTION = "execution-v0/step-shape/step-section.yaml"

# What is planted, in which file, and how its twin is put there: the code that is found, the fault, the near twin.
PLANTED: list[tuple[str, str, Edit, Edit]] = [
    ("unused-let", MISMATCH, setting(let={"unread": "step.op"}), setting(let={"own": "input"}, check="own == held")),
    ("unused-function", PACK, pack_entry("functions", "spare", {"parameters": {"x": "json"}, "is": "text(x)"}),
     pack_entry("functions", "is_name", {"doc": "whether a value is text that says something"})),
    ("unused-value", PACK, pack_entry("constants", "unread_number", {"type": "int", "value": 3}),
     pack_entry("constants", "most_steps", {"value": 200_001})),
    ("unused-vocabulary", PACK, pack_entry("vocabularies", "spare_words", {"values": ["a", "b"]}),
     pack_entry("vocabularies", "phase", {"doc": "when a step is run"})),
    ("unused-column", PACK, column("steps", "spare", "raw.spare"), column("steps", "op", "text(raw.op)")),
    ("ungiven-variable", PACK, given("flow", "not_given", "int"), given("flow", "trace", "object")),
    ("idle-stage", PACK, pack_entry("stages", "spare", {"each": "request"}),
     pack_entry("stages", "flow", {"doc": "the flow"})),
    ("always-true", KNOWN, setting(when='raw.op == "cast" or raw.op != "cast"'),
     setting(when='raw.op == "load" or raw.op != "cast"')),
    ("always-false", CAST, setting(when='raw.op == "cast" and raw.op == "load"'),
     setting(when='raw.op == "cast" and raw.entry == "load"')),
    ("shadowed-candidate", MATH, unconditional_first, conditional_first),
    ("redundant-row", RESULT, first_row_twice, first_row_elsewhere),
    ("missing-why", SCHEMA, setting(why="TODO"), setting(why="Members would mean something else.")),
    ("silent-message", GIVEN, setting(message="something is missing"), setting(message="step `{step.id}` has none")),
    ("unquoted-input", SRC, setting(message="step {step.id} reads slot `{step.src}` too early"),
     setting(message="step `{step.id}` reads slot `{step.src}` too early")),
    ("message-case", ID, setting(message="Step {index} has no id"), setting(message="KV step {index} has no id")),
    ("message-stop", SECTION, setting(message="step {index} has no section."),
     setting(message="step {index} has no section")),
    ("unknown-decision", PAIR, setting(decisions=["E6222"]), setting(decisions=["E62"])),
]  # fmt: skip


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[Any]]:
    """Return a copy of the shipped packs whose decisions are listed, and what is found in it as it is."""
    rules = Path(shutil.copytree(resource("rules"), tmp_path_factory.mktemp("shipped") / "rules"))
    paths = [path for path in rules.glob("*/*/*.yaml") if not path.name.endswith(".test.yaml")]
    decisions = {name for path in paths for name in plain(path).get("decisions", [])}
    (rules / "execution-v0/DECISIONS.md").write_text("".join(f"| {name} |\n" for name in decisions), encoding="utf-8")
    for path in paths:
        path.with_name(f"{path.stem}.test.yaml").touch()
    return rules, findings(rules)


def findings(rules: Path) -> set[tuple[str, str, str]]:
    """Return what is found in execution-v0, as code, file and message."""
    folder = rules / "execution-v0"
    found = [(each, each.span.file) for each in lint(folder) if each.span]
    return {(each.rule, file[file.index("execution-v0") :], each.message) for each, file in found}


def planted(rules: Path, folder: Path, which: int) -> set[tuple[str, str]]:
    """Return what is found once all faults, or all twins, are planted, beyond what was found before."""
    copy = Path(shutil.copytree(rules, folder / "rules"))
    for row in PLANTED:
        path = copy / row[1]
        value = plain(path)
        row[which](value)
        path.write_text(yaml.safe_dump(value, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return {(code, file) for code, file, _ in findings(copy) - findings(rules)}


def test_planted_faults(baseline: tuple[Path, set[Any]], tmp_path: Path) -> None:
    """Each planted fault is found in its file, and nothing else is."""
    assert planted(baseline[0], tmp_path, 2) == {(f"lint/{code}", file) for code, file, _, _ in PLANTED}


def test_near_twins(baseline: tuple[Path, set[Any]], tmp_path: Path) -> None:
    """Changes that look like the faults and are none are not found."""
    assert planted(baseline[0], tmp_path, 3) == set()
