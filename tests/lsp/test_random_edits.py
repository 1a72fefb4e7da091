"""Random edits neither end the server nor leave anything stale behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsp.random_edits import Storm


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.exhaustive)])
@pytest.mark.sampled(2)
def test_nothing_is_stale_after_random_edits(tmp_path: Path, seed: int) -> None:
    """After each stretch of edits the editor shows what a fresh server would, and in the end what it showed first."""
    storm = Storm(tmp_path, seed)
    for _ in range(2):
        for _ in range(30):
            storm.step()
        assert storm.shown() == storm.expected()
        assert storm.calm() == storm.initial
    assert storm.client.shown == []
    assert storm.client.close() == 0
