"""Time the kernels that decide speed on a device, beside a plain copy and torch; and check every variant there.

    python tests/bench/device.py [verify] [gemv] [gemm] [attention] [tune] [torch] [--output FILE]

Weights are distinct and rotated, several gigabytes in all, so that no cache holds them. A figure is the median over
repeated passes of the time of one launch among many in a pass, waits between dependent launches included.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from kernelpath.emit.plan.families import Variant, load_families
from kernelpath.emit.plan.storage import byte_size
from kernelpath.execute.device import COPY_DST, COPY_SRC, QUERY_RESOLVE, STORAGE, Device, open_device
from kernelpath.execute.shaders import Shaders
from kernelpath.execute.trial import Launch, Trial, all_names, record, shape
from kernelpath.execute.verify import table, verify

REPEATS = 9
WARM_UP = 0.25
FAMILIES = load_families()
RESULTS: dict[str, float] = {}


class Clock:
    """Times passes on the device by its timestamps, in nanoseconds."""

    def __init__(self, device: Device) -> None:
        self.gpu = device.handle
        self.queries = self.gpu.create_query_set(type="timestamp", count=2)
        self.result = self.gpu.create_buffer(size=16, usage=QUERY_RESOLVE | COPY_SRC)

    def once(self, launches: Sequence[Launch]) -> float:
        """Return the seconds from the first launch's begin to the last one's end."""
        encoder = self.gpu.create_command_encoder()
        writes = {"query_set": self.queries, "beginning_of_pass_write_index": 0, "end_of_pass_write_index": 1}
        record(encoder, list(launches), writes)
        encoder.resolve_query_set(self.queries, 0, 2, self.result, 0)
        self.gpu.queue.submit([encoder.finish()])
        begin, end = np.frombuffer(self.gpu.queue.read_buffer(self.result), np.uint64)
        return float(end - begin) * 1e-9

    def median(self, launches: Sequence[Launch], steps: int) -> float:
        """Return the median seconds of a step of `steps` in the pass, once an idle device has raised its clocks."""
        until = time.perf_counter() + WARM_UP
        self.once(launches)
        while time.perf_counter() < until:
            self.once(launches)
        return statistics.median(self.once(launches) for _ in range(REPEATS)) / steps


def say(name: str, seconds: float, note: str) -> None:
    """Print and keep one figure."""
    RESULTS[name] = seconds
    print(f"{name:58} {seconds * 1e6:9.1f} us  {note}", flush=True)


@cache
def noise(device: Device, dtype: str) -> Any:
    """Return 16 MiB of random values on the device."""
    values = np.random.default_rng(1).normal(size=(16 << 20) // (2 if dtype == "f16" else 4)) * 0.05
    data = values.astype(np.float16 if dtype == "f16" else np.float32).tobytes()
    return device.handle.create_buffer_with_data(data=data, usage=COPY_SRC)


def filled(device: Device, dtype: str, shape: tuple[int, ...], seed: int) -> Any:
    """Return a buffer of the noise, repeated from some place on."""
    size = byte_size(dtype, shape)
    buffer = device.handle.create_buffer(size=size, usage=STORAGE | COPY_DST | COPY_SRC)
    source, encoder = noise(device, dtype), device.handle.create_command_encoder()
    begin = seed * 4096 % (1 << 20)
    step = source.size - begin
    for offset in range(0, size, step):
        encoder.copy_buffer_to_buffer(source, begin, buffer, offset, min(step, size - offset))
    device.handle.queue.submit([encoder.finish()])
    return buffer


def rotated(
    shaders: Shaders,
    variant: Variant,
    given: dict[str, Any],
    rotate: Sequence[str],
    total: float,
    overrides: dict[str, float] | None = None,
) -> tuple[list[Launch], int]:
    """Return launches of a variant over distinct copies of some bindings, `total` bytes in all, and how many copies."""
    names = all_names(variant, given, shaders.device.cpu)
    trial = Trial(shaders, variant, names)
    size = sum(trial.buffers[name].size for name in rotate)
    copies = max(2, min(64, round(total / size)))
    for name, form in trial.forms.items():
        if name not in rotate and form.kind == "read":
            trial.buffers[name] = filled(shaders.device, form.dtype, tuple(_lengths(trial, name)), 1)
    launches: list[Launch] = []
    for copy in range(copies):
        own = {
            name: filled(shaders.device, trial.forms[name].dtype, tuple(_lengths(trial, name)), copy) for name in rotate
        }
        launches += [trial.launch(shaders, link, {**trial.buffers, **own}, overrides) for link in trial.links]
    return launches, copies


def _lengths(trial: Trial, name: str) -> list[int]:
    return list(shape(trial.forms[name], trial.names))


COPY = """
@group(0) @binding(0) var<storage, read> a: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> b: array<vec4<u32>>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    for (var i = id.x; i < arrayLength(&a); i += n.x * 256u) { b[i] = a[i]; }
}
"""


def copy(shaders: Shaders, clock: Clock) -> None:
    """Time a plain copy of 512 MiB by a shader: the ceiling that the other figures stand beside."""
    device = shaders.device
    size = min(1 << 29, device.limits["max-storage-buffer-binding-size"])
    a, b = (device.handle.create_buffer(size=size, usage=STORAGE | COPY_DST) for _ in range(2))
    pipeline = device.handle.create_compute_pipeline(
        layout="auto", compute={"module": device.module(COPY, trusted=True), "entry_point": "main"}
    )
    entries = [{"binding": i, "resource": {"buffer": x, "offset": 0, "size": size}} for i, x in enumerate((a, b))]
    group = device.handle.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)
    seconds = clock.median([Launch(pipeline, group, (132 * 32, 1, 1))], 1)
    say(f"copy {size >> 20} MiB", seconds, f"{2 * size / seconds / 1e12:.2f} TB/s read and written")


GEMV = ((16384, 4096), (4096, 4096), (49152, 576), (1536, 576), (576, 1536), (576, 576))


def gemv(shaders: Shaders, clock: Clock) -> None:
    """Time f16-weight matrix times vector, f32 activations."""
    variant = FAMILIES.variants("matmul_gemv_subgroup.wgsl", "main_vec4")[-1]
    for rows, width in GEMV:
        launches, copies = rotated(shaders, variant, {"M": 1, "N": rows, "K": width}, ["B"], 1.5e9)
        seconds = clock.median(launches, copies)
        say(f"gemv f16w f32a {rows}x{width}", seconds, f"{rows * width * 2 / seconds / 1e12:.2f} TB/s")

    quantised = FAMILIES.variants("fused_matmul_q4.wgsl", "main_multicol")[-1]
    for rows, width in GEMV[:2]:
        launches, copies = rotated(shaders, quantised, {"M": 1, "N": rows, "K": width}, ["B"], 0.7e9)
        seconds = clock.median(launches, copies)
        say(f"gemv q4_k f32a {rows}x{width}", seconds, f"{rows * width * 0.5625 / seconds / 1e12:.2f} TB/s")


def gemm(shaders: Shaders, clock: Clock) -> None:
    """Time f16-weight, f32-activation matrix products."""
    variants = FAMILIES.variants("matmul_f16w_f32a_tiled.wgsl", "main")
    for m, n, k in ((4096, 4096, 4096), (512, 1536, 576), (512, 576, 1536), (512, 576, 576), (512, 49152, 576)):
        variant = variants[-2] if n <= 2048 else variants[-1]  # as their `when` says
        launches, copies = rotated(shaders, variant, {"M": m, "N": n, "K": k}, ["B"], 4 * n * k * 2)
        seconds = clock.median(launches, copies)
        say(f"gemm f16w f32a {m}x{n}x{k}", seconds, f"{2 * m * n * k / seconds / 1e12:.2f} TFLOP/s")


def decode_attention(shaders: Shaders, clock: Clock, sizes: tuple[int, int, int, int], split: bool) -> None:
    """Time attention of one token, its keys dealt out among workgroups or not; f16 cache, f32 queries."""
    heads, key_heads, width, keys = sizes
    variant = FAMILIES.variants("attention_decode_online_f16kv.wgsl", "main")[0 if split else 1]
    names = {"T": 1, "S": keys, "H": heads, "KV": key_heads, "D": width, "capacity": keys, "start": keys - 1}
    launches, copies = rotated(shaders, variant, {**names, "scale": 0.1}, ["K", "V"], 1e9)
    seconds = clock.median(launches, copies)
    name = f"decode attention {heads}/{key_heads}x{width} {keys} keys{' split' if split else ''}"
    say(name, seconds, f"{keys * key_heads * width * 4 / seconds / 1e12:.2f} TB/s")


def attention(shaders: Shaders, clock: Clock) -> None:
    """Time attention of one token over 8,192 and fewer keys, and of a prefill."""
    for sizes, split in (((32, 8, 128, 8192), True), ((32, 8, 128, 1024), True), ((9, 3, 64, 256), False)):
        decode_attention(shaders, clock, sizes, split)
    variants = FAMILIES.variants("attention_decode_online_f16kv.wgsl", "main")
    for heads, key_heads, width, keys in ((9, 3, 64, 512), (32, 8, 128, 2048)):
        given = {"T": keys, "S": keys, "H": heads, "KV": key_heads, "D": width, "capacity": keys, "start": 0}
        launches, copies = rotated(shaders, variants[-1], {**given, "scale": 0.1}, ["K", "V"], 1)
        seconds = clock.median(launches, copies)
        flops = 2 * keys * keys * heads * width
        say(f"prefill attention {heads}/{key_heads}x{width} {keys}", seconds, f"{flops / seconds / 1e12:.2f} TFLOP/s")


def tune(shaders: Shaders, clock: Clock) -> None:
    """Time other choices of lanes, workgroup sizes and splits than the families make."""
    for sizes in ((9, 3, 64, 256), (9, 3, 64, 1024), (9, 3, 64, 4096), (32, 8, 128, 1024), (32, 8, 128, 2048)):
        decode_attention(shaders, clock, sizes, split=False)
        decode_attention(shaders, clock, sizes, split=True)
    quantised = FAMILIES.variants("fused_matmul_q4.wgsl", "main_multicol")[-1]
    unrolled = replace(quantised, substitute={**quantised.substitute, "UNROLL": "four"})
    for rows, width in GEMV[:2]:
        launches, copies = rotated(shaders, unrolled, {"M": 1, "N": rows, "K": width}, ["B"], 0.7e9)
        seconds = clock.median(launches, copies)
        say(f"tune gemv q4_k {rows}x{width} unrolled", seconds, f"{rows * width * 0.5625 / seconds / 1e12:.2f} TB/s")
    variant = FAMILIES.variants("matmul_gemv_subgroup.wgsl", "main_vec4")[-1]
    for rows, width in GEMV:
        for lanes in (8, 16, 32):
            for size in (64, 128):
                count = -(-rows // (2 * (size // lanes)))
                changed = replace(variant, groups=(str(count), "1", "1"))
                overrides = {"LANES": float(lanes), "SIZE": float(size)}
                launches, copies = rotated(shaders, changed, {"M": 1, "N": rows, "K": width}, ["B"], 0.7e9, overrides)
                seconds = clock.median(launches, copies)
                name = f"tune gemv {rows}x{width} lanes {lanes} size {size}"
                say(name, seconds, f"{rows * width * 2 / seconds / 1e12:.2f} TB/s")


def beside_torch() -> None:
    """Time the same work in torch."""
    import torch

    def median(work: Callable[[int], Any], copies: int) -> float:
        def once() -> float:
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for copy in range(copies):
                work(copy)
            end.record()
            torch.cuda.synchronize()
            return begin.elapsed_time(end) * 1e-3 / copies

        once()
        return statistics.median(once() for _ in range(REPEATS))

    for rows, width in GEMV[:3]:
        copies = max(2, min(64, round(1.5e9 / (rows * width * 2))))
        weights = [torch.randn(rows, width, device="cuda", dtype=torch.float16) for _ in range(copies)]
        x = torch.randn(width, 1, device="cuda", dtype=torch.float16)
        seconds = median(lambda copy, w=weights, v=x: w[copy] @ v, copies)
        say(f"torch gemv f16 {rows}x{width}", seconds, f"{rows * width * 2 / seconds / 1e12:.2f} TB/s")
    a, b = (torch.randn(4096, 4096, device="cuda") for _ in range(2))
    seconds = median(lambda copy: a @ b, 4)
    say("torch gemm f32 4096", seconds, f"{2 * 4096**3 / seconds / 1e12:.1f} TFLOP/s")
    q = torch.randn(1, 32, 1, 128, device="cuda", dtype=torch.float16)
    caches = [[torch.randn(1, 8, 8192, 128, device="cuda", dtype=torch.float16) for _ in "kv"] for _ in range(16)]
    attend = torch.nn.functional.scaled_dot_product_attention
    seconds = median(lambda copy: attend(q, *caches[copy], enable_gqa=True), 16)
    say("torch decode attention 32/8x128 8192", seconds, "")


def check(device: Device) -> int:
    """Check every variant on this device, print a table, and return how many checks failed."""
    began = time.perf_counter()
    checks = list(verify(device))
    print(table(checks))
    failed = sum(not check.holds for check in checks)
    print(f"{len(checks)} checks, {failed} failed, {time.perf_counter() - began:.0f} s", flush=True)
    return failed


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for, all of it by default."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["verify", "gemv", "gemm", "attention", "torch"])
    parser.add_argument("--output")
    parser.add_argument("--checked", action="store_true", help="keep wgpu's bounds checks and loop counters")
    options = parser.parse_args(arguments)
    device = open_device()
    print(f"{device.name}, {device.driver}, {device.backend}", flush=True)
    shaders, clock = Shaders(device, trusted=not options.checked), Clock(device)
    failed = check(device) if "verify" in options.parts else 0
    if set(options.parts) - {"verify", "torch"}:
        copy(shaders, clock)
    for part, work in (("gemv", gemv), ("gemm", gemm), ("attention", attention), ("tune", tune)):
        if part in options.parts:
            work(shaders, clock)
    if "torch" in options.parts:
        beside_torch()
    if options.output:
        with open(options.output, "w", encoding="utf-8") as stream:
            json.dump({"device": device.name, "driver": device.driver, "seconds": RESULTS}, stream, indent=1)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
