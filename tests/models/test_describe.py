"""Architecture descriptions: what metadata of real models mean."""

from __future__ import annotations

import math
from typing import Any

import pytest

from kernelpath.models.describe import Given, describe
from kernelpath.models.errors import ModelErrors
from kernelpath.models.metadata import Metadata
from kernelpath.models.rope import Scaling, inverse_frequencies
from kernelpath.models.tables import architecture_names, architecture_table, find_architecture

SMOLLM2 = {
    "block_count": 30,
    "context_length": 8192,
    "embedding_length": 576,
    "feed_forward_length": 1536,
    "attention.head_count": 9,
    "attention.head_count_kv": 3,
    "rope.freq_base": 100000.0,
    "attention.layer_norm_rms_epsilon": 1e-5,
    "rope.dimension_count": 64,
}
GEMMA3 = {
    "context_length": 32768,
    "embedding_length": 640,
    "block_count": 18,
    "feed_forward_length": 2048,
    "attention.head_count": 4,
    "attention.layer_norm_rms_epsilon": 1e-6,
    "attention.key_length": 256,
    "rope.freq_base": 1000000.0,
    "attention.sliding_window": 512,
    "attention.head_count_kv": 1,
}
LLAMA3_CONFIG = {
    "num_hidden_layers": 16,
    "hidden_size": 2048,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "intermediate_size": 8192,
    "max_position_embeddings": 131072,
    "rms_norm_eps": 1e-5,
    "hidden_act": "silu",
    "rope_theta": 500000.0,
    "rope_scaling.rope_type": "llama3",
    "rope_scaling.factor": 32.0,
    "rope_scaling.low_freq_factor": 1.0,
    "rope_scaling.high_freq_factor": 4.0,
    "rope_scaling.original_max_position_embeddings": 8192,
}


def described(
    name: str, metadata: dict[str, Any], form: str = "gguf", rows: int = 49152, dtype: str = "q8_0"
) -> dict[str, Any]:
    columns = metadata.get("embedding_length", metadata.get("hidden_size", 64))
    facts = {"embedding_rows": rows, "embedding_columns": columns, "embedding_dtype": dtype, "has_lm_head": False}
    return describe(architecture_table(name), Given(Metadata(metadata, name), {"format": form, **facts}))


def test_smollm2() -> None:
    """SmolLM2-135M's metadata give the published architecture."""
    description = described("llama", SMOLLM2)
    rope = description["types"]["global"].pop("rope")
    assert description == {
        "architecture": "llama",
        "num_layers": 30,
        "hidden_size": 576,
        "num_heads": 9,
        "num_kv_heads": 3,
        "head_dim": 64,
        "ffn_size": 1536,
        "vocab_size": 49152,
        "context_length": 8192,
        "norm_eps": 1e-5,
        "norm_weight_offset": 0.0,
        "embedding_scale": 1.0,
        "attention_scale": 0.125,
        "attention_softcap": 0.0,
        "final_softcap": 0.0,
        "causal": True,
        "activation": "silu",
        "pooling": "none",
        "norms": {"qk": False, "attn_output": False, "ffn_output": False},
        "tied_embeddings": True,
        "layer_types": ["global"] * 30,
        "types": {"global": {"window": 0}},
    }
    assert rope.pop("inverse_frequencies") == [100000.0 ** (-pair / 32) for pair in range(32)]
    assert rope == {"theta": 100000.0, "dims": 64, "pairs": "adjacent", "scale": 1.0}


def test_gemma3() -> None:
    """Gemma 3 270M: every sixth layer is global at theta 1e6, the others see 512 tokens at theta 1e4."""
    description = described("gemma3", GEMMA3, rows=262144)
    assert description["layer_types"] == (["local"] * 5 + ["global"]) * 3
    kinds = description["types"]
    assert {name: (kind["window"], kind["rope"]["theta"], kind["rope"]["pairs"]) for name, kind in kinds.items()} == {
        "global": (0, 1e6, "halves"),
        "local": (512, 1e4, "halves"),
    }
    assert description["norms"] == {"qk": True, "attn_output": True, "ffn_output": True}
    assert (description["embedding_scale"], description["attention_scale"]) == (math.sqrt(640), 1 / 16)
    assert (description["activation"], description["causal"], description["norm_weight_offset"]) == (
        "gelu_tanh",
        True,
        0.0,
    )


