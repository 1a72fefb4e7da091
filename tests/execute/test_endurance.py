"""Long runs: nothing grows, on the host or on the device."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from models.tiny import tiny_model

from .paths import F16_WEIGHTS, plain_path
from .sessions import session

STATISTICS = Path("/proc/self/statm")
PAGE = 4096
ALLOWED = 8 << 20
"""Bytes that the process may have more of in the end: allocators keep some; a leaked buffer a step would be more."""


def resident() -> int:
    """Return the process's resident bytes; a software device's memory is among them."""
    gc.collect()
    return int(STATISTICS.read_text().split()[1]) * PAGE


@pytest.mark.exhaustive
@pytest.mark.gpu
@pytest.mark.skipif(not STATISTICS.exists(), reason="the system does not tell a process's memory")
def test_ten_thousand_decodes_do_not_grow() -> None:
    """Memory after 10,000 decode steps, read back and sampled ahead, is what it was after the first thousand."""
    running = session("wgpu", plain_path("llama", F16_WEIGHTS), tiny_model("llama", "f16", num_layers=1), capacity=64)

    def thousand() -> None:
        for _ in range(20):
            running.reset()
            assert len(list(running.generate([1, 2, 3], 40))) == 40
            for token in range(11):
                running.decode(token)

    thousand()
    before = resident()
    for _ in range(9):
        thousand()
    assert resident() - before < ALLOWED
