"""Prefill, decode, chunks, splits and generation: what must not change the answer does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kernelpath.execute.sampling import Sampling
from kernelpath.execute.session import SessionError
from models.oracle import Oracle
from models.tiny import tiny_model

from .paths import plain_path
from .sessions import limits, session

IDS = [5, 7, 200, 3, 17, 44, 90, 1, 2, 3, 4, 5, 6]
CAUSAL = ("llama", "qwen3", "gemma2", "gemma3", "lfm2")
BACKENDS = ["numpy", pytest.param("wgpu", marks=pytest.mark.gpu)]


@pytest.mark.parametrize("architecture", [*CAUSAL, "embeddinggemma"])
def test_the_meaning_is_the_model(architecture: str) -> None:
    """The numpy backend gives the logits of an independent forward pass."""
    model = tiny_model(architecture, "f32")
    if architecture == "lfm2":  # its preset's gate is gelu; the description says silu, and so does the plain path
        assert model.architecture["activation"] == "silu"
    logits = session("numpy", plain_path(architecture), model, all_rows=True).prefill(IDS)
    np.testing.assert_allclose(logits, Oracle(model, np.float64).run(IDS), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("architecture", CAUSAL)
def test_a_prefill_equals_as_many_decodes(architecture: str, backend: str) -> None:
    """A prefill of n tokens gives the logits of n decodes."""
    model, path = tiny_model(architecture, "f32"), plain_path(architecture)
    whole = session(backend, path, model, all_rows=True).prefill(IDS)
    stepping = session(backend, path, model)
    np.testing.assert_allclose(np.stack([stepping.decode(token) for token in IDS]), whole, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("chunk", [2, 3, 5, 12])
@pytest.mark.parametrize("architecture", ["llama", "gemma3"])
def test_a_chunked_prefill_equals_a_whole_one(architecture: str, chunk: int, backend: str) -> None:
    """However a text is cut, its logits are the same; a lone last token runs the decode plan."""
    model, path = tiny_model(architecture, "f32"), plain_path(architecture)
    whole = session(backend, path, model, all_rows=True).prefill(IDS)
    cut = session(backend, path, model, all_rows=True, chunk=chunk).prefill(IDS)
    np.testing.assert_allclose(cut, whole, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_last_row_alone_equals_the_last_of_all(backend: str) -> None:
    """A prefill that gives the last token's logits gives those of a prefill that gives all."""
    model, path = tiny_model("gemma3", "f32"), plain_path("gemma3")
    every = session(backend, path, model, all_rows=True).prefill(IDS)
    last = session(backend, path, model).prefill(IDS)
    np.testing.assert_allclose(last, every[-1], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("bytes_allowed", [3 * 96 * 4 * 64, 57 * 96 * 4])
def test_a_split_weight_equals_an_unsplit_one(bytes_allowed: int, backend: str) -> None:
    """Weights cut to the device's binding limit, in parts of whole tiles or of a few rows, give the same logits."""
    model, path = tiny_model("llama", "f32", vocab_size=403), plain_path("llama")
    whole = session(backend, path, model, all_rows=True)
    small = replace(limits(backend), max_storage_buffer_binding_size=bytes_allowed)
    split = session(backend, path, model, small, all_rows=True, capacity=16, chunk=13)
    assert len(split.plans.decode.dispatches) > len(whole.plans.decode.dispatches)
    np.testing.assert_allclose(split.prefill(IDS), whole.prefill(IDS), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(split.decode(9), whole.decode(9), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("backend", BACKENDS)
def test_fused_equals_unfused(backend: str) -> None:
    """Sequences of ops that run as one launch give the logits of the single ops."""
    model, path = tiny_model("llama", "f32"), plain_path("llama")
    fused, single = (session(backend, path, model, fuse=fuse) for fuse in (True, False))
    assert len(fused.plans.decode.dispatches) < len(single.plans.decode.dispatches)
    for token in IDS:
        np.testing.assert_allclose(fused.decode(token), single.decode(token), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("backend", BACKENDS)
def test_shared_buffers_change_nothing(backend: str) -> None:
    """Values that share memory are those of a plan in which each has its own, to the bit."""
    model, path = tiny_model("gemma3", "f32"), plain_path("gemma3")
    shared, own = (session(backend, path, model, share=share) for share in (True, False))
    assert len(shared.plans.decode.buffers) < len(own.plans.decode.buffers)
    np.testing.assert_array_equal(shared.prefill(IDS), own.prefill(IDS))
    np.testing.assert_array_equal(shared.decode(9), own.decode(9))


@pytest.mark.parametrize("backend", BACKENDS)
def test_generation_is_the_argmax_of_decodes(backend: str) -> None:
    """Tokens sampled ahead on the device are those of decoding one at a time, and leave the session where that does."""
    model, path = tiny_model("llama", "f32"), plain_path("llama")
    ahead, single = session(backend, path, model), session(backend, path, model)
    tokens = [int(single.prefill(IDS).argmax())]
    while len(tokens) < 40:
        tokens.append(int(single.decode(tokens[-1]).argmax()))
    assert list(ahead.generate(IDS, 40)) == tokens
    assert ahead.position == single.position
    np.testing.assert_array_equal(ahead.decode(tokens[-1]), single.decode(tokens[-1]))


@pytest.mark.parametrize("backend", BACKENDS)
def test_generation_ends_at_an_end_token(backend: str) -> None:
    """The end token is the last that is given, and what was submitted past it does not count."""
    model, path = tiny_model("llama", "f32"), plain_path("llama")
    running = session(backend, path, model)
    tokens = list(running.generate(IDS, 20))
    end = next(token for index, token in enumerate(tokens) if index >= 4 and token not in tokens[:index])
    running.reset()
    given = list(running.generate(IDS, 20, end_ids={end}))
    assert given == tokens[: tokens.index(end) + 1]
    assert running.position == len(IDS) + len(given) - 1
    follow = running.decode(end)
    running.reset()
    np.testing.assert_allclose(running.prefill([*IDS, *given]), follow, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_consumer_that_stops_leaves_a_clean_session(backend: str) -> None:
    """A generation that is left early, as Ctrl-C leaves it, keeps the position of the tokens that were taken."""
    running = session(backend, plain_path("llama"), tiny_model("llama", "f32"))
    tokens = running.generate(IDS, 40)
    taken = [next(tokens) for _ in range(3)]
    tokens.close()
    assert running.position == len(IDS) + len(taken) - 1


def test_equal_seeds_draw_equal_texts() -> None:
    """Sampling by temperature depends on its seed alone."""
    model, path = tiny_model("llama", "f32"), plain_path("llama")

    def text(seed: int) -> list[int]:
        return list(session("numpy", path, model).generate(IDS, 12, Sampling(temperature=1.5, top_k=50, seed=seed)))

    assert text(1) == text(1)
    assert text(1) != text(2)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([], "a text has at least one token, and this one has none"),
        ([5, 203], "the token id 203 is not one of the model's, 0 to 202"),
        ([-1], "the token id -1 is not one of the model's, 0 to 202"),
        ([1] * 17, "the text would have 17 tokens, and the session holds 16"),
    ],
)
def test_what_cannot_be_run_is_refused(ids: list[int], message: str) -> None:
    """A text that is empty, too long, or not of the vocabulary is refused before anything runs."""
    running = session("numpy", plain_path("llama"), tiny_model("llama", "f32"), capacity=16)
    with pytest.raises(SessionError) as error:
        running.prefill(ids)
    assert [diagnostic.message for diagnostic in error.value.diagnostics] == [message]
    assert running.position == 0


def test_generation_stops_where_the_cache_is_full() -> None:
    """All positions of the cache are used; one token more is refused, after those that fit were given."""
    running = session("numpy", plain_path("llama"), tiny_model("llama", "f32"), capacity=16)
    given: list[int] = []

    def take_all() -> None:
        for token in running.generate(IDS, 10):
            given.append(token)

    with pytest.raises(SessionError, match="the text would have 17 tokens, and the session holds 16"):
        take_all()
    assert len(given) == 4


def test_a_missing_weight_is_named() -> None:
    """A path that needs a weight that the model lacks is refused by the weight's name."""
    model: Any = tiny_model("llama", "f32")
    weights = {name: weight for name, weight in model.weights.items() if name != "layer.1.mlp.up_proj"}
    with pytest.raises(SessionError, match=r"needs the weight `layer\.1\.mlp\.up_proj`, which the model does not have"):
        session("numpy", plain_path("llama"), replace(model, weights=weights))
