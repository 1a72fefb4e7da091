"""A plain forward pass in numpy, from the papers and the description alone: it shares no code with the executor."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelpath.models.model import Model

Array = npt.NDArray[Any]


class Oracle:
    """Runs a model token by token or many at once, with a KV cache; all arithmetic at one dtype, f32 or f64."""

    def __init__(self, model: Model, dtype: type = np.float32) -> None:
        """Dequantise all weights; keys and values start empty."""
        self.architecture, self.dtype = model.architecture, dtype
        self.weights = {name: weight.array().astype(dtype, copy=False) for name, weight in model.weights.items()}
        self.residuals: list[Array] = []
        self.keys: list[list[Array]] = [[] for _ in range(self.architecture["num_layers"])]
        self.values: list[list[Array]] = [[] for _ in range(self.architecture["num_layers"])]
        self.length = 0

    @cached_property
    def activation(self) -> Callable[[Array], Array]:
        """The function of the gate."""
        return {"silu": silu, "gelu_tanh": gelu_tanh}[self.architecture["activation"]]

    def run(self, ids: list[int]) -> Array:
        """Return logits (tokens, vocabulary) of tokens that follow those already run.

        `residuals` then holds each layer's output.
        """
        architecture = self.architecture
        state = self.weights["embed_tokens"][ids] * self.dtype(architecture["embedding_scale"])
        positions = np.arange(self.length, self.length + len(ids))
        self.residuals = []
        for layer in range(architecture["num_layers"]):
            state = self._layer(layer, state, positions)
            self.residuals.append(state)
        self.length += len(ids)
        logits = self._norm(state, "final_norm") @ self.weights["lm_head"].T
        cap = self.dtype(architecture["final_softcap"])
        return cap * np.tanh(logits / cap) if cap else logits

    def _layer(self, layer: int, state: Array, positions: Array) -> Array:
        name, norms = f"layer.{layer}", self.architecture["norms"]
        attended = self._attention(layer, self._norm(state, f"{name}.input_norm"), positions)
        if norms["attn_output"]:
            attended = self._norm(attended, f"{name}.attn_output_norm")
        state = state + attended
        inner = self._norm(state, f"{name}.pre_ffn_norm")
        gate, up = (inner @ self.weights[f"{name}.mlp.{part}_proj"].T for part in ("gate", "up"))
        out = (self.activation(gate) * up) @ self.weights[f"{name}.mlp.down_proj"].T
        return state + (self._norm(out, f"{name}.ffn_output_norm") if norms["ffn_output"] else out)

    def _attention(self, layer: int, inner: Array, positions: Array) -> Array:
        architecture, name = self.architecture, f"layer.{layer}.self_attn"
        kind = architecture["types"][architecture["layer_types"][layer]]
        query, key, value = (
            (inner @ self.weights[f"{name}.{part}_proj"].T).reshape(len(inner), -1, architecture["head_dim"])
            for part in "qkv"
        )
        if architecture["norms"]["qk"]:
            query, key = self._norm(query, f"{name}.q_norm"), self._norm(key, f"{name}.k_norm")
        self.keys[layer].append(rotate(key, positions, kind["rope"]))
        self.values[layer].append(value)
        keys, values = np.concatenate(self.keys[layer]), np.concatenate(self.values[layer])
        mixed = self._mix(
            rotate(query, positions, kind["rope"]), keys, values, visible(positions, len(keys), kind, architecture)
        )
        return mixed.reshape(len(inner), -1) @ self.weights[f"{name}.o_proj"].T

    def _mix(self, query: Array, keys: Array, values: Array, seen: Array) -> Array:
        shared = query.shape[1] // keys.shape[1]
        keys, values = (np.repeat(array, shared, axis=1) for array in (keys, values))
        scores = np.einsum("qhd,khd->hqk", query, keys, optimize=True) * self.dtype(
            self.architecture["attention_scale"]
        )
        cap = self.dtype(self.architecture["attention_softcap"])
        scores = cap * np.tanh(scores / cap) if cap else scores
        scores = np.where(seen, scores, -np.inf)
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return np.einsum("hqk,khd->qhd", shares / shares.sum(axis=-1, keepdims=True), values, optimize=True)

    def _norm(self, values: Array, name: str) -> Array:
        mean = np.mean(values * values, axis=-1, keepdims=True)
        scaled = values / np.sqrt(mean + self.dtype(self.architecture["norm_eps"]))
        return scaled * (self.weights[name] + self.dtype(self.architecture["norm_weight_offset"]))


def visible(positions: Array, keys: int, kind: dict[str, Any], architecture: dict[str, Any]) -> Array:
    """Return which key each query sees, (queries, keys)."""
    distance = positions[:, None] - np.arange(keys)[None, :]
    window = kind["window"] or keys + len(positions)
    if architecture["causal"]:
        return (distance >= 0) & (distance < window)
    return np.abs(distance) <= window // 2 if kind["window"] else np.ones_like(distance, bool)


def rotate(values: Array, positions: Array, rope: dict[str, Any]) -> Array:
    """Rotate pairs of each head of (tokens, heads, head_dim) by the position's angles."""
    angles = positions[:, None] * np.array(rope["inverse_frequencies"])
    cosines, sines = (function(angles)[:, None, :].astype(values.dtype) for function in (np.cos, np.sin))
    half = rope["dims"] // 2
    adjacent = rope["pairs"] == "adjacent"
    first = values[..., 0 : 2 * half : 2] if adjacent else values[..., :half]
    second = values[..., 1 : 2 * half : 2] if adjacent else values[..., half : 2 * half]
    turned = first * cosines - second * sines, first * sines + second * cosines
    paired = (
        np.stack(turned, axis=-1).reshape(*values.shape[:-1], 2 * half) if adjacent else np.concatenate(turned, axis=-1)
    )
    return np.concatenate([paired, values[..., 2 * half :]], axis=-1)


def silu(values: Array) -> Array:
    """x / (1 + exp(-x))."""
    with np.errstate(over="ignore"):
        return values / (1 + np.exp(-values))


def gelu_tanh(values: Array) -> Array:
    """GELU by its tanh approximation, https://arxiv.org/abs/1606.08415, section 2."""
    return 0.5 * values * (1 + np.tanh(np.sqrt(2 / np.pi).astype(values.dtype) * (values + 0.044715 * values**3)))


def greedy(oracle: Oracle, ids: list[int], count: int) -> tuple[list[int], Array]:
    """Return the most likely `count` tokens after a prompt, and the logits (count, vocabulary) that chose them."""
    chosen, rows = [], []
    row = oracle.run(ids)[-1]
    for _ in range(count):
        rows.append(row)
        chosen.append(int(row.argmax()))
        row = oracle.run([chosen[-1]])[-1]
    return chosen, np.array(rows)
