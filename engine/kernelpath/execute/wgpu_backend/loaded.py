"""A plan made ready on a device: its buffers, pipelines and bind groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kernelpath.emit.plan.expressions import Scalar
from kernelpath.emit.plan.model import Dispatch, Dynamic, Plan, Value, fold_grid, resolve
from kernelpath.execute.shaders import Pipeline
from kernelpath.execute.wgpu_backend.uniforms import PackedUniforms

Groups = tuple[int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Launch:
    """One recorded launch: a pipeline, its bind group, and the workgroup counts where they are known beforehand."""

    pipeline: Any
    bind_group: Any
    groups: Groups | None
    counts: tuple[Value, Value, Value]
    fold: bool


@dataclass(frozen=True, slots=True, eq=False)
class LoadedPlan:
    """A plan's launches, in order, over its buffers; `uniforms` are written before a submit, where they changed."""

    plan: Plan
    buffers: list[Any]
    uniforms: PackedUniforms
    uniform_buffer: Any
    launches: tuple[Launch, ...]
    group_limit: int

    def groups(self, launch: Launch, dynamics: Sequence[Scalar]) -> Groups:
        """Return the workgroup counts of a launch in a call."""
        return launch.groups or workgroups(launch.counts, launch.fold, self.group_limit, dynamics)


def launch(dispatch: Dispatch, pipeline: Pipeline, bind_group: Any, limit: int) -> Launch:
    """Return the launch of a dispatch."""
    fold = dispatch.variant.fold
    fixed = not any(isinstance(count, Dynamic) for count in dispatch.groups)
    groups = workgroups(dispatch.groups, fold, limit, ()) if fixed else None
    return Launch(pipeline.handle, bind_group, groups, dispatch.groups, fold)


def workgroups(
    counts: tuple[Value, Value, Value], fold: bool, limit: int, dynamics: Sequence[Scalar]
) -> tuple[int, int, int]:
    """Return the workgroup counts of a call, folded where one dimension cannot hold them."""
    x, y, z = (int(resolve(count, dynamics)) for count in counts)
    return fold_grid((x, y, z), fold, limit)
