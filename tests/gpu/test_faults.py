"""Faults that other engines shipped, each tried here on the kernels where it could be."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.launch import launch, ones, variant, with_overrides
from kernelpath.execute.shaders import Shaders

pytestmark = pytest.mark.gpu

ATTENTION = {"scale": 0.125, "causal": 1, "window": 0}


def test_f16_products_are_summed_in_f32(shaders: Shaders) -> None:
    """Products of 36,000 that cancel in pairs over K = 4096 sum to 0; an f16 accumulator would overflow."""
    b = np.tile([2250.0, -2250.0], 2048)[None].astype(np.float16)
    for kernel in ("matmul_f16.wgsl", "matmul_f16_tiled.wgsl"):
        for which in range(-3, 0):
            out = launch(shaders, variant(kernel, where=which), {"M": 1, "N": 1, "K": 4096}, A=16 * ones(1, 4096), B=b)
            assert out["C"].tolist() == [[0.0]]


def test_squares_past_f32_are_normalised_all_the_same(shaders: Shaders) -> None:
    """A row whose squares overflow f32 comes out as its f64 norm, not as zeros."""
    names = {"T": 1, "D": 64, "eps": 1e-6}
    out = launch(shaders, variant("rmsnorm.wgsl"), names, x=1e25 * ones(1, 64), weight=ones(64))
    np.testing.assert_allclose(out["out"], ones(1, 64), rtol=1e-5)


def test_scores_past_f16_do_not_overflow(shaders: Shaders) -> None:
    """Scores of 2,560,000 in an f16 attention: equal keys still share their weight."""
    names = {"T": 1, "S": 4, "H": 1, "KV": 1, "D": 64, "capacity": 4, "start": 3, **ATTENTION}
    q, k = 200 * ones(1, 1, 64), 200 * ones(4, 1, 64)
    v = np.arange(4, dtype=np.float32)[:, None, None] * ones(4, 1, 64)
    out = launch(shaders, variant("attention_decode_online_f16.wgsl"), names, Q=q, K=k, V=v)
    assert np.unique(out["O"]).tolist() == [1.5]


def test_row_that_sees_no_key_is_zero(shaders: Shaders) -> None:
    """A query whose window holds no valid key gives zeros, not NaN."""
    names = {"T": 1, "S": 10, "H": 1, "KV": 1, "D": 8, "capacity": 10, "start": 100, "scale": 1.0}
    bidirectional = {**names, "window": 4, "causal": 0}
    out = launch(
        shaders, variant("attention_small.wgsl"), bidirectional, Q=ones(1, 1, 8), K=ones(10, 1, 8), V=ones(10, 1, 8)
    )
    assert np.unique(out["O"]).tolist() == [0.0]


@pytest.mark.parametrize("split", [0, 1])
@pytest.mark.parametrize("keys", [1, 31, 128, 129, 600])
def test_unwritten_cache_is_never_read(shaders: Shaders, split: int, keys: int) -> None:
    """Keys and values past the valid ones are NaN here, and the result is finite, split over workgroups or not."""
    kernel = variant("attention_decode_online_f16kv.wgsl", where=split)
    names = {"T": 1, "S": keys, "H": 4, "KV": 2, "D": 40, "capacity": 700, "start": keys - 1, **ATTENTION}
    k = np.full((700, 2, 40), np.nan)
    k[:keys] = 1.0
    out = launch(shaders, kernel, names, Q=ones(1, 4, 40), K=k, V=k)
    np.testing.assert_allclose(out["O"], ones(1, 4, 40), rtol=1e-5)


@pytest.mark.parametrize("window", [1, 2, 7, 128, 129])
def test_window_of_w_holds_w_keys(shaders: Shaders, window: int) -> None:
    """With equal scores the output is the mean of the last W values, of neither W - 1 nor W + 1."""
    names = {"T": 1, "S": 300, "H": 1, "KV": 1, "D": 8, "capacity": 300, "start": 299, **ATTENTION, "window": window}
    v = np.arange(300, dtype=np.float32)[:, None, None] * ones(300, 1, 8)
    out = launch(shaders, variant("attention_small.wgsl"), names, Q=ones(1, 1, 8), K=ones(300, 1, 8), V=v)
    np.testing.assert_allclose(out["O"], (299 - (window - 1) / 2) * ones(1, 1, 8), rtol=1e-6)


def test_heads_wider_than_256(shaders: Shaders) -> None:
    """A head of 320 values is summed whole."""
    names = {"T": 2, "S": 2, "H": 2, "KV": 1, "D": 320, "capacity": 2, "start": 0, **ATTENTION}
    v = np.stack([np.zeros((1, 320)), np.arange(320)[None] * 2.0])
    out = launch(shaders, variant("attention_small.wgsl"), names, Q=ones(2, 2, 320), K=ones(2, 1, 320), V=v)
    np.testing.assert_allclose(out["O"][1], np.tile(np.arange(320.0), (2, 1)), rtol=1e-6)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16, 32, 64])
def test_any_number_of_lanes_suits_any_subgroup(shaders: Shaders, lanes: int) -> None:
    """A row shared by more lanes than a subgroup has, or by fewer, has the same sum."""
    kernel = with_overrides(
        variant("matmul_gemv_subgroup.wgsl", "main_vec4"), (f"ceil_div(N, 2 * (128 // {lanes}))", "M", "1"), LANES=lanes
    )
    rows = np.arange(70, dtype=np.float32)[:, None] * ones(70, 520)
    out = launch(shaders, kernel, {"M": 1, "N": 70, "K": 520}, A=ones(1, 520), B=rows)
    assert out["C"].tolist() == [[520.0 * n for n in range(70)]]


def test_more_workgroups_than_one_dimension_holds(shaders: Shaders) -> None:
    """70,000 rows, folded into two dimensions, are all normalised."""
    x = np.repeat(np.arange(1.0, 70_001.0)[:, None], 2, axis=1)
    out = launch(shaders, variant("rmsnorm.wgsl"), {"T": 70_000, "D": 2, "eps": 0.0}, x=x, weight=ones(2))
    np.testing.assert_allclose(out["out"], ones(70_000, 2), rtol=1e-6)


def test_bf16_keeps_nan_and_overflows_to_infinity_in_f16(shaders: Shaders) -> None:
    """NaN with only low bits set in its f32 stays NaN; 3e38 is an infinity as f16; 1.0 is 1.0."""
    words = np.array([0x7FC1, 0x7F61, 0xFF61, 0x3F80], np.uint16)
    out = launch(shaders, variant("bf16_to_f16.wgsl"), {"T": 1, "D": 4}, x=words)["out"][0]
    assert np.isnan(out[0])
    assert out[1:].tolist() == [np.inf, -np.inf, 1.0]


@pytest.mark.parametrize(
    ("logits", "wanted"),
    [
        ([1.0, 3.0, 3.0, 2.0], 1),
        ([np.nan, 1.0, np.nan, 2.0], 3),
        ([np.nan, np.nan, np.nan, np.nan], 0),
        ([-np.inf, -np.inf, -np.inf, -np.inf], 0),
        ([0.0, -np.inf, np.inf, np.inf], 2),
        ([-3.0, -2.0, -2.0, -9.0], 1),
    ],
)
def test_greedy_choice_is_always_a_token(shaders: Shaders, logits: list[float], wanted: int) -> None:
    """Ties go to the lowest id, NaN never wins, and a row without a number still gives an id of the vocabulary."""
    out = launch(shaders, variant("sample.wgsl", "sample_single_pass"), {"T": 1, "V": 4}, logits=np.array([logits]))
    assert out["out"].tolist() == [wanted]


def test_token_outside_the_table_touches_nothing(shaders: Shaders) -> None:
    """An id at or over the vocabulary leaves its row of the output as it was."""
    before = np.full((2, 8), 7.0)
    tokens = np.array([3, 0xFFFFFFFF])
    out = launch(shaders, variant("gather.wgsl"), {"T": 2, "V": 3, "D": 8}, tokens=tokens, table=ones(3, 8), out=before)
    assert np.unique(out["out"]).tolist() == [7.0]


def test_split_weight_equals_whole_one(shaders: Shaders) -> None:
    """Two products into columns of one output give what one product gives, bit for bit."""
    generator = np.random.default_rng(5)
    a, b = generator.normal(size=(3, 72)), generator.normal(size=(50, 72))
    kernel = variant("matmul_f32.wgsl")
    whole = launch(shaders, kernel, {"M": 3, "N": 50, "K": 72}, A=a, B=b)["C"]
    first = launch(shaders, kernel, {"M": 3, "N": 20, "K": 72, "ldc": 50}, A=a, B=b[:20])["C"]
    second = launch(shaders, kernel, {"M": 3, "N": 30, "K": 72, "ldc": 50, "column": 20}, A=a, B=b[20:])["C"]
    assert first[:, :20].tobytes() == whole[:, :20].tobytes()
    assert second[:, 20:].tobytes() == whole[:, 20:].tobytes()
    assert np.isnan(first[:, 20:]).all()  # still the poison
