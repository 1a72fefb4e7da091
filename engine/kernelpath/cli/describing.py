"""A manifest's `architecture` section, and the description of a model that plans are made with.

The section's own names say the sizes; its member `description` says everything, as kernels/architectures/README.md has
it. `init` writes both. Where there is no description, the sizes go as far as they go: a plain decoder, as Llama is.
"""

from __future__ import annotations

from math import isfinite

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
_LEAST_THETA = 1e-38  # a smaller one gives frequencies that f32 does not hold
_ACTIVATIONS = ("silu", "gelu_tanh")
_PAIRS = ("adjacent", "halves")
_ROPE = dict.fromkeys(("theta", "dims", "pairs", "scale", "inverse_frequencies"))
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
POSITIONS = (1 << 31) - 1  # the most of anything that a kernel counts in 32 bits
_MOST = {"num_layers": 10_000, "head_dim": 65_536}
_LARGEST = 3.4028234663852886e38  # of f32


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
    plain = {**_PLAIN, **_rotations(sizes, given.get("ropeTheta", _THETA)), **sizes}
    described = {**plain, **_checked(description, plain)}
    _check_layers(described)
    return described


def _check(sizes: Mapping[str, Any]) -> None:
    missing = [name for name, own in NAMES.items() if sizes[own] is None]
    if missing:
        raise _unusable(f"the manifest's architecture lacks {', '.join(f'`{name}`' for name in missing)}")
    for name, own in NAMES.items():
        if type(sizes[own]) is not int or sizes[own] < 1:
            raise _unusable(f"`{name}` of the manifest's architecture is no whole number above 0")
        if sizes[own] > (most := _MOST.get(own, POSITIONS)):
            raise _unusable(f"`{name}` of the manifest's architecture is more than {most:,}")
    if sizes["num_heads"] % sizes["num_kv_heads"]:
        raise _unusable(f"{sizes['num_heads']} heads do not share {sizes['num_kv_heads']} evenly")


def _checked(description: Mapping[str, Any], plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a description, each of the kind that it has in a plain one."""
    found: dict[str, Any] = {}
    for name, value in description.items():
        if name not in plain:
            raise _unusable(f"the description has a member `{name[:60]}`, and nothing reads it")
        found[name] = value if name in ("types", "layer_types") else _member(name, value, plain[name])
    if "activation" in found and found["activation"] not in _ACTIVATIONS:
        raise _unusable(f"`activation` of the description is not one of {', '.join(_ACTIVATIONS)}")
    return found


def _member(name: str, value: Any, like: Any) -> Any:
    """Return a value as one of the kind of another, a number as a float where that is one; raises InputErrors."""
    if isinstance(like, dict):
        if not isinstance(value, dict) or value.keys() != like.keys():
            raise _unusable(f"`{name}` of the description does not have the members {', '.join(like)}")
        return {key: _member(f"{name}.{key}", value[key], like[key]) for key in like}
    if isinstance(like, float) and type(value) is int and abs(value) <= POSITIONS:
        return float(value)
    if type(value) is not type(like) or (isinstance(value, float) and not isfinite(value)):
        raise _unusable(f"`{name}` of the description is not {_KINDS[type(like)]}")
    return value


def _check_layers(description: Mapping[str, Any]) -> None:
    """Refuse a description whose layers have no type each, or whose types are not whole."""
    kinds, types = description["layer_types"], description["types"]
    known = isinstance(types, dict) and isinstance(kinds, list) and len(kinds) == description["num_layers"]
    if not known or not all(isinstance(kind, str) and isinstance(types.get(kind), dict) for kind in kinds):
        raise _unusable("`layer_types` of the description does not name a type of `types` for each layer")
    for name, members in types.items():
        _check_type(f"types.{name[:60]}", members, description["head_dim"])


def _check_type(name: str, members: Any, head_dim: int) -> None:
    """Refuse a type of layers that lacks a window or a rotation, or whose rotation is not one of a head."""
    if not isinstance(members, dict) or members.keys() != {"window", "rope"}:
        raise _unusable(f"`{name}` of the description does not have the members window, rope")
    window, rope = members["window"], members["rope"]
    if type(window) is not int or not 0 <= window <= POSITIONS:
        raise _unusable(f"`{name}.window` of the description is not a whole number from 0")
    if not isinstance(rope, dict) or rope.keys() != _ROPE.keys():
        raise _unusable(f"`{name}.rope` of the description does not have the members {', '.join(_ROPE)}")
    dims, frequencies = rope["dims"], rope["inverse_frequencies"]
    if type(dims) is not int or not 0 < dims <= head_dim or dims % 2:
        raise _unusable(f"`{name}.rope.dims` of the description is not even and at most {head_dim}")
    if rope["pairs"] not in _PAIRS:
        raise _unusable(f"`{name}.rope.pairs` of the description is not one of {', '.join(_PAIRS)}")
    if not isinstance(frequencies, list) or len(frequencies) != dims // 2 or not all(map(_is_number, frequencies)):
        raise _unusable(f"`{name}.rope.inverse_frequencies` of the description is not a list of {dims // 2} numbers")
    if not _is_number(rope["theta"]) or not _is_number(rope["scale"]):
        raise _unusable(f"`{name}.rope` of the description has a theta or a scale that is not a number")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _rotations(sizes: Mapping[str, Any], theta: object) -> dict[str, Any]:
    """Return layers of one type: no window, and whole heads rotated, each value with the one half a head away."""
    if not _is_number(theta) or not float(theta) > 0:  # type: ignore[arg-type]
        raise _unusable("`ropeTheta` of the manifest's architecture is no number above 0")
    base, dims = float(theta), sizes["head_dim"]  # type: ignore[arg-type]
    if base < _LEAST_THETA:
        raise _unusable(f"`ropeTheta` of the manifest's architecture is too small: {base}")
    frequencies = [base ** (-2 * pair / dims) for pair in range(dims // 2)]
    rope = {"theta": theta, "scale": 1.0, "dims": dims, "pairs": "halves", "inverse_frequencies": frequencies}
    return {
        "attention_scale": dims**-0.5,
        "layer_types": ["global"] * sizes["num_layers"],
        "types": {"global": {"window": 0, "rope": rope}},
    }


def _unusable(message: str) -> Exception:
    help_text = "name a model with --model, or take the manifest that `kernelpath init MODEL` makes"
    return unusable("cli/architecture", message, help_text=help_text)
