"""Rotation frequencies of rotary position embeddings, with the scalings that models ask for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

SCALINGS = ("none", "linear", "llama3")


@dataclass(frozen=True, slots=True)
class Scaling:
    """How frequencies are stretched for contexts longer than the trained one; `original_context` is in tokens."""

    kind: str = "none"
    factor: float = 1.0
    low: float = 1.0
    high: float = 4.0
    original_context: int = 0


def inverse_frequencies(
    theta: float, dims: int, scaling: Scaling, factors: Sequence[float] | None = None
) -> list[float]:
    """Return radians per position for each of `dims / 2` pairs.

    `factors`, one for each pair, divide the frequencies before a linear scaling: llama.cpp stores Llama 3's so.
    Source: RoFormer, https://arxiv.org/abs/2104.09864, section 3.2.2.
    """
    plain = [theta ** (-2.0 * pair / dims) for pair in range(dims // 2)]
    if factors is not None:
        plain = [frequency / factor for frequency, factor in zip(plain, factors, strict=True)]
    if scaling.kind == "linear":
        return [frequency / scaling.factor for frequency in plain]
    if scaling.kind == "llama3":
        return [_llama3(frequency, scaling) for frequency in plain]
    return plain


def _llama3(frequency: float, scaling: Scaling) -> float:
    """Stretch long wavelengths, keep short ones, and go smoothly from one to the other.

    Source: Llama 3.1's `apply_scaling`, https://github.com/meta-llama/llama-models.
    """
    wavelength = 2.0 * math.pi / frequency
    if wavelength < scaling.original_context / scaling.high:
        return frequency
    if wavelength > scaling.original_context / scaling.low:
        return frequency / scaling.factor
    share = (scaling.original_context / wavelength - scaling.low) / (scaling.high - scaling.low)
    return (1.0 - share) * frequency / scaling.factor + share * frequency
