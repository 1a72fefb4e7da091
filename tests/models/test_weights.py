"""Stored weights: rounding, widening, blocks."""

from __future__ import annotations

import numpy as np
import pytest

from kernelpath.models.errors import ModelErrors
from kernelpath.models.weights import BLOCKS, Weight, convert, dequantise, store, stored_bytes, to_bf16


def floats(*bits: int) -> np.ndarray:
    return np.array(bits, np.uint32).view(np.float32)


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        (0x3F800000, 0x3F80),  # 1.0
        (0x3F807FFF, 0x3F80),  # just below a tie: down
        (0x3F808000, 0x3F80),  # a tie, even below: down
        (0x3F808001, 0x3F81),  # just above a tie: up
        (0x3F818000, 0x3F82),  # a tie, odd below: up
        (0x80000000, 0x8000),  # -0.0 keeps its sign
        (0x00008000, 0x0000),  # a subnormal tie goes to even
        (0x7F7FFFFF, 0x7F80),  # the largest f32 rounds to infinity
        (0x7F800000, 0x7F80),  # infinity
        (0x7F800001, 0x7FC0),  # a NaN whose high bits are zero stays NaN, not infinity
        (0xFFFFFFFF, 0xFFFF),  # a NaN of all ones does not carry into 0.0
    ],
)
def test_bf16_rounds_to_nearest_even_and_keeps_nan(bits: int, expected: int) -> None:
    """Rounding to bf16 goes to the nearest value, ties to even, and a NaN stays a NaN of its sign."""
    assert int(to_bf16(floats(bits))[0]) == expected


def test_every_bf16_value_survives_widening_and_rounding() -> None:
    """bf16 to f32 is exact: coming back gives the same bits, for all 65,536 of them save that NaNs become quiet."""
    every = np.arange(65536, dtype=np.uint16)
    wide = dequantise(every.view(np.uint8), "bf16", (65536,))
    quiet = np.where(np.isnan(wide), every | 0x40, every)
    np.testing.assert_array_equal(to_bf16(wide), quiet)


def test_f16_takes_infinity_and_nan_but_no_overflow() -> None:
    """Infinite and NaN weights are stored as such; a finite one over 65,504 is refused by name."""
    kept = store(np.array([np.inf, -np.inf, np.nan, 65504.0, 1e-8], np.float32), "f16").view(np.float16)
    np.testing.assert_array_equal(kept, np.array([np.inf, -np.inf, np.nan, 65504.0, 0.0], np.float16))
    with pytest.raises(ModelErrors) as raised:
        store(np.array([[1.0, 70000.0]], np.float32), "f16", "lm_head")
    assert [finding.message for finding in raised.value.diagnostics] == [
        "`lm_head` holds 70000, which does not fit f16"
    ]


def test_a_q4_1_block_is_scale_times_value_plus_minimum() -> None:
    """A block of q4_1 is an f16 scale, an f16 minimum, and 32 values of 4 bits: low halves first, then high halves."""
    halves = np.array([0.5, -2.0], "<f2").view(np.uint8)
    values = np.arange(16, dtype=np.uint8) | (15 - np.arange(16, dtype=np.uint8)) << 4
    expected = [0.5 * number - 2.0 for number in (*range(16), *range(15, -1, -1))]
    block = np.concatenate([halves, values])
    np.testing.assert_array_equal(dequantise(block, "q4_1", (1, 32)), [expected])


def test_a_q8_0_block_is_scale_times_value() -> None:
    """A block of q8_0 is an f16 scale and 32 signed bytes."""
    block = np.concatenate([np.array([0.25], "<f2").view(np.uint8), np.arange(-16, 16, dtype=np.int8).view(np.uint8)])
    np.testing.assert_array_equal(dequantise(block, "q8_0", (32,)), [0.25 * number for number in range(-16, 16)])


@pytest.mark.parametrize("dtype", sorted(BLOCKS))
def test_block_sizes_agree_with_the_library(dtype: str) -> None:
    """Every dtype's block is as long, in values and bytes, as the gguf library says."""
    from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

    assert BLOCKS[dtype] == GGML_QUANT_SIZES[GGMLQuantizationType[dtype.upper()]]


def test_rows_must_be_whole_blocks() -> None:
    """Rows of 40 values cannot be stored in blocks of 32."""
    with pytest.raises(ModelErrors, match="rows of `w` have 40 values; q8_0 needs a multiple of 32"):
        store(np.zeros((2, 40), np.float32), "q8_0", "w")


def test_dtypes_that_only_files_bring_are_refused() -> None:
    """Nothing here quantises to q4_k, and the refusal is a finding."""
    with pytest.raises(ModelErrors, match="`w` cannot be stored as q4_k"):
        store(np.zeros((1, 256), np.float32), "q4_k", "w")


def test_converting_to_the_same_dtype_copies_nothing() -> None:
    """A weight at its own dtype is the same object; at another it holds the nearest values of that dtype."""
    weight = Weight("w", "q8_0", (2, 32), store(np.linspace(-1, 1, 64, dtype=np.float32).reshape(2, 32), "q8_0"))
    assert convert(weight, "q8_0") is weight
    halved = convert(weight, "f16")
    assert (halved.name, halved.dtype, halved.shape, halved.row_bytes) == ("w", "f16", (2, 32), 64)
    np.testing.assert_array_equal(halved.array(), weight.array().astype(np.float16).astype(np.float32))


def test_a_large_weight_is_converted_as_a_small_one() -> None:
    """Rows are converted in parts; the values are those of one conversion of all."""
    values = np.random.default_rng(0).standard_normal((1500, 320)).astype(np.float32)
    weight = Weight("w", "q8_0", (1500, 320), store(values, "q8_0"))
    assert convert(weight, "bf16").data.tobytes() == store(weight.array(), "bf16").tobytes()


def test_stored_bytes_count_whole_blocks() -> None:
    """A (3, 512) matrix at q4_k is six blocks of 144 bytes."""
    assert stored_bytes("q4_k", (3, 512)) == 864
