"""The tables that say how models are laid out: kernels/architectures, as plain data, read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from kernelpath.models import errors
from kernelpath.packs.files import read_plain
from kernelpath.resources import resource

_FOLDER = ("kernels", "architectures")


@dataclass(frozen=True, slots=True)
class ArchitectureTable:
    """How one architecture is read: its names in each format, fields, kinds of layer, weights, and keys besides.

    `buffers` are the ends of names of tensors that hold no weights; `keys` are those of shared/keys.yaml by format.
    """

    name: str
    formats: Mapping[str, Mapping[str, Any]]
    fields: Mapping[str, Mapping[str, Any]]
    layers: Mapping[str, Any]
    weights: Mapping[str, Mapping[str, Any]]
    buffers: Sequence[str]
    keys: Mapping[str, Mapping[str, Any]]


@cache
def tokenizer_table() -> dict[str, Any]:
    """Return the splitting rules and end tokens of tokenizers."""
    return _load("shared", "tokenizers")


@cache
def graph_table() -> dict[str, Any]:
    """Return the steps of a decoder, as a first manifest lists them."""
    return _load("shared", "graph")


@cache
def selection_table() -> dict[str, Any]:
    """Return the decision table that chooses kernels for steps."""
    return _load("shared", "selection")


@cache
def architecture_names() -> tuple[str, ...]:
    """Return the names of all architectures that have a table, sorted."""
    return tuple(sorted(path.stem for path in resource(*_FOLDER).glob("*.yaml")))


@cache
def architecture_table(name: str) -> ArchitectureTable:
    """Return an architecture's table with what it shares with others filled in."""
    own = _load(name)
    base = architecture_table(own["extends"]) if "extends" in own else None
    if base:
        fields, layers, weights = base.fields, base.layers, base.weights
    else:
        shared = _load("shared", "fields")
        fields, layers, weights = shared["fields"], shared["layers"], _load("shared", "weights")["weights"]
    return ArchitectureTable(
        name=name,
        formats={form: own[form] for form in ("gguf", "safetensors") if form in own},
        fields=_overlay(fields, own.get("fields", {})),
        layers={**layers, **own.get("layers", {})},
        weights=_overlay(weights, own.get("weights", {})),
        buffers=_load("shared", "weights")["buffers"],
        keys=_added(base.keys if base else _load("shared", "keys"), own.get("keys", {})),
    )


def find_architecture(form: str, name: str) -> ArchitectureTable:
    """Return the table for what a file calls its architecture; `form` is "gguf" or "safetensors"."""
    tables = [architecture_table(known) for known in architecture_names()]
    spelled = {spelling: table for table in tables for spelling in table.formats.get(form, {}).get("names", ())}
    if name not in spelled:
        raise errors.unknown_architecture(name, sorted(spelled))
    return spelled[name]


def _overlay(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return the base with members of its members replaced, and new ones added."""
    return {**base, **{name: {**base.get(name, {}), **members} for name, members in over.items()}}


def _added(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return lists of keys by format with those of one architecture added."""
    return {
        form: {
            part: [*known, *more.get(form, {}).get(part, ())]
            if isinstance(known, list)
            else {**known, **more.get(form, {}).get(part, {})}
            for part, known in parts.items()
        }
        for form, parts in base.items()
    }


@cache
def _load(*parts: str) -> dict[str, Any]:
    loaded: dict[str, Any] = read_plain(resource(*_FOLDER, *parts[:-1], f"{parts[-1]}.yaml"), sharing=True)
    return loaded
