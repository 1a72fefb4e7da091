"""Put requests to packs: the recorded defects, and graphs written for a test."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import kernelpath as kp
from conformance.recorded import Case, cases, request

STRICT, REFERENCE = "strict", "execution-v0"


@cache
def _records() -> dict[str, Case]:
    return {case["id"]: case for case in cases("defects")}


def record(name: str) -> Any:
    """Return a recorded defect: `fn`, `options`, and what came back as `expect`; a copy that a test may change."""
    return copy.deepcopy(_records()[name])


def names() -> list[str]:
    """Return the ids of all recorded defects."""
    return list(_records())


@cache
def loaded(name: str) -> Any:
    """Return a shipped pack, looked at once."""
    return kp.load_pack(name)


def ask(case: Case, pack: Any = STRICT) -> kp.Result:
    """Put a recorded request to a pack, given by its shipped name or loaded."""
    copied = {**case, "options": copy.deepcopy(case["options"])}
    return request(copied, loaded(pack) if isinstance(pack, str) else pack)


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
