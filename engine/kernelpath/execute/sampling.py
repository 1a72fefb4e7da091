"""Draw a token from logits: greedy, or by temperature with top-k and top-p."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelpath.execute.backend import Array


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a token is drawn: `temperature` 0 is greedy, `top_k` 0 and `top_p` 1 keep all; equal seeds, equal texts."""

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0

    @property
    def greedy(self) -> bool:
        """Return whether the most likely token is always taken."""
        return self.temperature <= 0.0 or self.top_k == 1


GREEDY = Sampling()


def sample(logits: Array, sampling: Sampling, generator: np.random.Generator) -> int:
    """Return a token id for logits [vocabulary]; NaN is never drawn, and of equals the lowest id is the likelier."""
    values = np.where(np.isnan(logits), -np.inf, logits).astype(np.float64)
    if sampling.greedy:
        return int(np.argmax(values))
    order, shares = _nucleus(values / sampling.temperature, sampling)
    point = generator.random() * shares[-1]
    return int(order[min(int(np.searchsorted(shares, point, side="right")), len(order) - 1)])


def probabilities(logits: Array, sampling: Sampling) -> Array:
    """Return the probability of each token id, those that are cut off 0; sums to 1."""
    values = np.where(np.isnan(logits), -np.inf, logits).astype(np.float64)
    chances = np.zeros(len(values))
    if sampling.greedy:
        chances[int(np.argmax(values))] = 1.0
        return chances
    order, shares = _nucleus(values / sampling.temperature, sampling)
    chances[order] = np.diff(shares, prepend=0.0) / shares[-1]
    return chances


def _nucleus(scaled: Array, sampling: Sampling) -> tuple[Array, Array]:
    """Return the ids that may be drawn, likeliest first, and their running sums.

    +infinity shares the whole probability among those that have it: the softmax's limit.
    """
    order = np.argsort(-scaled, kind="stable")
    if sampling.top_k > 0:
        order = order[: sampling.top_k]
    top = scaled[order[0]]
    chances = np.exp(scaled[order] - top) if np.isfinite(top) else (scaled[order] == top).astype(np.float64)
    shares = np.cumsum(chances)
    kept = int(np.searchsorted(shares, sampling.top_p * shares[-1], side="left")) + 1
    return order[:kept], shares[:kept]
