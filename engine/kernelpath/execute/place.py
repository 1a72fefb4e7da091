"""Where a model runs: on a GPU through wgpu, or in numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kernelpath.emit.plan.limits import Limits
from kernelpath.execute.backend import Backend
from kernelpath.execute.device import Device, DeviceError, open_device
from kernelpath.execute.weights import Weights

AUTO, WGPU, NUMPY = BACKENDS = ("auto", "wgpu", "numpy")
_NO_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True)
class Place:
    """A backend that can be made, what plans must fit there, and for people what it is."""

    backend: str
    name: str
    limits: Limits
    make: Callable[[Weights], Backend]
    note: str | None = None


def choose_place(backend: str = AUTO, adapter: str | None = None, compute: str = "f32") -> Place:
    """Return where to run: `auto` takes a GPU or software driver, and numpy where there is none, with a note why.

    `adapter` is part of an adapter's name; `compute` is numpy's arithmetic, "f32" or "f64". Raises DeviceError where
    `wgpu` was asked for and cannot be had.
    """
    if backend == NUMPY:
        return _numpy_place(compute)
    try:
        return _wgpu_place(open_device(adapter))
    except DeviceError as fault:
        if backend == WGPU:
            raise
        return _numpy_place(compute, f"{fault}: running in numpy, which is slow")


def _wgpu_place(device: Device) -> Place:
    from kernelpath.execute.shaders import Shaders
    from kernelpath.execute.wgpu_backend import WgpuBackend, device_limits

    shaders = Shaders(device)
    return Place(WGPU, device.name, device_limits(device), lambda weights: WgpuBackend(weights, device, shaders))


def _numpy_place(compute: str, note: str | None = None) -> Place:
    from kernelpath.execute.numpy_backend import NumpyBackend

    limits = Limits(
        max_storage_buffer_binding_size=_NO_LIMIT,
        max_buffer_size=_NO_LIMIT,
        max_uniform_buffer_binding_size=_NO_LIMIT,
        max_storage_buffers_per_shader_stage=_NO_LIMIT,
        max_compute_workgroups_per_dimension=_NO_LIMIT,
        max_compute_workgroup_storage_size=_NO_LIMIT,
        max_compute_invocations_per_workgroup=_NO_LIMIT,
        max_compute_workgroup_size_x=_NO_LIMIT,
        max_compute_workgroup_size_y=_NO_LIMIT,
        max_compute_workgroup_size_z=_NO_LIMIT,
        features=frozenset({"shader-f16", "subgroup"}),
    )
    return Place(NUMPY, "numpy", limits, lambda weights: NumpyBackend(weights, compute), note)
