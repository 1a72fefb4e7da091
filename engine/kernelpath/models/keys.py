"""Look at all keys of a model's metadata: none is passed over in silence that could change the answer.

What is known is data: the keys that tables read, and kernels/architectures/shared/keys.yaml.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from kernelpath.diagnostics import Diagnostic
from kernelpath.models import errors
from kernelpath.models.describe import Architecture
from kernelpath.models.tables import ArchitectureTable


def check_keys(
    table: ArchitectureTable, form: str, metadata: Mapping[str, object], architecture: Architecture
) -> list[Diagnostic]:
    """Return warnings for keys that nothing reads; `form` is "gguf", "gguf_file" or "safetensors".

    Raises `ModelErrors` for those that can change attention, positions or weights, and for values whose meaning is not
    supported.
    """
    known = table.keys[form]
    read = {key for entry in table.fields.values() for key in entry.get(form, ())}
    others = {key: value for key, value in metadata.items() if key not in read and value is not None}
    for key, value in others.items():
        _check_value(table, known, key, value, architecture)
    names = (*known.get("equal", ()), *known["fixed"])
    unknown = [key for key in others if key not in names and not matches(key, known["harmless"])]
    telling = [key for key in unknown if matches(key, known["telling"])]
    if telling:
        raise errors.telling_keys(table.name, telling)
    return [errors.unread_keys(table.name, unknown)] if unknown else []


def _check_value(
    table: ArchitectureTable, known: Mapping[str, Any], key: str, value: object, architecture: Architecture
) -> None:
    """Refuse a value that must be another for the model to mean what is run here."""
    allowed = known["fixed"].get(key)
    if key in known.get("equal", ()):
        allowed = [architecture[known["equal"][key]]]
    if allowed is not None and value not in allowed:
        raise errors.unsupported(table.name, f"`{key}` = `{errors.brief(value)}`")


def matches(key: str, patterns: Iterable[str]) -> bool:
    """Return whether a key is one of some names, in which `*` stands for any text."""
    return any(fnmatchcase(key, pattern) for pattern in patterns)
