"""The kernel that draws tokens agrees with the way tokens are drawn on the host."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.launch import launch, variant
from kernelpath.execute.sampling import Sampling, sample
from kernelpath.execute.shaders import Shaders

pytestmark = pytest.mark.gpu


class Fixed:
    """A generator that gives one number."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self) -> float:
        """Return the number."""
        return self.number


@pytest.mark.parametrize("temperature", [0.0, 0.7, 2.0])
@pytest.mark.parametrize("top_k", [0, 1, 40])
@pytest.mark.parametrize("top_p", [1.0, 0.5])
def test_device_draws_what_the_host_draws(shaders: Shaders, temperature: float, top_k: int, top_p: float) -> None:
    """For one random number both take the same token, with and without cuts, of 257 logits."""
    logits = np.random.default_rng(top_k).normal(size=257).astype(np.float32)
    names = {"T": 1, "V": 257, "top_k": top_k, "top_p": top_p, "temperature": temperature}
    kernel = variant("sample.wgsl", "softmax_and_sample")
    for number in (0.0, 0.125, 0.53125, 0.9375):
        out = launch(shaders, kernel, {**names, "random": number}, logits=logits[None])["out"]
        assert out.tolist() == [sample(logits, Sampling(temperature, top_k, top_p), Fixed(number))]  # type: ignore[arg-type]
