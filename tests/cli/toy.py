"""A small pack whose graphs run on devices, to ask commands about documents that are given by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PACK = """\
summary: A test's pack, whose steps need features of a device.
uses: [javascript, execution-graph]
documents:
  manifest: {doc: a manifest}
  runtime: {doc: what changes the graph, optional: true, recognise: 'has(file, "session")'}
  runtime_config: {doc: a config, optional: true, recognise: 'has(file, "inference")', holds: {runtime: /inference}}
  device: {doc: what the graph is to run on, optional: true, resource: devices}
  budget: {doc: how much there is of all, optional: true}
values:
  features:
    doc: the features of the device
    is: if device == null then [] else [text(f) for f in elements(device.features)]
  storage:
    doc: the workgroup storage that there is
    is: if device == null then null else device.limits.maxComputeWorkgroupStorageSize
items:
  steps:
    doc: one step
    of: elements(manifest.inference.execution.steps)
    as: step
    index: index
    subject: '{text(step.id)}'
    at: manifest#/inference/execution/steps/{index}
stages:
  shape: {doc: the shape of the graph, each: steps}
  place: {doc: what the device lacks, each: steps, after: [shape]}
  size: {doc: what is too large, each: request, at: device#/limits/maxComputeWorkgroupStorageSize}
questions:
  compile:
    doc: whether a graph fits a device
    given: [manifest, runtime, device, budget]
    matrix: true
    shows:
      lacks: '[f.subject for f in findings if f.stage == "place"]'
      storage: storage
    answer: 'member("steps", length(steps))'
"""
RULES = {
    "shape/step-id": {
        "summary": "A step has an id.",
        "check": "is_string(step.id)",
        "message": "step {index} has no id",
        "at": "/id",
    },
    "place/feature": {
        "summary": "A step runs where its feature is.",
        "when": "step.needs != null",
        "check": "text(step.needs) in features",
        "message": "step `{step.id}` needs `{step.needs}`",
        "at": "/needs",
    },
    "size/storage": {
        "summary": "There is enough workgroup storage.",
        "when": "storage != null and budget != null",
        "check": "number(storage) >= number(budget.storage)",
        "message": "the device has {storage} of {budget.storage} bytes",
    },
}


def toy_pack(folder: Path, extra: str = "") -> Path:
    """Write the pack into a folder, and return its own."""
    target = folder / "toy"
    for name, rule in RULES.items():
        path = target / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = {**rule, "why": "what runs elsewhere gives garbage"}
        path.write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in text.items()))
    (target / "pack.yaml").write_text(PACK + extra)
    return target


def manifest(*needs: str | None, **members: Any) -> str:
    """Return a manifest whose steps need these features."""
    steps = [{"id": f"s{place}"} | ({"needs": need} if need else {}) for place, need in enumerate(needs)]
    return json.dumps({"modelId": "m", "inference": {"schema": "toy", "execution": {"steps": steps}}, **members})
