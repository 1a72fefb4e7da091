"""What an author changes in a folder changes the verdict, and nothing else has to change for it."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

import kernelpath as kp
from conformance.recorded import cases

from .folders import SHIPPED, copied, written

HEAD = "summary: A house rule.\nwhy: Ours.\n"
NEW = {
    # the design's own example, under another name
    "flow/read-as-held.yaml": HEAD
    + """\
decisions: [E55]
when: policies.dtypeTransition == "require_cast_step" and step.op != "cast"
check: input == held
message: "step `{step.id}` reads slot `{step.src}` as {input}, but it holds {held}"
help: "cast `{step.src}` from {held} to {input} before `{step.id}`"
fix: {insert_before: step, cast: {from: held, to: input}}
""",
    "flow/attention-accumulates-wide.yaml": HEAD
    + """\
when: step.op == "attention" and phase == "prefill"
let: {wide: accum == "f32" and math == "f32"}
check: wide
message: "attention step `{step.id}` computes in {math} and accumulates in {accum}"
at: /precision
""",
    "flow/output-as-wide-as-input.yaml": HEAD
    + """\
severity: warning
check: not (input == "f32" and output == "f16")
message: "step `{step.id}` narrows {input} to {output} in {phase}"
""",
    "step-shape/plain-id.yaml": HEAD
    + """\
check: matches(text(raw.id), "[A-Za-z0-9_]+")
message: "id `{text(raw.id)}` of step {index} is not plain"
at: /id
""",
    "limits/few-steps.yaml": HEAD
    + """\
let: {listed: length(elements(inference.execution.steps))}
check: listed <= 100
message: "{listed} steps are more than a hundred"
at: /execution/steps
""",
    "result/loop-given.yaml": HEAD
    + """\
severity: note
check: session.decodeLoop != null
message: the session has no decode loop
""",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the shipped pack with the new rules in its folders."""
    return kp.load_pack(str(written(copied(SHIPPED, tmp_path_factory.mktemp("packs") / "house"), NEW)))


@pytest.fixture
def manifest() -> dict[str, Any]:
    """Return an inference section of some steps that the shipped pack accepts without a word; slots hold f32."""
    accepted = [case for case in cases("presets") if case["fn"] == "compile" and case["expect"]["ok"]]
    found = next(case["options"]["manifestInference"] for case in accepted if case["expect"]["value"])
    assert found["sessionDefaults"]["compute"]["defaults"]["activationDtype"] == "f32"
    return copy.deepcopy(found)


def told(result: kp.Result, rule: str) -> list[tuple[str, str, str | None, str | None]]:
    """Return severity, message, subject and pointer of a rule's findings."""
    found = [d for d in result.diagnostics if d.rule.endswith(f"/{rule}")]
    return [(d.severity, d.message, d.subject, d.pointer) for d in found]


def test_shipped_pack_says_nothing_of_it(manifest: dict[str, Any]) -> None:
    """What the new rules are tried on is accepted by the pack as it is shipped."""
    result = kp.compile(manifest, num_layers=2)
    assert (result.ok, result.diagnostics) == (True, ())


def test_a_rule_on_visits_changes_the_verdict(house: Any, manifest: dict[str, Any]) -> None:
    """A rule that reads the step, its phase and two resolved dtypes rejects what was accepted."""
    steps = manifest["execution"]["steps"]
    attention = next(step for step in steps if step["op"] == "attention" and step["phase"] == "prefill")
    attention["precision"] = {**attention.get("precision", {}), "mathDtype": "f16", "accumDtype": "f32"}
    identity, place = attention["id"], steps.index(attention)
    message = f"attention step `{identity}` computes in f16 and accumulates in f32"
    assert kp.compile(manifest).ok
    result = kp.compile(manifest, pack=house)
    found = told(result, "attention-accumulates-wide")
    assert found == [("error", message, identity, f"/inference/execution/steps/{place}/precision")]
    assert not result.ok
    attention["precision"]["mathDtype"] = "f32"
    assert told(kp.compile(manifest, pack=house), "attention-accumulates-wide") == []