def test_gemma2_alternates_and_caps() -> None:
    """Gemma 2 9B: layers alternate from local, scores are capped at 50 and logits at 30."""
    description = described("gemma2", {**GEMMA3, "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0})
    assert description["layer_types"] == ["local", "global"] * 9
    assert (description["attention_softcap"], description["final_softcap"]) == (50.0, 30.0)
    assert description["norms"] == {"qk": False, "attn_output": True, "ffn_output": True}


@pytest.mark.parametrize(
    ("name", "layers", "width", "expected"),
    [
        ("gemma2", 46, 4608, (4608 / 32) ** -0.5),
        ("gemma3", 62, 5376, (5376 / 32) ** -0.5),
        ("gemma3", 34, 2560, 1 / math.sqrt(128)),
    ],
)
def test_the_largest_gemmas_scale_scores_by_width(name: str, layers: int, width: int, expected: float) -> None:
    """The 27B models divide by the root of width per head, where the others do by the root of the head's own width."""
    metadata = {
        **GEMMA3,
        "block_count": layers,
        "embedding_length": width,
        "attention.head_count": 32,
        "attention.key_length": 128,
    }
    assert described(name, metadata)["attention_scale"] == expected


def test_embedding_gemma_sees_both_ways() -> None:
    """EmbeddingGemma is Gemma 3 without a causal mask, its tokens averaged."""
    description = described("embeddinggemma", GEMMA3)
    assert (description["causal"], description["pooling"]) == (False, "mean")
    same = described("gemma3", {"use_bidirectional_attention": True, **gemma3_config()}, "safetensors", dtype="bf16")
    assert (same["causal"], same["pooling"]) == (False, "mean")


def gemma3_config() -> dict[str, Any]:
    return {
        "num_hidden_layers": 18,
        "hidden_size": 640,
        "num_attention_heads": 4,
        "num_key_value_heads": 1,
        "head_dim": 256,
        "intermediate_size": 2048,
        "max_position_embeddings": 32768,
        "rms_norm_eps": 1e-6,
        "hidden_activation": "gelu_pytorch_tanh",
        "query_pre_attn_scalar": 256,
        "sliding_window": 512,
        "rope_theta": 1000000.0,
        "rope_local_base_freq": 10000.0,
    }


def test_gemma3_of_both_formats_differ_where_their_files_do() -> None:
    """Safetensors hold norms without their one, and their embedding scale is rounded to the stored dtype."""
    gguf, folder = described("gemma3", GEMMA3), described("gemma3", gemma3_config(), "safetensors", dtype="bf16")
    changed = {key: (gguf[key], folder[key]) for key in gguf if gguf[key] != folder[key]}
    assert changed == {"norm_weight_offset": (0.0, 1.0), "embedding_scale": (math.sqrt(640), 25.25)}


def test_llama3_frequencies_are_kept_stretched_or_between() -> None:
    """Short waves stay, long ones are 32 times as long, those between go smoothly; values as in Meta's own code."""
    rope = described("llama", LLAMA3_CONFIG, "safetensors")["types"]["global"]["rope"]
    plain = [500000.0 ** (-pair / 32) for pair in range(32)]
    ratios = [scaled / frequency for scaled, frequency in zip(rope["inverse_frequencies"], plain, strict=True)]
    assert ratios[:15] == [1.0] * 15
    assert ratios[18:] == pytest.approx([1 / 32] * 14, rel=1e-12)
    assert all(1 / 32 < ratio < 1 for ratio in ratios[15:18])
    assert rope["pairs"] == "halves"


def test_linear_scaling_stretches_positions() -> None:
    """Linear scaling by 8 makes every frequency an eighth."""
    scaled, plain = (inverse_frequencies(1e4, 8, scaling) for scaling in (Scaling("linear", 8.0), Scaling()))
    assert scaled == [frequency / 8 for frequency in plain]


def test_every_table_names_itself_in_a_format() -> None:
    """Each table is found under the names that it gives, and no name is in two tables."""
    names = [
        (form, spelled, name)
        for name in architecture_names()
        for form, entry in architecture_table(name).formats.items()
        for spelled in entry["names"]
    ]
    assert len({(form, spelled) for form, spelled, _ in names}) == len(names)
    assert all(find_architecture(form, spelled).name == name for form, spelled, name in names)


HUGE = f"`{{}}` is `1{'0' * 78}…`, not {{}}"
TOO_FEW = (
    "`layer_types` is `['full_attention', 'full_attention', 'full_attention', 'full_attention', 'full_…`, "
    "not a list of 16 types of layers"
)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"hidden_act": "relu"}, "this `llama` model uses `hidden_act` = `relu`, which is not supported"),
        ({"rms_norm_eps": None}, "the metadata of this `llama` model lack `rms_norm_eps`"),
        ({"rms_norm_eps": math.nan}, "`rms_norm_eps` is `nan`, not a number"),
        (
            {"num_attention_heads": 0, "head_dim": None},
            "`head_dim` cannot be worked out from the metadata: division by zero",
        ),
        ({"num_hidden_layers": True}, "`num_hidden_layers` is `True`, not a whole number"),
        ({"num_local_experts": 8}, "this `llama` model uses `num_local_experts` = 8, which is not supported"),
        ({"rms_norm_eps": 10**400}, HUGE.format("rms_norm_eps", "a number")),
        ({"rope_theta": 10**400}, HUGE.format("rope_theta", "a number")),
        ({"head_dim": 10**400}, HUGE.format("head_dim", "at most 1,099,511,627,776")),
        ({"num_attention_heads": 10**400}, HUGE.format("num_attention_heads", "at most 1,099,511,627,776")),
        ({"hidden_size": 10**400}, HUGE.format("hidden_size", "at most 1,099,511,627,776")),
        ({"max_position_embeddings": 0}, "`context_length` is `0`, not above zero"),
        ({"sliding_window": -1}, "`sliding_window` is `-1`, not at least 0"),
        ({"rope_scaling.high_freq_factor": 0.0}, "`rope_scaling.high_freq_factor` is `0.0`, not above 0"),
        ({"rope_scaling.low_freq_factor": 0}, "`rope_scaling.low_freq_factor` is `0.0`, not above 0"),
        ({"rope_scaling.factor": -8.0}, "`rope_scaling.factor` is `-8.0`, not above 0"),
        ({"rope_scaling.factor": True}, "`rope_scaling.factor` is `True`, not a number"),
        (
            {"rope_scaling.original_max_position_embeddings": 0},
            "`rope_scaling.original_max_position_embeddings` is `0`, not at least 1",
        ),
        ({"hidden_act": ["silu"]}, "`hidden_act` is `['silu']`, not a text"),
        ({"layer_types": {"0": 1}}, "`layer_types` is `{'0': 1}`, not a list of 16 types of layers"),
        ({"layer_types": "full_attention"}, "`layer_types` is `'full_attention'`, not a list of 16 types of layers"),
        ({"layer_types": ["full_attention"] * 15}, TOO_FEW),
        ({"layer_types": [{}] * 16}, "this `llama` model uses a layer of type `{}`, which is not supported"),
        ({"layer_types": [[]] * 16}, "this `llama` model uses a layer of type `[]`, which is not supported"),
        ({"layer_types": ["conv"] * 16}, "this `llama` model uses a layer of type `conv`, which is not supported"),
    ],
)
def test_what_is_said_of_configurations_that_are_not_supported(change: dict[str, Any], expected: str) -> None:
    """Each is one message that names the key."""
    with pytest.raises(ModelErrors) as raised:
        described("llama", {**LLAMA3_CONFIG, **change}, "safetensors")
    assert [finding.message for finding in raised.value.diagnostics] == [expected]
