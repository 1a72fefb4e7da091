"""A real model by the command line: recorded tokens, through `init`, `run` and the chat template."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Ran
from models.test_real_models import prompt, smollm2_file

Cli = Callable[..., Ran]
TOKENS = 7
TOLERANCE = 0.04  # of logits, with weights as they are stored, and a cache of f16
CASES = [("one-token", "numpy"), pytest.param("chat-short", "wgpu", marks=pytest.mark.gpu)]


def _asked(recorded: dict[str, Any]) -> list[str]:
    """Return the options that put a recorded prompt as a user would."""
    return ["--ids", ",".join(map(str, recorded["ids"]))] if "messages" in recorded else ["--prompt", recorded["text"]]


@pytest.mark.parametrize(("kind", "backend"), CASES)
def test_the_tokens_are_the_recorded_ones(cli: Cli, kind: str, backend: str) -> None:
    """The ids that `run` prints are those that an independent engine gave, and so are the largest logits."""
    recorded, model = prompt("smollm2", kind), str(smollm2_file())
    words = ["--max-tokens", str(TOKENS), "--ignore-end", "--backend", backend, "--format", "json"]
    ran = cli("run", model, *_asked(recorded), *words)
    assert (ran.code, ran.err) == (0, "")
    told = json.loads(ran.out)
    assert told["promptIds"] == recorded["ids"]
    assert min(recorded["margin"][:TOKENS]) > 2 * TOLERANCE  # no near tie: texts may not part
    assert told["ids"] == recorded["greedy"][:TOKENS]
    found = dict(map(tuple, told["topLogits"][0]))
    common = [(found[token], logit) for token, logit in recorded["final_top10"] if token in found]
    assert len(common) > 7
    assert all(abs(ours - theirs) <= TOLERANCE for ours, theirs in common)


def test_its_manifest_passes(cli: Cli, folder: Path) -> None:
    """The first manifest of a real model is found clean, and keeps its weights as they are stored."""
    cli("init", str(smollm2_file()), "--output", "made.json")
    checked = cli("check", "made.json", "--catalog", "kernelpath")
    assert checked == Ran(0, "made.json: clean, 35 steps over 30 layers by pack execution-v0\n", "")
    assert "fused_matmul_q4_1.wgsl" in (folder / "made.json").read_text()
