"""A pack that is formatted reads as the very same rules, programs and types."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import pytest

from kernelpath.analysis.formatting import format_pack
from kernelpath.language import Expression
from kernelpath.packs.model import Pack, Place, Term, Text
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource

PACKS = sorted(path.parent.name for path in resource("rules").glob("*/pack.yaml"))
UNCOMPARED = {"text", "settings", "digest"}  # what was written, of which `checked` and `terms` are the meaning


def model(value: Any) -> Any:
    """Return what a pack means as nested tuples: expressions are compared as trees, places not at all."""
    if isinstance(value, Place):
        return None
    if isinstance(value, Term | Text):
        return model(value.checked)
    if isinstance(value, Expression):
        return value
    if dataclasses.is_dataclass(value):
        names = (field.name for field in dataclasses.fields(value) if field.name not in UNCOMPARED)
        return (type(value).__name__, *((name, model(getattr(value, name))) for name in names))
    if isinstance(value, dict):
        return tuple((key, model(item)) for key, item in value.items())
    if isinstance(value, tuple | list):
        return tuple(model(item) for item in value)
    return value


@pytest.mark.parametrize("name", PACKS)
@pytest.mark.sampled(1)
def test_formatted_pack(name: str, tmp_path: Path) -> None:
    """Every shipped pack reads equal before and after all its files are formatted."""
    shutil.copytree(resource("rules"), tmp_path / "rules")
    folder = tmp_path / "rules" / name
    before = read_pack(folder)
    for file in format_pack(folder):
        file.path.write_text(file.after, encoding="utf-8")
    after = read_pack(folder)
    assert isinstance(after, Pack)
    assert model(after) == model(before)
