"""Models out of files: both formats, every architecture that has a table."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelpath.models.errors import ModelErrors
from kernelpath.models.model import Model
from kernelpath.models.open_model import open_model
from kernelpath.models.weights import Weight, store

from .files import write_folder, write_gguf, write_safetensors
from .oracle import Oracle
from .tiny import tiny_model, with_weight

IDS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
GGUF_NAMES = {
    "llama": "llama",
    "qwen3": "qwen3",
    "gemma2": "gemma2",
    "gemma3": "gemma3",
    "embeddinggemma": "gemma-embedding",
}
ONE_WINDOW = {"attention.sliding_window": 7}
GGUF_MORE: dict[str, dict[str, Any]] = {"gemma2": ONE_WINDOW, "gemma3": ONE_WINDOW, "embeddinggemma": ONE_WINDOW}
LAYER_TYPES = ["sliding_attention", "full_attention"]
CONFIGS: dict[str, dict[str, Any]] = {
    "llama": {"model_type": "llama", "hidden_act": "silu", "sliding_window": None},
    "qwen3": {"model_type": "qwen3", "hidden_act": "silu", "rope_theta": 10000.0},
    "gemma2": {"model_type": "gemma2", "sliding_window": 7, "layer_types": LAYER_TYPES},
    "gemma3": {"model_type": "gemma3_text", "sliding_window": 7, "layer_types": LAYER_TYPES},
}


NO_FACTOR = "`rope_freqs.weight` holds a factor that no frequency can be divided by"
NEGATIVE_EPSILON = "`attention.layer_norm_rms_epsilon` is `-1.0`, not at least 0"


def problem(path: Path) -> str:
    with pytest.raises(ModelErrors) as raised:
        open_model(path)
    (finding,) = raised.value.diagnostics
    return finding.message.replace(str(path), "PATH").replace(str(path.parent), "FOLDER")


def same_weights(left: Model, right: Model) -> None:
    assert list(left.weights) == list(right.weights)
    for name, weight in left.weights.items():
        other = right.weights[name]
        assert (other.name, other.dtype, other.shape) == (weight.name, weight.dtype, weight.shape)
        assert other.data.tobytes() == weight.data.tobytes()


@pytest.mark.parametrize("architecture", sorted(GGUF_NAMES))
def test_a_gguf_file_gives_back_the_model(architecture: str, tmp_path: Path) -> None:
    """A model written as GGUF is read with the same description and the same bytes under the same logical names."""
    layers = 6 if "gemma3" in architecture or architecture == "embeddinggemma" else 2
    kinds = ["local"] * 5 + ["global"] if layers == 6 else None
    model = tiny_model(architecture, "q8_0", num_layers=layers)
    name = GGUF_NAMES[architecture]
    more = {f"{name}.{key}": value for key, value in GGUF_MORE.get(architecture, {}).items()}
    opened = open_model(write_gguf(tmp_path / "model.gguf", model, name, more))
    assert opened.architecture == {**model.architecture, **({"layer_types": kinds} if kinds else {})}
    same_weights(model, opened)
    assert opened.tokenizer is None
    assert opened.weights["lm_head"] is opened.weights["embed_tokens"]


@pytest.mark.parametrize("architecture", sorted(CONFIGS))
@pytest.mark.parametrize("shards", [1, 3])
def test_a_folder_gives_back_the_weights(architecture: str, shards: int, tmp_path: Path) -> None:
    """A model written as safetensors, in one file or three, is read with the same bytes; an own LM head stays apart."""
    model = tiny_model(architecture, "bf16", tied=False)
    opened = open_model(write_folder(tmp_path / "folder", model, CONFIGS[architecture], shards))
    same_weights(model, opened)
    assert opened.architecture["tied_embeddings"] is False
    assert opened.architecture["layer_types"] == model.architecture["layer_types"]


def test_a_gemma_folder_holds_norms_without_their_one(tmp_path: Path) -> None:
    """Gemma's safetensors hold w for a norm of 1 + w, and its GGUF files 1 + w: both give the same logits."""
    stored = tiny_model("gemma3", "f32")
    raw = stored
    for weight in stored.weights.values():
        if len(weight.shape) == 1:
            raw = with_weight(raw, replace(weight, data=store(weight.array() - np.float32(1), "f32")))
    opened = open_model(write_folder(tmp_path / "folder", raw, CONFIGS["gemma3"]))
    assert opened.architecture["norm_weight_offset"] == 1.0
    ours, theirs = (Oracle(model, np.float64).run(IDS) for model in (stored, opened))
    np.testing.assert_allclose(ours, theirs, atol=2e-5)


