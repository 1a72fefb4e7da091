"""The JSON Schemas of the pack's files, asked by path: which keys and values may stand there, and what they are for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kernelpath.lsp.texts.cursor import Step
from kernelpath.packs import documents
from kernelpath.packs.documents import Node
from kernelpath.packs.grammar import KINDS, plain_path
from kernelpath.packs.grammar import schema_of as grammar_of

Schema = Mapping[str, Any]
_CHOICES = ("oneOf", "anyOf", "allOf")


def schema_of(kind: str) -> Schema:
    """Return the schema of a kind of file, an empty one where there is none."""
    return grammar_of(kind) if kind in KINDS else {}


def schemas_at(kind: str, path: tuple[Step, ...], root: Node | None) -> list[Schema]:
    """Return the schemas that the value at a path may follow; of several shapes, those that the keys there leave."""
    whole = schema_of(kind)
    found = [whole]
    node, path = root, plain_path(kind, path)
    for depth, step in enumerate((*path, None)):
        found = _shapes(whole, found, node)
        if depth == len(path) or step is None:
            break
        found = [inner for schema in found for inner in _inside(schema, step)]
        node = _child(node, step)
    return found


def _shapes(whole: Schema, schemas: list[Schema], node: Node | None) -> list[Schema]:
    """Resolve references and choices; a choice that asks for a key which another one has instead is left out."""
    flat = [shape for schema in schemas for shape in _flat(whole, schema)]
    keys = set(node.keys()) if isinstance(node, documents.Mapping) else set()
    fitting = [shape for shape in flat if keys <= set(shape.get("properties", keys)) or _takes_any(shape)]
    return fitting or flat


def _takes_any(shape: Schema) -> bool:
    return shape.get("additionalProperties") is not False


def _flat(whole: Schema, schema: Schema) -> Iterator[Schema]:
    if "$ref" in schema:
        target: Any = whole
        for name in schema["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        yield from _flat(whole, target)
        return
    inner = [choice for key in _CHOICES for choice in schema.get(key, ())]
    if not inner or "properties" in schema:
        yield schema
    for choice in inner:
        yield from _flat(whole, choice)


def _inside(schema: Schema, step: Step) -> Iterator[Schema]:
    inner: Any = None
    if isinstance(step, int):
        inner = schema.get("items")
    else:
        inner = schema.get("properties", {}).get(step, schema.get("additionalProperties"))
    if isinstance(inner, dict):
        yield inner


def _child(node: Node | None, step: Step) -> Node | None:
    if isinstance(node, documents.Mapping) and isinstance(step, str):
        return node.get(step)
    if isinstance(node, documents.Sequence) and isinstance(step, int) and step < len(node):
        return node.items[step]
    return None


def keys_at(kind: str, path: tuple[Step, ...], root: Node | None) -> dict[str, Schema]:
    """Return the keys that a mapping at a path may have, with their schemas."""
    keys: dict[str, Schema] = {}
    whole = schema_of(kind)
    for schema in schemas_at(kind, path, root):
        for key, inner in schema.get("properties", {}).items():
            first = next(_flat(whole, inner), inner)
            keys.setdefault(key, {**first, **inner})
    return keys


def values_at(kind: str, path: tuple[Step, ...], root: Node | None) -> list[Any]:
    """Return the values that a schema lists for a path."""
    values: list[Any] = []
    for schema in schemas_at(kind, path, root):
        values += schema.get("enum", [])
        values += [True, False] if schema.get("type") == "boolean" else []
    return list(dict.fromkeys(values))


def doc_of(schema: Schema) -> str:
    """Return what a schema says of its value: its description, and what it may be."""
    parts = [str(schema["description"])] if "description" in schema else []
    if "enum" in schema:
        parts.append("one of " + ", ".join(f"`{value}`" for value in schema["enum"]))
    return "; ".join(parts)
