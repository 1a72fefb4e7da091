"""Put recorded execution-v1 requests to the pack, and say where an answer is not the recorded one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import kernelpath as kp
from kernelpath.replay import Request, Requests, answer, content_of

DATA = Path(__file__).parent / "data"
FILES = ("generated", "real")
#: The reference failed with an uncaught error of its own: any diagnostic agrees with it.
CRASH = "CRASH"
#: Questions whose answer says itself what is wrong; it is there unless they could not be asked.
ANSWERING = ("contract", "artifact", "validate")
#: Members of answers that are prose, wherever they stand.
MESSAGES = ("errors", "warnings")
#: Which stages, or rules, are of which phase of loading; all others are of the first.
PHASES = {
    "decode-loop": "decodeLoop",
    "path-choice": "kernelPath",
    "path-agreement": "kernelPath",
    "path-features": "kernelPath",
    "path-lane": "lane",
    "plan": "plan",
    "plan/path-activation": "dtype",
}


@cache
def requests(name: str) -> Requests:
    """Return the recorded requests of a file."""
    return Requests(content_of((DATA / f"{name}.jsonl.gz").read_bytes()))


@cache
def pack() -> Any:
    """Return the loaded pack, so that its files are looked at once."""
    return kp.load_pack("execution-v1")


def disagreement(request: Request) -> str | None:
    """Return in words how the pack's answer differs from the recorded one, None if they agree."""
    found, expect = answer(pack(), request), request.expect
    errors = [each for each in found["diagnostics"] if each["severity"] == "error"]
    passes = found["ok"] if request.fn not in ANSWERING else found["value"] is not None or request.fn == "artifact"
    if expect["ok"] != passes:
        said = [(each["rule"], each["message"]) for each in errors[:3]]
        return f"refused: {said}" if expect["ok"] else f"accepted, where the reference says {expect['decision']}"
    if not expect["ok"]:
        return _other_decision(errors, expect)
    if not _same(comparable(found["value"], request.fn), comparable(expect["value"], request.fn)):
        return "another value"
    return _other_decisions(request.fn, errors, expect.get("decisions", []))


def _other_decision(errors: list[Any], expect: Mapping[str, Any]) -> str | None:
    """Return how the reported decisions lack the recorded one, and in load its phase."""
    if expect["decision"] == CRASH:
        return None if errors else "nothing is reported"
    phases = {phase_of(each["rule"]) for each in errors if expect["decision"] in each["decisions"]}
    if not phases:
        return f"{[(each['rule'], each['decisions']) for each in errors]} instead of {expect['decision']}"
    wanted = expect.get("phase", "apply")
    return None if wanted in phases else f"{expect['decision']} in {sorted(phases)} instead of {wanted}"


def _other_decisions(fn: str, errors: list[Any], decisions: list[str]) -> str | None:
    """Return how the decisions of errors within an answer differ: in a contract, which has all, in their order."""
    found = [decision for each in errors for decision in each["decisions"][:1]]
    if fn == "contract":
        return None if found == decisions else f"decisions {found} instead of {decisions}"
    known = {decision for each in errors for decision in each["decisions"]}
    missing = [decision for decision in decisions if decision not in known and decision != "other"]
    return f"decisions {found} instead of {decisions}" if missing else None


def phase_of(rule: str) -> str:
    """Return the phase of loading that a rule is of."""
    stage, name = rule.split("/")[-2:]
    return PHASES.get(f"{stage}/{name}") or PHASES.get(stage, "apply")


def comparable(value: Any, fn: str) -> Any:
    """Return a value without its prose."""
    if isinstance(value, list):
        return [comparable(item, fn) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {name: each for name, each in value.items() if not (fn in ANSWERING and name in MESSAGES)}
    return {name: comparable(_without_prose(name, each), fn) for name, each in kept.items()}


def _without_prose(name: str, value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if name in ("kernelPath", "fallbackKernelPath"):
        return {key: each for key, each in value.items() if key not in ("name", "description")}
    if name == "laneIntegrity" and isinstance(value.get("policy"), dict):
        policy = {key: each for key, each in value["policy"].items() if key not in ("reason", "evidence")}
        return {**value, "policy": policy}
    return value


def _same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal: members in any order, numbers as doubles, and true is not 1."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if type(left) in (int, float) and type(right) in (int, float):
        return float(left) == float(right)
    return isinstance(left, bool) is isinstance(right, bool) and left == right
