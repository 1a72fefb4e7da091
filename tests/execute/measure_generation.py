"""Measure SmolLM2 on a device: whether it answers as recorded, how fast, and where the time goes.

    python tests/execute/measure_generation.py [--model FILE] [--storage f32 f16 stored] [--output FILE]

Without a file, a random model of SmolLM2's shape is measured, and nothing is compared. Rates are medians over repeats:
a prefill's is its tokens over the time until its last token's choice is read, a decode's its tokens over the time until
the last is read.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from execute.paths import F16_WEIGHTS, F32, compiled_path, plain_path
from kernelpath.execute.device import open_device
from kernelpath.execute.session import Session, make_plans
from kernelpath.execute.shaders import Shaders
from kernelpath.execute.wgpu_backend import WgpuBackend, device_limits
from kernelpath.models.model import Model
from kernelpath.models.open_model import open_model
from models.tiny import tiny_model

SHAPE = {
    "num_layers": 30, "hidden_size": 576, "num_heads": 9, "num_kv_heads": 3, "head_dim": 64, "ffn_size": 1536,
    "vocab_size": 49_152, "context_length": 8192,
}  # fmt: skip
PROMPTS = Path(__file__).resolve().parent.parent / "models" / "data" / "smollm2.json"
PREFILL, DECODE, REPEATS = 512, 128, 5


def kernel_path(model: Model, storage: str) -> dict[str, Any]:
    """Return the path that is measured: plain kernels of one weight dtype, or what `init` writes for the file."""
    if storage == "stored":
        return compiled_path(model)
    return plain_path("llama", {"f32": F32, "f16": F16_WEIGHTS}[storage])


def compare(session: Session, tolerance: float) -> dict[str, Any]:
    """Return how the recorded prompts are answered: greedy tokens that agree, and the largest logit difference."""
    report = {}
    for prompt in json.loads(PROMPTS.read_text())["prompts"]:
        near = (place for place, margin in enumerate(prompt["margin"]) if margin < 2 * tolerance)
        fair = min(prompt["fair_until"], next(near, len(prompt["greedy"])))
        session.reset()
        tokens = list(session.generate(prompt["ids"], len(prompt["greedy"])))
        same = next(
            (at for at, pair in enumerate(zip(tokens, prompt["greedy"], strict=True)) if pair[0] != pair[1]), 48
        )
        session.reset()
        logits = session.prefill(prompt["ids"])
        ids, values = zip(*prompt["final_top10"], strict=True)
        difference = float(np.abs(logits[list(ids)] - values).max())
        report[prompt["kind"]] = {"same": same, "fair": fair, "ok": same >= fair, "difference": difference}
    return report


def rates(session: Session) -> dict[str, float]:
    """Return tokens per second of a prefill and of a decode, and milliseconds of recording one decode."""
    generator = np.random.default_rng(0)
    prefills, decodes = [], []
    for _ in range(REPEATS):
        ids = [int(token) for token in generator.integers(0, SHAPE["vocab_size"], PREFILL)]
        session.reset()
        begin = time.perf_counter()
        tokens = session.generate(ids, DECODE + 1)
        next(tokens)
        first = time.perf_counter()
        prefills.append(PREFILL / (first - begin))
        count = sum(1 for _ in tokens)
        decodes.append(count / (time.perf_counter() - first))
    begin = time.perf_counter()
    for position in range(20):
        session.backend.run(session.plans.decode, [1], position)
    recording = (time.perf_counter() - begin) / 20 * 1e3
    session.backend.sampled(session.plans.decode, 1)
    return {
        "prefill": statistics.median(prefills),
        "decode": statistics.median(decodes),
        "decode_best": max(decodes),
        "recording_ms": recording,
    }


def places(session: Session, backend: WgpuBackend) -> dict[str, dict[str, float]]:
    """Return the milliseconds of each kernel in one call of each plan, by the device's clock."""
    report = {}
    session.reset()
    session.prefill(list(range(1, PREFILL + 1)))
    session.decode(1)
    for plan in (session.plans.prefill, session.plans.decode):
        totals: dict[str, list[float]] = defaultdict(list)
        for dispatch, seconds in backend.times(plan):
            totals[f"{dispatch.op} {dispatch.variant.name}"].append(seconds * 1e3)
        report[plan.phase] = {f"{name} x{len(each)}": sum(each) for name, each in totals.items()}
    return report


def measure(model: Model, storage: str, real: bool) -> dict[str, Any]:
    """Measure one way of storing the weights, and print it."""
    device = open_device()
    begin = time.perf_counter()
    plans = make_plans(kernel_path(model, storage), model.architecture, device_limits(device), 2048, PREFILL)
    backend = WgpuBackend(model.weights, device, Shaders(device))
    session = Session(plans, backend, model.weights)
    session.prefill([1, 2, 3])
    session.decode(1)
    report: dict[str, Any] = {"storage": storage, "device": device.name, "ready_s": time.perf_counter() - begin}
    report["dispatches"] = [len(plans.prefill.dispatches), len(plans.decode.dispatches)]
    if real:
        report["answers"] = compare(session, 1e-3 if storage == "f32" else 0.1)
    report["rates"] = rates(session)
    report["places"] = places(session, backend)
    print(json.dumps(report, indent=1), flush=True)
    return report


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model")
    parser.add_argument("--storage", nargs="+", default=["f16", "f32"])
    parser.add_argument("--output")
    options = parser.parse_args()
    model = open_model(options.model) if options.model else tiny_model("llama", "f16", **SHAPE)
    reports = [measure(model, storage, bool(options.model)) for storage in options.storage]
    if options.output:
        Path(options.output).write_text(json.dumps(reports, indent=1))


if __name__ == "__main__":
    main()
