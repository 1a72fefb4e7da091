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
# Lists are made with so many members before a shape can contradict the number; no number of a file is larger than this.
_MOST = {"num_layers": 10_000, "head_dim": 65_536}
_LARGEST = 1 << 40
_LARGEST_F32 = float(np.finfo(np.float32).max)
# What a scaling is worked out from, where config.json asks for it; a GGUF file's linear one may do without.
_SCALED_BY = {
    "none": (),
    "linear": ("rope_factor",),
    "llama3": ("rope_factor", "rope_low", "rope_high", "rope_original_context"),
}
_LAYER_TYPES = {"full_attention": "global", "sliding_attention": "local"}
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

    def expression(self, name: str, text: str, **more: object) -> Any:
        """Return the value of a table's expression, which `name` names where it has none."""
        types = self.types | dict.fromkeys(more, "int")
        try:
            return evaluate(text, types, lambda given: more[given] if given in more else self[given])
        except EvaluationError as fault:
            raise errors.not_computable(name, str(fault)) from None

    def stored(self, name: str) -> tuple[str, Any]:
        """Return the first of a field's keys that the metadata hold a value for, and the value; else "" and None."""
        entry, values = self.table.fields[name], self.given.metadata.values
        for key in entry.get(str(self.given.values["format"]), ()):
            value = entry.get("nothing") if key in values and values[key] is None else values.get(key)
            if value is not None and not (isinstance(value, list) and entry.get("per_layer")):
                return key, value
        return "", None


def describe(table: ArchitectureTable, given: Given) -> Architecture:
    """Return the description of a model; raises `ModelErrors` for metadata that are missing, wrong or unsupported."""
    fields = _Fields(table, given)
    _check_fields(fields)
    kinds = {name: entry for name, entry in table.layers["types"].items() if _is_there(fields, name, entry)}
    types = {name: _layer_kind(fields, name, entry) for name, entry in kinds.items()}
    description = {"architecture": table.name, **{name: fields[name] for name in _COPIED}}
    description["norms"] = {short: fields[f"norm_{short}"] for short in ("qk", "attn_output", "ffn_output")}
    description["tied_embeddings"] = not given.values["has_lm_head"]
    description["layer_types"] = _layer_types(fields, types)
    description["types"] = types
    return description


def _field_value(fields: _Fields, name: str) -> Any:
    entry, (key, value) = fields.table.fields[name], fields.stored(name)
    if value is None and "otherwise" not in entry:
        raise errors.missing_key(fields.table.name, _first_key(fields, entry))
    if value is not None:
        return _bounded(entry, key, _checked_value(fields, entry, key, value))
    return _bounded(entry, name, _rounded(fields, entry, fields.expression(name, entry["otherwise"])))


def _first_key(fields: _Fields, entry: Mapping[str, Any]) -> str:
    keys = entry.get(str(fields.given.values["format"]), ["?"])
    return str(keys[0])


def _checked_value(fields: _Fields, entry: Mapping[str, Any], key: str, value: Any) -> Any:
    kind = entry["type"]
    if isinstance(value, list) and kind == "int" and len(set(map(str, value))) == 1:
        value = value[0]  # some files give one number a layer: all equal is one number
    if kind == "float" and type(value) is int and abs(value) < 1 << 1000:
        value = float(value)
    if type(value) is not _KINDS[kind] or (isinstance(value, float) and not math.isfinite(value)):
        raise errors.wrong_value(key, value, _WANTED[kind])
    if type(value) is int and abs(value) > _LARGEST:
        raise errors.wrong_value(key, value, f"at most {_LARGEST:,}")
    if "words" in entry and value not in entry["words"]:
        raise errors.unsupported(fields.table.name, f"`{key}` = `{value}`")
    if "refuse_above" in entry and value > entry["refuse_above"]:
        raise errors.unsupported(fields.table.name, f"`{key}` = {value}")
    return entry["words"][value] if "words" in entry else value


def _bounded(entry: Mapping[str, Any], key: str, value: Any) -> Any:
    """Return a number that is within the bounds of its field; raises `ModelErrors` that names the key for another."""
    if "above" in entry and value <= entry["above"]:
        raise errors.wrong_value(key, value, f"above {entry['above']}")
    if "at_least" in entry and value < entry["at_least"]:
        raise errors.wrong_value(key, value, f"at least {entry['at_least']}")
    if "at_most" in entry and value > entry["at_most"]:
        raise errors.wrong_value(key, value, f"at most {entry['at_most']:,}")
    return value


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
    _check_scaling(fields)


