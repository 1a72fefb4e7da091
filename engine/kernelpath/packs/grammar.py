"""What stands at each place of a pack's files, as the schemas in `grammars` say: roles, and the order of keys.

A schema's `x-role` says what a value or a key is; the order of its properties is the order in which keys are written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from kernelpath.resources import resource

Step = str | int
Path = tuple[Step, ...]
Schema = Mapping[str, Any]

RULE, PACK, TEST = "rule", "pack", "test"
KINDS = (RULE, PACK, TEST)
#: The section of pack.yaml whose keys are dotted paths of the others.
_REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class Role:
    """What a value or a key is.

    `kind` is `expression`, `message`, `type`, `name`, `declares`, `cell` (a literal of a declared type) or `data`;
    `of` is the type of an expression, or the kind of thing that a name names or declares.
    """

    kind: str
    of: str = ""


def role_at(kind: str, path: Path, *, is_key: bool = False) -> Role | None:
    """Return what the value at a path of a file of a kind is; with `is_key`, what the path's last key itself is.

    >>> role_at("pack", ("values", "limit", "when")), role_at("pack", ("values", "limit"), is_key=True)
    (Role(kind='expression', of='bool'), Role(kind='declares', of='value'))
    """
    if is_key:
        return next((role for schema in schemas_at(kind, path[:-1]) if (role := _role_of_key(schema, path[-1]))), None)
    return next((role for schema in schemas_at(kind, path) if (role := _role(schema))), None)


def ordered_keys(kind: str, path: Path, keys: Sequence[str]) -> list[str]:
    """Return a mapping's keys in their canonical order; keys that the schema does not name come last, as written.

    >>> ordered_keys("rule", ("first", 0), ["source", "value", "when"])
    ['when', 'value', 'source']
    """
    places = {key: place for place, key in enumerate(_merged(schemas_at(kind, path)))}
    return sorted(keys, key=lambda key: places.get(key, len(places)))


def _merged(forms: Sequence[Schema]) -> list[str]:
    """Return the properties of all forms in one order: what only one has stands before what it stands before there."""
    merged: list[str] = []
    for form in forms:
        names = list(form.get("properties", ()))
        for place, name in enumerate(names):
            if name not in merged:
                after = next((other for other in names[place:] if other in merged), None)
                merged.insert(len(merged) if after is None else merged.index(after), name)
    return merged


def schemas_at(kind: str, path: Path) -> list[Schema]:
    """Return the schemas of what stands at a path, several where a file of the kind has several forms."""
    found = list(_forms(schema_of(kind)))
    for step in plain_path(kind, path):
        found = [form for schema in found for inner in _inside(schema, step) for form in _forms(inner)]
    return found


@cache
def schema_of(kind: str) -> Schema:
    """Return the JSON Schema of the files of a kind of `KINDS`."""
    schema: Schema = json.loads(resource("grammars", f"{kind}.schema.json").read_text(encoding="utf-8"))
    return schema


def plain_path(kind: str, path: Path) -> Path:
    """Return a path without `replace`: what replaces something stands where that stood."""
    if kind != PACK or len(path) < 2 or path[0] != _REPLACE:
        return path
    return (*str(path[1]).split("."), *path[2:])


def _forms(schema: Schema) -> Iterator[Schema]:
    """Yield a schema, or the ones of which a value fits one."""
    yield from schema.get("oneOf", (schema,)) if "properties" not in schema else (schema,)


def _inside(schema: Schema, step: Step) -> Iterator[Schema]:
    """Yield the schema of an item or a member."""
    found = schema.get("items") if isinstance(step, int) else _member(schema, step)
    if isinstance(found, Mapping):
        yield found


def _member(schema: Schema, name: str) -> object:
    properties = schema.get("properties", {})
    return properties[name] if name in properties else schema.get("additionalProperties")


def _role_of_key(schema: Schema, key: Step) -> Role | None:
    named = key in schema.get("properties", {})
    return None if named else _role(schema.get("propertyNames", {}))


def _role(schema: Schema) -> Role | None:
    text = schema.get("x-role")
    return Role(*text.split(":", 1)) if text else None
