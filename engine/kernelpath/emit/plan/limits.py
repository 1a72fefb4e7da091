"""Proof that a plan fits a device, before anything is submitted. What does not fit is a diagnostic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from kernelpath.diagnostics import ERROR, Diagnostic
from kernelpath.emit.plan.expressions import Scalar
from kernelpath.emit.plan.families import READ, UNIFORM
from kernelpath.emit.plan.model import Dispatch, Plan, fold_grid, resolve


@dataclass(frozen=True, slots=True)
class Limits:
    """The device's limits that a plan is held to, as WebGPU names them, and its features; sizes are in bytes.

    The defaults are those that every WebGPU device has. Features are spelled as kernels ask for them: `feature_name`.
    """

    max_storage_buffer_binding_size: int = 1 << 27
    max_buffer_size: int = 1 << 28
    max_uniform_buffer_binding_size: int = 1 << 16
    max_storage_buffers_per_shader_stage: int = 8
    max_compute_workgroups_per_dimension: int = 65_535
    max_compute_workgroup_storage_size: int = 16_384
    max_compute_invocations_per_workgroup: int = 256
    max_compute_workgroup_size_x: int = 256
    max_compute_workgroup_size_y: int = 256
    max_compute_workgroup_size_z: int = 64
    features: frozenset[str] = field(default_factory=frozenset)
    cpu: bool = False

    @property
    def storage_bytes(self) -> int:
        """Return the most bytes that one storage binding may have."""
        return min(self.max_storage_buffer_binding_size, self.max_buffer_size)


def feature_name(name: str) -> str:
    """Return a feature as kernels ask for it: WebGPU calls `subgroups` what wgpu calls `subgroup`."""
    return {"subgroups": "subgroup"}.get(name, name)


def prove(plan: Plan, limits: Limits) -> list[Diagnostic]:
    """Return what in a plan does not fit a device: nothing, when the plan may run there at any allowed call."""
    largest = plan.evaluate(plan.max_rows, plan.capacity - plan.max_rows)
    found = [problem for dispatch in plan.dispatches for problem in _dispatch(dispatch, largest, limits)]
    return found + list(_buffers(plan, limits)) + list(_uniforms(plan, limits))


def _dispatch(dispatch: Dispatch, largest: Sequence[Scalar], limits: Limits) -> Iterator[Diagnostic]:
    yield from _features(dispatch, limits)
    yield from _grid(dispatch, largest, limits)
    yield from _workgroup(dispatch, limits)
    yield from _bindings(dispatch, limits)
    yield from _aliases(dispatch)


def _features(dispatch: Dispatch, limits: Limits) -> Iterator[Diagnostic]:
    for feature in dispatch.variant.features:
        if feature not in limits.features:
            has = ", ".join(sorted(limits.features)) or "none"
            yield problem(
                "feature",
                dispatch.step,
                f"step `{dispatch.step}` needs the feature `{feature}` for `{dispatch.variant.name}`, "
                f"which the device does not have",
                values=(("needs", feature), ("device", has)),
                help="choose a kernel that does without it, or another device",
            )


def _grid(dispatch: Dispatch, largest: Sequence[Scalar], limits: Limits) -> Iterator[Diagnostic]:
    x, y, z = (int(resolve(count, largest)) for count in dispatch.groups)
    limit = limits.max_compute_workgroups_per_dimension
    for axis, count in zip("xyz", fold_grid((x, y, z), dispatch.variant.fold, limit), strict=True):
        if count > limit:
            yield over(dispatch.step, f"workgroups along {axis}", count, "max_compute_workgroups_per_dimension", limit)
    if min(x, y, z) < 1:
        yield problem("empty", dispatch.step, f"step `{dispatch.step}` has an empty grid of {x} x {y} x {z} workgroups")


def _workgroup(dispatch: Dispatch, limits: Limits) -> Iterator[Diagnostic]:
    size = dispatch.variant.workgroup
    invocations = prod(size) if isinstance(size, tuple) else size
    if invocations > limits.max_compute_invocations_per_workgroup:
        name, limit = "max_compute_invocations_per_workgroup", limits.max_compute_invocations_per_workgroup
        yield over(dispatch.step, "invocations of a workgroup", invocations, name, limit)
    for axis, count in zip("xyz", size if isinstance(size, tuple) else (size,), strict=False):
        name = f"max_compute_workgroup_size_{axis}"
        if count > (limit := getattr(limits, name)):
            yield over(dispatch.step, f"invocations of a workgroup along {axis}", count, name, limit)
    storage = dispatch.variant.workgroup_storage
    if storage > limits.max_compute_workgroup_storage_size:
        limit = limits.max_compute_workgroup_storage_size
        yield over(dispatch.step, "bytes of workgroup storage", storage, "max_compute_workgroup_storage_size", limit)


def _bindings(dispatch: Dispatch, limits: Limits) -> Iterator[Diagnostic]:
    storage = [binding for binding in dispatch.bindings if binding.kind != UNIFORM]
    if len(storage) > limits.max_storage_buffers_per_shader_stage:
        limit = limits.max_storage_buffers_per_shader_stage
        yield over(dispatch.step, "storage bindings", len(storage), "max_storage_buffers_per_shader_stage", limit)
    for binding in storage:
        if binding.size > limits.max_storage_buffer_binding_size:
            limit = limits.max_storage_buffer_binding_size
            what = f"bytes in binding `{binding.name}`"
            yield over(dispatch.step, what, binding.size, "max_storage_buffer_binding_size", limit)
        if binding.size < 1:
            yield problem("empty", dispatch.step, f"binding `{binding.name}` of step `{dispatch.step}` has no bytes")


def _aliases(dispatch: Dispatch) -> Iterator[Diagnostic]:
    """A device refuses a buffer that is bound twice in one dispatch unless both only read."""
    seen: dict[int, str] = {}
    written = {binding.buffer for binding in dispatch.bindings if binding.kind not in (READ, UNIFORM)}
    for binding in dispatch.bindings:
        if binding.kind != UNIFORM and binding.buffer in written and binding.buffer in seen:
            other = seen[binding.buffer]
            yield problem(
                "alias",
                dispatch.step,
                f"step `{dispatch.step}` binds one buffer as `{other}` and as `{binding.name}`, and writes it",
            )
        seen[binding.buffer] = binding.name


def _buffers(plan: Plan, limits: Limits) -> Iterator[Diagnostic]:
    for buffer in plan.buffers:
        if buffer.size > limits.max_buffer_size:
            yield over(f"buffer {buffer.name}", "bytes", buffer.size, "max_buffer_size", limits.max_buffer_size)


def _uniforms(plan: Plan, limits: Limits) -> Iterator[Diagnostic]:
    for dispatch in plan.dispatches:
        size = dispatch.variant.uniform_size
        if size > limits.max_uniform_buffer_binding_size:
            limit = limits.max_uniform_buffer_binding_size
            yield over(dispatch.step, "bytes of uniforms", size, "max_uniform_buffer_binding_size", limit)


def over(step: str, what: str, amount: int, limit_name: str, limit: int) -> Diagnostic:
    """Return the diagnostic of a limit that is passed: the step, the limit and both numbers."""
    return problem(
        "limit",
        step,
        f"step `{step}` needs {amount:,} {what}, and the device allows {limit:,}",
        values=(("needs", str(amount)), (limit_name, str(limit))),
    )


def problem(
    rule: str, step: str, message: str, values: tuple[tuple[str, str], ...] = (), help: str | None = None
) -> Diagnostic:
    """Return an error of the plan; its subject is the step."""
    return Diagnostic(
        rule=f"plan/{rule}", decisions=(), severity=ERROR, message=message, subject=step, values=values, help=help
    )
