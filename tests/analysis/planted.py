"""Copies of packs with rules added, replaced and edited: what analyses and comparisons are held against."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from kernelpath.packs.model import Pack
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource

Edit = tuple[str, str]


def copied(folder: Path, name: str) -> Path:
    """Copy a shipped pack and those that it extends into a folder; return the copy."""
    target = folder / name
    if not target.exists():
        shutil.copytree(resource("rules", name), target, ignore=shutil.ignore_patterns("*.test.yaml"))
    for line in (target / "pack.yaml").read_text(encoding="utf-8").splitlines():
        if line.startswith("extends:"):
            copied(folder, line.removeprefix("extends:").strip())
    return target


def add_rule(pack: Path, identity: str, body: str) -> None:
    """Write a rule file of a pack: `identity` is stage and name, `body` everything but summary and why."""
    path = pack / f"{identity}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"summary: Planted.\nwhy: For a test.\n{body.strip()}\n", encoding="utf-8")


def edit(pack: Path, file: str, old: str, new: str) -> None:
    """Replace a text that a file of a pack has once."""
    path = pack / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file} has the text {text.count(old)} times"
    path.write_text(text.replace(old, new), encoding="utf-8")


def small_pack(folder: Path, declarations: str, rules: Mapping[str, str]) -> Pack:
    """Write and read a pack of a few rules; `declarations` is pack.yaml without its summary."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pack.yaml").write_text(f"summary: A test's pack.\n{declarations}", encoding="utf-8")
    for identity, body in rules.items():
        add_rule(folder, identity, body)
    return read_pack(folder)
