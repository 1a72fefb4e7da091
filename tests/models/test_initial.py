"""First manifests: kernels chosen by the table, and graphs that the reference accepts."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

import kernelpath as kp
from differential.plain.compilation import compile_request
from differential.plain.facts import make_facts
from kernelpath.graph.catalog import Kernel, load_catalog
from kernelpath.models.errors import ModelErrors
from kernelpath.models.initial import initial_manifest
from kernelpath.models.tables import selection_table
from kernelpath.resources import resource

from .tiny import ARCHITECTURES, tiny_model, with_weight

PLAIN, HALF, BOTH = frozenset[str](), frozenset({"shader-f16"}), frozenset({"shader-f16", "subgroup"})
CATALOGUE = yaml.load(resource("kernels", "catalogs", "doppler-0.1.7.yaml").read_text(), yaml.CSafeLoader)
FACTS = make_facts(CATALOGUE, {"paths": [], "finitenessFallback": [{"match": {}, "value": None}]})


GEMMA3_OPS = (
    ["input_norm", "q_proj", "k_proj", "v_proj", "q_norm", "k_norm", "rope_q", "rope_k", "attention", "o_proj"],
    ["attn_output_norm", "attn_residual", "post_attn_norm", "gate_proj", "up_proj", "activation", "down_proj"],
    ["ffn_output_norm", "ffn_residual"],
)


def kernels(manifest: dict[str, Any], phase: str) -> dict[str, str]:
    """The kernel of each op that runs in a phase."""
    steps = [step for step in manifest["execution"]["steps"] if step["phase"] in (phase, "both")]
    return {step["op"]: f"{step['kernel']}#{step['entry']}" for step in steps}


def with_kernels(*names: str) -> dict[str, Kernel]:
    """The reference's catalogue with more kernels, whose facts are those of another."""
    catalog = load_catalog("doppler-0.1.7")
    return {**catalog, **dict.fromkeys(names, catalog["rope.wgsl#main"])}


