"""SmolLM2-135M on both backends: tokens and logits as recorded from an independent engine."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelpath.execute.session import Session
from kernelpath.models.model import Model
from kernelpath.models.open_model import open_model
from models.test_real_models import smollm2_file

from .paths import F16_WEIGHTS, F32, plain_path
from .sessions import session

DATA = Path(__file__).parent.parent / "models" / "data" / "smollm2.json"
PROMPTS = {prompt["kind"]: prompt for prompt in json.loads(DATA.read_text())["prompts"]}
RUNS = [("numpy", "f32"), *(pytest.param("wgpu", storage, marks=pytest.mark.gpu) for storage in ("f32", "f16"))]

# Of the prompts, these two run wherever the tests do: the shortest, and a conversation.
KINDS = ["one-token", "chat-short"]
TOLERANCE = {"f32": 1e-3, "f16": 0.1}
PATHS: dict[str, Any] = {"f32": F32, "f16": F16_WEIGHTS}


@cache
def model() -> Model:
    """Return the model, opened once."""
    return open_model(smollm2_file())


@cache
def running(backend: str, storage: str) -> Session:
    """Return a session that the tests share: the weights are uploaded once."""
    return session(backend, plain_path("llama", PATHS[storage]), model(), capacity=512, chunk=128)


@pytest.mark.parametrize(("backend", "storage"), RUNS)
@pytest.mark.parametrize("kind", KINDS)
def test_greedy_tokens_are_the_recorded_ones(kind: str, backend: str, storage: str) -> None:
    """Every greedy token, up to where the recording says that it is fair, is the recorded one."""
    prompt, each = PROMPTS[kind], running(backend, storage)
    fair = prompt["fair_until"] if storage == "f32" else _first_near_tie(prompt)
    each.reset()
    assert list(each.generate(prompt["ids"], fair)) == prompt["greedy"][:fair]


def _first_near_tie(prompt: dict[str, Any]) -> int:
    """Return the first position whose margin is within twice the f16 tolerance: from there on texts may part."""
    near = (position for position, margin in enumerate(prompt["margin"]) if margin < 2 * TOLERANCE["f16"])
    return next(near, len(prompt["greedy"]))


@pytest.mark.parametrize(("backend", "storage"), RUNS)
@pytest.mark.parametrize("kind", KINDS)
def test_logits_are_the_recorded_ones(kind: str, backend: str, storage: str) -> None:
    """The largest logits after the prompt, and at each token that is forced on, are within the storage's tolerance."""
    prompt, each = PROMPTS[kind], running(backend, storage)
    each.reset()
    logits = each.prefill(prompt["ids"])
    ids, values = zip(*prompt["final_top10"], strict=True)
    np.testing.assert_allclose(logits[list(ids)], values, rtol=0, atol=TOLERANCE[storage])
    for token, following, top in zip(prompt["greedy"], prompt["greedy"][1:8], prompt["top1_logit"][1:8], strict=False):
        logits = each.decode(token)
        assert abs(float(logits[following]) - top) <= TOLERANCE[storage]
