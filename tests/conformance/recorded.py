"""Read recorded cases, put them to the public functions, and say where an outcome is not the recorded one."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import kernelpath as kp

Case = Mapping[str, Any]
TESTS = Path(__file__).parents[1]
FILES = {
    "generated": TESTS / "conformance" / "data" / "generated.jsonl.gz",
    "presets": TESTS / "conformance" / "data" / "presets.jsonl.gz",
    "defects": TESTS / "differential" / "data" / "defects.jsonl.gz",
}
#: The reference failed with an uncaught error of its own: any diagnostic agrees with it.
CRASH = "CRASH"


@cache
def cases(name: str) -> tuple[Case, ...]:
    """Return the cases of one file."""
    with gzip.open(FILES[name], "rt", encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


def every_case() -> list[Case]:
    """Return the cases of all files."""
    return [case for name in FILES for case in cases(name)]


@cache
def pack() -> Any:
    """Return the loaded pack, so that its files are looked at once."""
    return kp.load_pack("execution-v0")


@cache
def catalog() -> Any:
    """Return the loaded catalogue."""
    return kp.load_catalog("doppler-0.1.7")


def request(case: Case, other: Any = None) -> kp.Result:
    """Put a case's request to the public function that it names, by the shipped pack or by another."""
    options = case["options"]
    loaded = {"pack": other or pack(), "catalog": catalog()}
    match case["fn"]:
        case "apply":
            return kp.apply(options.get("manifest"), options.get("runtimeConfig"), **loaded)
        case "kernelpath":
            return kp.execution_from_kernel_path(options.get("kernelPath"), **loaded)
    function = {"compile": kp.compile, "graph": kp.graph, "contract": kp.contract}[case["fn"]]
    return function(
        options.get("manifestInference"),
        runtime=options.get("runtimeInference"),
        model_id=options.get("modelId", "model"),
        num_layers=options.get("numLayers", 0),
        **loaded,
    )


def without_wording(value: Any) -> Any:
    """Return a value without the name and description of its kernel paths, which every engine words for itself."""
    if isinstance(value, list):
        return [without_wording(item) for item in value]
    if not isinstance(value, dict):
        return value
    members = {key: without_wording(item) for key, item in value.items()}
    if isinstance(members.get("kernelPath"), dict):
        members["kernelPath"] = {k: v for k, v in members["kernelPath"].items() if k not in ("name", "description")}
    return members


def disagreement(result: kp.Result, expect: Mapping[str, Any]) -> str | None:
    """Return in words how a result differs from a recorded outcome, None where they agree."""
    errors = [found for found in result.diagnostics if found.severity == "error"]
    if expect["ok"]:
        if not result.ok:
            return f"rejected: {[(d.decisions, d.subject, d.message) for d in errors[:3]]}"
        return None if _same(without_wording(result.value), expect["value"]) else "another value"
    if result.ok or not errors:
        return f"accepted, where the reference says {expect['decision']}"
    if expect["decision"] == CRASH:
        return None
    if not any(expect["decision"] in each.decisions and each.subject == expect.get("subject") for each in errors):
        wanted = (expect["decision"], expect.get("subject"))
        return f"{wanted} is not reported: {[(d.decisions, d.subject, d.message) for d in errors[:4]]}"
    return _overreach(errors, expect)


def _overreach(errors: list[kp.Diagnostic], expect: Mapping[str, Any]) -> str | None:
    """Say which error has a decision that the reference reached and passed for the same subject.

    The decisions of a visit (E49 to E65) come once for each phase, so an earlier one may be of the later phase.
    """
    before = "E49" if "E49" <= expect["decision"] <= "E65" else expect["decision"]
    for found in errors:
        earlier = found.decisions and max(found.decisions) < before
        if earlier and found.subject is not None and found.subject == expect.get("subject"):
            return f"{found.decisions} of {found.subject} comes before {expect['decision']} and passed there"
    return None


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal as JSON: 1 and 1.0 are, 1 and true are not; key order does not matter."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return (type(one) in (int, float) and type(other) in (int, float) and one == other) or _same_text(one, other)


def _same_text(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other and not isinstance(one, (list, dict))
