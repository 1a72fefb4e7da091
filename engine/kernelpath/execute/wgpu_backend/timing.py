"""Time each launch of a plan by the device's own clock: a pass for each, with a timestamp at both ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernelpath.emit.plan.expressions import Scalar
from kernelpath.execute.device import COPY_SRC, QUERY_RESOLVE, Device
from kernelpath.execute.wgpu_backend.loaded import LoadedPlan
from kernelpath.execute.wgpu_backend.readback import Readback

FEATURE = "timestamp-query"

LAUNCHES = 2048
"""Launches in one query set: WebGPU's sets hold 4,096 timestamps."""


def launch_times(device: Device, readback: Readback, loaded: LoadedPlan, dynamics: Sequence[Scalar]) -> list[float]:
    """Run a plan's launches and return the seconds of each; raises DeviceError where the device has no timestamps.

    A pass of its own for each launch costs more than the launches cost together in one.
    """
    device.require((FEATURE,), "timing of steps")
    times: list[float] = []
    for begin in range(0, len(loaded.launches), LAUNCHES):
        times += _timed(device, readback, loaded, range(begin, min(begin + LAUNCHES, len(loaded.launches))), dynamics)
    return times


def _timed(
    device: Device, readback: Readback, loaded: LoadedPlan, places: range, dynamics: Sequence[Scalar]
) -> list[float]:
    gpu, count = device.handle, 2 * len(places)
    queries = gpu.create_query_set(type="timestamp", count=count)
    resolved = gpu.create_buffer(size=8 * count, usage=QUERY_RESOLVE | COPY_SRC)
    encoder = gpu.create_command_encoder()
    for query, place in enumerate(places):
        _pass(encoder, queries, 2 * query, loaded, place, dynamics)
    encoder.resolve_query_set(queries, 0, count, resolved, 0)
    gpu.queue.submit([encoder.finish()])
    ticks = readback.read(resolved, 0, 8 * count).view(np.uint64).reshape(-1, 2).astype(np.float64)
    seconds: list[float] = ((ticks[:, 1] - ticks[:, 0]) * 1e-9).tolist()  # WebGPU's timestamps are in nanoseconds
    return seconds


def _pass(encoder: Any, queries: Any, query: int, loaded: LoadedPlan, place: int, dynamics: Sequence[Scalar]) -> None:
    each = loaded.launches[place]
    writes = {
        "query_set": queries,
        "beginning_of_pass_write_index": query,
        "end_of_pass_write_index": query + 1,
    }
    compute = encoder.begin_compute_pass(timestamp_writes=writes)
    compute.set_pipeline(each.pipeline)
    compute.set_bind_group(0, each.bind_group)
    compute.dispatch_workgroups(*loaded.groups(each, dynamics))
    compute.end()