def test_a_rule_may_say_what_another_says(house: Any, manifest: dict[str, Any]) -> None:
    """The design's example works under any name; two rules on one fault are two findings, with help and fix."""
    step = manifest["execution"]["steps"][1]
    step["precision"] = {"inputDtype": "f16"}
    held = "f32"
    result = kp.compile(manifest, pack=house)
    expected = ("error", f"step `{step['id']}` reads slot `{step['src']}` as f16, but it holds {held}")
    for rule in ("read-as-held", "read-dtype-mismatch"):
        assert next(found[:2] for found in told(result, rule)) == expected
    [first, *_] = [d for d in result.diagnostics if d.rule == "house/flow/read-as-held"]
    assert first.help == f"cast `{step['src']}` from {held} to f16 before `{step['id']}`"
    assert first.fix == {"insert_before": "step", "cast": {"from": "held", "to": "input"}}
    assert first.decisions == ("E55",)


def test_rules_on_steps_as_written_and_on_the_request(house: Any, manifest: dict[str, Any]) -> None:
    """Rules of other scopes and stages work alike: on the raw step, and on the request as a whole."""
    manifest["execution"]["steps"][0]["id"] = "Not plain"
    assert told(kp.compile(manifest, pack=house), "plain-id") == [
        ("error", "id `Not plain` of step 0 is not plain", "0", "/inference/execution/steps/0/id")
    ]
    manifest["execution"]["steps"] = [dict(manifest["execution"]["steps"][0], id=f"s{n}") for n in range(101)]
    assert told(kp.compile(manifest, pack=house), "few-steps") == [
        ("error", "101 steps are more than a hundred", None, "/inference/execution/steps")
    ]


def test_warnings_and_notes_do_not_reject(house: Any, manifest: dict[str, Any]) -> None:
    """A new rule may remark on what it lets pass; the value is given all the same."""
    manifest["sessionDefaults"]["decodeLoop"] = None
    result = kp.compile(manifest, pack=house)
    assert result.ok
    assert result.value is not None
    assert told(result, "loop-given") == [("note", "the session has no decode loop", None, None)]


def test_a_removed_rule_removes_its_findings(tmp_path: Path) -> None:
    """Without its file a rule says nothing, and what it alone rejected is accepted."""
    pack = copied(SHIPPED, tmp_path / "lax")
    (pack / "flow" / "read-dtype-mismatch.yaml").unlink()
    (pack / "flow" / "output-declared.yaml").unlink()
    lax = kp.load_pack(str(pack))
    rejected = [case for case in cases("generated") if case["expect"].get("decision") == "E55"]
    compiled = [case["options"].get("manifestInference") for case in rejected if case["fn"] == "compile"]
    results = [kp.compile(inference, pack=lax) for inference in compiled]
    assert not any(told(result, "read-dtype-mismatch") for result in results)
    assert any(result.ok for result in results)


def test_an_extending_pack_replaces_removes_and_adds(tmp_path: Path) -> None:
    """A pack of three files changes what it extends, rule by rule; the rest stays as it is shipped."""
    pack = written(
        tmp_path / "ours",
        {
            "pack.yaml": "summary: Ours.\nextends: execution-v0\n"
            "rules: {execution-v0/pinning/unique-id: {level: off, reason: ours}}\n",
            "limits/few-steps.yaml": NEW["limits/few-steps.yaml"],
            "gate/schema-name.yaml": HEAD
            + 'severity: warning\ncheck: inference.schema == "ours/v1"\nmessage: not ours\n',
        },
    )
    ours = kp.load_pack(str(pack))
    manifest = {"schema": "doppler.execution/v0", "execution": {"steps": [None] * 101}}
    found = [(d.rule, d.message) for d in kp.compile(manifest, pack=ours).diagnostics]
    assert found[:2] == [
        ("ours/gate/schema-name", "not ours"),
        ("ours/limits/few-steps", "101 steps are more than a hundred"),
    ]
    assert ("execution-v0/session/session-object", "`sessionDefaults` is missing") in found
    assert not any("unique-id" in rule for rule, _ in found)


def test_edits_of_a_loaded_pack_count_at_once(tmp_path: Path) -> None:
    """A pack that is given by its folder is read again when a file of it changed, and only then."""
    pack = written(copied(SHIPPED, tmp_path / "mine"), {})
    before = kp.load_pack(str(pack))
    assert kp.load_pack(str(pack)) is before
    written(pack, {"limits/few-steps.yaml": NEW["limits/few-steps.yaml"].replace("100", "0")})
    manifest = {"schema": "doppler.execution/v0", "execution": {"steps": [None]}}
    assert told(kp.compile(manifest, pack=str(pack)), "few-steps") == [
        ("error", "1 steps are more than a hundred", None, "/inference/execution/steps")
    ]
