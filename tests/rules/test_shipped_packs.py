"""The rules of the shipped packs do what the test files beside them say."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from kernelpath.analysis.testing import PASSED, PackResults, run_pack_tests
from kernelpath.packs.files import PACK_FILE, TEST_SUFFIX, read_pack_files, rule_files
from kernelpath.resources import resource

RULES = Path(resource("rules"))
#: Packs of which every rule has tests.
WHOLE = ["execution-v0", "execution-v1", "execution-v1-strict", "strict"]
#: Those of them whose tests decide nearly every atom, and notice nearly every mutant.
HELD = ["execution-v0", "execution-v1", "strict"]
FILES = sorted(
    path.relative_to(RULES).as_posix().removesuffix(TEST_SUFFIX)
    for pack in RULES.glob(f"*/{PACK_FILE}")
    for path in pack.parent.rglob(f"*{TEST_SUFFIX}")
)


@cache
def results(pack: str) -> PackResults:
    """Run all tests of a shipped pack once."""
    return run_pack_tests(RULES / pack)


@pytest.mark.parametrize("file", FILES)
def test_rule_does_what_its_cases_say(file: str) -> None:
    """A test file of a shipped pack lies beside its rule, and every case in it passes."""
    found = [result for result in results(file.split("/")[0]).results if result.file == f"rules/{file}{TEST_SUFFIX}"]
    assert [f"{d.span}: {d.message}" for result in found for d in result.diagnostics] == []
    assert {result.outcome for result in found} == {PASSED}


@pytest.mark.parametrize("pack", WHOLE)
def test_every_rule_has_tests(pack: str) -> None:
    """No rule of the pack goes untested."""
    assert results(pack).untested == ()
    files = rule_files(read_pack_files(RULES / pack).layers[0])
    assert {result.rule for result in results(pack).results} == {file.identity for file in files}
