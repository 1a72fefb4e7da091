"""What a layer planner refuses of a layer pipeline: its contract, as an emitted pipeline must keep it."""

from __future__ import annotations

from typing import Any

OPS = {"save", "load", "conv", "attention", "rmsnorm", "ffn", "residual_add", "cast", "noop"}


def refusals(pipeline: Any) -> list[str]:
    """Return what is wrong with a pipeline, nothing where there is none."""
    if pipeline is None:
        return []
    lists = [pipeline["steps"], *[override["steps"] for override in pipeline["overrides"]]]
    return [found for steps in lists for found in [*shape(steps), *lifetimes(steps)]]


def shape(steps: list[Any]) -> list[str]:
    """Return the faults of the steps one by one; a list must have some."""
    found = [] if steps else ["a list without steps"]
    for step in steps:
        if step["op"] not in OPS or step["phase"] not in ("prefill", "decode", "both"):
            found.append(f"{step['op']} in {step['phase']}")
        if step["op"] in ("save", "load") and not step.get("name", "").strip():
            found.append(f"{step['op']} without name")
        if step["op"] == "rmsnorm" and not step.get("weight"):
            found.append("rmsnorm without weight")
        if step["op"] == "cast" and step.get("toDtype") not in ("f16", "f32"):
            found.append("cast to nothing")
    return found


def lifetimes(steps: list[Any]) -> list[str]:
    """Return the slots that are read before a step of the same list wrote them."""
    written, found = {"state"}, []
    for step in steps:
        read = [step["src"], step.get("residual")]
        if step["op"] == "load":
            read.append(step["name"])
        if step["op"] == "residual_add":
            read += [step.get("a", "state"), step.get("b", "residual")]
        found += [f"{step['op']} reads {slot}" for slot in read if slot and slot not in written]
        written.add(step["dst"])
        if step["op"] == "save":
            written.add(step["name"])
    return found
