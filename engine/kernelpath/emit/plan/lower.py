"""Lower a kernel path and an architecture to a dispatch plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kernelpath.diagnostics import Diagnostic
from kernelpath.emit.plan.bind import Setting, lower_call
from kernelpath.emit.plan.builder import PlanBuilder
from kernelpath.emit.plan.expand import DECODE, PREFILL, Call, expand
from kernelpath.emit.plan.families import Families, load_families
from kernelpath.emit.plan.fuse import Sites, fuse
from kernelpath.emit.plan.limits import Limits, prove
from kernelpath.emit.plan.model import OUTPUT, Plan
from kernelpath.emit.plan.ops import Ops, load_ops
from kernelpath.emit.plan.refusals import Refusal
from kernelpath.emit.plan.share import share_buffers

OUTPUTS = ("logits", "next")


@dataclass(frozen=True, slots=True)
class Lowered:
    """A plan, and what is wrong with it; a plan with errors must not run."""

    plan: Plan
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """Return whether the plan may run on the device that it was held to."""
        return not self.diagnostics


@dataclass(frozen=True, slots=True)
class Shape:
    """For which calls a plan is made.

    `rows` is the least and the most tokens of a call; a decode has one. `all_rows`: a prefill gives logits for every
    token, not for the last alone. `share`: values may share memory; without it each keeps a buffer, to be looked at.
    `fuse`: sequences of ops may run as one launch.
    """

    phase: str
    rows: tuple[int, int] = (1, 1)
    capacity: int = 2048
    all_rows: bool = False
    share: bool = True
    fuse: bool = True


def decode_shape(capacity: int, share: bool = True, fuse: bool = True) -> Shape:
    """Return the shape of a decode: one token at a time."""
    return Shape(DECODE, (1, 1), capacity, False, share, fuse)


def prefill_shape(capacity: int, chunk: int, all_rows: bool = False, share: bool = True, fuse: bool = True) -> Shape:
    """Return the shape of a prefill of 2 to `chunk` tokens a call; a lone token runs the decode plan."""
    return Shape(PREFILL, (min(2, chunk), chunk), capacity, all_rows, share, fuse)


def lower(
    path: Mapping[str, Any],
    architecture: Mapping[str, Any],
    shape: Shape,
    limits: Limits | None = None,
    families: Families | None = None,
    ops: Ops | None = None,
) -> Lowered:
    """Lower a kernel path to a plan for calls of one shape, and prove that it fits the limits.

    `path` is the emitted JSON, `architecture` the description that models/ makes. All mistakes are in the result's
    diagnostics; a step at fault is left out, so that one fault gives one message.
    """
    ops, limits = ops or load_ops(), limits or Limits()
    cache_dtype = str(path.get("kvDtype") or path.get("activationDtype") or "f32")
    setting = Setting(architecture, families or load_families(), ops, limits, cache_dtype)
    builder = PlanBuilder(shape.rows, shape.capacity)
    calls = expand(path, shape.phase, architecture, ops, shape.all_rows)
    refused = _lower_calls(calls, shape, setting, builder)
    plan = _finish(path, shape, builder)
    plan = share_buffers(plan) if shape.share else plan
    return Lowered(plan, tuple(refused or prove(plan, limits)))


def _lower_calls(calls: Sequence[Call], shape: Shape, setting: Setting, builder: PlanBuilder) -> list[Diagnostic]:
    """Lower calls in order until one is refused: what comes after would only fail for want of its output."""
    sites = Sites(setting, builder, shape.all_rows)
    at = 0
    try:
        while at < len(calls):
            fused = fuse(calls, at, shape.phase, sites) if shape.fuse else None
            for call in fused.calls if fused else calls[at : at + 1]:
                lower_call(sites.of(call), setting, builder)
            at += fused.length if fused else 1
    except Refusal as refusal:
        return [refusal.diagnostic]
    return []


def _finish(path: Mapping[str, Any], shape: Shape, builder: PlanBuilder) -> Plan:
    for name in OUTPUTS:
        if name in builder.slots:
            place = builder.slots[name].buffer
            builder.buffers[place] = replace(builder.buffers[place], name=name, role=OUTPUT)
    return Plan(
        path_id=str(path.get("id", "kernel-path")),
        phase=shape.phase,
        min_rows=shape.rows[0],
        max_rows=shape.rows[1],
        capacity=shape.capacity,
        all_rows=shape.all_rows,
        buffers=tuple(builder.buffers),
        dispatches=tuple(builder.dispatches),
        dynamics=tuple(builder.dynamics),
        uniform_size=max(builder.uniform_size, 1),
    )
