"""Kernel paths for tests: the project's presets, and plain ones made of a few kernels."""

from __future__ import annotations

from typing import Any

import yaml

import kernelpath as kp
from kernelpath.models.initial import initial_manifest
from kernelpath.models.model import Model
from kernelpath.resources import resource

PRESETS = sorted(path.stem for path in resource("kernels", "paths").glob("*-*.yaml"))

# The architecture and the stored dtype of a random model that a preset runs on, by the beginning of its id.
MODELS = {
    "gemma2-q4k-fused": ("gemma2", "q4_k"),
    "gemma2": ("gemma2", "f16"),
    "gemma3": ("gemma3", "f16"),
    "lfm2": ("lfm2", "f16"),
    "embeddinggemma-f32": ("embeddinggemma", "f32"),
    "embeddinggemma": ("embeddinggemma", "f16"),
}

BOTH = frozenset({"shader-f16", "subgroup"})

F32 = {
    "decode": "matmul_f32.wgsl#main",
    "prefill": "matmul_f32.wgsl#main",
    "gather": "gather.wgsl",
    "attention": ("attention_decode_online.wgsl", "attention_streaming.wgsl"),
    "kvDtype": "f32",
}
F16_WEIGHTS = {
    "decode": "matmul_gemv_subgroup.wgsl#main_vec4",
    "prefill": "matmul_f16w_f32a_tiled.wgsl#main",
    "gather": "gather_f16.wgsl",
    "attention": ("attention_decode_online_f16kv.wgsl", "attention_small_f16kv.wgsl"),
    "kvDtype": "f16",
}


def preset(name: str) -> dict[str, Any]:
    """Return a preset's kernel path; an alias gives the path that it stands for."""
    raw = yaml.safe_load(resource("kernels", "paths", f"{name}.yaml").read_text(encoding="utf-8"))
    return {"id": name, **(preset(raw["aliasOf"]) if "aliasOf" in raw else raw)}


def preset_model(name: str) -> tuple[str, str]:
    """Return the architecture and the dtype of the model that a preset runs on."""
    return next(MODELS[prefix] for prefix in sorted(MODELS, key=len, reverse=True) if name.startswith(prefix))


def plain_path(architecture: str, kernels: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a path of one kernel an op, with the activation that the architecture uses."""
    kernels = kernels or F32
    activation = "gelu.wgsl" if "gemma" in architecture else "silu.wgsl"
    decode, prefill = kernels["attention"]
    return {
        "id": f"plain-{architecture}",
        "activationDtype": "f32",
        "kvDtype": kernels["kvDtype"],
        "preLayer": [_step("embed", kernels["gather"], "embed_tokens")],
        "decode": {"steps": _layer(kernels["decode"], decode, activation)},
        "prefill": {"steps": _layer(kernels["prefill"], prefill, activation)},
        "postLayer": [
            _step("final_norm", "rmsnorm.wgsl"),
            _step("lm_head", kernels["decode"], "lm_head"),
            _step("lm_head_prefill", kernels["prefill"], "lm_head"),
        ],
        "sampling": [_step("sample", "sample.wgsl#sample_single_pass")],
    }


def compiled_path(model: Model, features: frozenset[str] = BOTH, **options: Any) -> dict[str, Any]:
    """Return the kernel path that the rules emit for a model's first manifest."""
    manifest = initial_manifest(model, features, **options)
    result = kp.compile(manifest, model_id="tiny", num_layers=model.architecture["num_layers"])
    assert result.ok, result.diagnostics
    path: dict[str, Any] = result.value["runtimeInferencePatch"]["kernelPath"]
    return path


def _layer(matmul: str, attention: str, activation: str) -> list[dict[str, Any]]:
    return [
        _step("input_norm", "rmsnorm.wgsl"),
        *(_step(f"{name}_proj", matmul, f"layer.{{L}}.self_attn.{name}_proj") for name in "qkv"),
        _step("rope_q", "rope.wgsl"),
        _step("rope_k", "rope.wgsl"),
        _step("attention", attention),
        _step("o_proj", matmul, "layer.{L}.self_attn.o_proj"),
        _step("attn_residual", "residual.wgsl"),
        _step("post_attn_norm", "rmsnorm.wgsl"),
        _step("gate_proj", matmul, "layer.{L}.mlp.gate_proj"),
        _step("up_proj", matmul, "layer.{L}.mlp.up_proj"),
        _step("activation", activation) | {"constants": {"HAS_GATE": True}},
        _step("down_proj", matmul, "layer.{L}.mlp.down_proj"),
        _step("ffn_residual", "residual.wgsl"),
    ]


def _step(op: str, kernel: str, weights: str | None = None) -> dict[str, Any]:
    file, _, entry = kernel.partition("#")
    step = {"op": op, "kernel": file, "entry": entry or "main"}
    return step | ({"weights": weights} if weights else {})
