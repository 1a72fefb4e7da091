"""The tests of the shipped packs notice nearly every change of their rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.analysis.mutation import Score, mutate
from kernelpath.analysis.testing import load_pack_tests
from kernelpath.resources import resource
from rules.test_shipped_packs import HELD


@pytest.mark.exhaustive
@pytest.mark.parametrize("pack", HELD)
def test_shipped_pack_notices_mutants(pack: str) -> None:
    """At least 90 % of the mutants of a pack's own rules are noticed."""
    folder = Path(resource("rules", pack))
    total = sum(mutate(load_pack_tests(folder), folder), Score())
    assert total.share.of > 200
    assert total.share.percent >= 90.0
