"""Go through the test files of a pack in several processes, where there are enough to pay for starting them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

from kernelpath.analysis.testing.runner import PackTests, load_pack_tests

Answer = TypeVar("Answer")

#: What is done with some of a pack's test files, given by their places: a function of a module, so that it can be sent.
Work = Callable[[PackTests, Path, Sequence[int]], Answer]

_SHARES = 4  # for each process, so that none waits long for another


def processes(wanted: int | None, amount: int, worth: int) -> int:
    """Return how many processes to use: what the user says, else as many as have an amount worth a start."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(wanted if wanted is not None else min(available, amount // worth), amount))


def spread(work: Work[Answer], tests: PackTests, folder: Path, places: Sequence[int], count: int) -> Iterator[Answer]:
    """Yield what the work gives for shares of the files, in their order; in this process where `count` is 1."""
    if count <= 1:
        yield from (work(tests, folder, [place]) for place in places)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    size = -(-len(places) // (count * _SHARES))
    shares = [places[start : start + size] for start in range(0, len(places), size)]
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(_share, work, folder, share) for share in shares]
        try:
            yield from (each.result() for each in waiting)
        finally:
            pool.shutdown(cancel_futures=True)


def _share(work: Work[Answer], folder: Path, places: Sequence[int]) -> Answer:
    return work(_loaded(folder), folder, places)


@cache
def _loaded(folder: Path) -> PackTests:
    """A process reads the pack once."""
    return load_pack_tests(folder)
