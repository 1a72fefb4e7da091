"""What strict's contract and graph artifacts say: the same as compile (B69 to B72)."""

from __future__ import annotations

from typing import Any

import pytest

import kernelpath as kp
from conformance.recorded import catalog

from .asked import ask, loaded, record
from .graphs import POLICIES, cast, manifest, session, step


def verdicts(value: Any) -> dict[str, bool]:
    """Return an artifact's verdicts without the model's name."""
    return {check["id"].partition(".")[2]: check["ok"] for check in value["checks"]}


SMALL = "attention_small.wgsl"
REQUESTS = {
    "right": manifest([step("a")]),
    "kv mismatch": manifest([step("a", op="attention", kernel=SMALL, kvIO={"readDtype": "f16", "writeDtype": "f16"})]),
    "no cache": manifest([step("a", op="attention", kernel=SMALL)], own=session("f32", kvcache=None)),
    "unbound": manifest(
        [{**step("a"), "kernelRef": {"id": "fake", "version": "1.0.0", "digest": "sha256:" + "0" * 64}}]
    ),
    "no profile": manifest([step("a")], own=session("f32", compute={**session()["compute"], "kernelProfiles": []})),
    "dtype": manifest([step("a", precision={"inputDtype": "f16"})]),
    "unwritten": manifest([step("a", src="x")]),
    "unknown op": manifest([step("a", op="Attention")]),
    "layout": manifest(
        [step("a", op="attention", kernel=SMALL)],
        own=session("f32", kvcache={"kvDtype": "f32", "layout": "bdpa_paged"}),
    ),
    "cast": manifest([cast("c", "f16", precision={"inputDtype": "f16"})]),
    "session": manifest([step("a")], own=session("f64")),
}
BLAMED = {
    "right": set(),
    "kv mismatch": {"kvIOPrecedence"},
    "no cache": {"kvIOPrecedence"},
    "unbound": {"kernelProfilePinning"},
    "no profile": {"kernelProfilePinning"},
    "dtype": {"precisionPrecedence"},
    "unwritten": {"graph"},
    "unknown op": {"graph"},
    "layout": {"kvIOPrecedence"},
    "cast": {"precisionPrecedence"},
    "session": {"precisionPrecedence", "kvIOPrecedence"},
}


@pytest.mark.parametrize("name", REQUESTS)
def test_the_contract_agrees_with_compile(name: str) -> None:
    """B69, B70: the contract holds where compile accepts, and blames the part that compile refuses."""
    contract = kp.contract(REQUESTS[name], pack=loaded("strict"), model_id="m", catalog=catalog()).value
    compiled = kp.compile(REQUESTS[name], pack=loaded("strict"), model_id="m", catalog=catalog())
    assert contract["ok"] == compiled.ok == (name == "right")
    assert {verdict for verdict, ok in verdicts(contract).items() if not ok} == BLAMED[name]


@pytest.mark.parametrize("value", ["off", "warn", "allow"])
def test_the_contract_knows_policies(value: str) -> None:
    """B71: where compile does not ask for profiles, the contract does not either."""
    request = {
        **REQUESTS["no profile"],
        "execution": {"steps": [step("a")], "policies": {**POLICIES, "unresolvedKernel": value}},
    }
    contract = kp.contract(request, pack=loaded("strict"), model_id="m", catalog=catalog()).value
    assert contract["ok"]
    assert set(verdicts(contract).values()) == {True}
    assert contract["stats"] == {"kernelProfiles": 0, "pinnedSteps": 1}


def test_an_artifact_of_nothing_is_nothing() -> None:
    """Without a graph there is nothing to check."""
    for function in (kp.contract, kp.graph):
        assert function({"schema": "doppler.execution/v0"}, pack="strict").value is None


@pytest.mark.parametrize(
    ("steps", "how", "blamed"),
    [
        ([step("a")], {}, set()),
        ([step("a", src="x")], {}, {"slotGraph"}),
        ([step("a", op="attention", kernel=SMALL, kvIO={"readDtype": "f16", "writeDtype": "f16"})], {}, {"kvIO"}),
        ([step("a", op="attention", kernel=SMALL)], {"own": session("f32", kvcache=None)}, {"kvIO"}),
        ([step("a", precision={"inputDtype": "f16"})], {}, {"dtypes"}),
        ([cast("c", "f16", fromDtype="f16", layers=[0])], {}, {"dtypes"}),
        ([step("a", layers=[9])], {}, {"shape"}),
        (
            [step("a", src="x", dst="z"), cast("c", "f16", fromDtype="f16", layers=[0], dst="y")],
            {},
            {"slotGraph", "dtypes"},
        ),
        (
            [
                step("p", phase="prefill", dst="x"),
                step("r", src="x", dst="y", phase="decode", section="preLayer"),
                step("w", dst="x", phase="decode", precision={"outputDtype": "f16"}),
            ],
            {},
            {"phaseBoundary"},
        ),
    ],
)
def test_the_graph_artifact_blames_what_is_wrong(steps: list[Any], how: Any, blamed: set[str]) -> None:
    """B72: slots, boundary, cache, dtypes and shape have a verdict each."""
    value = kp.graph(manifest(steps, **how), pack=loaded("strict"), model_id="m", num_layers=2, catalog=catalog()).value
    assert {verdict for verdict, ok in verdicts(value).items() if not ok} == blamed
    assert value["ok"] == (not blamed)


def test_recorded_artifacts_say_the_same_as_compile() -> None:
    """B69 to B72 as recorded."""
    found = {name: ask(record(name)).value for name in ("B69", "B70", "B71", "B72")}
    assert {name: value["ok"] for name, value in found.items()} == {
        "B69": False,
        "B70": False,
        "B71": True,
        "B72": False,
    }
    assert verdicts(found["B72"]) == {
        "slotGraph": True,
        "phaseBoundary": True,
        "kvIO": False,
        "dtypes": True,
        "shape": True,
    }
