"""Random tiny models: one an architecture, at any stored dtype, the same for the same arguments everywhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from kernelpath.models.bind import logical_names, weight_shape
from kernelpath.models.describe import Architecture, Given, describe
from kernelpath.models.metadata import Metadata
from kernelpath.models.model import Model
from kernelpath.models.tables import ArchitectureTable, architecture_table
from kernelpath.models.weights import BLOCKS, Bytes, Weight, store

# lfm2 has no table of its own (its convolution layers are not supported): its attention layers are those of qwen3.
ARCHITECTURES = ("llama", "qwen3", "gemma2", "gemma3", "embeddinggemma", "lfm2")
_TABLES = {"lfm2": "qwen3"}
_WINDOWED = ("gemma2", "gemma3", "embeddinggemma")
# Sizes are no multiples of a tile, and every one differs from the others, so that a mix-up cannot go unseen.
_SIZES = {"hidden_size": 96, "num_heads": 6, "num_kv_heads": 2, "head_dim": 32, "ffn_size": 160, "vocab_size": 203}
_K_QUANT_SIZES = {
    "hidden_size": 256,
    "num_heads": 8,
    "num_kv_heads": 2,
    "head_dim": 64,
    "ffn_size": 512,
    "vocab_size": 203,
}


def tiny_model(architecture: str = "llama", dtype: str = "f32", seed: int = 0, **overrides: object) -> Model:
    """Return a random model with two layers; where there are windows, the first is local (7 tokens), the second global.

    `overrides` are fields of kernels/architectures/shared/fields.yaml, such as `head_dim=40`,
    `rope_pairs="adjacent"`, and `tied=False`. Matrices are stored at `dtype`, norms at f32. K-quants need rows of 256:
    their models are larger, and keep the embedding at f16.
    """
    table = architecture_table(_TABLES.get(architecture, architecture))
    tied = bool(overrides.pop("tied", True))
    description = _description(architecture, table, dtype, tied, overrides)
    weights = {}
    for name, entry, _ in logical_names(table, "gguf", description):
        if name == "lm_head" and tied:
            weights[name] = weights["embed_tokens"]
            continue
        weights[name] = _random_weight(name, weight_shape(entry, description), dtype, seed, description)
    return Model(f"tiny-{architecture}", description, weights)


def _description(
    architecture: str, table: ArchitectureTable, dtype: str, tied: bool, overrides: dict[str, object]
) -> Architecture:
    sizes = _K_QUANT_SIZES if BLOCKS[dtype][0] == 256 else _SIZES
    fields: dict[str, Any] = {"num_layers": 2, "context_length": 64, "norm_eps": 1e-5, "window": 0, **sizes}
    if architecture in _WINDOWED:
        fields["window"] = 7
    fields.update(overrides)
    rows = {
        "embedding_rows": fields["vocab_size"],
        "embedding_columns": fields["hidden_size"],
        "embedding_dtype": dtype,
    }
    alternating = ["sliding_attention", "full_attention"] * fields["num_layers"]
    metadata = {"layer_types": alternating[: fields["num_layers"]]} if architecture in _WINDOWED else {}
    given = Given(Metadata(metadata), {"format": "gguf", "has_lm_head": not tied, **rows, **fields})
    return {**describe(table, given), "architecture": architecture}


def _random_weight(name: str, shape: tuple[int, ...], dtype: str, seed: int, description: Architecture) -> Weight:
    generator = np.random.default_rng([seed, crc32(name.encode())])
    if len(shape) == 1:
        values = 1.0 - description["norm_weight_offset"] + 0.2 * generator.standard_normal(shape)
        return Weight(name, "f32", shape, store(values.astype(np.float32), "f32"))
    stored = "f16" if BLOCKS[dtype][0] == 256 and name in ("embed_tokens", "lm_head") else dtype
    deviation = 1.5 / np.sqrt(shape[-1])
    return Weight(name, stored, shape, random_bytes(generator, shape, stored, deviation))


def random_bytes(generator: np.random.Generator, shape: tuple[int, ...], dtype: str, deviation: float) -> Bytes:
    """Return random values of about a standard deviation, stored at a dtype."""
    if dtype in _K_QUANTS:
        blocks = int(np.prod(shape)) // 256
        return _K_QUANTS[dtype](generator, blocks, deviation).reshape(-1)
    return store((deviation * generator.standard_normal(shape)).astype(np.float32), dtype)


def _halves(generator: np.random.Generator, blocks: int, size: float) -> npt.NDArray[np.uint8]:
    scales = (size * generator.uniform(0.5, 1.5, (blocks, 1))).astype("<f2")
    return scales.view(np.uint8)


def _q4_k(generator: np.random.Generator, blocks: int, deviation: float) -> npt.NDArray[np.uint8]:
    """Blocks of d, dmin, twelve bytes of 6-bit scales, 128 bytes of 4-bit values; dmin is 7.5 d: the mean is near 0."""
    scale = _halves(generator, blocks, deviation / 170.0)
    least = (scale.view("<f2") * np.float16(7.5)).view(np.uint8)
    return np.concatenate([scale, least, generator.integers(0, 256, (blocks, 140), np.uint8)], axis=1)


def _q6_k(generator: np.random.Generator, blocks: int, deviation: float) -> npt.NDArray[np.uint8]:
    """Blocks of 128 + 64 bytes of 6-bit values, sixteen 8-bit scales, and d."""
    values = generator.integers(0, 256, (blocks, 192), np.uint8)
    scales = generator.integers(-16, 17, (blocks, 16), np.int8).view(np.uint8)
    return np.concatenate([values, scales, _halves(generator, blocks, deviation / 170.0)], axis=1)


_K_QUANTS = {"q4_k": _q4_k, "q6_k": _q6_k}


def with_weight(model: Model, weight: Weight) -> Model:
    """Return a model with one weight replaced."""
    return replace(model, weights={**model.weights, weight.name: weight})
