"""Open a model: a GGUF file, or a folder of safetensors with config.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from kernelpath.diagnostics import Diagnostic
from kernelpath.models import errors
from kernelpath.models.bind import bind_weights, without_buffers, without_prefix
from kernelpath.models.describe import Given, describe
from kernelpath.models.gguf_file import TensorFile, read_gguf
from kernelpath.models.keys import check_keys
from kernelpath.models.locate import CONFIG, GGUF, locate, parts
from kernelpath.models.metadata import Metadata
from kernelpath.models.model import Model
from kernelpath.models.reading import read_json
from kernelpath.models.safetensors_file import read_safetensors
from kernelpath.models.tables import ArchitectureTable, find_architecture
from kernelpath.models.tokenizer_gguf import gguf_tokenizer
from kernelpath.models.tokenizer_json import folder_tokenizer
from kernelpath.models.weights import BLOCKS, Weight

Tensors = Mapping[str, Weight]
_TIED = "tie_word_embeddings"


def open_model(path: str | Path) -> Model:
    """Open a GGUF file, a safetensors file or a folder that holds one; no weight is read before it is used.

    What a file is follows from how it begins, and all parts of a model are opened together. Raises `ModelErrors` for
    whatever is wrong with the files.
    """
    located = locate(Path(path))
    if located.form == GGUF:
        return _open_gguf(located.files[0])
    return _open_folder(located.files[0].parent, list(located.files))


def _open_gguf(path: Path) -> Model:
    file = _whole_gguf(read_gguf(path))
    spelled = Metadata(file.metadata).text("general.architecture")
    table = find_architecture("gguf", spelled)
    # A table's keys have no architecture in front; the tokenizer's stay as they are.
    front = f"{spelled}."
    own = {key.removeprefix(front): value for key, value in file.metadata.items() if key.startswith(front)}
    others = {key: value for key, value in file.metadata.items() if not key.startswith(front)}
    tensors = without_buffers(file.tensors, table.buffers)
    given = _given("gguf", Metadata(own, spelled), tensors, table)
    given = replace(given, rope_factors=_factors(tensors.get(table.formats["gguf"].get("rope_factors", ""))))
    architecture = describe(table, given)
    warnings = [
        *check_keys(table, "gguf", own, architecture),
        *check_keys(table, "gguf_file", others, architecture),
    ]
    weights = bind_weights(table, "gguf", architecture, tensors)
    name = str(file.metadata.get("general.name") or path.stem)
    model = Model(name, architecture, weights, file=path, warnings=tuple(warnings))
    return _with_tokenizer(model, Metadata(file.metadata))


def _factors(weight: Weight | None) -> list[float] | None:
    """Return the factors of rotations that a tensor holds, None without one."""
    if weight is None:
        return None
    if len(weight.shape) != 1:
        raise errors.not_a_vector(weight.name, weight.shape)
    found: list[float] = weight.array().tolist()
    return found


def _whole_gguf(file: TensorFile) -> TensorFile:
    """Return a file with the tensors of all its parts, and the metadata of the first."""
    metadata = Metadata(file.metadata)
    number, count = (metadata.integer(f"split.{key}", default) for key, default in (("no", 0), ("count", 1)))
    if count <= 1:
        return file
    paths = parts(file.path)
    if len(paths) != count:
        why = "and its name does not say which files the others are"
        raise errors.misplaced_part(file.path, number + 1, count, why)
    files = [file if path == file.path else read_gguf(path) for path in paths]
    tensors: dict[str, Weight] = {}
    for place, part in enumerate(files):
        _check_part(part, place, count)
        for name, weight in part.tensors.items():
            if name in tensors:
                raise errors.repeated_tensor(part.path, name)
            tensors[name] = weight
    _check_count(files[0], len(tensors))
    return TensorFile(files[0].path, files[0].metadata, tensors)


def _check_part(part: TensorFile, place: int, count: int) -> None:
    found = tuple(part.metadata.get(f"split.{key}") for key in ("no", "count"))
    if found != (place, count):
        number = found[0] + 1 if isinstance(found[0], int) else found[0]
        why = f"and stands where part {place + 1} of {count} belongs"
        raise errors.misplaced_part(part.path, number, found[1], why)


def _check_count(first: TensorFile, count: int) -> None:
    wanted = Metadata(first.metadata).integer("split.tensors.count", count)
    if wanted != count:
        raise errors.wrong_value("split.tensors.count", wanted, f"the {count:,} tensors that the parts have")


def _with_tokenizer(model: Model, metadata: Metadata) -> Model:
    """Return a model with the tokenizer of its file; one of an unknown kind leaves a model that runs on ids."""
    try:
        tokenizer = gguf_tokenizer(model.name, metadata)
    except errors.UnknownTokenizer as unknown:
        return replace(model, warnings=(*model.warnings, errors.left_out(unknown)), no_tokenizer=unknown)
    return replace(model, tokenizer=tokenizer, warnings=(*model.warnings, *(tokenizer.warnings if tokenizer else ())))


def _open_folder(folder: Path, shards: list[Path]) -> Model:
    config = read_json(folder / CONFIG)
    table = find_architecture("safetensors", errors.brief(config.get("model_type")))
    form = table.formats["safetensors"]
    section = config.get(form.get("section", ""))
    values = _dotted({**config, **section} if isinstance(section, dict) else config)
    tensors, warnings = _with_one_head(table, values, _read_tensors(shards, table))
    architecture = describe(table, _given("safetensors", Metadata(values, table.name), tensors, table))
    warnings += check_keys(table, "safetensors", values, architecture)
    weights = bind_weights(table, "safetensors", architecture, tensors)
    tokenizer = folder_tokenizer(folder, config)
    warnings += tokenizer.warnings if tokenizer else ()
    return Model(folder.resolve().name, architecture, weights, tokenizer, folder, tuple(warnings))


def _read_tensors(shards: list[Path], table: ArchitectureTable) -> Tensors:
    form, file = table.formats["safetensors"], read_safetensors(shards)
    own = without_prefix(file, form.get("prefixes", ()), form.get("skip", ()))
    return without_buffers(own, table.buffers)


def _with_one_head(
    table: ArchitectureTable, values: Mapping[str, object], tensors: Tensors
) -> tuple[Tensors, list[Diagnostic]]:
    """Return the tensors without an output matrix that config.json says is not used; a missing one is refused.

    Where config.json does not say, a file without one means the embedding.
    """
    tied, head = values.get(_TIED), table.weights["lm_head"]["safetensors"]
    if tied is not None and not isinstance(tied, bool):
        raise errors.wrong_value(_TIED, tied, "true or false")
    if tied is False and head not in tensors:
        raise errors.missing_head(_TIED, head)
    if tied and head in tensors:
        left = {name: weight for name, weight in tensors.items() if name != head}
        return left, [errors.unused_head(_TIED, head)]
    return tensors, []


def _given(form: str, metadata: Metadata, tensors: Tensors, table: ArchitectureTable) -> Given:
    stored = table.weights["embed_tokens"][form]
    embedding = tensors.get(stored)
    if embedding is None:
        raise errors.missing_tensors([stored])
    if len(embedding.shape) != 2:
        raise errors.not_a_matrix(stored, embedding.shape)
    if embedding.dtype not in BLOCKS:
        raise errors.unknown_dtype(stored, embedding.dtype)
    values = {
        "format": form,
        "embedding_rows": embedding.shape[0],
        "embedding_columns": embedding.shape[-1],
        "embedding_dtype": embedding.dtype,
        "has_lm_head": table.weights["lm_head"][form] in tensors,
    }
    return Given(metadata, values)


def _dotted(value: Mapping[str, Any], front: str = "") -> dict[str, object]:
    """Return a nested object with dotted paths for keys; lists are values."""
    flat: dict[str, object] = {}
    for key, member in value.items():
        flat.update(_dotted(member, f"{front}{key}.") if isinstance(member, dict) else {f"{front}{key}": member})
    return flat
