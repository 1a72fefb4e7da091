"""First manifests, compiled by the rules, become plans that run as they mean."""

from __future__ import annotations

import numpy as np
import pytest

from kernelpath.emit.plan import decode_shape, lower, prefill_shape
from models.oracle import Oracle
from models.tiny import ARCHITECTURES, tiny_model

from .paths import BOTH, compiled_path
from .sessions import ROOMY, session
from .test_backends import IDS, observed


@pytest.mark.parametrize("features", [frozenset[str](), BOTH], ids=["plain", "both"])
@pytest.mark.parametrize("dtype", ["f32", "f16", "q8_0", "q4_k"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_first_manifest_becomes_a_plan(architecture: str, dtype: str, features: frozenset[str]) -> None:
    """What `init` writes for a device's features is lowered for both phases."""
    model = tiny_model(architecture, dtype)
    path = compiled_path(model, features)
    for shape in (decode_shape(64), prefill_shape(64, 16), prefill_shape(64, 16, all_rows=True)):
        assert [each.message for each in lower(path, model.architecture, shape, ROOMY).diagnostics] == []


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["f32", "f16", "q8_0", "q4_k"])
@pytest.mark.parametrize("architecture", ["llama", "gemma3"])
def test_first_manifests_run_as_they_mean(architecture: str, dtype: str) -> None:
    """Every dispatch of what `init` writes gives its family's meaning on the GPU, fused."""
    model = tiny_model(architecture, dtype)
    failures, _ = observed(compiled_path(model), model, fuse=True)
    assert failures == []


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_first_manifests_at_f32_are_the_model(architecture: str) -> None:
    """With weights and cache kept at f32, a first manifest's logits are those of an independent forward pass."""
    model = tiny_model(architecture, "f32")
    path = compiled_path(model, keep="f32", kv_dtype="f32")
    logits = session("numpy", path, model, all_rows=True).prefill(IDS)
    np.testing.assert_allclose(logits, Oracle(model, np.float64).run(IDS), rtol=1e-4, atol=1e-4)
