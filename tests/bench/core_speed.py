"""What the core costs, against marks: `pytest -n 0 tests/bench/core_speed.py`, on a machine that does nothing else.

A mark in milliseconds was set on one machine. It is held on others by a yardstick: plain Python that does what no
engine can do without, go through the steps and build an answer's dictionaries. The yardstick is timed in the same run,
and a mark is so many times the yardstick, whatever the machine. Every figure is the best of many rounds.
"""

from __future__ import annotations

import gc
import json
import random
import time
import tracemalloc
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import kernelpath as kp
from conformance.recorded import cases, catalog, pack
from kernelpath.packs.row_text import class_name

#: What the yardstick takes on the machine on which the marks were set, in milliseconds.
YARDSTICK = 1.06
LAYERS = 64


def best(call: Callable[[], object], seconds: float = 2.0, least: int = 5) -> float:
    """Return the shortest time of many calls, in milliseconds."""
    shortest, end, rounds = float("inf"), time.perf_counter() + seconds, 0
    while rounds < least or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        shortest = min(shortest, time.perf_counter() - start)
        rounds += 1
    return shortest * 1000


@cache
def preset() -> dict[str, Any]:
    """Return the 35-step preset's inference section."""
    [case] = [case for case in cases("presets") if case["id"] == "apply/preset/embeddinggemma-f16-f32a"]
    found: dict[str, Any] = case["options"]["manifest"]["inference"]
    return found


def steps(count: int, *, mixed: bool = False) -> dict[str, Any]:
    """Return an inference section of so many layer steps; mixed ones run on layers and in phases of their own."""
    chance = random.Random(0)
    inference: dict[str, Any] = json.loads(json.dumps(preset()))
    listed = [step for step in inference["execution"]["steps"] if step["section"] == "layer"]
    made = [{**listed[number % len(listed)], "id": f"s{number}"} for number in range(count)]
    for step in made if mixed else ():
        if step["op"] != "attention":
            step["phase"] = chance.choice(("both", "prefill", "decode"))
        if chance.random() < 0.5:
            step["layers"] = sorted(chance.sample(range(LAYERS), chance.randint(1, LAYERS)))
    inference["execution"]["steps"] = made
    return inference


def yardstick(listed: list[dict[str, Any]]) -> object:
    """Do what no engine can do without: look at each step, and build the dictionaries of the answer."""
    known: dict[str, int] = {}
    resolved, emitted, traces = [], [], []
    for place, step in enumerate(listed):
        if known.setdefault(step["id"], place) != place or not isinstance(step["src"], str):
            raise ValueError(step["id"])
        if step["phase"] in ("prefill", "decode", "both") and step["section"] == "layer":
            precision = {"inputDtype": "f32", "mathDtype": "f32", "accumDtype": "f32", "outputDtype": "f32"}
            resolved.append(
                {**step, "src": step["src"].strip(), "dst": step["dst"].strip(), "precision": precision, "kvIO": None}
            )
            traces.append({name: {"source": "manifest"} for name in precision})
            emitted.append({"op": step["op"], "kernel": step["kernel"], "entry": step.get("entry") or "main"})
    return resolved, emitted, traces


@cache
def scale() -> float:
    """Return how many times slower this machine is than the one on which the marks were set."""
    listed = steps(1_000)["execution"]["steps"]
    gc.disable()
    try:
        return best(lambda: yardstick(listed), 3.0) / YARDSTICK
    finally:
        gc.enable()


def held(limit: float, inference: dict[str, Any], **options: Any) -> tuple[float, float]:
    """Return the time of compiling, and the mark as this machine has it, both in milliseconds."""

    def compiled() -> kp.Result:
        return kp.compile(inference, pack=pack(), catalog=catalog(), model_id="m", **options)

    assert compiled().ok
    return best(compiled), limit * scale()


