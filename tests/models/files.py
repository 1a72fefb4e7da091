"""Write models as files, with the libraries that others write them with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter

from kernelpath.models.bind import logical_names
from kernelpath.models.model import Model
from kernelpath.models.tables import architecture_table
from kernelpath.models.weights import Weight

GGUF_KEYS = {
    "block_count": "num_layers",
    "embedding_length": "hidden_size",
    "attention.head_count": "num_heads",
    "attention.head_count_kv": "num_kv_heads",
    "attention.key_length": "head_dim",
    "feed_forward_length": "ffn_size",
    "context_length": "context_length",
    "attention.layer_norm_rms_epsilon": "norm_eps",
}
CONFIG_KEYS = {
    "num_hidden_layers": "num_layers",
    "hidden_size": "hidden_size",
    "num_attention_heads": "num_heads",
    "num_key_value_heads": "num_kv_heads",
    "head_dim": "head_dim",
    "intermediate_size": "ffn_size",
    "max_position_embeddings": "context_length",
    "rms_norm_eps": "norm_eps",
}


def write_gguf(
    path: Path,
    model: Model,
    name: str,
    more: Mapping[str, Any] | None = None,
    tensors: Mapping[str, Weight] | None = None,
) -> Path:
    """Write a model as a GGUF file of architecture `name`.

    `more` are further metadata, by their full keys, and `tensors` further tensors, by the file's names.
    """
    more = dict(more or {})
    writer = GGUFWriter(path, more.pop("general.architecture", name))
    metadata = {f"{name}.{key}": model.architecture[field] for key, field in GGUF_KEYS.items()}
    for key, value in (metadata | more).items():
        _add(writer, key, value)
    for logical, _, stored in logical_names(
        architecture_table(model.architecture["architecture"]), "gguf", model.architecture
    ):
        if logical != "lm_head" or not model.architecture["tied_embeddings"]:
            _add_tensor(writer, stored, model.weights[logical])
    for stored, weight in (tensors or {}).items():
        _add_tensor(writer, stored, weight)
    _finish(writer)
    return path


def write_gguf_parts(folder: Path, model: Model, count: int, claimed: int | None = None) -> list[Path]:
    """Write a model as GGUF files, its tensors in turn, the metadata in the first; `claimed` is how many it says."""
    named = logical_names(architecture_table(model.architecture["architecture"]), "gguf", model.architecture)
    stored = {stored: model.weights[logical] for logical, _, stored in named if logical != "lm_head"}
    paths = [folder / f"m-{number + 1:05}-of-{count:05}.gguf" for number in range(count)]
    for number, path in enumerate(paths):
        writer = GGUFWriter(path, "llama")
        if number == 0:
            for key, field in GGUF_KEYS.items():
                _add(writer, f"llama.{key}", model.architecture[field])
        writer.add_uint16("split.no", number)
        writer.add_uint16("split.count", count)
        writer.add_int32("split.tensors.count", claimed or len(stored))
        for name in list(stored)[number::count]:
            _add_tensor(writer, name, stored[name])
        _finish(writer)
    return paths


def _finish(writer: GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add(writer: GGUFWriter, key: str, value: Any) -> None:
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, float):
        writer.add_float64(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    else:
        writer.add_array(key, value)


def _add_tensor(writer: GGUFWriter, name: str, weight: Weight) -> None:
    """Add a weight's bytes as they are: the shape that the writer wants is that of the bytes."""
    kind = GGMLQuantizationType[weight.dtype.upper()]
    data = np.ascontiguousarray(weight.data).reshape(*weight.shape[:-1], weight.row_bytes)
    writer.add_tensor(name, data, raw_shape=data.shape, raw_dtype=kind)


def write_folder(folder: Path, model: Model, config: Mapping[str, Any], shards: int = 1) -> Path:
    """Write a model as a folder of safetensors, config.json, and an index where there are several shards."""
    folder.mkdir(exist_ok=True)
    sizes = {key: model.architecture[field] for key, field in CONFIG_KEYS.items()}
    (folder / "config.json").write_text(json.dumps({**sizes, **config}))
    names = logical_names(architecture_table(model.architecture["architecture"]), "safetensors", model.architecture)
    stored = {
        f"model.{stored}": model.weights[logical]
        for logical, _, stored in names
        if logical != "lm_head" or not model.architecture["tied_embeddings"]
    }
    files = [f"model-{number + 1:05}-of-{shards:05}.safetensors" for number in range(shards)]
    parts = {name: files[number % shards] for number, name in enumerate(stored)}
    for file in files:
        write_safetensors(folder / file, {name: stored[name] for name in stored if parts[name] == file})
    if shards > 1:
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": parts}))
    return folder


def write_safetensors(path: Path, weights: Mapping[str, Weight]) -> Path:
    """Write weights as one safetensors file: by hand, as the library's own call changed."""
    header, offset = {}, 0
    for name, weight in weights.items():
        end = offset + len(weight.data)
        header[name] = {"dtype": weight.dtype.upper(), "shape": list(weight.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    path.write_bytes(
        len(text).to_bytes(8, "little") + text + b"".join(weight.data.tobytes() for weight in weights.values())
    )
    return path


def add_tensors(path: Path, weights: Mapping[str, Weight]) -> None:
    """Write tensors into a safetensors file, in place of those of the same names."""
    data = path.read_bytes()
    base = 8 + int.from_bytes(data[:8], "little")
    found = {
        name: Weight(name, entry["dtype"].lower(), tuple(entry["shape"]), _between(data, base, entry["data_offsets"]))
        for name, entry in json.loads(data[8:base]).items()
    }
    write_safetensors(path, {**found, **weights})


def _between(data: bytes, base: int, offsets: list[int]) -> Any:
    return np.frombuffer(data[base + offsets[0] : base + offsets[1]], np.uint8)