def test_llama_gguf_rotates_adjacent_pairs_and_safetensors_halves(tmp_path: Path) -> None:
    """Q and K rows reordered as converters do it, and pairs taken adjacent, are the same model as halves."""
    halves = tiny_model("llama", "f32", rope_pairs="halves")
    adjacent = tiny_model("llama", "f32")
    for layer in range(2):
        for part, heads in (("q", 6), ("k", 2)):
            weight = halves.weights[f"layer.{layer}.self_attn.{part}_proj"]
            rows = weight.array().reshape(heads, 2, 16, 96).swapaxes(1, 2).reshape(weight.shape)
            adjacent = with_weight(adjacent, replace(weight, data=store(rows, "f32")))
    from_folder = open_model(write_folder(tmp_path / "folder", halves, CONFIGS["llama"]))
    from_gguf = open_model(write_gguf(tmp_path / "model.gguf", adjacent, "llama"))
    ours, theirs = (Oracle(model, np.float64).run(IDS) for model in (from_folder, from_gguf))
    np.testing.assert_allclose(ours, theirs, atol=1e-9)
    assert np.abs(Oracle(halves, np.float64).run(IDS) - Oracle(tiny_model("llama"), np.float64).run(IDS)).max() > 0.1


def test_factors_in_a_gguf_file_divide_the_frequencies(tmp_path: Path) -> None:
    """A `rope_freqs.weight` tensor, as Llama 3.1 files have it, divides each pair's frequency."""
    model = tiny_model("llama", "f32", num_layers=1)
    factors = np.linspace(1, 8, 16, dtype=np.float32)
    with_factors = write_gguf(
        tmp_path / "model.gguf",
        model,
        "llama",
        tensors={"rope_freqs.weight": Weight("r", "f32", (16,), store(factors, "f32"))},
    )
    rope = open_model(with_factors).architecture["types"]["global"]["rope"]
    plain = model.architecture["types"]["global"]["rope"]["inverse_frequencies"]
    assert rope["inverse_frequencies"] == [
        frequency / float(factor) for frequency, factor in zip(plain, factors, strict=True)
    ]


@pytest.mark.parametrize(
    ("shape", "values", "expected"),
    [
        ((4,), [1.0] * 4, "`rope_freqs.weight` has shape [4], but [16] is needed"),
        ((17,), [1.0] * 17, "`rope_freqs.weight` has shape [17], but [16] is needed"),
        ((4, 4), [1.0] * 16, "`rope_freqs.weight` has shape [4, 4], but one dimension is needed"),
        ((16,), [1.0] * 15 + [0.0], NO_FACTOR),
        ((16,), [1.0] * 15 + [-1.0], NO_FACTOR),
        ((16,), [1.0] * 15 + [math.nan], NO_FACTOR),
        ((16,), [1.0] * 15 + [math.inf], NO_FACTOR),
        ((16,), [1.0] * 15 + [1e-45], NO_FACTOR),
    ],
)
def test_factors_that_divide_no_frequency(
    shape: tuple[int, ...], values: list[float], expected: str, tmp_path: Path
) -> None:
    """One factor for each pair, and each a number above zero."""
    weight = Weight("r", "f32", shape, store(np.array(values, np.float32), "f32"))
    path = write_gguf(tmp_path / "model.gguf", tiny_model("llama"), "llama", tensors={"rope_freqs.weight": weight})
    assert problem(path) == expected


def test_a_multimodal_folder_is_read_for_its_text_model(tmp_path: Path) -> None:
    """Gemma 3 with a vision tower: the text section counts, prefixes are cut off, other parts are left alone."""
    model = tiny_model("gemma3", "f16")
    folder = write_folder(tmp_path / "folder", model, CONFIGS["gemma3"])
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({"model_type": "gemma3", "text_config": config}))
    plain = open_model_weights(folder)
    (folder / "model-00001-of-00001.safetensors").unlink()
    renamed = {f"language_model.{name}": weight for name, weight in plain.items()}
    vision = {"vision_tower.patch.weight": Weight("v", "f16", (2,), store(np.ones(2, np.float32), "f16"))}
    write_safetensors(folder / "model.safetensors", renamed | vision)
    same_weights(model, open_model(folder))


def open_model_weights(folder: Path) -> dict[str, Weight]:
    from kernelpath.models.safetensors_file import read_safetensors

    tensors = read_safetensors(sorted(folder.glob("*.safetensors"))).tensors
    return {name: replace(weight, data=weight.data.copy()) for name, weight in tensors.items()}


def test_tensors_without_a_place_are_refused(tmp_path: Path) -> None:
    """A bias that nobody would add is a finding that names it, not a wrong answer."""
    model = tiny_model("llama", "f32", num_layers=1)
    bias = Weight("b", "f32", (64,), store(np.ones(64, np.float32), "f32"))
    path = write_gguf(tmp_path / "model.gguf", model, "llama", tensors={"blk.0.attn_k.bias": bias})
    assert problem(path) == "the `llama` table has no place for `blk.0.attn_k.bias`"


