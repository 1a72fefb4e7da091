"""The built-ins of execution graphs that the strict pack calls, by themselves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kernelpath.execution_graph.derive import derive_steps
from kernelpath.execution_graph.interleave import interleave, varying
from kernelpath.execution_graph.layers import named
from kernelpath.execution_graph.lifetimes import unwritten


@pytest.mark.parametrize(
    ("layers", "highest", "repeated"),
    [([], -1, []), (["all"], -1, []), ([[0]], 0, []), ([[3, 1], "all", [1]], 3, [1]), ([[2.0, 2]], 2, [2])],
)
def test_named_layers(layers: list[Any], highest: int, repeated: list[int]) -> None:
    """The highest layer that is named, and those named more than once, whatever JSON number names them."""
    assert named(layers) == SimpleNamespace(highest=highest, repeated=repeated)


def entry(name: str, **members: Any) -> dict[str, Any]:
    """Return a resolved step."""
    return {"id": name, **members}


@pytest.mark.parametrize(
    ("steps", "ids"),
    [
        ([entry("a", layers="all"), entry("b", layers=[0])], []),
        ([entry("a", layers=[0, 2]), entry("a", layers=[1])], []),
        ([entry("a", layers=[0, 1]), entry("a", layers=[1, 2])], ["a"]),
        ([entry("a", layers="all"), entry("a", layers="all")], ["a"]),
        ([entry("a"), entry("b"), entry("a")], ["a"]),
    ],
)
def test_varying_steps(steps: list[Any], ids: list[str]) -> None:
    """A step varies where two of its outcomes hold in one layer, or outside the layers."""
    assert varying({"identity": "id", "on": "layers"}, steps) == ids


def test_steps_of_two_phases_are_interleaved() -> None:
    """Equal outcomes are one entry, different ones have their phase, and the graph's order stays."""
    settings = {"identity": "id", "member": "phase", "names": ["prefill", "decode"]}
    first = [entry("a", phase="both", held=1), entry("c", phase="both", held=1)]
    second = [entry("a", phase="both", held=1), entry("b", phase="decode"), entry("c", phase="both", held=2)]
    assert interleave(settings, ["a", "b", "c"], first, second) == [
        entry("a", phase="both", held=1),
        entry("b", phase="decode"),
        entry("c", phase="prefill", held=1),
        entry("c", phase="decode", held=2),
    ]


READS = {
    "always": ["state"],
    "reads": [{"member": "src"}, {"member": "b", "op": "add", "otherwise": "left"}],
    "writes": [{"member": "dst"}],
}


@pytest.mark.parametrize(
    ("steps", "reads"),
    [
        ([{"op": "a", "src": "state", "dst": "x"}, {"op": "b", "src": "x"}], []),
        ([{"op": "b", "src": "x"}, {"op": "a", "src": "state", "dst": "x"}], [{"op": "b", "slot": "x"}]),
        ([{"op": "add", "src": "state"}], [{"op": "add", "slot": "left"}]),
        ([{"op": "add", "src": "state", "b": " state "}], []),
        ([{"op": "b", "src": "x"}, {"op": "b", "src": "x"}], [{"op": "b", "slot": "x"}]),
    ],
)
def test_reads_before_writes(steps: list[Any], reads: list[Any]) -> None:
    """Each slot that a list reads before it writes it, once for each op; a member may count for one op alone."""
    assert unwritten(READS, [SimpleNamespace(decode=steps)]) == reads


KERNEL = SimpleNamespace(reference="k.main", version="1.0.0", digest="sha256:0")
PARTS = [
    {"section": "layer", "phase": "decode", "from": ["decode", "steps"]},
    {"section": "layer", "phase": "prefill", "from": ["prefill", "steps"], "otherwise": ["decode", "steps"]},
]
PLAIN = {"parts": PARTS, "slots": {}, "copied": [], "always": {"layers": "all"}}
LAYERED = {**PLAIN, "overrides": "layerOverrides", "overridden": "layer"}


def derived(settings: Any, path: Any, layers: int) -> list[tuple[str, str, Any]]:
    """Return op, phase and layers of each derived step."""
    steps = derive_steps(settings, path, {"k.wgsl#main": KERNEL}, layers).steps
    return [(one["op"], one["phase"], one["layers"]) for one in steps]


def listed(*ops: str) -> dict[str, Any]:
    """Return a list of a kernel path."""
    return {"steps": [{"op": op, "kernel": "k.wgsl"} for op in ops]}


@pytest.mark.parametrize(
    ("settings", "path", "layers", "expected"),
    [
        (PLAIN, {"decode": listed("a")}, 0, [("a", "decode", "all"), ("a", "prefill", "all")]),
        (PLAIN, {"decode": listed("a"), "prefill": listed()}, 0, [("a", "decode", "all"), ("a", "prefill", "all")]),
        (LAYERED, {"decode": listed("a"), "prefill": listed()}, 0, [("a", "decode", "all")]),
        (LAYERED, {"decode": listed("a")}, 2, [("a", "decode", "all"), ("a", "prefill", "all")]),
        (
            LAYERED,
            {"decode": listed("a"), "prefill": listed(), "layerOverrides": [{"layers": [1], **listed("b")}]},
            4,
            [("a", "decode", [0, 2, 3]), ("b", "decode", [1]), ("b", "prefill", [1])],
        ),
        (
            LAYERED,
            {"decode": listed("a"), "prefill": listed(), "layerOverrides": [{"layers": [1], "decode": listed("b")}]},
            0,
            [("a", "decode", [0, 2]), ("b", "decode", [1])],
        ),
        (
            LAYERED,
            {"decode": listed("a"), "prefill": listed("c"), "layerOverrides": [{"layers": [0], **listed()}]},
            1,
            [],
        ),
    ],
)
def test_derived_steps_and_their_layers(settings: Any, path: Any, layers: int, expected: list[Any]) -> None:
    """Overrides have their layers, common steps the others, also where nobody says how many there are."""
    assert derived(settings, path, layers) == expected
