"""The GPU's dispatches equal their meaning, and what the two backends answer is the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kernelpath.models.model import Model
from models.tiny import tiny_model

from .paths import F16_WEIGHTS, F32, PRESETS, plain_path, preset, preset_model
from .sessions import limits, session
from .stepwise import Stepwise

IDS = [5, 7, 200, 3, 17, 44, 90, 1, 2, 3, 4, 5, 6]
ARCHITECTURES = ("llama", "qwen3", "gemma2", "gemma3", "embeddinggemma", "lfm2")
pytestmark = pytest.mark.gpu


def observed(path: dict[str, Any], model: Model, fuse: bool) -> tuple[list[str], int]:
    """Run a prefill and two decodes on the GPU; return the dispatches that differ, and how many were compared.

    Fused plans are those of a hardware GPU, also where a software one runs them: it has fewer fusions of its own.
    """
    held_to = replace(limits("wgpu"), cpu=False) if fuse else limits("wgpu")
    running = session("wgpu", path, model, held_to, share=False, fuse=fuse)
    held: dict[str, Any] = {}
    failures, compared = [], 0
    for tokens, plan in ((IDS, running.plans.prefill), ([9], running.plans.decode), ([41], running.plans.decode)):
        step = Stepwise(plan, model.weights, tokens, running.position, held)
        if len(tokens) > 1:
            running.prefill(tokens, observer=step)
        else:
            running.decode(tokens[0], observer=step)
        failures += step.failures
        compared += step.compared
    return failures, compared


@pytest.mark.parametrize("kernels", [F32, F16_WEIGHTS], ids=["f32", "f16"])
@pytest.mark.parametrize("fuse", [False, True], ids=["unfused", "fused"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.sampled(6)
def test_each_dispatch_equals_its_meaning(architecture: str, fuse: bool, kernels: dict[str, Any]) -> None:
    """Every dispatch of a random model gives its family's meaning of what it read, within the family's tolerance."""
    model = tiny_model(architecture, "f16" if kernels is F16_WEIGHTS else "f32")
    failures, compared = observed(plain_path(architecture, kernels), model, fuse)
    assert failures == []
    assert compared >= 3 * (model.architecture["num_layers"] * (6 if fuse else 15))


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_runs_as_it_means(name: str) -> None:
    """Every kernel path preset runs on a random model of its architecture, each dispatch as its meaning says."""
    architecture, dtype = preset_model(name)
    model = tiny_model(architecture, dtype)
    failures, compared = observed(preset(name), model, fuse=False)
    assert failures == []
    assert compared >= 3 * model.architecture["num_layers"] * 14


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_both_backends_answer_alike(architecture: str) -> None:
    """The logits of every token, and the greedy tokens that follow, are those of the numpy backend."""
    model, path = tiny_model(architecture, "f32"), plain_path(architecture)
    ours, meant = (session(backend, path, model, all_rows=True) for backend in ("wgpu", "numpy"))
    np.testing.assert_allclose(ours.prefill(IDS), meant.prefill(IDS), rtol=1e-4, atol=1e-4)
    for each in (ours, meant):
        each.reset()
    assert list(ours.generate(IDS, 30)) == list(meant.generate(IDS, 30))


def test_equal_runs_are_equal_to_the_bit() -> None:
    """Two runs of one text give the same bits, in one session and in another."""
    model, path = tiny_model("llama", "f16"), plain_path("llama", F16_WEIGHTS)
    first = session("wgpu", path, model)
    logits = first.prefill(IDS).tobytes()
    first.reset()
    assert first.prefill(IDS).tobytes() == logits
    assert session("wgpu", path, model).prefill(IDS).tobytes() == logits
