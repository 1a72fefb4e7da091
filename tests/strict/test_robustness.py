"""Whatever it is given, strict answers; and what it accepts can be run."""

from __future__ import annotations

from typing import Any

import pytest

import kernelpath as kp
from conformance.recorded import cases
from differential.mutations import mutants

from .asked import ask
from .planner import refusals


@pytest.mark.parametrize(("name", "seed"), [("defects", 1), ("generated", 2), ("presets", 3)])
@pytest.mark.sampled(2)
def test_mutated_requests_are_answered(name: str, seed: int) -> None:
    """A thousand requests that somebody broke each get an answer, are left as they were, and run where accepted."""
    for case in mutants(cases(name), seed, 1_000):
        before = repr(case["options"])
        result = ask(case)
        assert repr(case["options"]) == before
        assert result.ok == all(one.severity != "error" for one in result.diagnostics) or case["fn"] in (
            "contract",
            "graph",
        )
        if result.ok and case["fn"] == "compile" and result.value:
            runs(result)


def runs(result: kp.Result) -> None:
    """Hold what was accepted to what an executor and a layer planner take."""
    patch = result.value["runtimeInferencePatch"]
    assert refusals(patch.get("pipeline")) == []
    path = patch.get("kernelPath", {"decode": {"steps": []}, "prefill": {"steps": []}})
    lists: list[Any] = [path["decode"]["steps"], path["prefill"]["steps"]]
    for override in path.get("layerOverrides", []):
        lists += [override["decode"]["steps"], override["prefill"]["steps"]]
    lists += [path.get(name, []) for name in ("preLayer", "postLayer", "sampling")]
    for one in [one for steps in lists for one in steps]:
        assert one["kernel"] == one["kernel"].strip()
        assert one["entry"] == one["entry"].strip() != ""
        assert one.get("phase", "decode") in ("prefill", "decode")
    layers = [layer for override in path.get("layerOverrides", []) for layer in override["layers"]]
    assert len(set(layers)) == len(layers)
