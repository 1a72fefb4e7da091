"""Put requests to packs: the recorded defects, and graphs written for a test."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import kernelpath as kp

DEFECTS = Path(__file__).parents[1] / "differential" / "data" / "defects.jsonl.gz"
STRICT, REFERENCE = "strict", "execution-v0"


@cache
def _lines() -> dict[str, str]:
    with gzip.open(DEFECTS, "rt", encoding="utf-8") as lines:
        return {json.loads(line)["id"]: line for line in lines}


def record(name: str) -> Any:
    """Return a recorded defect: `fn`, `options`, and what came back as `expect`; a copy that a test may change."""
    return json.loads(_lines()[name])


def names() -> list[str]:
    """Return the ids of all recorded defects."""
    return list(_lines())


@cache
def loaded(name: str) -> Any:
    """Return a shipped pack, looked at once."""
    return kp.load_pack(name)


@cache
def catalog() -> Any:
    """Return the reference's catalogue."""
    return kp.load_catalog("doppler-0.1.7")


def ask(case: Mapping[str, Any], pack: Any = STRICT) -> kp.Result:
    """Put a recorded request to a pack, given by its shipped name or loaded."""
    options = copy.deepcopy(case["options"])
    chosen: dict[str, Any] = {"pack": loaded(pack) if isinstance(pack, str) else pack, "catalog": catalog()}
    match case["fn"]:
        case "apply":
            return kp.apply(options.get("manifest"), options.get("runtimeConfig"), **chosen)
        case "kernelpath":
            return kp.execution_from_kernel_path(options.get("kernelPath"), **chosen)
    function = {"compile": kp.compile, "graph": kp.graph, "contract": kp.contract}[case["fn"]]
    return function(
        options.get("manifestInference"),
        runtime=options.get("runtimeInference"),
        model_id=options.get("modelId", "model"),
        num_layers=options.get("numLayers", 0),
        **chosen,
    )


def errors(result: kp.Result) -> list[str]:
    """Return the messages of a result's errors."""
    return [found.message for found in result.diagnostics if found.severity == "error"]


def warnings(result: kp.Result) -> list[str]:
    """Return the messages of a result's warnings."""
    return [found.message for found in result.diagnostics if found.severity == "warning"]


def blamed(result: kp.Result) -> list[tuple[str, str | None]]:
    """Return the rule and the subject of each error."""
    return [(found.rule, found.subject) for found in result.diagnostics if found.severity == "error"]


def rules(result: kp.Result) -> list[str]:
    """Return the rules of a result's errors, each once."""
    return list(dict.fromkeys(found.rule for found in result.diagnostics if found.severity == "error"))


def path_of(result: kp.Result) -> Any:
    """Return the emitted kernel path of a result without errors."""
    assert errors(result) == []
    return result.value["runtimeInferencePatch"]["kernelPath"]


def pipeline_of(result: kp.Result) -> Any:
    """Return the emitted layer pipeline of a result without errors."""
    assert errors(result) == []
    return result.value["runtimeInferencePatch"]["pipeline"]


def dtypes_of(result: kp.Result, phase: str = "decode") -> list[tuple[str, Any, str, str]]:
    """Return id, layers, inputDtype and outputDtype of each resolved step of a phase."""
    assert errors(result) == []
    return [
        (step["id"], step["layers"], step["precision"]["inputDtype"], step["precision"]["outputDtype"])
        for step in result.value["resolvedSteps"][phase]
    ]