def _check_scaling(fields: _Fields) -> None:
    """Refuse a scaling of rotations that is said in part: what is left out would change positions."""
    kind = fields["rope_scaling"]
    if fields["format"] == "safetensors":
        for name in _SCALED_BY[kind]:
            if fields.stored(name)[1] is None:
                raise errors.missing_key(fields.table.name, _first_key(fields, fields.table.fields[name]))
        key, factor = fields.stored("rope_factor")
        if factor is not None and fields.stored("rope_scaling")[1] is None:
            raise errors.scaling_without_type(key, factor)
    if kind == "llama3" and fields["rope_high"] <= fields["rope_low"]:
        key = fields.stored("rope_high")[0] or "rope_high"
        raise errors.wrong_value(key, fields["rope_high"], f"above the low factor {fields['rope_low']}")


def _is_there(fields: _Fields, name: str, entry: Mapping[str, str]) -> bool:
    return "when" not in entry or bool(fields.expression(name, entry["when"]))


def _layer_kind(fields: _Fields, name: str, entry: Mapping[str, str]) -> dict[str, Any]:
    theta, kind = (fields.expression(f"{part} of {name} layers", entry[part]) for part in ("theta", "scaling"))
    members = ("rope_factor", "rope_low", "rope_high", "rope_original_context")
    scaling = Scaling(kind, *(fields[member] for member in members))
    rope = {
        "theta": theta,
        "dims": fields["rope_dims"],
        "pairs": fields["rope_pairs"],
        "scale": 1.0 / scaling.factor if kind == "linear" else 1.0,
        "inverse_frequencies": _frequencies(fields, theta, scaling),
    }
    return {"window": fields.expression(f"window of {name} layers", entry["window"]), "rope": rope}


def _frequencies(fields: _Fields, theta: float, scaling: Scaling) -> list[float]:
    """Return the frequencies of pairs; refuses a base, or factors of a file, that give none."""
    # A file's own factors are for the layers that are scaled; one kind of layer is the only case seen.
    factors, tensor = fields.given.rope_factors, fields.table.formats.get("gguf", {}).get("rope_factors", "")
    if factors is not None and len(factors) != fields["rope_dims"] // 2:
        raise errors.wrong_shape(tensor, [len(factors)], [fields["rope_dims"] // 2])
    if factors is not None and not all(math.isfinite(factor) and factor > 0 for factor in factors):
        raise errors.wrong_factor(tensor)
    try:
        found = inverse_frequencies(theta, fields["rope_dims"], scaling, factors)
    except OverflowError:
        found = [math.inf]
    if max(found) <= _LARGEST_F32:
        return found
    if factors is not None:
        raise errors.wrong_factor(tensor)
    raise errors.wrong_value(fields.stored("rope_theta")[0] or "rope_theta", theta, "a base of rotations")


def _layer_types(fields: _Fields, types: Mapping[str, object]) -> list[str]:
    """Return the type of each layer: as the file lists it, else as the table says."""
    count, listed = fields["num_layers"], fields.given.metadata.get("layer_types")
    if listed is None:
        listed = _local_layers(fields)
    if listed is None:
        return [fields.expression("layer type", fields.table.layers["type"], layer=layer) for layer in range(count)]
    if not isinstance(listed, list) or len(listed) != count:
        raise errors.wrong_value("layer_types", listed, f"a list of {count} types of layers")
    words = [_LAYER_TYPES.get(word, "") if isinstance(word, str) else "" for word in listed]
    for word, spelled in zip(words, listed, strict=True):
        if word not in types:
            raise errors.unsupported(fields.table.name, f"a layer of type `{errors.brief(spelled)}`")
    return words


def _local_layers(fields: _Fields) -> list[str] | None:
    """Return the types of layers that a list of truth values stands for, None where the file has no such list."""
    for entry in fields.table.fields.values():
        for key in entry.get(str(fields.given.values["format"]), ()) if entry.get("per_layer") else ():
            listed = fields.given.metadata.get(key)
            if isinstance(listed, list):
                if len(listed) != fields["num_layers"] or not all(value in (0, 1) for value in listed):
                    raise errors.wrong_value(key, listed, f"a list of {fields['num_layers']} truth values")
                return ["sliding_attention" if value else "full_attention" for value in listed]
    return None
