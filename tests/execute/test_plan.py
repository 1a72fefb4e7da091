"""Lowering: what a path becomes, and what is said of a path that cannot become a plan."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from kernelpath.emit.plan import Limits, Plan, decode_shape, load_families, lower, prefill_shape, to_document
from kernelpath.emit.plan.families import READ
from kernelpath.emit.plan.share import SHARED_ROLES, lives
from models.tiny import tiny_model

from .paths import F16_WEIGHTS, F32, PRESETS, plain_path, preset, preset_model
from .sessions import ROOMY

LLAMA = tiny_model("llama").architecture
GEMMA = tiny_model("gemma3").architecture


def plan_of(path: dict[str, Any], architecture: dict[str, Any], shape: Any, limits: Limits = ROOMY) -> Plan:
    """Return a plan that must be without faults."""
    lowered = lower(path, architecture, shape, limits)
    assert [diagnostic.message for diagnostic in lowered.diagnostics] == []
    return lowered.plan


def messages(
    path: dict[str, Any], architecture: dict[str, Any] = LLAMA, limits: Limits = ROOMY, **shape: Any
) -> list[str]:
    """Return what is said of a path's decode plan."""
    lowered = lower(path, architecture, replace(decode_shape(64, fuse=False), **shape), limits)
    return [diagnostic.message for diagnostic in lowered.diagnostics]


def edited(path: dict[str, Any], op: str, **members: Any) -> dict[str, Any]:
    """Return a path with members of the decode step of that op changed."""
    steps = [step | members if step["op"] == op else step for step in path["decode"]["steps"]]
    return path | {"decode": {"steps": steps}}


def test_a_layer_is_lowered_in_the_order_of_its_steps() -> None:
    """Implied ops stand where the architecture needs them, under the names that traces show."""
    plan = plan_of(plain_path("gemma3"), GEMMA, prefill_shape(64, 16, fuse=False))
    steps = [dispatch.step for dispatch in plan.dispatches]
    layer = "input_norm q_proj k_proj v_proj q_norm rope_q k_norm rope_k kv_write attention o_proj attn_output_norm"
    layer += " attn_residual post_attn_norm gate_proj up_proj activation down_proj ffn_output_norm ffn_residual"
    expected = ["embed", *(f"layer.{number}.{op}" for number in (0, 1) for op in layer.split())]
    assert steps == [*expected, "last_row", "final_norm", "lm_head", "sample", "sample"]
    assert [dispatch.note for dispatch in plan.dispatches if dispatch.op == "q_norm"] == ["implied before rope_q"] * 2


def test_a_decode_is_fused_to_six_launches_a_layer() -> None:
    """The plain path's decode has the fused ops, and says which sequence each stands for."""
    plan = plan_of(plain_path("llama"), LLAMA, decode_shape(64))
    ops = [dispatch.op for dispatch in plan.dispatches if dispatch.step.startswith("layer.1.")]
    assert ops == ["norm_qkv", "rope_kv_write", "attention", "o_proj_residual", "norm_ffn", "down_proj_residual"]
    fused = next(dispatch for dispatch in plan.dispatches if dispatch.op == "norm_ffn")
    assert fused.note == "norm-ffn-silu: post_attn_norm, gate_proj, up_proj, activation"
    weights = plan.buffers[plan.dispatches[1].binding("B").buffer]
    assert [part.name for part in weights.parts] == [f"layer.0.self_attn.{name}_proj" for name in "qkv"]


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (replace(ROOMY, features=frozenset({"shader-f16"})), "the fused kernels need the feature subgroup"),
        (replace(ROOMY, max_storage_buffer_binding_size=60_000), "gate and up would have to be split"),
    ],
)
def test_a_fusion_that_does_not_fit_is_not_made(limits: Limits, why: str) -> None:
    """Where a device cannot run a fused kernel, the ops stay single."""
    lowered = lower(plain_path("llama"), LLAMA, decode_shape(16), limits)
    assert "norm_ffn" not in [dispatch.op for dispatch in lowered.plan.dispatches], why
    assert lowered.ok


