"""A manifest's `architecture` section, and the description of a model that plans are made with.

The section's own names say the sizes; its member `description` says everything, as kernels/architectures/README.md has
it. `init` writes both. Where there is no description, the sizes go as far as they go: a plain decoder, as Llama is.
"""

from __future__ import annotations

from kernelpath.cli.inputs import unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

#: the section's name: the description's
NAMES = {
    "numLayers": "num_layers",
    "hiddenSize": "hidden_size",
    "intermediateSize": "ffn_size",
    "numAttentionHeads": "num_heads",
    "numKeyValueHeads": "num_kv_heads",
    "headDim": "head_dim",
    "vocabSize": "vocab_size",
    "maxSeqLen": "context_length",
}
_PLAIN: dict[str, Any] = {
    "architecture": "plain",
    "norm_eps": 1e-6,
    "norm_weight_offset": 0.0,
    "norms": {"qk": False, "attn_output": False, "ffn_output": False},
    "embedding_scale": 1.0,
    "attention_softcap": 0.0,
    "final_softcap": 0.0,
    "causal": True,
    "pooling": "none",
    "activation": "silu",
    "tied_embeddings": False,
}
_THETA = 10_000.0  # of rotations, where `ropeTheta` does not say


def section(description: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `architecture` section of a manifest for a described model."""
    return {name: description[own] for name, own in NAMES.items()} | {"description": dict(description)}


def described(architecture: object) -> Mapping[str, Any]:
    """Return the description in a manifest's section, or a plain decoder of its sizes; raises InputErrors."""
    given = architecture if isinstance(architecture, dict) else {}
    description = given.get("description", {})
    if not isinstance(description, dict):
        raise _unusable("`description` of the manifest's architecture is no object")
    sizes = {own: description.get(own, given.get(name)) for name, own in NAMES.items()}
    _check(sizes)
    described = {**_PLAIN, **_rotations(sizes, given.get("ropeTheta", _THETA)), **sizes, **description}
    _check_layers(described)
    return described


def _check(sizes: Mapping[str, Any]) -> None:
    missing = [name for name, own in NAMES.items() if sizes[own] is None]
    if missing:
        raise _unusable(f"the manifest's architecture lacks {', '.join(f'`{name}`' for name in missing)}")
    for name, own in NAMES.items():
        if type(sizes[own]) is not int or sizes[own] < 1:
            raise _unusable(f"`{name}` of the manifest's architecture is no whole number above 0")
    if sizes["num_heads"] % sizes["num_kv_heads"]:
        raise _unusable(f"{sizes['num_heads']} heads do not share {sizes['num_kv_heads']} evenly")


def _check_layers(description: Mapping[str, Any]) -> None:
    """Refuse a description whose layers have no type each."""
    kinds, types = description["layer_types"], description["types"]
    known = isinstance(types, dict) and isinstance(kinds, list) and len(kinds) == description["num_layers"]
    if not known or not all(isinstance(kind, str) and isinstance(types.get(kind), dict) for kind in kinds):
        raise _unusable("`layer_types` of the description does not name a type of `types` for each layer")


def _rotations(sizes: Mapping[str, Any], theta: object) -> dict[str, Any]:
    """Return layers of one type: no window, and whole heads rotated, each value with the one half a head away."""
    if isinstance(theta, bool) or not isinstance(theta, int | float) or not 0 < theta < float("inf"):
        raise _unusable("`ropeTheta` of the manifest's architecture is no number above 0")
    dims = sizes["head_dim"]
    frequencies = [float(theta) ** (-2 * pair / dims) for pair in range(dims // 2)]
    rope = {"theta": theta, "scale": 1.0, "dims": dims, "pairs": "halves", "inverse_frequencies": frequencies}
    return {
        "attention_scale": dims**-0.5,
        "layer_types": ["global"] * sizes["num_layers"],
        "types": {"global": {"window": 0, "rope": rope}},
    }


def _unusable(message: str) -> Exception:
    help_text = "name a model with --model, or take the manifest that `kernelpath init MODEL` makes"
    return unusable("cli/architecture", message, help_text=help_text)
