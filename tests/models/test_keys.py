"""Settings of a model that change its answer: read, or refused by name; none is passed over in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kernelpath.models.describe import Architecture
from kernelpath.models.errors import ModelErrors
from kernelpath.models.model import Model
from kernelpath.models.open_model import open_model
from kernelpath.models.rope import Scaling, inverse_frequencies

from .files import write_folder, write_gguf
from .test_open_model import CONFIGS, GGUF_MORE
from .test_tokenizer import byte_level
from .tiny import tiny_model

SLIDING, FULL = "sliding_attention", "full_attention"


def folder(tmp_path: Path, architecture: str = "llama", tied: bool = True, **config: Any) -> Model:
    """Open a model of four layers with a changed config.json; None takes a member away."""
    model = tiny_model(architecture, "f32", num_layers=4, tied=tied)
    base = {key: value for key, value in CONFIGS[architecture].items() if key != "layer_types"}
    members = {key: value for key, value in {**base, **config}.items() if value is not None}
    return open_model(write_folder(tmp_path / "folder", model, members))


def gguf(tmp_path: Path, architecture: str = "llama", **metadata: Any) -> Model:
    """Open a GGUF file of four layers with more metadata of its architecture."""
    model = tiny_model(architecture, "f32", num_layers=4)
    more = {f"{architecture}.{key}": value for key, value in {**GGUF_MORE.get(architecture, {}), **metadata}.items()}
    return open_model(write_gguf(tmp_path / "model.gguf", model, architecture, more))


def refused(opening: Any, *words: Any, **settings: Any) -> str:
    with pytest.raises(ModelErrors) as raised:
        opening(*words, **settings)
    (finding,) = raised.value.diagnostics
    return finding.message


def warned(model: Model) -> list[str]:
    return [found.message for found in model.warnings]


def frequencies(architecture: Architecture) -> list[float]:
    found: list[float] = architecture["types"]["global"]["rope"]["inverse_frequencies"]
    return found


@pytest.mark.parametrize(
    ("settings", "kinds", "window"),
    [
        ({}, ["global"] * 4, None),
        ({"use_sliding_window": False, "sliding_window": 2, "max_window_layers": 0}, ["global"] * 4, None),
        ({"use_sliding_window": True, "sliding_window": 2, "max_window_layers": 0}, ["local"] * 4, 2),
        ({"use_sliding_window": True, "sliding_window": 2, "max_window_layers": 3}, ["global"] * 3 + ["local"], 2),
        ({"use_sliding_window": True, "max_window_layers": 0}, ["local"] * 4, 4096),
        ({"use_sliding_window": True, "sliding_window": 2}, ["global"] * 4, 2),
        (
            {"use_sliding_window": True, "sliding_window": 2, "layer_types": [SLIDING, FULL, FULL, SLIDING]},
            ["local", "global", "global", "local"],
            2,
        ),
    ],
)
def test_qwen3_slides_where_its_config_says(
    settings: dict[str, Any], kinds: list[str], window: int | None, tmp_path: Path
) -> None:
    """The layers from `max_window_layers` on have the window, if it is to be used at all."""
    architecture = folder(tmp_path, "qwen3", **settings).architecture
    assert architecture["layer_types"] == kinds
    assert architecture["types"].get("local", {}).get("window") == window
    assert architecture["types"]["global"]["window"] == 0


def test_qwen3_layers_that_slide_need_the_window(tmp_path: Path) -> None:
    """A list of layers that asks for a window which is not to be used is refused."""
    message = "this `qwen3` model uses a layer of type `sliding_attention`, which is not supported"
    assert refused(folder, tmp_path, "qwen3", layer_types=[SLIDING] * 4) == message


@pytest.mark.parametrize("key", ["sliding_window_pattern", "_sliding_window_pattern"])
def test_gemma3_has_a_global_layer_every_so_many(key: str, tmp_path: Path) -> None:
    """The pattern says how many; a list of the layers' types decides before it."""
    alternating = ["local", "global"] * 2
    assert folder(tmp_path, "gemma3", **{key: 2}).architecture["layer_types"] == alternating
    assert folder(tmp_path, "gemma3", **{key: 1}).architecture["layer_types"] == ["global"] * 4
    listed = folder(tmp_path, "gemma3", **{key: 1, "layer_types": [SLIDING, FULL] * 2})
    assert listed.architecture["layer_types"] == alternating
    assert folder(tmp_path, "gemma3").architecture["layer_types"] == ["local"] * 4


