"""Small graphs with one to three faults, made by seed from steps that fit each other."""

from __future__ import annotations

import copy
import random
from typing import Any

import kernelpath as kp

CATALOG = kp.load_catalog("doppler-0.1.7")
REFERENCES = {
    key: {"id": kernel.reference, "version": kernel.version, "digest": kernel.digest} for key, kernel in CATALOG.items()
}
KERNELS = {"f32": ("modulate.wgsl", "relu.wgsl"), "f16": ("modulate_f16.wgsl", "relu_f16.wgsl")}


def graph(seed: int, length: int) -> dict[str, Any]:
    """Return an inference section whose steps pass: each reads and writes f32 or f16, with casts where they meet."""
    chance = random.Random(seed)
    held = "f32"
    steps: list[dict[str, Any]] = []
    while len(steps) < length:
        wanted = chance.choice(("f16", "f32"))
        common = {
            "id": f"s{len(steps)}",
            "phase": "both",
            "section": "layer",
            "src": "state",
            "dst": "state",
            "layers": "all",
        }
        if wanted != held:
            steps.append({**common, "op": "cast", "toDtype": wanted})
            held = wanted
            continue
        kernel = chance.choice(KERNELS[held])
        step = {**common, "op": "ffn", "kernel": kernel, "entry": "main", "kernelRef": REFERENCES[f"{kernel}#main"]}
        if steps and chance.random() < 0.4:  # the first step of decode reads what prefill left
            step["precision"] = {"inputDtype": held}
        steps.append(step)
    return section(steps)


def section(steps: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an inference section with these steps, its session and the profiles that they need."""
    dtypes = dict.fromkeys(("activationDtype", "mathDtype", "accumDtype", "outputDtype"), "f32")
    profiles = [{"kernelRef": REFERENCES[f"{name}#main"]} for names in KERNELS.values() for name in names]
    session = {"compute": {"defaults": dtypes, "kernelProfiles": profiles}, "kvcache": None, "decodeLoop": None}
    return {"schema": "doppler.execution/v0", "sessionDefaults": session, "execution": {"steps": steps}}


def broken(seed: int, length: int, faults: int) -> dict[str, Any]:
    """Return a graph with some faults; it may still pass, where two of them undo each other."""
    chance = random.Random(seed * 7919)
    found = copy.deepcopy(graph(seed, length))
    for _ in range(faults):
        step = chance.choice(found["execution"]["steps"])
        chance.choice((_precision, _output, _cast, _pin, _source))(chance, step)
    return found


def _precision(chance: random.Random, step: dict[str, Any]) -> None:
    step.setdefault("precision", {})["inputDtype"] = chance.choice(("f16", "f32"))


def _output(chance: random.Random, step: dict[str, Any]) -> None:
    step.setdefault("precision", {})["outputDtype"] = chance.choice(("f16", "f32"))


def _cast(chance: random.Random, step: dict[str, Any]) -> None:
    if step["op"] == "cast":
        step["fromDtype"] = chance.choice(("f16", "f32"))


def _pin(chance: random.Random, step: dict[str, Any]) -> None:
    if "kernelRef" in step:
        step["kernelRef"] = {**step["kernelRef"], "digest": "sha256:" + "0" * 64}


def _source(chance: random.Random, step: dict[str, Any]) -> None:
    step["src"] = chance.choice(("state", "lost"))
