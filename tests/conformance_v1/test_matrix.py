"""The matrix of recorded graphs says of each device what the reference said, and names the phase where it stops."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

import pytest

from conformance_v1.recorded import CRASH, pack, phase_of, requests
from kernelpath.analysis.matrix import Axis, Entry, judged_matrix, key_of
from kernelpath.api import given_values
from kernelpath.execution_graph.devices import facts
from kernelpath.replay import Request

CELLS = 1086
SHARES = 8
SAMPLE = 40
#: The documents of a load, and the recorded members that they are; the device is put together.
DOCUMENTS = {
    "manifest": "manifest",
    "runtime_config": "runtimeConfig",
    "runtime_overrides": "runtimeOverrides",
    "model_config": "modelConfig",
}


def device_of(capabilities: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the device document of an adapter that can do what was recorded; None stands for no device."""
    if capabilities is None:
        return None
    words = {"shader-f16": "hasF16", "subgroups": "hasSubgroups"}
    limits = {
        "maxBufferSize": capabilities["maxBufferSize"],
        "maxComputeInvocationsPerWorkgroup": capabilities["maxWorkgroupSize"],
        "maxComputeWorkgroupStorageSize": capabilities["maxWorkgroupStorageSize"],
    }
    features = [feature for feature, word in words.items() if capabilities[word]]
    names = {name: capabilities["adapterInfo"][name] for name in ("vendor", "architecture")}
    return facts({**names, "features": features, "limits": limits})


@cache
def groups() -> list[list[Request]]:
    """Return the recorded loads of real graphs, those that differ in the device alone together."""
    found: dict[str, list[Request]] = defaultdict(list)
    for request in requests("real"):
        if request.fn == "load":
            found[json.dumps([request.options.get(name) for name in DOCUMENTS.values()])].append(request)
    return list(found.values())


def disagreements(group: list[Request]) -> Iterator[str]:
    """Yield the cells of one graph of which the matrix says otherwise than the reference."""
    shared = {name: group[0].options.get(member) for name, member in DOCUMENTS.items()}
    devices = [device_of(request.options.get("capabilities")) for request in group]
    axes = [
        Axis("manifest", (Entry("graph", shared["manifest"]),)),
        Axis("device", tuple(Entry(str(place), device, key_of(device)) for place, device in enumerate(devices))),
    ]
    matrix = judged_matrix(pack(), "load", axes, given_values(pack(), "load", shared))
    for request, cell in zip(group, matrix.cells, strict=True):
        wanted = "passes" if request.expect["ok"] else request.expect.get("phase", "apply")
        found = cell.verdict.says if cell.stopped is None else phase_of(cell.stopped.rule)
        if found != wanted and request.expect.get("decision") != CRASH:
            yield f"{request.identity}: {found} instead of {wanted}"


def test_a_sample_of_graphs() -> None:
    """Graphs on up to twelve devices each; the sample is the same each time."""
    chosen = Random(53).sample(sorted(groups(), key=len), SAMPLE)
    assert [words for group in chosen for words in disagreements(group)] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("share", range(SHARES))
def test_every_recorded_cell(share: int) -> None:
    """The same for all cells, each in one share."""
    assert [words for group in groups()[share::SHARES] for words in disagreements(group)] == []


def test_every_cell_is_there() -> None:
    """No cell is passed over, and there are graphs on each of twelve devices."""
    assert (sum(map(len, groups())), max(map(len, groups()))) == (CELLS, 12)


def test_a_failing_cell_shows_what_stops_it() -> None:
    """The rule and its stage, the row and the transforms that it asks for, the kernel and the feature that it lacks."""
    group = next(each for each in groups() if each[0].options["manifest"]["modelId"] == "litert/gemma-4-e2b-it")
    request = next(each for each in group if each.expect.get("decision") == "V167")
    device = device_of(request.options["capabilities"])
    shared = {name: request.options.get(member) for name, member in DOCUMENTS.items()}
    axes = [Axis("device", (Entry("without f16", device, key_of(device)),))]
    (cell,) = judged_matrix(pack(), "load", axes, given_values(pack(), "load", shared)).cells
    assert cell.stopped is not None
    assert (cell.verdict.says, cell.stopped.rule) == ("fails", "execution-v1/path-features/device-features")
    shown = cell.verdict.shown
    assert (shown["row"], shown["transforms"]) == ("the device has no f16", ["widenToF32Activations"])
    assert shown["features"] == ["shader-f16"]
    assert all(f"`{kernel}`" in cell.stopped.message for kernel in shown["kernels"][:1])


def test_a_profile_is_laid_over_the_default_config() -> None:
    """Loads under what the caller wrote alone stop where the recorded ones do, whose config was put together before."""
    chosen = Random(54).sample([group for group in groups() if group[0].options.get("runtimeOverrides")], SAMPLE)
    for group in chosen:
        shared = {name: group[0].options.get(member) for name, member in DOCUMENTS.items() if name != "runtime_config"}
        device = device_of(group[0].options.get("capabilities"))
        axes = [Axis("device", (Entry("device", device, key_of(device)),))]
        (cell,) = judged_matrix(pack(), "load", axes, given_values(pack(), "load", shared)).cells
        expect = group[0].expect
        found = cell.verdict.says if cell.stopped is None else phase_of(cell.stopped.rule)
        assert found == ("passes" if expect["ok"] else expect.get("phase", "apply"))
