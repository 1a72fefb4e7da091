"""Bind a file's tensors to logical weights: each one found, of the right shape, and none left over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kernelpath.models import errors
from kernelpath.models.describe import Architecture
from kernelpath.models.gguf_file import TensorFile
from kernelpath.models.tables import ArchitectureTable
from kernelpath.models.weights import BLOCKS, Weight

_LAYER = "{L}"


def bind_weights(
    table: ArchitectureTable, form: str, architecture: Architecture, tensors: Mapping[str, Weight]
) -> dict[str, Weight]:
    """Return the logical weights of a model, in the table's order; `tensors` are under names without a prefix.

    Raises `ModelErrors` for tensors that are missing, of another shape, or unknown: a bias that nobody adds would be a
    wrong answer without an error.
    """
    found: dict[str, Weight] = {}
    missing = []
    for name, entry, stored in logical_names(table, form, architecture):
        if stored in tensors:
            found[name] = _shaped(replace(tensors[stored], name=name), weight_shape(entry, architecture))
        elif "otherwise" in entry:
            found[name] = found[entry["otherwise"]]
        else:
            missing.append(stored)
    if missing:
        raise errors.missing_tensors(missing)
    _refuse_unmapped(table, form, architecture, tensors)
    return found


def logical_names(
    table: ArchitectureTable, form: str, architecture: Architecture
) -> list[tuple[str, Mapping[str, Any], str]]:
    """Return (logical name, table entry, stored name) of every weight that a model has."""
    norms = {f"norm_{short}": on for short, on in architecture["norms"].items()}
    entries = [(name, entry) for name, entry in table.weights.items() if norms.get(entry.get("when", ""), True)]
    return [
        (name.replace(_LAYER, str(layer)), entry, entry[form].replace(_LAYER, str(layer)))
        for name, entry in entries
        for layer in (range(architecture["num_layers"]) if _LAYER in name else (0,))
    ]


def weight_shape(entry: Mapping[str, Any], architecture: Architecture) -> tuple[int, ...]:
    """Return the shape that a table entry stands for."""
    sizes = {
        **architecture,
        "q_size": architecture["num_heads"] * architecture["head_dim"],
        "kv_size": architecture["num_kv_heads"] * architecture["head_dim"],
    }
    return tuple(sizes[name] for name in entry["shape"])


def without_prefix(file: TensorFile, prefixes: Sequence[str], skip: Sequence[str]) -> dict[str, Weight]:
    """Return tensors with the first prefix that fits cut off, without those of a model's other parts."""
    kept: dict[str, Weight] = {}
    for name, weight in file.tensors.items():
        if name.startswith(tuple(skip)):
            continue
        prefix = next((prefix for prefix in prefixes if prefix and name.startswith(prefix)), "")
        if name.removeprefix(prefix) in kept:
            raise errors.repeated_tensor(file.path, name)
        kept[name.removeprefix(prefix)] = weight
    return kept


def without_buffers(tensors: Mapping[str, Weight], buffers: Sequence[str]) -> dict[str, Weight]:
    """Return tensors without those that are not weights, by the ends of their names."""
    ends = tuple(f".{end}" for end in buffers)
    return {name: weight for name, weight in tensors.items() if not f".{name}".endswith(ends)}


def _shaped(weight: Weight, wanted: tuple[int, ...]) -> Weight:
    if weight.dtype not in BLOCKS:
        raise errors.unknown_dtype(weight.name, weight.dtype)
    if weight.shape != wanted:
        raise errors.wrong_shape(weight.name, weight.shape, wanted)
    return weight


def _refuse_unmapped(
    table: ArchitectureTable, form: str, architecture: Architecture, tensors: Mapping[str, Weight]
) -> None:
    used = {stored for _, _, stored in logical_names(table, form, architecture)}
    used.add(table.formats[form].get("rope_factors", ""))
    left = [name for name in tensors if name not in used]
    if left:
        raise errors.unmapped_tensors(table.name, left)
