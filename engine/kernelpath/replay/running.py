"""Replay the requests of a file, in one process or in several, their answers in the order of the lines."""

from __future__ import annotations

from functools import cache

from kernelpath.api import load_pack
from kernelpath.packs.folders import PackErrors
from kernelpath.replay.answering import answer, refusal
from kernelpath.replay.requests import Fault, Requests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernelpath.evaluate.compiled import CompiledPack
    from kernelpath.replay.answering import Answer

_SHARE = 64  # requests that a process is given at a time
_WAITING = 4  # shares for each process that wait to be written


def replay(content: bytes, pack: str, jobs: int = 1) -> Iterator[list[Answer]]:
    """Yield the answers of a pack, given by name or folder, to the requests of a content, some at a time.

    Raises PackErrors for a pack that cannot be used.
    """
    requests, loaded = Requests(content), load_pack(pack)
    shares = [range(start, min(start + _SHARE, len(requests))) for start in range(0, len(requests), _SHARE)]
    if min(jobs, len(shares)) <= 1:
        yield from ([_answered(loaded, requests, place) for place in share] for share in shares)
    else:
        yield from _spread(content, pack, shares, min(jobs, len(shares)))


def _spread(content: bytes, pack: str, shares: Sequence[range], jobs: int) -> Iterator[list[Answer]]:
    """Yield the answers to shares that several processes work on; of what waits to be taken there is little."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(content, pack)) as pool:
        waiting = [pool.submit(_share, share) for share in shares[: jobs * _WAITING]]
        try:
            for place in range(len(shares)):
                yield waiting[place].result()
                waiting += [pool.submit(_share, share) for share in shares[len(waiting) : len(waiting) + 1]]
        finally:
            pool.shutdown(cancel_futures=True)


class _Given:
    """What a process of its own works on."""

    content: bytes
    pack: str


def _begin(content: bytes, pack: str) -> None:
    _Given.content, _Given.pack = content, pack


@cache
def _loaded() -> tuple[Requests, CompiledPack]:
    return Requests(_Given.content), load_pack(_Given.pack)


def _share(places: Sequence[int]) -> list[Answer]:
    requests, pack = _loaded()
    return [_answered(pack, requests, place) for place in places]


def _answered(pack: CompiledPack, requests: Requests, place: int) -> Answer:
    try:
        return answer(pack, requests[place])
    except Fault as fault:
        return refusal(fault)


__all__ = ["PackErrors", "replay"]