@pytest.mark.parametrize(
    ("pattern", "kinds"),
    [
        (2, ["local", "global"] * 2),
        ([True, True, False, True], ["local", "local", "global", "local"]),
        ([1, 0, 0, 0], ["local", "global", "global", "global"]),
    ],
)
def test_gguf_files_give_the_pattern_as_a_number_or_a_list(pattern: Any, kinds: list[str], tmp_path: Path) -> None:
    """A list says of each layer whether it slides."""
    architecture = gguf(tmp_path, "gemma3", **{"attention.sliding_window_pattern": pattern}).architecture
    assert architecture["layer_types"] == kinds


def test_a_window_of_null_is_none(tmp_path: Path) -> None:
    """A config that says null has no window, where one that says nothing has the default."""
    path = tmp_path / "folder"
    write_folder(path, tiny_model("gemma3", "f32", num_layers=4), CONFIGS["gemma3"] | {"layer_types": [SLIDING] * 4})
    config = json.loads((path / "config.json").read_text())
    for value, window in ((None, 0), (7, 7), ("absent", 1024)):
        changed = {**config, "sliding_window": value} if value != "absent" else config.copy()
        if value == "absent":
            del changed["sliding_window"]
        (path / "config.json").write_text(json.dumps(changed))
        assert open_model(path).architecture["types"]["local"]["window"] == window


@pytest.mark.parametrize(
    "metadata",
    [
        {"rope.scaling.type": "linear", "rope.scaling.factor": 4.0},
        {"rope.scale_linear": 4.0},
        {"rope.scaling.factor": 4.0},
    ],
)
def test_gguf_rotations_are_scaled_by_any_of_the_keys(metadata: dict[str, Any], tmp_path: Path) -> None:
    """The old key, and a factor without a type, mean linear scaling, as in the format's own reader."""
    plain = gguf(tmp_path).architecture
    scaled = gguf(tmp_path, **metadata).architecture
    assert frequencies(scaled) == [frequency / 4 for frequency in frequencies(plain)]
    assert scaled["types"]["global"]["rope"]["scale"] == 0.25


def test_a_type_of_none_scales_nothing(tmp_path: Path) -> None:
    """A factor beside it does not count."""
    none = {"rope.scaling.type": "none", "rope.scaling.factor": 4.0}
    assert gguf(tmp_path, **none).architecture == gguf(tmp_path).architecture


def test_factors_of_a_file_and_linear_scaling_are_both_applied() -> None:
    """A frequency is divided by its own factor, and by the common one."""
    both = inverse_frequencies(1e4, 4, Scaling("linear", 8.0), [1.0, 2.0])
    assert both == [1.0 / 8, 0.01 / 2 / 8]


@pytest.mark.parametrize(
    ("scaling", "expected"),
    [
        (
            {"factor": 8.0},
            "`rope_scaling.factor` is `8.0`, but the metadata do not say which scaling it is of",
        ),
        ({"rope_type": "linear"}, "the metadata of this `llama` model lack `rope_scaling.factor`"),
        (
            {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
            "the metadata of this `llama` model lack `rope_scaling.original_max_position_embeddings`",
        ),
        (
            {
                "rope_type": "llama3",
                "factor": 8.0,
                "low_freq_factor": 4.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 8,
            },
            "`rope_scaling.high_freq_factor` is `4.0`, not above the low factor 4.0",
        ),
        (
            {"type": "dynamic", "factor": 2.0},
            "this `llama` model uses `rope_scaling.type` = `dynamic`, which is not supported",
        ),
        (
            {"rope_type": "linear", "factor": 2.0, "mrope_section": [1, 2]},
            "this `llama` model sets `rope_scaling.mrope_section`, which may change its answer and is not read",
        ),
    ],
)
def test_a_scaling_said_in_part_is_refused(scaling: dict[str, Any], expected: str, tmp_path: Path) -> None:
    """What is left out would change positions."""
    assert refused(folder, tmp_path, rope_scaling=scaling) == expected


def test_an_untied_head_must_be_there(tmp_path: Path) -> None:
    """The embedding does not stand for a head that config.json says is another matrix."""
    message = "`tie_word_embeddings` is false, but the file lacks `lm_head.weight`"
    assert refused(folder, tmp_path, tie_word_embeddings=False) == message
    assert folder(tmp_path).architecture["tied_embeddings"] is True
    assert folder(tmp_path, tied=False, tie_word_embeddings=False).architecture["tied_embeddings"] is False
    assert refused(folder, tmp_path, tie_word_embeddings="no") == "`tie_word_embeddings` is `'no'`, not true or false"


def test_a_tied_head_is_the_embedding_though_the_file_has_another(tmp_path: Path) -> None:
    """Every loader of these files ties them; the matrix that is not used is named."""
    model = folder(tmp_path, tied=False, tie_word_embeddings=True)
    assert model.weights["lm_head"] is model.weights["embed_tokens"]
    assert warned(model) == ["`lm_head.weight` is not used, because `tie_word_embeddings` is true"]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        *(
            ({key: value}, f"this `llama` model uses `{key}` = `{value}`, which is not supported")
            for key, value in {"attention_bias": True, "mlp_bias": True, "partial_rotary_factor": 0.5}.items()
        ),
        *(
            ({key: value}, f"this `llama` model sets `{key}`, which may change its answer and is not read")
            for key, value in {
                "logit_scale": 0.1,
                "residual_multiplier": 0.2,
                "embedding_multiplier": 12.0,
                "no_rope_layers": [1],
                "use_qk_norm": True,
                "attention_sinks": 4,
                "use_sliding_window": True,
                "sliding_window_pattern": 2,
                "query_pre_attn_scalar": 8,
                "final_logit_softcapping": 30.0,
                "head_scale": 1,
                "position_embedding_type": "alibi",
            }.items()
        ),
        (
            {"quantization_config": {"quant_method": "gptq", "bits": 4}},
            "this `llama` model sets `quantization_config.quant_method`, `quantization_config.bits`, "
            "which may change its answer and is not read",
        ),
    ],
)
def test_keys_of_a_config_that_can_change_the_answer(config: dict[str, Any], expected: str, tmp_path: Path) -> None:
    """Each is an error that names it."""
    assert refused(folder, tmp_path, **config) == expected


