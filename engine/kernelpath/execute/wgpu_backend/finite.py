"""Look on the device whether all logits of a call are numbers, so that they need not be read back for that."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelpath.execute.device import COMPUTE, COPY_DST, COPY_SRC, STORAGE, UNIFORM, Device

_THREADS, _GROUPS = 256, 64
# A number whose exponent is all ones is an infinity or a NaN. `shape` is the first element, how many there are, and how
# many stand in a word: one of f32 or two of f16.
_PROBE = f"""
@group(0) @binding(0) var<uniform> shape: vec4<u32>;
@group(0) @binding(1) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read_write> found: atomic<u32>;
fn exponent_is_full(element: u32) -> bool {{
    if shape.z == 1u {{ return (words[element] & 0x7f800000u) == 0x7f800000u; }}
    return ((words[element / 2u] >> (16u * (element % 2u))) & 0x7c00u) == 0x7c00u;
}}
@compute @workgroup_size({_THREADS}) fn main(@builtin(global_invocation_id) thread: vec3<u32>) {{
    for (var at = thread.x; at < shape.y; at += {_THREADS * _GROUPS}u) {{
        if exponent_is_full(shape.x + at) {{ atomicStore(&found, 1u); }}
    }}
}}
"""
_LAYOUT = ("uniform", "read-only-storage", "storage")


class FiniteProbe:
    """The pipeline of one device that says, in `found`, whether the last row of some logits is not finite."""

    def __init__(self, device: Device) -> None:
        gpu = device.handle
        entries = [
            {"binding": place, "visibility": COMPUTE, "buffer": {"type": kind}} for place, kind in enumerate(_LAYOUT)
        ]
        self._gpu = gpu
        self._layout = gpu.create_bind_group_layout(entries=entries)
        self._pipeline = gpu.create_compute_pipeline(
            layout=gpu.create_pipeline_layout(bind_group_layouts=[self._layout]),
            compute={"module": device.module(_PROBE, "finite"), "entry_point": "main"},
        )
        self.found = gpu.create_buffer(size=4, usage=STORAGE | COPY_SRC | COPY_DST)

    def over(self, logits: Any) -> RowProbe:
        """Return the probe of one buffer of logits."""
        shape = self._gpu.create_buffer(size=16, usage=UNIFORM | COPY_DST)
        entries = [
            {"binding": place, "resource": {"buffer": each, "offset": 0, "size": each.size}}
            for place, each in enumerate((shape, logits, self.found))
        ]
        group = self._gpu.create_bind_group(layout=self._layout, entries=entries)
        return RowProbe(self._gpu, self._pipeline, group, shape, self.found)


class RowProbe:
    """Looks at rows of one buffer of logits."""

    def __init__(self, gpu: Any, pipeline: Any, group: Any, shape: Any, found: Any) -> None:
        self._gpu, self._pipeline, self._group, self._shape, self._found = gpu, pipeline, group, shape, found
        self._written: tuple[int, int, int] | None = None

    def record(self, encoder: Any, row: int, width: int, in_word: int) -> None:
        """Record a look at one row of `width` elements, of which `in_word` stand in four bytes."""
        if self._written != (row * width, width, in_word):
            self._written = (row * width, width, in_word)
            self._gpu.queue.write_buffer(self._shape, 0, np.array([*self._written, 0], np.uint32))
        encoder.clear_buffer(self._found, 0, 4)
        compute = encoder.begin_compute_pass()
        compute.set_pipeline(self._pipeline)
        compute.set_bind_group(0, self._group)
        compute.dispatch_workgroups(min(-(-width // _THREADS), _GROUPS))
        compute.end()
