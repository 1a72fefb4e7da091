"""Every mistake in a test file is a failure, at its place, in words that say what was meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from kernelpath.analysis.testing import BROKEN, run_pack_tests
from kernelpath.packs.files import PackErrors
from rules.small_pack import write_pack
from rules.test_runner import GOOD, told

MISTAKES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "mistakes.yaml").read_text(encoding="utf-8"))
#: Two good cases for each rule, in ten lines.
BEFORE = {
    "boxes/fits": ("{box: {size: 1, colour: red}}", "pass", "{box: {name: a, size: 21, colour: red}}", "{fail: b}"),
    "boxes/shade": ("{before: red, box: {}}", "{value: red, source: before}", "{before: blue}", "{error: e}"),
    "boxes/label": ("{box: {name: b}}", "{value: {}}", "{box: {name: c}}", "{error: e}"),
    "boxes/after": ("{box: {name: b}}", "{slot: b, holds: red}", "{box: {colour: red}}", "{error: e}"),
    "raws/sized": ("{raw: {size: 1}}", "pass", "{raw: {size: 11}, index: 0}", "{fail: b}"),
}


def test_file_with(rule: str, case: str) -> str:
    """Return a test file whose third case, from line 11 on, is the given one."""
    given, expect, given_too, expect_too = BEFORE[rule]
    lines = ["# two good cases", "cases:", "  - name: first", f"    given: {given}", f"    expect: {expect}", "", ""]
    lines += ["  - name: second", f"    given: {given_too}", f"    expect: {expect_too}"]
    parts = case.split("|")
    named = parts if parts[0].startswith("name:") else ["name: third", *parts]
    return "\n".join([*lines, f"  - {named[0]}", *(f"    {part}" for part in named[1:])]) + "\n"


test_file_with.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("mistake", MISTAKES, ids=[mistake["name"] for mistake in MISTAKES])
def test_mistake_is_told_at_its_place(tmp_path: Path, mistake: dict[str, Any]) -> None:
    """A mistake in a case gives one diagnostic, at line and column, and the file is broken."""
    pack = write_pack(tmp_path, {mistake["rule"]: test_file_with(mistake["rule"], mistake["case"])})
    results = run_pack_tests(pack)
    broken = [result for result in results.results if result.name is None]
    assert [result.outcome for result in broken] == [BROKEN]
    assert told(type(results)(tuple(broken), ())) == mistake["told"]
    assert not results.ok


FILES = {
    "unreadable YAML": ("boxes/fits", "cases:\n\t- name: a\n", ["2:1: a tab cannot indent (indent with spaces)"]),
    "an empty file": ("boxes/fits", "", ["1:1: the file is empty (write at least one `key: value`)"]),
    "no cases": ("boxes/fits", "cases: []\n", ["1:8: a list of at least 1 is expected, but this has 0"]),
    "no list of cases": ("boxes/fits", "case: []\n", ["1:1: unknown key `case` (did you mean `cases`?)"]),
    "a list": ("boxes/fits", "- cases\n", ["1:1: expected a mapping, but this is a list"]),
    "a test of no rule": (
        "boxes/fit",
        GOOD["boxes/fits"],
        ["1:1: there is no rule `boxes/fit` for this test (did you mean `boxes/fits`?)"],
    ),
    "a check that never fails": (
        "broken/named",
        "cases:\n  - name: a\n    given: {raw: {name: a}}\n    expect: pass\n",
        ["1:1: no case shows the rule's check fail (a check needs a case that passes and one that fails)"],
    ),
    "a check that never passes": (
        "broken/named",
        "cases:\n  - name: a\n    given: {raw: {name: nobody}, index: 0}\n    expect: {fail: raw box 0 is nobody's}\n",
        ["1:1: no case shows the rule's check pass (a check needs a case that passes and one that fails)"],
    ),
    "a table that never gives anything": (
        "boxes/label",
        "cases:\n  - name: a\n    given: {box: {name: a}}\n    expect: {error: integer overflow}\n",
        ["1:1: no case shows what the table gives"],
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_faulty_file_is_a_failure(tmp_path: Path, name: str) -> None:
    """A test file that cannot be read, is of no rule or shows one side only is broken."""
    rule, text, expected = FILES[name]
    results = run_pack_tests(write_pack(tmp_path, {rule: text}))
    broken = [result for result in results.results if result.name is None]
    assert [result.outcome for result in broken] == [BROKEN]
    assert told(type(results)(tuple(broken), ())) == expected
    assert not results.ok


@pytest.mark.parametrize("name", ["fits", "boxes/old/fits"], ids=["a test beside the pack", "a test too deep"])
def test_file_astray_is_a_fault_of_the_pack(tmp_path: Path, name: str) -> None:
    """A test file that lies in no stage's folder would never be run, so the pack is refused."""
    folder = write_pack(tmp_path, {name: GOOD["boxes/fits"]})
    with pytest.raises(PackErrors) as refused:
        run_pack_tests(folder)
    assert [each.message for each in refused.value.diagnostics] == [
        "this file is not read: it lies in no stage's folder"
    ]


def test_mistakes_of_all_cases_are_told_in_one_go(tmp_path: Path) -> None:
    """Several mistakes in one file are all told, in the order of the file."""
    text = (
        "cases:\n"
        "  - name: a\n    given: {raw: {size: 1}, indx: 0}\n    expect: pass\n"
        "  - name: b\n    given: {raw: {size: 2}}\n    expect: {value: 1}\n"
    )
    results = run_pack_tests(write_pack(tmp_path, {"raws/sized": text}))
    assert told(results) == [
        "3:29: rules over `raw_rows` read no variable `indx` (did you mean `index`?)",
        "7:13: a check cannot give `value` (expect `pass`, `fail`, `skip`, `error`)",
    ]