def test_what_a_config_says_besides_is_harmless(tmp_path: Path) -> None:
    """What is known to change nothing is not worth a word, and neither is a key that says null."""
    known = {"torch_dtype": "bfloat16", "transformers_version": "4.57.1", "use_cache": True, "attention_dropout": 0.0}
    model = folder(tmp_path, **known, architectures=["LlamaForCausalLM"], eos_token_id=[1, 2], attention_bias=False)
    assert model.warnings == ()
    path = tmp_path / "folder" / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "logit_scale": None, "rope_scaling": None}))
    assert open_model(path.parent).warnings == ()


def test_other_keys_are_a_warning_that_names_them(tmp_path: Path) -> None:
    """A key of no kind that is known to matter."""
    model = folder(tmp_path, colour="green", made={"by": "hand"})
    assert warned(model) == ["`colour`, `made.by` of this `llama` model are not read"]
    assert model.warnings[0].severity == "warning"


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        *(
            ({key: value}, f"this `llama` model uses `{key}` = `{value}`, which is not supported")
            for key, value in {
                "attention.value_length": 16,
                "attention.sliding_window": 4,
                "rope.scaling.attn_factor": 2.0,
            }.items()
        ),
        *(
            ({key: value}, f"this `llama` model sets `{key}`, which may change its answer and is not read")
            for key, value in {
                "attention.scale": 0.1,
                "attention.clamp_kqv": 8.0,
                "attention.sliding_window_pattern": 2,
                "rope.scaling.yarn_beta_fast": 32.0,
                "rope.dimension_sections": [1, 2],
                "logit_scale": 0.1,
                "residual_scale": 0.1,
                "embedding_scale": 12.0,
                "interleave_moe_layer_step": 2,
            }.items()
        ),
    ],
)
def test_keys_of_a_gguf_file_that_change_the_answer(metadata: dict[str, Any], expected: str, tmp_path: Path) -> None:
    """Each is an error that names it."""
    assert refused(gguf, tmp_path, **metadata) == expected


def test_other_keys_of_a_gguf_file(tmp_path: Path) -> None:
    """What describes the file is harmless; what nothing is known of is a warning, the tokenizer's too."""
    harmless = {"general.name": "Tiny", "general.file_type": 7, "quantize.imatrix.file": "x", "llama.vocab_size": 263}
    model = tiny_model("llama", "f32", vocab_size=263)
    path = write_gguf(tmp_path / "model.gguf", model, "llama", harmless | byte_level(**{"ggml.padding_token_id": 0}))
    assert open_model(path).warnings == ()
    strange = {"llama.colour": "green", "qwen3.colour": "red", "tokenizer.ggml.suppress_tokens": [1]}
    path = write_gguf(tmp_path / "model.gguf", model, "llama", strange)
    assert warned(open_model(path)) == [
        "`colour` of this `llama` model is not read",
        "`qwen3.colour`, `tokenizer.ggml.suppress_tokens` of this `llama` model are not read",
    ]


def test_a_gguf_file_says_whether_it_looks_back_only(tmp_path: Path) -> None:
    """`attention.causal` is read for every architecture."""
    assert gguf(tmp_path, **{"attention.causal": False}).architecture["causal"] is False
    assert gguf(tmp_path).architecture["causal"] is True
