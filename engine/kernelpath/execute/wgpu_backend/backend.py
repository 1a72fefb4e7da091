"""Run plans on a GPU: one submit a call, nothing waited for until something is read."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from kernelpath.emit.plan.expressions import Scalar
from kernelpath.emit.plan.families import READ
from kernelpath.emit.plan.model import CACHE, CONSTANT, WEIGHT, Binding, Buffer, Dispatch, Plan, resolve
from kernelpath.execute.backend import NOT_FINITE, Array, Observer
from kernelpath.execute.device import COPY_DST, COPY_SRC, STORAGE, UNIFORM, Device, DeviceError
from kernelpath.execute.shaders import Shaders
from kernelpath.execute.weights import Weights, identity, stored
from kernelpath.execute.wgpu_backend.finite import FiniteProbe, RowProbe
from kernelpath.execute.wgpu_backend.loaded import Launch, LoadedPlan, launch
from kernelpath.execute.wgpu_backend.readback import Readback
from kernelpath.execute.wgpu_backend.timing import launch_times
from kernelpath.execute.wgpu_backend.uniforms import PackedUniforms

HISTORY = 512
"""How many sampled tokens the device keeps: as many calls may be under way before one is read."""

ENTRY = 8
"""Bytes of one sampled token: its id, and whether its logits were not all finite."""

UPLOAD_BYTES = 1 << 26
"""A weight is written in pieces of so many bytes, so that no second copy of a large one is made at once."""

OUT_OF_MEMORY = "GPUOutOfMemoryError"
"""The name of wgpu's error: only `execute.device` imports wgpu."""

DTYPES: dict[str, Any] = {"f32": np.float32, "f16": np.float16, "u32": np.uint32, "i32": np.int32}