@pytest.mark.parametrize(
    ("count", "layers", "limit", "mixed"),
    [
        (35, 26, 0.5, False),
        (1_000, 64, 20, False),
        (1_000, 64, 20, True),
        (10_000, 64, 200, False),
        (10_000, 64, 200, True),
    ],
)
def test_compiling(count: int, layers: int, limit: float, mixed: bool, record_property: Any) -> None:
    """The preset, a thousand and ten thousand steps are compiled within their marks."""
    inference = preset() if count == 35 else steps(count, mixed=mixed)
    took, mark = held(limit, inference, num_layers=layers)
    record_property("milliseconds", round(took, 3))
    assert took < mark, f"{took:.2f} ms, and the mark is {mark:.2f} ms here"


@pytest.mark.parametrize("count", [35, 1_000, 10_000])
def test_layers_that_are_alike_cost_as_one(count: int) -> None:
    """Sixty-four equal layers cost less than one and a half times one."""
    inference = preset() if count == 35 else steps(count)
    many, one = (
        best(lambda layers=layers: kp.compile(inference, pack=pack(), catalog=catalog(), num_layers=layers))
        for layers in (LAYERS, 1)
    )
    assert many < 1.5 * one, f"{many:.2f} ms for {LAYERS} layers, {one:.2f} ms for one"


def test_layers_of_their_own_cost_less_than_half_as_much_again() -> None:
    """A graph whose every other step names its layers costs less than one and a half times what one layer costs."""
    inference = steps(10_000, mixed=True)
    many, one = (
        best(lambda layers=layers: kp.compile(inference, pack=pack(), catalog=catalog(), num_layers=layers))
        for layers in (LAYERS, 1)
    )
    assert many < 1.5 * one, f"{many:.2f} ms for {LAYERS} layers, {one:.2f} ms for one"


def test_adding_four_thousand_steps_by_patch() -> None:
    """Four thousand adds after one anchor take less than 0.2 s."""
    inference = steps(100)
    added = [{**inference["execution"]["steps"][0], "id": f"n{number}"} for number in range(4_000)]
    patch = {"executionPatch": {"add": [{"insertAfter": "s0", "step": step} for step in added]}}
    took, mark = held(200, inference, runtime=patch)
    assert took < mark, f"{took:.1f} ms, and the mark is {mark:.1f} ms here"


def test_a_compiled_check() -> None:
    """A rule's compiled condition takes at most two and a half times the same test written by hand."""
    rule = next(r for r in pack().meta["stages"]["flow"] if r["id"].endswith("/read-dtype-mismatch"))
    when, holds = (pack().namespace[rule[part][0]] for part in ("when", "holds"))
    kernel = next(iter(catalog().values()))
    step, policies = _record("Step", op="ffn", kernel=kernel), _record("Policies", dtypeTransition="require_cast_step")
    named = {"step": step, "policies": policies, "input": "f16", "held": "f16"}
    when_values, holds_values = ([named[name] for name in rule[part][1]] for part in ("when", "holds"))

    def by_rule() -> None:
        for _ in range(10_000):
            if when(*when_values) and not holds(*holds_values):
                raise AssertionError

    def by_hand() -> None:
        for _ in range(10_000):
            if _applies(policies, step) and not _same("f16", "f16"):
                raise AssertionError

    rule_time, hand_time = best(by_rule, 1), best(by_hand, 1)
    assert rule_time < 2.5 * hand_time, f"{rule_time / 10:.3f} us by the rule, {hand_time / 10:.3f} us by hand"


def _record(name: str, **fields: Any) -> Any:
    record = pack().namespace[class_name(name)]()
    for field, value in fields.items():
        setattr(record, field, value)
    return record


def _applies(policies: Any, step: Any) -> bool:
    return bool(policies.dtypeTransition == "require_cast_step" and step.op != "cast")


def _same(one: str, other: str) -> bool:
    return one == other


def test_memory() -> None:
    """Ten thousand steps over 64 layers take less than 200 MB at the highest, the manifest not counted."""
    inference = steps(10_000, mixed=True)
    gc.collect()
    tracemalloc.start()
    kp.compile(inference, pack=pack(), catalog=catalog(), num_layers=LAYERS)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200_000_000, f"{peak / 1e6:.0f} MB"
