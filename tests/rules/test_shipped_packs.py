"""The rules of the shipped packs do what the test files beside them say."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from kernelpath.analysis.testing import PASSED, PackResults, run_pack_tests
from kernelpath.packs.files import PACK_FILE, rule_files
from kernelpath.resources import resource

PACKS = sorted(path.parent for path in resource("rules").glob(f"*/{PACK_FILE}"))
RULES = [file.identity for pack in PACKS for file in rule_files(pack)]


@cache
def results(pack: str) -> PackResults:
    """Run all tests of a shipped pack once."""
    return run_pack_tests(Path(resource("rules", pack)))


@pytest.mark.parametrize("rule", RULES)
def test_rule_does_what_its_cases_say(rule: str) -> None:
    """A shipped rule has a test file, and every case in it passes."""
    found = [result for result in results(rule.split("/")[0]).results if result.rule == rule]
    assert [f"{d.span}: {d.message}" for result in found for d in result.diagnostics] == []
    assert {result.outcome for result in found} == {PASSED}


@pytest.mark.parametrize("pack", [path.name for path in PACKS])
def test_pack_has_no_stray_tests(pack: str) -> None:
    """Every test file of a shipped pack lies beside a rule of it."""
    assert [result.file for result in results(pack).results if not result.rule] == []
