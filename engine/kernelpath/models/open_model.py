"""Open a model: a GGUF file, or a folder of safetensors with config.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelpath.models import errors
from kernelpath.models.bind import bind_weights, without_prefix
from kernelpath.models.describe import Given, describe
from kernelpath.models.gguf_file import TensorFile, read_gguf
from kernelpath.models.metadata import Metadata
from kernelpath.models.model import Model
from kernelpath.models.safetensors_file import read_safetensors
from kernelpath.models.tables import ArchitectureTable, find_architecture
from kernelpath.models.tokenizer_gguf import gguf_tokenizer
from kernelpath.models.tokenizer_json import folder_tokenizer
from kernelpath.models.weights import Weight


def open_model(path: str | Path) -> Model:
    """Open a .gguf file, a .safetensors file or a folder that holds some; no weight is read before it is used.

    Raises `ModelErrors` for whatever is wrong with the files.
    """
    path = Path(path)
    if not path.exists():
        raise errors.no_such_file(path)
    if path.is_dir():
        return _open_folder(path, _shards(path))
    if path.suffix == ".safetensors":
        return _open_folder(path.parent, [path])
    if path.suffix == ".gguf":
        return _open_gguf(path)
    raise errors.unknown_format(path)


def _open_gguf(path: Path) -> Model:
    file = read_gguf(path)
    spelled = Metadata(file.metadata).text("general.architecture")
    table = find_architecture("gguf", spelled)
    # A table's keys have no architecture in front; the tokenizer's stay as they are.
    front = f"{spelled}."
    own = {key.removeprefix(front): value for key, value in file.metadata.items() if key.startswith(front)}
    factors = file.tensors.get(table.formats["gguf"].get("rope_factors", ""))
    given = _given("gguf", Metadata(own, spelled), file.tensors, table)
    given = Given(given.metadata, given.values, None if factors is None else factors.array().tolist())
    architecture = describe(table, given)
    weights = bind_weights(table, "gguf", architecture, file.tensors)
    name = str(file.metadata.get("general.name") or path.stem)
    return Model(name, architecture, weights, gguf_tokenizer(name, Metadata(file.metadata)), path)


def _open_folder(folder: Path, shards: list[Path]) -> Model:
    config = read_config(folder / "config.json")
    table = find_architecture("safetensors", str(config.get("model_type")))
    form = table.formats["safetensors"]
    section = config.get(form.get("section", ""))
    values = _dotted({**config, **section} if isinstance(section, dict) else config)
    tensors = _read_tensors(shards, form).tensors
    architecture = describe(table, _given("safetensors", Metadata(values, table.name), tensors, table))
    weights = bind_weights(table, "safetensors", architecture, tensors)
    return Model(folder.name, architecture, weights, folder_tokenizer(folder, config), folder)


def _read_tensors(shards: list[Path], form: Mapping[str, Any]) -> TensorFile:
    file = read_safetensors(shards)
    return TensorFile(file.path, {}, without_prefix(file.tensors, form.get("prefixes", ()), form.get("skip", ())))


def _given(form: str, metadata: Metadata, tensors: Mapping[str, Weight], table: ArchitectureTable) -> Given:
    stored = table.weights["embed_tokens"][form]
    embedding = tensors.get(stored)
    if embedding is None:
        raise errors.missing_tensors([stored])
    values = {
        "format": form,
        "embedding_rows": embedding.shape[0],
        "embedding_columns": embedding.shape[-1],
        "embedding_dtype": embedding.dtype,
        "has_lm_head": table.weights["lm_head"][form] in tensors,
    }
    return Given(metadata, values)


def _shards(folder: Path) -> list[Path]:
    """Return the weight files of a folder: those that its index names, or all there are."""
    index = folder / "model.safetensors.index.json"
    if index.exists():
        named = read_config(index).get("weight_map")
        if not isinstance(named, dict) or not all(isinstance(name, str) for name in named.values()):
            raise errors.broken_config(index, "it has no `weight_map` of file names")
        # Only the last part of a name counts, so that an index cannot point out of its folder.
        return [_existing(folder / Path(name).name) for name in sorted(set(named.values()))]
    found = sorted(folder.glob("*.safetensors"))
    if not found:
        raise errors.unknown_format(folder)
    return found


def _existing(path: Path) -> Path:
    if not path.exists():
        raise errors.no_such_file(path)
    return path


def read_config(path: Path) -> dict[str, Any]:
    """Read a JSON object beside the weights."""
    try:
        value = json.loads(_existing(path).read_bytes())
    except (ValueError, RecursionError) as fault:
        raise errors.broken_config(path, str(fault)) from None
    if not isinstance(value, dict):
        raise errors.broken_config(path, "it is not a JSON object")
    return value


def _dotted(value: Mapping[str, Any], front: str = "") -> dict[str, object]:
    """Return a nested object with dotted paths for keys; lists are values."""
    flat: dict[str, object] = {}
    for key, member in value.items():
        flat.update(_dotted(member, f"{front}{key}.") if isinstance(member, dict) else {f"{front}{key}": member})
    return flat
