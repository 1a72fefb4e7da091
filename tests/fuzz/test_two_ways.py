"""The fused functions and the walk rule by rule give one answer: the second is the meaning, the first is fast."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import kernelpath as kp
from conformance.recorded import Case, every_case, request
from differential.mutations import mutants
from kernelpath.evaluate.compiled import CompiledPack


def careful(pack: CompiledPack) -> CompiledPack:
    """Return the pack with fused functions that stop at every item, so that each is looked at rule by rule."""

    def stop(items: Any, start: int, workspace: Any, slots: Any, out: Any) -> int:
        return start

    fused = {name: stop for name in pack.namespace if name.startswith("walk__")}
    assert len(fused) > 20
    return CompiledPack({**pack.namespace, **fused}, pack.meta)


def answer(result: kp.Result) -> tuple[Any, ...]:
    """Return a result as a text: 1 and 1.0, and orders of keys, are told apart."""
    return result.ok, repr(result.value), [repr(found.to_dict()) for found in result.diagnostics]


def answers(case: Case, packs: Mapping[str, CompiledPack]) -> list[tuple[Any, ...]]:
    """Return what each pack answers to a request."""
    return [answer(request(case, pack)) for pack in packs.values()]


@pytest.fixture(scope="module", params=["execution-v0", "strict"])
def both(request: pytest.FixtureRequest) -> dict[str, CompiledPack]:
    """Return a pack as it runs, and as it means."""
    fast = kp.load_pack(request.param)
    return {"fast": fast, "careful": careful(fast)}


@pytest.mark.parametrize("step", [16, pytest.param(2, marks=pytest.mark.exhaustive)])
def test_recorded_requests(both: dict[str, CompiledPack], step: int) -> None:
    """On every second recorded request, values and findings are equal to the letter."""
    for case in every_case()[::step]:
        fast, slow = answers(case, both)
        assert fast == slow, case["id"]


@pytest.mark.parametrize("count", [100, pytest.param(1_000, marks=pytest.mark.exhaustive)])
def test_mutants(both: dict[str, CompiledPack], count: int) -> None:
    """On a thousand mutants of recorded requests, values and findings are equal to the letter."""
    for mutant in mutants(every_case(), 5, count):
        fast, slow = answers(mutant, both)
        assert fast == slow, mutant["id"]
