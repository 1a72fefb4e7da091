"""From a file's metadata to an architecture description, by an architecture's table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelpath.language import EvaluationError
from kernelpath.models import errors
from kernelpath.models.expressions import evaluate
from kernelpath.models.metadata import Metadata
from kernelpath.models.rope import Scaling, inverse_frequencies
from kernelpath.models.tables import ArchitectureTable
from kernelpath.models.weights import dequantise, store

Architecture = dict[str, Any]

# What a table's expressions may read besides the fields; kernels/architectures/shared/fields.yaml says what each is.
_GIVEN = {
    "format": "string",
    "embedding_rows": "int",
    "embedding_columns": "int",
    "embedding_dtype": "string",
    "has_lm_head": "bool",
}
_SIZES = (
    "num_layers",
    "hidden_size",
    "num_heads",
    "num_kv_heads",
    "head_dim",
    "ffn_size",
    "vocab_size",
    "context_length",
)
_COPIED = (
    *_SIZES,
    "norm_eps",
    "norm_weight_offset",
    "embedding_scale",
    "attention_scale",
    "attention_softcap",
    "final_softcap",
    "causal",
    "activation",
    "pooling",
)
# Lists are made with so many members before a shape can contradict the number.
_MOST = {"num_layers": 10_000, "head_dim": 65_536}
_KINDS = {"int": int, "float": float, "bool": bool, "string": str}
_WANTED = {"int": "a whole number", "float": "a number", "bool": "true or false", "string": "a text"}


@dataclass(frozen=True, slots=True)
class Given:
    """What a table works on: the metadata, their format, and facts of the stored embedding."""

    metadata: Metadata
    values: Mapping[str, object]
    rope_factors: Sequence[float] | None = None


@dataclass(frozen=True, slots=True)
class _Fields:
    """Fields of one model, each worked out when it is first asked for."""

    table: ArchitectureTable
    given: Given
    known: dict[str, Any] = field(default_factory=dict)

    @property
    def types(self) -> dict[str, str]:
        return _GIVEN | {name: entry["type"] for name, entry in self.table.fields.items()}

    def __getitem__(self, name: str) -> Any:
        if name in self.given.values:
            return self.given.values[name]
        if name not in self.known:
            self.known[name] = _field_value(self, name)
        return self.known[name]

    def expression(self, text: str, **more: object) -> Any:
        types = self.types | dict.fromkeys(more, "int")
        return evaluate(text, types, lambda name: more[name] if name in more else self[name])


def describe(table: ArchitectureTable, given: Given) -> Architecture:
    """Return the description of a model; raises `ModelErrors` for metadata that are missing, wrong or unsupported."""
    fields = _Fields(table, given)
    _check_fields(fields)
    types = {name: _layer_kind(fields, entry) for name, entry in table.layers["types"].items()}
    description = {"architecture": table.name, **{name: fields[name] for name in _COPIED}}
    description["norms"] = {short: fields[f"norm_{short}"] for short in ("qk", "attn_output", "ffn_output")}
    description["tied_embeddings"] = not given.values["has_lm_head"]
    description["layer_types"] = [_layer_type(fields, layer, types) for layer in range(fields["num_layers"])]
    description["types"] = types
    return description


def _field_value(fields: _Fields, name: str) -> Any:
    entry = fields.table.fields[name]
    key, value = _stored(fields, entry)
    if value is None and "otherwise" not in entry:
        raise errors.missing_key(fields.table.name, _first_key(fields, entry))
    if value is None:
        return _derived(fields, name, entry)
    return _checked_value(fields, entry, key, value)


def _derived(fields: _Fields, name: str, entry: Mapping[str, Any]) -> Any:
    try:
        return _rounded(fields, entry, fields.expression(entry["otherwise"]))
    except EvaluationError as fault:
        raise errors.not_computable(name, str(fault)) from None


def _stored(fields: _Fields, entry: Mapping[str, Any]) -> tuple[str, object]:
    """Return the first key of a field that the metadata hold a value for, and the value."""
    keys = entry.get(str(fields.given.values["format"]), ())
    found = ((key, fields.given.metadata.get(key)) for key in keys)
    return next(((key, value) for key, value in found if value is not None), ("", None))


def _first_key(fields: _Fields, entry: Mapping[str, Any]) -> str:
    keys = entry.get(str(fields.given.values["format"]), ["?"])
    return str(keys[0])


def _checked_value(fields: _Fields, entry: Mapping[str, Any], key: str, value: Any) -> Any:
    kind = entry["type"]
    if isinstance(value, list) and kind == "int" and len(set(map(str, value))) == 1:
        value = value[0]  # some files give one number a layer: all equal is one number
    if kind == "float" and type(value) is int:
        value = float(value)
    if type(value) is not _KINDS[kind] or (isinstance(value, float) and not math.isfinite(value)):
        raise errors.wrong_value(key, value, _WANTED[kind])
    if "words" in entry and value not in entry["words"]:
        raise errors.unsupported(fields.table.name, f"`{key}` = `{value}`")
    if "refuse_above" in entry and value > entry["refuse_above"]:
        raise errors.unsupported(fields.table.name, f"`{key}` = {value}")
    return entry["words"][value] if "words" in entry else value


def _rounded(fields: _Fields, entry: Mapping[str, Any], value: Any) -> Any:
    """Round a derived number to the embedding's dtype where the model's authors compute it at that dtype."""
    dtype = str(fields["embedding_dtype"])
    if not entry.get("stored_rounding") or fields["format"] != "safetensors":
        return value
    return float(dequantise(store(np.array([value], np.float32), dtype), dtype, (1,))[0])


def _check_fields(fields: _Fields) -> None:
    """Refuse numbers that no layout of weights can have, before anything is sized by them."""
    for name in fields.table.fields:
        fields[name]
    for name in _SIZES:
        if fields[name] <= 0:
            raise errors.wrong_value(name, fields[name], "above zero")
    for name, most in _MOST.items():
        if fields[name] > most:
            raise errors.wrong_value(name, fields[name], f"at most {most}")
    if fields["num_heads"] % fields["num_kv_heads"]:
        raise errors.wrong_value("num_kv_heads", fields["num_kv_heads"], f"a divisor of {fields['num_heads']} heads")
    if not 0 < fields["rope_dims"] <= fields["head_dim"] or fields["rope_dims"] % 2:
        raise errors.wrong_value("rope_dims", fields["rope_dims"], f"even and at most {fields['head_dim']}")
    if fields["rope_theta"] <= 0 or fields["rope_factor"] <= 0:
        raise errors.wrong_value("rope_theta", fields["rope_theta"], "above zero")


def _layer_kind(fields: _Fields, entry: Mapping[str, str]) -> dict[str, Any]:
    theta, kind = fields.expression(entry["theta"]), fields.expression(entry["scaling"])
    members = ("rope_factor", "rope_low", "rope_high", "rope_original_context")
    scaling = Scaling(kind, *(fields[member] for member in members))
    dims = fields["rope_dims"]
    # A file's own factors are for the layers that are scaled; one kind of layer is the only case seen.
    frequencies = inverse_frequencies(theta, dims, scaling, fields.given.rope_factors)
    rope = {
        "theta": theta,
        "dims": dims,
        "pairs": fields["rope_pairs"],
        "scale": 1.0 / scaling.factor if kind == "linear" else 1.0,
        "inverse_frequencies": frequencies,
    }
    return {"window": fields.expression(entry["window"]), "rope": rope}


def _layer_type(fields: _Fields, layer: int, types: Mapping[str, object]) -> str:
    listed = fields.given.metadata.get("layer_types")
    words = {"full_attention": "global", "sliding_attention": "local"}
    if isinstance(listed, list) and layer < len(listed):
        word = words.get(listed[layer], "")
        if word not in types:
            raise errors.unsupported(fields.table.name, f"a layer of type `{listed[layer]}`")
        return word
    chosen: str = fields.expression(fields.table.layers["type"], layer=layer)
    return chosen