def test_a_value_of_another_dtype_is_cast_visibly() -> None:
    """A kernel that reads f16 after one that writes f32 gets a cast before it, which says why."""
    plan = plan_of(preset("gemma2-f16-f16a"), tiny_model("gemma2").architecture, decode_shape(64))
    cast = plan.dispatches[1]
    assert (cast.step, cast.variant.name) == ("layer.0.input_norm.cast", "cast_f32_to_f16.wgsl#main")
    assert cast.note == "`layer.0.input_norm` reads f16, and `state` is f32"
    assert sum(dispatch.variant.family.name == "cast" for dispatch in plan.dispatches) == 1


def test_layer_overrides_replace_a_layer_alone() -> None:
    """An override's steps run in its layers, in both phases."""
    path = plain_path("llama")
    steps = [step for step in path["decode"]["steps"] if step["op"] not in ("rope_q", "rope_k")]
    path["layerOverrides"] = [{"layers": [1], "steps": steps}]
    for shape in (decode_shape(64, fuse=False), prefill_shape(64, 16, fuse=False)):
        ops = {dispatch.step for dispatch in plan_of(path, LLAMA, shape).dispatches}
        assert "layer.0.rope_q" in ops
        assert "layer.1.rope_q" not in ops


def test_a_missing_phase_runs_the_others_steps() -> None:
    """A path without a list for decode decodes with its prefill steps."""
    path = plain_path("llama")
    del path["decode"]
    plan = plan_of(path, LLAMA, decode_shape(64, fuse=False))
    attention = next(dispatch for dispatch in plan.dispatches if dispatch.op == "attention")
    assert attention.variant.kernel == "attention_streaming.wgsl"


def test_an_empty_phase_runs_no_steps() -> None:
    """A path whose decode list is empty runs nothing in the layers then, and prefill as ever."""
    path = plain_path("llama") | {"decode": {"steps": []}}
    decode = plan_of(path, LLAMA, decode_shape(64, fuse=False))
    prefill = plan_of(path, LLAMA, prefill_shape(64, 16, fuse=False))
    assert [dispatch.step for dispatch in decode.dispatches if dispatch.step.startswith("layer.")] == []
    assert "layer.0.attention" in {dispatch.step for dispatch in prefill.dispatches}


def test_an_override_may_tell_phases_apart() -> None:
    """An override with a list for each phase replaces each phase's steps by its own, an empty list by none."""
    path = plain_path("llama")
    kept = [step for step in path["prefill"]["steps"] if step["op"] not in ("rope_q", "rope_k")]
    path["layerOverrides"] = [{"layers": [1], "decode": {"steps": []}, "prefill": {"steps": kept}}]
    decode = plan_of(path, LLAMA, decode_shape(64, fuse=False))
    prefill = plan_of(path, LLAMA, prefill_shape(64, 16, fuse=False))
    assert [dispatch.step for dispatch in decode.dispatches if dispatch.step.startswith("layer.1.")] == []
    in_prefill = {dispatch.step for dispatch in prefill.dispatches}
    assert "layer.0.rope_q" in in_prefill
    assert "layer.1.q_proj" in in_prefill
    assert "layer.1.rope_q" not in in_prefill


@pytest.mark.parametrize("section", ["preLayer", "postLayer", "sampling"])
def test_a_step_outside_the_layers_may_belong_to_one_phase(section: str) -> None:
    """A step with a phase runs in that phase alone; one without, or of both, runs in both."""
    path = plain_path("llama")
    op = path[section][0]["op"]
    ran = {}
    for wanted in ("decode", "prefill", "both"):
        steps = [step | {"phase": wanted} if step["op"] == op else step for step in path[section]]
        for shape in (decode_shape(64, fuse=False), prefill_shape(64, 16, fuse=False)):
            dispatches = lower(path | {section: steps}, LLAMA, shape, ROOMY).plan.dispatches
            ran[wanted, shape.phase] = op in {dispatch.op for dispatch in dispatches}
    assert [key for key, found in ran.items() if not found] == [("decode", "prefill"), ("prefill", "decode")]


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_lowered(name: str) -> None:
    """Each preset becomes a plan for both phases, with and without fusions and all rows."""
    model = tiny_model(*preset_model(name))
    for shape in (decode_shape(64), prefill_shape(64, 16), prefill_shape(64, 16, all_rows=True, fuse=False)):
        assert plan_of(preset(name), model.architecture, shape).dispatches


