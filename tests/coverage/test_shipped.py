"""The tests of the shipped packs cover them: every rule and branch, and nearly every atom."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.analysis.coverage import Observer, measure
from kernelpath.analysis.testing import load_pack_tests
from kernelpath.resources import resource
from rules.test_shipped_packs import HELD


@pytest.mark.parametrize("pack", HELD)
def test_shipped_pack_is_covered(pack: str) -> None:
    """Every rule and every branch is taken, and at least 95 % of the atoms are decided."""
    tests, observer = load_pack_tests(Path(resource("rules", pack))), Observer()
    list(tests.run(observe=observer.observe))
    shares = measure(tests.pack, observer).shares
    assert (shares["rules"].percent, shares["branches"].percent) == (100.0, 100.0)
    assert shares["atoms"].percent >= 95.0
