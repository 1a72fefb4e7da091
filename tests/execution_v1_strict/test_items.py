"""What the reference lets pass and strict refuses: one request for each item, made from a recorded real graph."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import kernelpath as kp
from conformance_v1.recorded import requests
from kernelpath.api import run
from kernelpath.packs.model import Rule
from kernelpath.packs.reading import read_pack
from kernelpath.replay import answer
from kernelpath.resources import resource

REFERENCE, STRICT = "execution-v1", "execution-v1-strict"
FOLDER = resource("rules", STRICT)
#: The recorded request whose graph is changed: both packs accept it, without a warning.
RECORDED = "r764"
LACKING = {"hasSubgroups": False, "hasSubgroupsF16": False, "hasF16": True}

Documents = dict[str, Any]


@cache
def loaded(name: str) -> Any:
    """Return a shipped pack, looked at once."""
    return kp.load_pack(name)


@cache
def recorded() -> Any:
    """Return the manifest of the recorded request."""
    return next(each for each in requests("real") if each.identity == RECORDED).options["manifest"]


def documents() -> Documents:
    """Return the recorded manifest as a test may change it, and nothing else."""
    return {"manifest": copy.deepcopy(recorded()), "runtime": {}, "caller": {}}


def own_rules() -> list[Rule]:
    """Return the rules of strict that the pack which it extends does not have."""
    return [rule for rule in read_pack(FOLDER).rules() if rule.identity.startswith(f"{STRICT}/")]


def outcome(pack: str, given: Documents) -> tuple[bool, list[str]]:
    """Return whether a pack accepts, and the rules of its findings, each once."""
    report = run("compile", loaded(pack), given).report
    return report.ok, sorted({found.rule for found in report.diagnostics})


def session(given: Documents) -> Any:
    """Return the session of the manifest."""
    return given["manifest"]["inference"]["session"]


def graph(given: Documents) -> Any:
    """Return the execution graph of the manifest."""
    return given["manifest"]["inference"]["execution"]


def no_policies(given: Documents) -> None:
    """X01."""
    del graph(given)["policies"]


def unknown_policy(given: Documents) -> None:
    """X01."""
    graph(given)["policies"]["dtypeTransitions"] = "require_cast_step"


def policy_word(given: Documents) -> None:
    """X01."""
    graph(given)["policies"]["dtypeTransition"] = "require_cast"


def session_spelling(given: Documents) -> None:
    """X02."""
    session(given)["compute"]["defaults"]["activationDtype"] = " F32"


def precision_spelling(given: Documents) -> None:
    """X02."""
    graph(given)["kernels"]["rmsnorm"]["precision"] = {"inputDtype": "F32"}


def accum_dtype(given: Documents) -> None:
    """X03."""
    session(given)["compute"]["defaults"]["accumDtype"] = "bf16"


def grouped(given: Documents, phase: str, layers: list[int]) -> None:
    """Make a phase's steps those of a group of layers."""
    graph(given)[phase] = [{"layers": layers, "steps": graph(given)[phase]}]


def all_layers(given: Documents) -> list[int]:
    """Return the numbers of the model's layers."""
    return list(range(given["manifest"]["architecture"]["numLayers"]))


def layer_without_steps(given: Documents) -> None:
    """X04."""
    grouped(given, "prefill", all_layers(given)[:-1])


def layer_twice(given: Documents) -> None:
    """X05."""
    grouped(given, "decode", [*all_layers(given), 3])


def group_of_no_layer(given: Documents) -> None:
    """X05."""
    graph(given)["decode"].append({"layers": [], "steps": []})


def layer_beyond(given: Documents) -> None:
    """X05."""
    grouped(given, "decode", [*all_layers(given), 99])


def op_twice(given: Documents) -> None:
    """X06."""
    graph(given)["decode"].append({"layers": [2], "steps": [["q_proj", "gemv", "layer.{L}.self_attn.q_proj"]]})


def stale_digest(given: Documents) -> None:
    """X07."""
    graph(given)["kernels"]["rmsnorm"]["digest"] = f"sha256:{'0' * 64}"


def unknown_entry(given: Documents) -> None:
    """X08."""
    graph(given)["kernels"]["rmsnorm"]["entry"] = "mainn"


def misplaced_op(given: Documents) -> None:
    """X09."""
    graph(given)["decode"].append(["final_norm", "rmsnorm"])


def unknown_op(given: Documents) -> None:
    """X09."""
    graph(given)["decode"].append(["input_nrom", "rmsnorm"])


