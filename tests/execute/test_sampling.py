"""Drawing a token from logits."""

from __future__ import annotations

import numpy as np
import pytest

from kernelpath.execute.sampling import GREEDY, Sampling, probabilities, sample

LOGITS = np.log(np.array([0.1, 0.4, 0.2, 0.3], dtype=np.float32))


@pytest.mark.parametrize(
    ("logits", "token"),
    [
        ([1.0, 3.0, 2.0], 1),
        ([2.0, 5.0, 5.0], 1),
        ([np.nan, 1.0, 2.0], 2),
        ([np.nan, np.nan, np.nan], 0),
        ([-np.inf, -3.0, -np.inf], 1),
        ([np.inf, 1.0, np.inf], 0),
    ],
)
def test_greedy_takes_the_lowest_of_the_largest(logits: list[float], token: int) -> None:
    """The largest logit wins, the lowest id of equals; NaN never wins."""
    assert sample(np.array(logits, dtype=np.float32), GREEDY, np.random.default_rng(0)) == token


@pytest.mark.parametrize(
    ("sampling", "expected"),
    [
        (Sampling(temperature=1.0), [0.1, 0.4, 0.2, 0.3]),
        (Sampling(temperature=1.0, top_k=2), [0, 4 / 7, 0, 3 / 7]),
        (Sampling(temperature=1.0, top_k=1), [0, 1, 0, 0]),
        (Sampling(temperature=1.0, top_p=0.5), [0, 4 / 7, 0, 3 / 7]),
        (Sampling(temperature=1.0, top_p=0.71), [0, 4 / 9, 2 / 9, 3 / 9]),
        (Sampling(temperature=1.0, top_p=0.0), [0, 1, 0, 0]),
        (Sampling(temperature=0.5), [1 / 30, 16 / 30, 4 / 30, 9 / 30]),
    ],
)
def test_the_kept_tokens_share_the_probability(sampling: Sampling, expected: list[float]) -> None:
    """Temperature, top-k and top-p give exactly these probabilities."""
    np.testing.assert_allclose(probabilities(LOGITS, sampling), expected, atol=1e-6)


@pytest.mark.parametrize(
    ("logits", "expected"),
    [
        ([np.inf, 1.0, np.inf], [0.5, 0, 0.5]),
        ([-np.inf, 1.0, np.nan], [0, 1, 0]),
        ([-np.inf, -np.inf, 0.0], [0, 0, 1]),
    ],
)
def test_infinities_and_nan_keep_their_place(logits: list[float], expected: list[float]) -> None:
    """Infinite logits share everything among themselves; -infinity and NaN are never drawn."""
    np.testing.assert_allclose(probabilities(np.array(logits), Sampling(temperature=1.0)), expected)


def test_draws_follow_the_probabilities() -> None:
    """Of 4,000 seeded draws each token has about its share, and no token that was cut off is among them."""
    generator = np.random.default_rng(3)
    sampling = Sampling(temperature=1.0, top_k=3)
    draws = np.array([sample(LOGITS, sampling, generator) for _ in range(4000)])
    shares = np.bincount(draws, minlength=4) / 4000
    np.testing.assert_allclose(shares, [0, 4 / 9, 2 / 9, 3 / 9], atol=0.03)
    assert shares[0] == 0