@pytest.mark.parametrize("share", [True, False])
def test_no_two_living_values_share_a_buffer(share: bool) -> None:
    """Every dispatch reads each of its inputs as it was last written: no value takes a living one's place."""
    own = plan_of(plain_path("gemma3"), GEMMA, prefill_shape(64, 16, share=False))
    plan = plan_of(plain_path("gemma3"), GEMMA, prefill_shape(64, 16, share=share))
    holds: dict[int, int] = {}
    for dispatch, single in zip(plan.dispatches, own.dispatches, strict=True):
        for binding, value in zip(dispatch.bindings, single.bindings, strict=True):
            if own.buffers[value.buffer].role in SHARED_ROLES and binding.kind == READ:
                assert holds[binding.buffer] == value.buffer
        for binding, value in zip(dispatch.bindings, single.bindings, strict=True):
            if binding.kind != READ:
                holds[binding.buffer] = value.buffer


def test_sharing_uses_as_much_memory_as_live_at_once() -> None:
    """The arena is at most what lives at the fullest dispatch, and one largest value more."""
    own = plan_of(plain_path("llama"), LLAMA, prefill_shape(64, 16, share=False))
    shared = plan_of(plain_path("llama"), LLAMA, prefill_shape(64, 16))
    spans = lives(own)
    sizes = [own.buffers[life.buffer].size for life in spans]
    fullest = max(
        sum(size for life, size in zip(spans, sizes, strict=True) if life.first <= step <= life.last)
        for step in range(len(own.dispatches))
    )
    arena = sum(buffer.size for buffer in shared.buffers if buffer.role == "activation")
    assert arena <= fullest + max(sizes)
    assert sum(sizes) > 3 * arena


def test_equal_uniforms_have_one_place() -> None:
    """What all layers have in common is stored once: the uniforms do not grow with the layers."""
    few, many = (tiny_model("llama", num_layers=count).architecture for count in (2, 12))
    sizes = [plan_of(plain_path("llama"), each, decode_shape(64)).uniform_size for each in (few, many)]
    assert sizes[0] == sizes[1]


def test_run_time_numbers_follow_rows_and_start() -> None:
    """Only what depends on the call is dynamic, and it is right at each call."""
    plan = plan_of(plain_path("llama"), LLAMA, prefill_shape(64, 16))
    attention = next(dispatch for dispatch in plan.dispatches if dispatch.op == "attention")
    values = plan.evaluate(5, 20)
    fields = {field.name: field.value for field in attention.uniforms}
    shown = {name: values[value.index] if hasattr(value, "index") else value for name, value in fields.items()}
    assert {name: shown[name] for name in ("T", "S", "start", "H", "KV", "D", "window", "causal")} == {
        "T": 5, "S": 25, "start": 20, "H": 6, "KV": 2, "D": 32, "window": 0, "causal": 1,
    }  # fmt: skip


def test_the_document_is_plain_json() -> None:
    """A plan prints as JSON whose dispatches name buffers that are there, and whose dynamics are explained."""
    document = json.loads(json.dumps(to_document(plan_of(plain_path("llama"), LLAMA, prefill_shape(64, 16)))))
    assert document["version"] == 1
    assert document["rows"] == {"least": 2, "most": 16}
    assert document["dynamics"][:2] == [{"value": "rows"}, {"value": "start"}]
    first = document["dispatches"][0]
    assert (first["step"], first["kernel"], first["family"]) == ("embed", "gather.wgsl#main", "gather")
    table = next(binding for binding in first["bindings"] if binding["name"] == "table")
    buffer = document["buffers"][table["buffer"]]
    assert buffer == {
        "name": "embed_tokens:f32",
        "role": "weight",
        "dtype": "f32",
        "bytes": 203 * 96 * 4,
        "parts": [{"weight": "embed_tokens", "begin": 0, "end": None}],
    }
    assert document["memory"]["cache"] == 2 * 2 * 64 * 64 * 4