def unused_kernel(given: Documents) -> None:
    """X10."""
    graph(given)["kernels"]["second"] = dict(graph(given)["kernels"]["rmsnorm"])


def precision_member(given: Documents) -> None:
    """X11."""
    graph(given)["kernels"]["rmsnorm"]["precision"] = {"inputDtpye": "f16"}


def attention_without_path(given: Documents) -> None:
    """X12."""
    graph(given)["inlineKernelPath"] = False
    for kernel in graph(given)["kernels"].values():
        if kernel["kernel"].startswith("attention"):
            kernel["precision"] = {"kvDtype": "f32"}


def add_cast(given: Documents, section: str, source: str, target: str) -> None:
    """Add a cast to a list of the graph, on the kernel from f32 to f16."""
    kernel = kp.load_catalog("doppler-0.5.1")["cast_f32_to_f16.wgsl#main"]
    graph(given)["kernels"]["cast"] = {
        "kernel": kernel.kernel,
        "entry": kernel.entry,
        "digest": kernel.digest,
        "precision": {"inputDtype": source, "outputDtype": target},
    }
    graph(given)[section].append(["cast", "cast"])


def idle_cast(given: Documents) -> None:
    """X13."""
    add_cast(given, "preLayer", "f16", "f16")


def reversed_cast(given: Documents) -> None:
    """X13."""
    add_cast(given, "preLayer", "f16", "f32")


def dropped_cast(given: Documents) -> None:
    """X13."""
    add_cast(given, "decode", "f32", "f16")


def weights_of_one_layer(given: Documents) -> None:
    """X14."""
    next(step for step in graph(given)["decode"] if step[0] == "q_proj")[2] = "layer.0.self_attn.q_proj"


def weights_outside_layers(given: Documents) -> None:
    """X14."""
    graph(given)["preLayer"][0][2] = "layer.{L}.embed_tokens"


def layer_kind(given: Documents) -> None:
    """X15."""
    given["manifest"]["inference"]["layerPattern"] = {"layerTypes": ["full"] * len(all_layers(given)[1:]) + ["lineer"]}


def too_few_kinds(given: Documents) -> None:
    """X15."""
    given["manifest"]["inference"]["layerPattern"] = {"layerTypes": ["full"] * len(all_layers(given)[1:])}


def patch_member(given: Documents) -> None:
    """X16."""
    given["runtime"] = {"executionPatch": {"sets": [{"op": "q_proj", "kernelKey": "rmsnorm"}]}}


def set_member(given: Documents) -> None:
    """X16."""
    changed = {"op": "input_norm", "sektion": "decode", "kernelKey": "rmsnorm"}
    given["runtime"] = {"executionPatch": {"set": [changed]}}


def added_member(given: Documents) -> None:
    """X16."""
    kernel = graph(given)["kernels"]["rmsnorm"]
    added = {"key": "norm", "kernel": kernel, "precision": {"inputDtype": "f16"}}
    changed = {"op": "final_norm", "kernelKey": "norm"}
    given["runtime"] = {"executionPatch": {"addKernels": [added], "set": [changed]}}


def device_without_subgroups(given: Documents) -> None:
    """X17."""
    given["caller"] = {"capabilities": LACKING}
    policy = {"mode": "capability-aware", "sourceScope": ["manifest"], "onIncompatible": "remap"}
    given["runtime"] = {"kernelPathPolicy": policy}


def unguarded_f16(given: Documents) -> None:
    """X21."""
    session(given)["compute"]["defaults"]["activationDtype"] = "f16"
    for kernel in graph(given)["kernels"].values():
        if kernel["kernel"].startswith("attention"):
            kernel["precision"] = {"activationDtype": "f32", "kvDtype": "f16"}


def write_f16(given: Documents, section: str, op: str) -> None:
    """Have an op run a kernel of its own, which is said to write f16."""
    step = next(each for each in graph(given)[section] if each[0] == op)
    kernel = graph(given)["kernels"][step[1]]
    graph(given)["kernels"]["narrow"] = {**kernel, "precision": {"outputDtype": "f16"}}
    step[1] = "narrow"


def narrow_residual(given: Documents) -> None:
    """X22."""
    write_f16(given, "decode", "o_proj")


def narrow_tail(given: Documents) -> None:
    """X23."""
    write_f16(given, "postLayer", "final_norm")


