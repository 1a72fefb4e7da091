"""Sessions on both backends, made the same way in every test."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from kernelpath.emit.plan.limits import Limits
from kernelpath.execute.device import Device, open_device
from kernelpath.execute.numpy_backend import NumpyBackend
from kernelpath.execute.session import Session, make_plans
from kernelpath.execute.shaders import Shaders
from kernelpath.execute.wgpu_backend import WgpuBackend, device_limits
from kernelpath.models.model import Model

ROOMY = Limits(
    max_buffer_size=1 << 31,
    max_compute_invocations_per_workgroup=1024,
    max_compute_workgroup_storage_size=32_768,
    features=frozenset({"shader-f16", "subgroup"}),
)
"""Limits that every kernel fits, of a GPU: the plans with most fusions."""


@cache
def device() -> Device:
    """Return the device that all tests share."""
    return open_device()


@cache
def shaders() -> Shaders:
    """Return the pipelines that all tests share."""
    return Shaders(device())


def limits(backend: str) -> Limits:
    """Return the limits that a backend's plans are held to."""
    return device_limits(device()) if backend == "wgpu" else ROOMY


def session(
    backend: str, path: Mapping[str, Any], model: Model, held_to: Limits | None = None, **options: Any
) -> Session:
    """Return a new session of a model on a backend; `options` are those of make_plans."""
    plans = make_plans(path, model.architecture, held_to or limits(backend), **options)
    if backend == "numpy":
        return Session(plans, NumpyBackend(model.weights), model.weights)
    return Session(plans, WgpuBackend(model.weights, device(), shaders()), model.weights)
