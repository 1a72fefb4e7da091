"""Random tiny models, and the oracle that runs them."""

from __future__ import annotations

import numpy as np
import pytest

from kernelpath.models.weights import BLOCKS

from .oracle import Oracle, visible
from .tiny import ARCHITECTURES, tiny_model

CAUSAL = [architecture for architecture in ARCHITECTURES if architecture != "embeddinggemma"]
DTYPES = [dtype for dtype in sorted(BLOCKS) if dtype not in ("q2_k", "q3_k", "q5_k")]
IDS = [5, 3, 8, 13, 21, 34, 55, 89, 144, 2, 7, 1]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_same_arguments_give_the_same_model(architecture: str) -> None:
    """Two calls agree in every byte; another seed changes every weight."""
    first, second, other = tiny_model(architecture), tiny_model(architecture), tiny_model(architecture, seed=1)
    assert first.architecture == second.architecture
    for name, weight in first.weights.items():
        assert weight.data.tobytes() == second.weights[name].data.tobytes()
        assert weight.data.tobytes() != other.weights[name].data.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("architecture", ["llama", "gemma3"])
def test_every_dtype_runs_with_sane_numbers(architecture: str, dtype: str) -> None:
    """Logits at every stored dtype are finite and of order one: a scale that explodes would hide errors."""
    logits = Oracle(tiny_model(architecture, dtype), np.float64).run(IDS)
    assert logits.shape == (len(IDS), 203)
    assert 0.5 < logits.std() < 3.0


@pytest.mark.parametrize("architecture", CAUSAL)
def test_a_prompt_at_once_equals_token_by_token(architecture: str) -> None:
    """The oracle's logits of twelve tokens at once are those of twelve single steps, past the window of 7."""
    model = tiny_model(architecture)
    whole, single = Oracle(model, np.float64), Oracle(model, np.float64)
    steps = np.concatenate([single.run([token]) for token in IDS])
    np.testing.assert_allclose(whole.run(IDS), steps, atol=1e-12)


def test_layers_of_windowed_models_differ() -> None:
    """The first layer of a windowed tiny model is local with 7 tokens, the second global without a window."""
    architecture = tiny_model("gemma3").architecture
    windows = [architecture["types"][kind]["window"] for kind in architecture["layer_types"]]
    assert windows == [7, 0]


@pytest.mark.parametrize(
    ("causal", "window", "expected"),
    [
        (True, 0, ["#....", "##...", "###..", "####.", "#####"]),
        (True, 2, ["#....", "##...", ".##..", "..##.", "...##"]),
        (False, 0, ["#####"] * 5),
        (False, 2, ["##...", "###..", ".###.", "..###", "...##"]),
    ],
)
def test_what_a_query_sees(causal: bool, window: int, expected: list[str]) -> None:
    """A window of W shows the W latest keys, the query's own among them; looking both ways, half of it on each side."""
    seen = visible(np.arange(5), 5, {"window": window}, {"causal": causal})
    assert ["".join(".#"[flag] for flag in row.astype(int)) for row in seen] == expected