#: The rules of strict that each change is found by; the first has the item as its decision.
FOUND: dict[Callable[[Documents], None], list[str]] = {
    no_policies: ["policies/policies-object"],
    unknown_policy: ["policies/policies-known"],
    policy_word: ["policies/policy-words"],
    session_spelling: ["session-dtypes/dtype-spelling"],
    precision_spelling: ["pinning/precision-spelling"],
    accum_dtype: ["session-dtypes/declared-dtypes"],
    layer_without_steps: ["layers/layers-covered"],
    layer_twice: ["groups/group-layers-once"],
    group_of_no_layer: ["groups/group-layers-once"],
    layer_beyond: ["groups/group-layers-exist"],
    op_twice: ["written-uses/op-once"],
    stale_digest: ["pinning/digest-current"],
    unknown_entry: ["pinning/kernel-known"],
    misplaced_op: ["written-uses/op-section"],
    unknown_op: ["written-uses/op-known"],
    unused_kernel: ["pinning/kernel-used"],
    precision_member: ["pinning/precision-known"],
    attention_without_path: ["attention/attention-dtypes"],
    idle_cast: ["written-uses/cast-changes"],
    reversed_cast: ["written-uses/cast-kernel"],
    dropped_cast: ["written-uses/cast-runs"],
    weights_of_one_layer: ["written-uses/layer-weights"],
    weights_outside_layers: ["written-uses/layer-weights"],
    layer_kind: ["layer-types/types-known"],
    too_few_kinds: ["layer-types/types-count"],
    patch_member: ["patch-words/patch-members"],
    set_member: ["set-words/set-members"],
    added_member: ["added-words/added-members"],
    device_without_subgroups: ["device/features-offered"],
    unguarded_f16: ["advice/overflow-answered"],
    narrow_residual: ["written-dtypes/residual-write"],
    narrow_tail: ["written-dtypes/tail-write"],
}
#: What strict only warns of.
WARNED = {unused_kernel, dropped_cast, unguarded_f16, narrow_residual, narrow_tail}
#: What is found in a recorded request as it is: its id, the rule, its item, and what it says.
IDLE = ("r927", "transforms/transforms-work", "X19", "the transform `removeSubgroups` is noted, but changed nothing")
CHANGES = [pytest.param(change, id=change.__name__) for change in FOUND]


def test_both_packs_accept_the_recorded_graph() -> None:
    """Nothing is found in the graph that the requests are made from."""
    assert outcome(REFERENCE, documents()) == (True, [])
    assert outcome(STRICT, documents()) == (True, [])


@pytest.mark.parametrize("change", CHANGES)
def test_the_reference_s_pack_accepts(change: Callable[[Documents], None]) -> None:
    """The pack `execution-v1` finds nothing, as the reference does."""
    given = documents()
    change(given)
    assert outcome(REFERENCE, given) == (True, [])


@pytest.mark.parametrize("change", CHANGES)
def test_strict_finds_it(change: Callable[[Documents], None]) -> None:
    """Strict finds just what the change made wrong."""
    given = documents()
    change(given)
    assert outcome(STRICT, given) == (change in WARNED, [f"{STRICT}/{rule}" for rule in FOUND[change]])


def test_strict_finds_an_idle_transform() -> None:
    """A transform that is noted and changed nothing is warned of; the reference's pack finds nothing."""
    name, rule, _, message = IDLE
    request = next(each for each in requests("real") if each.identity == name)
    found = [each for each in answer(loaded(STRICT), request)["diagnostics"] if each["rule"] == f"{STRICT}/{rule}"]
    assert [(each["severity"], each["message"]) for each in found] == [("warning", message)]
    assert answer(loaded(REFERENCE), request)["diagnostics"] == []


def test_every_rule_has_a_request() -> None:
    """Each rule of the pack is the one that finds some change, and has the item of the change as its decision."""
    own = {rule.identity.removeprefix(f"{STRICT}/"): rule.decisions for rule in own_rules()}
    found = {rule: (str(change.__doc__).rstrip("."),) for change, rules in FOUND.items() for rule in rules}
    assert {**found, IDLE[1]: (IDLE[2],)} == own


def test_readme_lists_the_rules() -> None:
    """The table of the pack's page has each rule once, with its item and its severity."""
    rows = [line.split(" | ") for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()]
    listed = {row[1].strip("`"): (row[0].removeprefix("| "), row[2]) for row in rows if row[0].startswith("| X")}
    own = own_rules()
    assert listed == {rule.identity.removeprefix(f"{STRICT}/"): (rule.decisions[0], rule.severity) for rule in own}
