"""Packs for tests: the boxes of this folder, with the parts that a lint's example changes."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from textwrap import dedent
from typing import Any

import yaml

BOXES = Path(__file__).parent / "boxes"
_FILE = re.compile(r"^# (\S+\.(?:yaml|md))\n", re.MULTILINE)


def boxes(folder: Path) -> Path:
    """Return a copy of the boxes pack below a folder."""
    pack = Path(shutil.copytree(BOXES, folder / "boxes"))
    for path in list(pack.glob("*/*.yaml")):
        path.with_name(f"{path.stem}.test.yaml").write_text("cases: []\n", encoding="utf-8")
    return pack


def example(folder: Path, text: str, *, tested: bool = True) -> Path:
    """Return a pack with the files of an example: a part of pack.yaml is merged, a rule file is written.

    A text that names no file is the rule boxes/example.yaml. An example that extends boxes is a pack beside it. Rules
    get a test file where `tested`.
    """
    parts = _FILE.split(dedent(text).strip() + "\n")
    files = dict(zip(parts[1::2], parts[2::2], strict=True)) or {"boxes/example.yaml": parts[0]}
    pack = boxes(folder)
    changes: dict[str, Any] = yaml.safe_load(files.pop("pack.yaml", "{}"))
    if "extends" in changes:
        pack = folder / "extension"
        pack.mkdir()
        (pack / "pack.yaml").write_text("summary: More boxes.\n", encoding="utf-8")
    merge(pack / "pack.yaml", changes)
    for name, content in files.items():
        write(pack / name, content, tested)
    return pack


def write(path: Path, content: str, tested: bool = True) -> None:
    """Write a file, and a test file beside it where it is a rule."""
    path.parent.mkdir(exist_ok=True)
    if re.search("^(?:table|resolve): label", content, re.MULTILINE):
        (path.parent / "colour-label.yaml").unlink()  # one rule gives a variable
    path.write_text(content, encoding="utf-8")
    tests = path.with_name(f"{path.stem}.test.yaml")
    if tested and path.suffix == ".yaml" and not path.name.endswith(".test.yaml") and not tests.exists():
        tests.write_text("cases: []\n", encoding="utf-8")


def merge(path: Path, changes: dict[str, Any]) -> None:
    """Merge values into a YAML file, mappings key by key."""
    if changes:
        value = _merged(yaml.safe_load(path.read_text(encoding="utf-8")), changes)
        path.write_text(yaml.safe_dump(value, sort_keys=False, allow_unicode=True), encoding="utf-8")


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}
    return new