FAULTS = [
    (
        {"op": "up_proj", "kernel": "matmul_f23.wgsl"},
        "step `layer.0.up_proj` names `matmul_f23.wgsl#main`, which no kernel family has",
    ),
    (
        {"op": "q_proj", "kernel": "residual.wgsl"},
        "`residual.wgsl#main` has a binding `a`, and op `q_proj` says nothing of it",
    ),
    (
        {"op": "attention", "constants": {"SOFTCAPS": 50.0}},
        "step `layer.0.attention` sets the constant `SOFTCAPS`, which `attention_decode_online.wgsl#main` does not "
        "have",
    ),
    (
        {"op": "attention", "kernel": "attention_decode_online_f16kv.wgsl"},
        "step `layer.0.attention` reads the cache as f16, and the path keeps it as f32",
    ),
]


@pytest.mark.parametrize(("members", "message"), FAULTS)
def test_a_step_at_fault_is_named(members: dict[str, Any], message: str) -> None:
    """A fault gives one message, about the first step that has it."""
    members = dict(members)
    op = members.pop("op")
    assert messages(edited(plain_path("llama"), op, **members)) == [message]


def test_an_unknown_op_is_answered_with_the_nearest() -> None:
    """An op that no table describes is an error with a suggestion."""
    path = plain_path("llama")
    path["decode"]["steps"][0]["op"] = "inputnorm"
    (diagnostic,) = lower(path, LLAMA, decode_shape(64), ROOMY).diagnostics
    assert diagnostic.rule == "plan/unknown-op"
    expected = "step `layer.0.inputnorm` has the op `inputnorm`, which `kernels/ops.yaml` does not describe"
    assert diagnostic.message == expected
    assert diagnostic.help == "did you mean `input_norm`?"


def test_a_value_that_nobody_writes_is_named() -> None:
    """A path that leaves out a producer is refused at the first reader."""
    path = plain_path("llama")
    path["decode"]["steps"] = [step for step in path["decode"]["steps"] if step["op"] != "v_proj"]
    assert messages(path) == ["step `layer.0.kv_write` reads `v`, which no step before it writes"]


def test_rows_that_are_no_whole_blocks_are_refused() -> None:
    """A quantised kernel on rows that its blocks do not divide is an error, not garbage."""
    path = plain_path("llama", F16_WEIGHTS)
    path = edited(path, "q_proj", kernel="fused_matmul_q4.wgsl", entry="main_multicol")
    (message,) = messages(path)
    assert message == "binding `B` of step `layer.0.q_proj`: q4_k holds blocks of 256, which 96 is no multiple of"


def test_a_kernel_for_one_row_is_refused_in_a_prefill() -> None:
    """A kernel that is right for one shape only is refused for others, with its condition."""
    families = load_families()
    matmul = families.variants("matmul_gemv_subgroup_f32.wgsl")[-1]
    single = replace(matmul, kernel="single.wgsl", when="M == 1")
    known = replace(families, by_kernel={**families.by_kernel, ("single.wgsl", "main"): (single,)})
    path = plain_path("llama", F32 | {"prefill": "single.wgsl"})
    (diagnostic,) = lower(path, LLAMA, prefill_shape(64, 16), ROOMY, known).diagnostics
    assert diagnostic.message == "step `layer.0.q_proj`: `single.wgsl#main` is right only for `M == 1`"


