"""The kernel catalogues and the kernel path presets have the shape of their schemas, and agree with each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kernelpath.diagnostics import Source
from kernelpath.packs.documents import read_yaml, to_plain
from kernelpath.packs.shape import validate
from kernelpath.resources import resource

CATALOGUES = sorted(resource("kernels", "catalogs").glob("*.yaml"))
REFERENCE = resource("kernels", "catalogs", "doppler-0.1.7.yaml")
PRESETS = sorted(path for path in resource("kernels", "paths").glob("*.yaml") if path.name != "selection.yaml")


def plain(path: Path) -> Any:
    """Return a YAML file's value."""
    return to_plain(read_yaml(Source(path.name, path.read_text(encoding="utf-8"))))


def faults(path: Path, schema: Path) -> list[str]:
    """Return what is wrong with a file's shape."""
    node = read_yaml(Source(path.name, path.read_text(encoding="utf-8")))
    found = validate(node, json.loads(schema.read_text(encoding="utf-8")))
    return [f"{diagnostic.span}: {diagnostic.message}" for diagnostic in found]


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_a_catalogue_has_the_shape_of_its_schema(path: Path) -> None:
    """Every kernel of a catalogue has every fact."""
    assert faults(path, path.with_name("catalog.schema.json")) == []


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_a_catalogue_names_each_kernel_once(path: Path) -> None:
    """Operation with variant, and file with entry point, each name one kernel, and bindings do not share an index."""
    kernels = plain(path)["kernels"]
    assert len({(kernel["op"], kernel["variant"]) for kernel in kernels}) == len(kernels)
    assert len({(kernel["kernel"], kernel["entry"]) for kernel in kernels}) == len(kernels)
    for kernel in kernels:
        indices = [binding["index"] for binding in kernel["bindings"]]
        assert len(set(indices)) == len(indices)


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_a_preset_has_the_shape_of_its_schema(path: Path) -> None:
    """Every preset is whole, or another name for one that is there."""
    assert faults(path, path.with_name("path.schema.json")) == []
    target = plain(path).get("aliasOf", path.stem)
    assert target in {other.stem for other in PRESETS}


def test_the_order_lists_each_preset_once() -> None:
    """Every preset has its place in the order, and the tables name presets only."""
    selection = plain(resource("kernels", "paths", "selection.yaml"))
    names = [path.stem for path in PRESETS]
    assert sorted(selection["order"]) == sorted(names)
    for row in selection["finitenessFallback"]:
        assert row["value"] is None or row["value"] in names


def test_every_kernel_of_a_preset_is_in_the_catalogue() -> None:
    """The presets name no kernel that the catalogue lacks, save two entry points that the reference lacks as well."""
    known = {(kernel["kernel"], kernel["entry"]) for kernel in plain(REFERENCE)["kernels"]}
    used = set()
    for path in PRESETS:
        preset = plain(path)
        for part in ("decode", "prefill", "preLayer", "postLayer", "sampling"):
            steps = preset.get(part, [])
            used |= {(step["kernel"], step["entry"]) for step in (steps["steps"] if isinstance(steps, dict) else steps)}
    assert used - known == {("sample.wgsl", "apply_softcap"), ("sample_f16.wgsl", "apply_softcap")}
