"""Buffers that share memory: values whose lives do not overlap get one buffer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kernelpath.emit.plan.model import ACTIVATION, SCRATCH, Buffer, Dispatch, Plan

SHARED_ROLES = (ACTIVATION, SCRATCH)


@dataclass(frozen=True, slots=True)
class Life:
    """The first and the last dispatch that binds a buffer."""

    buffer: int
    first: int
    last: int


def share_buffers(plan: Plan) -> Plan:
    """Return the plan with activations and scratch in as few buffers as their lives allow.

    INVARIANT: two values share a buffer only where the one's last dispatch is before the other's first, so no
    dispatch ever binds one buffer twice on account of sharing.
    """
    places, sizes = _assign(plan)
    kept = [index for index, buffer in enumerate(plan.buffers) if buffer.role not in SHARED_ROLES]
    moved = {old: new for new, old in enumerate(kept)}
    moved |= {old: len(kept) + place for old, place in places.items()}
    arena = [Buffer(f"arena.{place}", ACTIVATION, "u32", size) for place, size in enumerate(sizes)]
    buffers = (*(plan.buffers[index] for index in kept), *arena)
    dispatches = tuple(_rebound(dispatch, moved) for dispatch in plan.dispatches)
    return replace(plan, buffers=buffers, dispatches=dispatches)


def lives(plan: Plan) -> list[Life]:
    """Return the lives of the buffers that may share, in the order in which they begin."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for step, dispatch in enumerate(plan.dispatches):
        for binding in (*dispatch.bindings, *dispatch.inherited):
            if plan.buffers[binding.buffer].role in SHARED_ROLES:
                first.setdefault(binding.buffer, step)
                last[binding.buffer] = step
    return [Life(buffer, begin, last[buffer]) for buffer, begin in first.items()]


def _assign(plan: Plan) -> tuple[dict[int, int], list[int]]:
    """Return each buffer's place in the arena, and the sizes of the places."""
    places: dict[int, int] = {}
    sizes: list[int] = []
    busy_until: list[int] = []
    for life in lives(plan):
        size = plan.buffers[life.buffer].size
        place = _best((index for index, last in enumerate(busy_until) if last < life.first), sizes, size)
        if place is None:
            place = len(sizes)
            sizes.append(0)
            busy_until.append(0)
        sizes[place] = max(sizes[place], size)
        busy_until[place] = life.last
        places[life.buffer] = place
    return places, sizes


def _best(free: Iterable[int], sizes: list[int], size: int) -> int | None:
    """Return the free place that fits most tightly; where none is large enough, the largest, which then grows."""
    candidates = list(free)
    fitting = [place for place in candidates if sizes[place] >= size]
    if fitting:
        return min(fitting, key=lambda place: sizes[place])
    return max(candidates, key=lambda place: sizes[place], default=None)


def _rebound(dispatch: Dispatch, moved: dict[int, int]) -> Dispatch:
    bindings, inherited = (
        tuple(replace(binding, buffer=moved[binding.buffer]) for binding in group)
        for group in (dispatch.bindings, dispatch.inherited)
    )
    return replace(dispatch, bindings=bindings, inherited=inherited)