@pytest.mark.parametrize("features", [PLAIN, HALF, BOTH], ids=["plain", "half", "both"])
@pytest.mark.parametrize("dtype", ["f32", "f16", "q8_0", "q4_k"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_first_manifest_is_accepted(architecture: str, dtype: str, features: frozenset[str]) -> None:
    """The plain reading of the reference's decisions compiles it, at the dtypes that it was meant to have."""
    manifest = initial_manifest(tiny_model(architecture, dtype), features)
    value = compile_request({"manifestInference": manifest, "modelId": "tiny", "numLayers": 2}, FACTS)
    assert value is not None
    path = value["runtimeInferencePatch"]["kernelPath"]
    assert (path["activationDtype"], path["kvDtype"]) == ("f32", "f16" if features else "f32")
    assert "layerOverrides" not in path
    assert [step["op"] for step in path["decode"]["steps"]] == [step["op"] for step in path["prefill"]["steps"]]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_engine_compiles_first_manifests_as_the_plain_reading_does(architecture: str) -> None:
    """The rules accept them too, without a word, and give the same value, save for a name and a description."""
    manifest = initial_manifest(tiny_model(architecture, "q4_k"), BOTH)
    result = kp.compile(manifest, pack="execution-v0", model_id="tiny", num_layers=2)
    assert (result.ok, list(result.diagnostics)) == (True, [])
    path = result.value["runtimeInferencePatch"]["kernelPath"]
    assert isinstance(path.pop("name"), str)
    assert isinstance(path.pop("description"), str)
    assert result.value == compile_request({"manifestInference": manifest, "modelId": "tiny", "numLayers": 2}, FACTS)


def test_a_llama_on_a_device_with_everything() -> None:
    """Weights at f16 stay so: decode runs subgroup kernels, prefill tiles."""
    manifest = initial_manifest(tiny_model("llama", "f16"), BOTH)
    assert kernels(manifest, "decode") == {
        "embed": "gather_f16.wgsl#main",
        "input_norm": "rmsnorm.wgsl#main",
        "q_proj": "matmul_gemv_subgroup.wgsl#main_vec4",
        "k_proj": "matmul_gemv_subgroup.wgsl#main_vec4",
        "v_proj": "matmul_gemv_subgroup.wgsl#main_vec4",
        "rope_q": "rope.wgsl#main",
        "rope_k": "rope.wgsl#main",
        "attention": "attention_decode_online_f16kv.wgsl#main",
        "o_proj": "matmul_gemv_subgroup.wgsl#main_vec4",
        "attn_residual": "residual.wgsl#main",
        "post_attn_norm": "rmsnorm.wgsl#main",
        "gate_proj": "matmul_gemv_subgroup.wgsl#main_vec4",
        "up_proj": "matmul_gemv_subgroup.wgsl#main_vec4",
        "activation": "silu.wgsl#main",
        "down_proj": "matmul_gemv_subgroup.wgsl#main_vec4",
        "ffn_residual": "residual.wgsl#main",
        "final_norm": "rmsnorm.wgsl#main",
        "lm_head": "matmul_gemv_subgroup.wgsl#main_multicol",
        "lm_head_prefill": "matmul_f16w_f32a_tiled.wgsl#main",
        "sample": "sample.wgsl#sample_single_pass",
    }
    assert {kernels(manifest, "prefill")[op] for op in ("q_proj", "down_proj")} == {"matmul_f16w_f32a_tiled.wgsl#main"}


def test_without_f16_everything_is_f32() -> None:
    """On a device without shader-f16 no kernel of the manifest asks for it, and so on request where it has f16."""
    needs = {f"{kernel['kernel']}#{kernel['entry']}": kernel["requires"] for kernel in CATALOGUE["kernels"]}
    plain = initial_manifest(tiny_model("gemma2", "q8_0"), PLAIN)
    asked = initial_manifest(tiny_model("gemma2", "q8_0"), HALF, keep="f32", kv_dtype="f32")
    for manifest in (plain, asked):
        used = {*kernels(manifest, "decode").values(), *kernels(manifest, "prefill").values()}
        assert [kernel for kernel in used if needs[kernel]] == []
        assert manifest["sessionDefaults"]["kvcache"] == {"kvDtype": "f32"}


@pytest.mark.parametrize(
    ("dtype", "keep", "expected"),
    [
        ("f32", "stored", ["gather.wgsl#main", "matmul_f32.wgsl#main", "matmul_f32.wgsl#main"]),
        (
            "f32",
            "f16",
            ["gather_f16.wgsl#main", "matmul_gemv_subgroup.wgsl#main_vec4", "matmul_f16w_f32a_tiled.wgsl#main"],
        ),
        (
            "q8_0",
            "stored",
            ["gather_f16.wgsl#main", "matmul_gemv_subgroup.wgsl#main_vec4", "matmul_f16w_f32a_tiled.wgsl#main"],
        ),
        ("q8_0", "f32", ["gather.wgsl#main", "matmul_f32.wgsl#main", "matmul_f32.wgsl#main"]),
        (
            "q4_k",
            "stored",
            ["gather_f16.wgsl#main", "fused_matmul_q4.wgsl#main_multicol", "fused_matmul_q4_batched.wgsl#main_batched"],
        ),
        (
            "q4_k",
            "f16",
            ["gather_f16.wgsl#main", "matmul_gemv_subgroup.wgsl#main_vec4", "matmul_f16w_f32a_tiled.wgsl#main"],
        ),
    ],
)
def test_how_weights_are_kept(dtype: str, keep: str, expected: list[str]) -> None:
    """By default at the file's dtype where the catalogue has a kernel that reads it, else at f16; or as asked."""
    manifest = initial_manifest(tiny_model("llama", dtype), BOTH, keep=keep)
    decode, prefill = kernels(manifest, "decode"), kernels(manifest, "prefill")
    assert [decode["embed"], decode["q_proj"], prefill["q_proj"]] == expected


def test_a_fuller_catalogue_reads_blocks_as_they_are() -> None:
    """Kernels that the reference lacks are chosen where a catalogue pins them."""
    names = (
        "gather_q4_1.wgsl#main",
        "fused_matmul_q4_1.wgsl#main_multicol",
        "fused_matmul_q4_1_batched.wgsl#main_batched",
    )
    manifest = initial_manifest(tiny_model("llama", "q4_1"), BOTH, with_kernels(*names))
    decode, prefill = kernels(manifest, "decode"), kernels(manifest, "prefill")
    assert (decode["embed"], decode["lm_head"], prefill["q_proj"]) == names


def test_norms_of_an_architecture_are_steps_of_their_own() -> None:
    """Gemma 3's four further norms stand where they act, with their weights."""
    steps = initial_manifest(tiny_model("gemma3"), PLAIN)["execution"]["steps"]
    decode = [
        (step["op"], step.get("weights")) for step in steps if step["phase"] == "decode" and step["section"] == "layer"
    ]
    assert [op for op, _ in decode] == [op for part in GEMMA3_OPS for op in part]
    assert dict(decode)["k_norm"] == "layer.{L}.self_attn.k_norm"
    assert dict(decode)["post_attn_norm"] == "layer.{L}.pre_ffn_norm"


def test_weights_at_several_dtypes_are_not_read_as_one() -> None:
    """A kernel that reads q4_k blocks is chosen only where every layer's weight is stored so."""
    other = tiny_model("llama", "f16", hidden_size=256, num_heads=8, head_dim=64, ffn_size=512)
    mixed = with_weight(tiny_model("llama", "q4_k"), other.weights["layer.1.self_attn.q_proj"])
    decode = kernels(initial_manifest(mixed, BOTH), "decode")
    assert (decode["q_proj"], decode["k_proj"]) == (
        "matmul_gemv_subgroup.wgsl#main_vec4",
        "fused_matmul_q4.wgsl#main_multicol",
    )


def test_a_kernel_that_the_catalogue_lacks_is_passed_over() -> None:
    """The next row serves; where none does, the finding names the op and what the rows saw."""
    fewer = dict(load_catalog("doppler-0.1.7"))
    del fewer["matmul_gemv_subgroup.wgsl#main_multicol"]
    rope = fewer.pop("rope.wgsl#main")
    with pytest.raises(ModelErrors) as raised:
        initial_manifest(tiny_model("llama", "f16"), BOTH, fewer)
    assert raised.value.diagnostics[0].message.startswith(
        "no kernel is known for `rope_q` in decode (activation = silu, "
    )
    fewer["rope.wgsl#main"] = rope
    assert (
        kernels(initial_manifest(tiny_model("llama", "f16"), BOTH, fewer), "decode")["lm_head"]
        == "matmul_gemv_subgroup.wgsl#main_vec4"
    )


def test_a_step_that_the_plan_implies_may_be_missing() -> None:
    """The reference pins no soft cap, so that a manifest for its catalogue has none; a fuller catalogue's has it."""
    model = tiny_model("gemma2")
    assert "softcap" not in kernels(initial_manifest(model, PLAIN), "decode")
    assert (
        kernels(initial_manifest(model, PLAIN, with_kernels("sample.wgsl#apply_softcap")), "decode")["softcap"]
        == "sample.wgsl#apply_softcap"
    )


def test_the_table_lists_what_its_rows_read() -> None:
    """Every name in a row's condition is an input of the table, and every kernel is spelled `file#entry`."""
    inputs = set(selection_table()["inputs"])
    for row in selection_table()["rows"]:
        words = set(re.findall(r"[a-z_]+", re.sub(r'"[^"]*"', "", row.get("when", ""))))
        assert words - {"not", "and", "or", "in"} <= inputs
        assert re.fullmatch(r"[a-z0-9_{}]+\.wgsl#[a-z0-9_]+", row["kernel"])