class WgpuBackend:
    """Plans on one device. Weights, caches and constants are shared by the plans, all else is each plan's own."""

    def __init__(self, weights: Weights, device: Device, shaders: Shaders | None = None) -> None:
        self._weights = weights
        self._device = device
        self._gpu = device.handle
        self._queue = device.handle.queue
        self._shaders = shaders or Shaders(device)
        self._readback = Readback(self._gpu)
        self._shared: dict[Hashable, Any] = {}
        self._loaded: dict[int, LoadedPlan] = {}
        self._last: dict[int, list[Scalar]] = {}
        self._history = self._buffer("history", ENTRY * HISTORY, STORAGE)
        self._finite = FiniteProbe(device)
        self._probes: dict[int, RowProbe] = {}
        self._calls = 0

    def load(self, plan: Plan) -> None:
        """Upload the plan's weights, and make its buffers, pipelines and bind groups."""
        if id(plan) in self._loaded:
            return
        buffers = [self._made(buffer) for buffer in plan.buffers]
        uniforms = PackedUniforms(plan)
        uniform_buffer = self._buffer("uniforms", uniforms.words.nbytes, UNIFORM)
        self._queue.write_buffer(uniform_buffer, 0, uniforms.words)
        limit = self._device.limits["max-compute-workgroups-per-dimension"]
        launches = tuple(self._launch(dispatch, buffers, uniform_buffer, limit) for dispatch in plan.dispatches)
        self._loaded[id(plan)] = LoadedPlan(plan, buffers, uniforms, uniform_buffer, launches, limit)

    def _made(self, buffer: Buffer) -> Any:
        if buffer.role not in (WEIGHT, CACHE, CONSTANT):
            return self._buffer(buffer.name, buffer.size, STORAGE)
        key = identity(buffer, self._weights)
        if key not in self._shared:
            self._shared[key] = self._buffer(buffer.name, buffer.size, STORAGE)
            self._fill(self._shared[key], buffer)
        return self._shared[key]

    def _buffer(self, label: str, size: int, usage: int) -> Any:
        """Return a new buffer; raises DeviceError where the device has no room for it."""
        try:
            return self._gpu.create_buffer(label=label, size=size, usage=usage | COPY_SRC | COPY_DST)
        except Exception as error:
            if type(error).__name__ != OUT_OF_MEMORY:
                raise
            message = f"{self._device.name} has no room for the {size:,} bytes of `{label}`"
            raise DeviceError(message, "keep fewer positions, or store the weights at a smaller dtype") from error

    def _fill(self, handle: Any, buffer: Buffer) -> None:
        if buffer.role == WEIGHT:
            self._upload(handle, stored(buffer, self._weights).data)
        elif buffer.role == CONSTANT:
            self._upload(handle, np.array(buffer.values, dtype=DTYPES[buffer.dtype]).view(np.uint8))

    def _upload(self, handle: Any, data: Array) -> None:
        for begin in range(0, data.size, UPLOAD_BYTES):
            piece = data[begin : begin + UPLOAD_BYTES]
            padding = -piece.size % 4
            whole = np.concatenate([piece, np.zeros(padding, np.uint8)]) if padding else np.ascontiguousarray(piece)
            self._queue.write_buffer(handle, begin, whole)

    def _launch(self, dispatch: Dispatch, buffers: list[Any], uniform_buffer: Any, limit: int) -> Launch:
        variant = dispatch.variant
        pipeline = self._shaders.pipeline(variant, dispatch.overrides)
        entries = [
            {"binding": each.index, "resource": {"buffer": buffers[each.buffer], "offset": 0, "size": each.size}}
            for each in dispatch.bindings
        ]
        if variant.uniform_size:
            resource = {"buffer": uniform_buffer, "offset": dispatch.uniform_offset, "size": variant.uniform_size}
            index = next(binding.index for binding in variant.bindings if binding.kind == "uniform")
            entries.append({"binding": index, "resource": resource})
        group = self._gpu.create_bind_group(layout=pipeline.layout, entries=entries, label=dispatch.step)
        return launch(dispatch, pipeline, group, limit)

    def run(self, plan: Plan, tokens: Sequence[int] | None, start: int, observer: Observer | None = None) -> None:
        """Record and submit a call; what it does is waited for when something of it is read."""
        loaded = self._loaded[id(plan)]
        dynamics = self._last[id(plan)] = plan.evaluate(1 if tokens is None else len(tokens), start)
        encoder = self._gpu.create_command_encoder()
        self._feed(loaded, tokens, encoder)
        if loaded.uniforms.put(dynamics):
            self._queue.write_buffer(loaded.uniform_buffer, 0, loaded.uniforms.words)
        if observer:
            self._queue.submit([encoder.finish()])
            self._observed(loaded, dynamics, observer)
            encoder = self._gpu.create_command_encoder()
        else:
            record(encoder, loaded, loaded.launches, dynamics)
        self._keep_sampled(loaded, encoder, int(dynamics[0]))
        self._queue.submit([encoder.finish()])

    def _feed(self, loaded: LoadedPlan, tokens: Sequence[int] | None, encoder: Any) -> None:
        """Give the plan its tokens: from the caller, or the one that the call before sampled, on the device."""
        target = loaded.buffers[loaded.plan.buffer_named("tokens")]
        if tokens is None:
            encoder.copy_buffer_to_buffer(self._history, ENTRY * ((self._calls - 1) % HISTORY), target, 0, 4)
            return
        self._queue.write_buffer(target, 0, np.array(tokens, dtype=np.uint32))
        for buffer, handle in zip(loaded.plan.buffers, loaded.buffers, strict=True):
            if buffer.name == "last":
                self._queue.write_buffer(handle, 0, np.array([len(tokens) - 1], dtype=np.uint32))

    def _keep_sampled(self, loaded: LoadedPlan, encoder: Any, rows: int) -> None:
        names = [buffer.name for buffer in loaded.plan.buffers]
        if "next" in names:
            row = rows - 1 if loaded.plan.all_rows else 0
            source, entry = loaded.buffers[names.index("next")], ENTRY * (self._calls % HISTORY)
            encoder.copy_buffer_to_buffer(source, 4 * row, self._history, entry, 4)
            self._probe(loaded, encoder, row)
            encoder.copy_buffer_to_buffer(self._finite.found, 0, self._history, entry + 4, 4)
        self._calls += 1

    def _probe(self, loaded: LoadedPlan, encoder: Any, row: int) -> None:
        """Record a look at whether the logits of a row are finite."""
        plan = loaded.plan
        place = plan.buffer_named("logits")
        if id(plan) not in self._probes:
            self._probes[id(plan)] = self._finite.over(loaded.buffers[place])
        binding = _last_binding(plan, place)
        width = int(resolve(binding.shape[-1], self._last[id(plan)]))
        self._probes[id(plan)].record(encoder, row, width, 4 // np.dtype(DTYPES[binding.dtype]).itemsize)

    def _observed(self, loaded: LoadedPlan, dynamics: Sequence[Scalar], observer: Observer) -> None:
        """Run the dispatches one at a time, and show what each wrote."""
        for dispatch, each in zip(loaded.plan.dispatches, loaded.launches, strict=True):
            encoder = self._gpu.create_command_encoder()
            record(encoder, loaded, (each,), dynamics)
            self._queue.submit([encoder.finish()])
            written = [binding for binding in dispatch.bindings if binding.kind != READ]
            observer(dispatch, {binding.name: self._array(loaded, binding, dynamics) for binding in written})

    def _array(self, loaded: LoadedPlan, binding: Binding, dynamics: Sequence[Scalar]) -> Array:
        shape = tuple(int(resolve(length, dynamics)) for length in binding.shape)
        kind = np.dtype(DTYPES[binding.dtype])
        data = self._readback.read(loaded.buffers[binding.buffer], 0, int(np.prod(shape)) * kind.itemsize)
        array: Array = data.view(kind).reshape(shape)
        return array

    def arrays(self, plan: Plan, dispatch: Dispatch, dynamics: Sequence[Scalar]) -> dict[str, Array]:
        """Return what the bindings of a dispatch hold now, weights of other dtypes than numbers left out."""
        loaded = self._loaded[id(plan)]
        plain = [binding for binding in (*dispatch.inherited, *dispatch.bindings) if binding.dtype in DTYPES]
        return {binding.name: self._array(loaded, binding, dynamics) for binding in plain}

    def times(self, plan: Plan) -> list[tuple[Dispatch, float]]:
        """Run the plan's last call once more, and return its dispatches with their seconds on the device."""
        loaded = self._loaded[id(plan)]
        seconds = launch_times(self._device, self._readback, loaded, self._last[id(plan)])
        return list(zip(plan.dispatches, seconds, strict=True))

    def read(self, plan: Plan, name: str) -> Array:
        """Return an output of this plan's last call, logits as f32."""
        loaded = self._loaded[id(plan)]
        place = plan.buffer_named(name)
        value = self._array(loaded, _last_binding(plan, place), self._last[id(plan)])
        return value if name == "next" else value.astype(np.float32)

    def sampled(self, plan: Plan, count: int) -> list[int]:
        """Return the tokens that the last `count` calls sampled, at most HISTORY of them."""
        begin, end = self._calls - count, self._calls
        entries = self._readback.read(self._history, 0, ENTRY * HISTORY).view(np.uint32).reshape(-1, 2)
        recent = (entries[call % HISTORY] for call in range(begin, end))
        return [NOT_FINITE if wrong else int(token) for token, wrong in recent]

    def close(self) -> None:
        """Let go of the buffers; the device stays open."""
        self._readback.close()
        self._loaded.clear()
        self._shared.clear()
        self._probes.clear()


def _last_binding(plan: Plan, place: int) -> Binding:
    """Return how the last launch that binds a buffer sees it."""
    return [each for dispatch in plan.dispatches for each in dispatch.bindings if each.buffer == place][-1]


def record(encoder: Any, loaded: LoadedPlan, launches: Sequence[Launch], dynamics: Sequence[Scalar]) -> None:
    """Record launches into one pass: the device keeps their order, and waits between those that depend."""
    compute = encoder.begin_compute_pass()
    held = None
    for each in launches:
        if each.pipeline is not held:
            compute.set_pipeline(each.pipeline)
            held = each.pipeline
        compute.set_bind_group(0, each.bind_group)
        compute.dispatch_workgroups(*loaded.groups(each, dynamics))
    compute.end()