LIMITS = [
    (
        {"features": frozenset({"subgroup"})},
        "gemma2-f16-f16a",
        "step `layer.0.input_norm.cast` needs the feature `shader-f16` for `cast_f32_to_f16.wgsl#main`, "
        "which the device does not have",
    ),
    (
        {"max_compute_workgroup_storage_size": 500},
        "gemma2-f16-f32a",
        "step `layer.0.input_norm` needs 512 bytes of workgroup storage, and the device allows 500",
    ),
    (
        {"max_compute_invocations_per_workgroup": 100},
        "gemma2-f16-f32a",
        "step `layer.0.input_norm` needs 128 invocations of a workgroup, and the device allows 100",
    ),
    (
        {"max_storage_buffers_per_shader_stage": 3},
        "gemma2-f16-f32a",
        "step `layer.0.kv_write` needs 4 storage bindings, and the device allows 3",
    ),
    (
        {"max_storage_buffer_binding_size": 12_000},
        "gemma2-f16-f32a",
        "step `layer.0.kv_write` needs 16,384 bytes in binding `k_cache`, and the device allows 12,000",
    ),
    (
        {"max_uniform_buffer_binding_size": 16},
        "gemma2-f16-f32a",
        "step `embed` needs 32 bytes of uniforms, and the device allows 16",
    ),
]


@pytest.mark.parametrize(("change", "name", "message"), LIMITS, ids=[next(iter(each[0])) for each in LIMITS])
def test_a_limit_that_is_passed_is_named(change: dict[str, Any], name: str, message: str) -> None:
    """What does not fit names the step, the limit and both numbers, before anything is submitted."""
    architecture = tiny_model("gemma2").architecture
    lowered = lower(preset(name), architecture, prefill_shape(64, 16, fuse=False), replace(ROOMY, **change))
    assert not lowered.ok
    assert message in [diagnostic.message for diagnostic in lowered.diagnostics]
    assert all(diagnostic.subject for diagnostic in lowered.diagnostics)


def test_a_grid_that_cannot_be_folded_is_named() -> None:
    """A grid over the limit in a dimension that no kernel folds names that dimension and its count."""
    architecture, path = tiny_model("gemma2").architecture, preset("gemma2-f16-f32a")
    shape = prefill_shape(64, 16, fuse=False)
    plan = plan_of(path, architecture, shape)
    embed, attention = (next(each for each in plan.dispatches if each.op == op) for op in ("embed", "attention"))
    assert (embed.variant.fold, attention.variant.fold) == (True, False)
    count = attention.groups[1]
    lowered = lower(path, architecture, shape, replace(ROOMY, max_compute_workgroups_per_dimension=1))
    expected = f"step `layer.0.attention` needs {count} workgroups along y, and the device allows 1"
    assert expected in [diagnostic.message for diagnostic in lowered.diagnostics]


def test_one_fault_on_each_step_is_one_message() -> None:
    """The values of a limit's diagnostic are its two numbers, under the limit's own name."""
    lowered = lower(
        preset("gemma2-f16-f32a"),
        tiny_model("gemma2").architecture,
        prefill_shape(64, 16),
        replace(ROOMY, max_compute_workgroup_storage_size=500),
    )
    first = lowered.diagnostics[0]
    assert (first.rule, first.values) == (
        "plan/limit",
        (("needs", "512"), ("max_compute_workgroup_storage_size", "500")),
    )


def test_a_buffer_over_the_device_is_named() -> None:
    """A cache of more bytes than a buffer may have is refused by its buffer's name."""
    limits = replace(ROOMY, max_buffer_size=16_000)
    found = messages(plain_path("llama"), limits=limits)
    assert "step `buffer layer.0.cache.k` needs 16,384 bytes, and the device allows 16,000" in found


def test_a_grid_over_the_limit_is_folded() -> None:
    """A one-dimensional grid of more workgroups than one dimension takes is spread over two, and covers its work."""
    from kernelpath.emit.plan.model import fold_grid

    assert fold_grid((65_535, 1, 1), True, 65_535) == (65_535, 1, 1)
    assert fold_grid((65_536, 1, 1), True, 65_535) == (32_768, 2, 1)
    assert fold_grid((200_001, 1, 1), True, 65_535) == (50_001, 4, 1)
    assert fold_grid((70_000, 3, 1), False, 65_535) == (70_000, 3, 1)