def test_missing_tensors_are_named(tmp_path: Path) -> None:
    """A file that claims three layers and holds two names the tensors that are not there."""
    path = write_gguf(tmp_path / "model.gguf", tiny_model("llama"), "llama", {"llama.block_count": 3})
    assert problem(path) == (
        "the file lacks `blk.2.attn_norm.weight`, `blk.2.attn_q.weight`, `blk.2.attn_k.weight`, `blk.2.attn_v.weight`, "
        "`blk.2.attn_output.weight`, `blk.2.ffn_norm.weight`, `blk.2.ffn_gate.weight`, `blk.2.ffn_up.weight` and 1 more"
    )


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"llama.feed_forward_length": 128}, "`layer.0.mlp.gate_proj` has shape [160, 96], but [128, 96] is needed"),
        ({"llama.attention.head_count_kv": 4}, "`num_kv_heads` is `4`, not a divisor of 6 heads"),
        ({"llama.attention.head_count_kv": 0}, "`num_kv_heads` is `0`, not above zero"),
        ({"llama.attention.head_count": "six"}, "`attention.head_count` is `'six'`, not a whole number"),
        ({"llama.rope.dimension_count": 48}, "`rope_dims` is `48`, not even and at most 32"),
        ({"llama.expert_count": 8}, "this `llama` model uses `expert_count` = 8, which is not supported"),
        (
            {"llama.rope.scaling.type": "yarn"},
            "this `llama` model uses `rope.scaling.type` = `yarn`, which is not supported",
        ),
        ({"llama.block_count": 2_000_000_000}, "`num_layers` is `2000000000`, not at most 10000"),
        ({"llama.attention.key_length": 4_000_000_000}, "`head_dim` is `4000000000`, not at most 65536"),
        ({"llama.rope.freq_base": 0.0}, "`rope.freq_base` is `0.0`, not above 0"),
        ({"llama.rope.freq_base": -1.0}, "`rope.freq_base` is `-1.0`, not above 0"),
        ({"llama.rope.freq_base": 1e-300}, "`rope.freq_base` is `1e-300`, not a base of rotations"),
        ({"llama.rope.freq_base": math.inf}, "`rope.freq_base` is `inf`, not a number"),
        ({"llama.rope.scaling.factor": 0.0}, "`rope.scaling.factor` is `0.0`, not above 0"),
        ({"llama.rope.scale_linear": 0.0}, "`rope.scale_linear` is `0.0`, not above 0"),
        ({"llama.rope.scale_linear": math.nan}, "`rope.scale_linear` is `nan`, not a number"),
        ({"llama.rope.scaling.type": ["linear"]}, "`rope.scaling.type` is `['linear']`, not a text"),
        ({"llama.attention.layer_norm_rms_epsilon": -1.0}, NEGATIVE_EPSILON),
        ({"llama.attention.head_count": [6, 4]}, "`attention.head_count` is `[6, 4]`, not a whole number"),
        ({"llama.attention.key_length": 32.5}, "`attention.key_length` is `32.5`, not a whole number"),
        ({"general.architecture": "lama"}, "no table describes the architecture `lama`"),
    ],
)
def test_what_is_said_of_metadata_that_cannot_be(more: dict[str, Any], expected: str, tmp_path: Path) -> None:
    """Each wrong value is one message that names the key and the value."""
    assert problem(write_gguf(tmp_path / "model.gguf", tiny_model("llama"), "llama", more)) == expected


def test_what_is_said_of_paths_that_hold_no_model(tmp_path: Path) -> None:
    """No file, an empty folder, another kind of file, no config.json: each has its message."""
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "empty").mkdir()
    weights = tmp_path / "bare.safetensors"
    write_safetensors(weights, {})
    assert problem(tmp_path / "none.gguf") == "there is no file `PATH`"
    assert problem(tmp_path / "notes.txt") == "`PATH` is not a model that can be read"
    assert problem(tmp_path / "empty") == "`PATH` is not a model that can be read"
    assert problem(weights) == "there is no file `FOLDER/config.json`"


def test_what_is_said_of_broken_folders(tmp_path: Path) -> None:
    """A broken header, a tensor in two shards, a dtype that nothing reads: each has its message."""
    folder = write_folder(tmp_path / "folder", tiny_model("llama"), CONFIGS["llama"])
    weights = folder / "model-00001-of-00001.safetensors"
    (folder / "second.safetensors").write_bytes(weights.read_bytes())
    assert problem(folder) == "`PATH/second.safetensors` holds tensor `model.embed_tokens.weight` a second time"
    (folder / "second.safetensors").write_bytes(weights.read_bytes()[:200])
    assert problem(folder).startswith("`PATH/second.safetensors` is broken: ")
    (folder / "second.safetensors").unlink()
    (folder / "config.json").write_text("[1]")
    assert problem(folder) == "`PATH/config.json` cannot be used: it is not a JSON object"


def test_an_index_cannot_point_out_of_its_folder(tmp_path: Path) -> None:
    """Of a path in an index only the file's name counts."""
    folder = write_folder(tmp_path / "folder", tiny_model("llama"), CONFIGS["llama"])
    index = {"weight_map": {"a": "../../etc/model-00001-of-00001.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert open_model(folder).name == "folder"
