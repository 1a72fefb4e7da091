"""Faults that are planted in copies of the shipped packs are found, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from analysis.planted import add_rule, copied, edit, small_pack
from kernelpath.analysis.analyze import analyze
from kernelpath.analysis.analyze.render import render_json, render_markdown, render_text
from kernelpath.analysis.testing.compiled import compile_rules
from kernelpath.analysis.testing.records import RecordValue, filled, neutral
from kernelpath.evaluate.item import ItemWalk
from kernelpath.evaluate.report import Report
from kernelpath.evaluate.slots import Slots
from kernelpath.language import Optional, Record, Type
from kernelpath.packs.model import Pack, Stage
from kernelpath.packs.passing import passed_stages
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource

CHECK = "message: planted\n"


class Fault(NamedTuple):
    """A fault: the file that it is in, its text, and the finding: kind, row, and what it is at fault with.

    `old` is what the text replaces; without it the text is a rule of its own.
    """

    rule: str
    text: str
    kind: str
    row: int | None = None
    by: tuple[str, ...] = ()
    old: str = ""


FIRST = [
    Fault(
        "step-shape/two-ops",
        f'{CHECK}when: raw.op == "cast" and raw.op == "noop"\ncheck: raw.id != null',
        "dead-rule",
    ),
    Fault(
        "session/no-session",
        f"{CHECK}when: not is_object(manifest_session)\ncheck: num_layers == 5",
        "dead-rule",
        by=("session/session-object",),
    ),
    Fault("flow/any-op", f'{CHECK}check: step.op == "cast" or step.op != "cast"', "idle-check"),
    Fault("pinning/still-an-object", f"{CHECK}check: is_object(raw)", "idle-check"),
    Fault(
        "session-parts/cache-too",
        f"{CHECK}when: is_object(manifest_session.kvcache)\n"
        'check: manifest_session.kvcache.kvDtype == "f16" or dtype_of(manifest_session.kvcache.kvDtype) != null',
        "shadowed-rule",
        by=("session-parts/kvcache-dtype",),
    ),
    Fault(
        "decode-loop/no-batch",
        f"{CHECK}when: is_object(manifest_session.decodeLoop)\n"
        "check: number(manifest_session.decodeLoop.batchSize) <= 0",
        "contradiction",
        by=("decode-loop/batch-size",),
    ),
    Fault(
        "path-lists/finiteness-fallback",
        "  - {match: {asked: elsewhere}, value: 'null'}\n  - {match: {asked: gemma2-f16-f16a}",
        "redundant-row",
        row=4,
        old="  - {match: {asked: gemma2-f16-f16a}",
    ),
    Fault(
        "kernel-path/kernel-path",
        "when: has_path and not has_path, value: post_steps",
        "dead-row",
        row=11,
        old="when: length(post_steps) > 0, value: post_steps",
    ),
    Fault(
        "flow/math-dtype",
        "  - {value: default_math, source: math_source}\n  - {value: default_accum, source: accum_source}",
        "shadowed-row",
        row=4,
        by=("candidate 3",),
        old="  - {value: default_math, source: math_source}",
    ),
    Fault(
        "flow/accum-dtype",
        "table: accum\nhit: first\ninputs: {own: default_accum}\nrows:\n"
        "  - {match: {own: f16}, value: '\"f16\"'}\n  - {match: {own: null}, value: '\"f32\"'}",
        "gap",
    ),
]

SECOND = [
    Fault(
        "flow/setting",
        f'{CHECK}when: policies.unresolvedKernel != "error"\ncheck: step.id != "x"',
        "switched-off",
    ),
    Fault(
        "flow/third-dtype",
        f'{CHECK}when: output != "f16" and output != "f32"\ncheck: step.id != "x"',
        "dead-rule",
        by=("flow/precision-dtypes",),
    ),
    Fault(
        "flow/unwritten",
        'when: step.id == "a" and step.id == "b"\ntransition: {slot: step.src, holds: output}',
        "dead-rule",
    ),
    Fault(
        "flow/attention-reads",
        f"{CHECK}"
        'when: policies.dtypeTransition == "require_cast_step" and step.op == "attention"\ncheck: input == held',
        "shadowed-rule",
        by=("flow/read-dtype-mismatch",),
    ),
    Fault(
        "path-kernels/small",
        f'{CHECK}when: starts_with(trim(text(step.kernel)), "attention_small_f16kv")\n'
        'check: activation == "f32" and cache_dtype == "f16"',
        "shadowed-rule",
        by=("path-kernels/attention-kernel-dtypes",),
    ),
    Fault(
        "step-shape/whole-layers",
        f"{CHECK}when: is_list(raw.layers)\ncheck: 'all layer in raw.layers: is_integer(layer)'",
        "shadowed-rule",
        by=("step-shape/step-layers",),
    ),
    Fault(
        "step-shape/has-id",
        f'severity: warning\n{CHECK}check: has(raw, "id")',
        "shadowed-rule",
        by=("step-shape/step-id",),
    ),
    Fault(
        "profiles/odd-digest",
        f'{CHECK}when: profile.kernelRef.digest == "sha256"\ncheck: index > 5',
        "dead-rule",
        by=("profiles/profile-reference",),
    ),
    Fault(
        "layer-overrides/layer-override",
        "  - {path: layers, value: '[layer.index]'}\n  - {path: layers, value: '[0]'}",
        "overlap",
        row=2,
        by=("row 1",),
        old="  - {path: layers, value: '[layer.index]'}",
    ),
]

THIRD = [
    Fault("path-steps/layer-part", f'{CHECK}when: part == "layer"\ncheck: decode_list', "dead-rule"),
    Fault(
        "path-steps/path-part",
        '  - {when: \'step.raw.section == "layer"\', value: \'""\'}\n  - {when: \'step.raw.section == "sampling"',
        "redundant-row",
        row=4,
        old='  - {when: \'step.raw.section == "sampling"',
    ),
    Fault(
        "path-lists/finiteness-fallback",
        "  - {match: {asked: gemma2-f16-f16a}, value: '\"one\"'}\n  - {match: {asked: gemma2-f16-f16a}",
        "overlap",
        row=5,
        by=("row 4",),
        old="  - {match: {asked: gemma2-f16-f16a}",
    ),
    Fault(
        "flow/kv-read-dtype",
        "  - {when: truthy(step.raw.kvIO) or truthy(step.profile?.kvIO), value: held}\n  - {value: default_cache",
        "shadowed-row",
        row=3,
        by=("candidate 1", "candidate 2"),
        old="  - {value: default_cache",
    ),
    Fault(
        "flow/output-dtype",
        '  - {when: \'step.op == "cast" and step.op == "attention"\', value: held}\n  - {value: default_output',
        "dead-row",
        row=5,
        old="  - {value: default_output",
    ),
    Fault(
        "session-parts/both-there",
        f'{CHECK}check: has(manifest_session, "kvcache") and has(manifest_session, "decodeLoop")',
        "shadowed-rule",
        by=("session-parts/kvcache-object", "session-parts/decode-loop-object"),
    ),
    Fault(
        "decode-loop/readback-again",
        f"{CHECK}let: {{interval: manifest_session.decodeLoop.readbackInterval}}\n"
        "when: is_object(manifest_session.decodeLoop)\ncheck: is_integer(interval) and interval > 0",
        "shadowed-rule",
        by=("decode-loop/readback-interval",),
    ),
    Fault(
        "decode-loop/odd-mode",
        f'{CHECK}when: manifest_session.decodeLoop.stopCheckMode == "Batch"\n'
        'check: lower(text(manifest_session.decodeLoop.stopCheckMode)) in ["batch", "token"]',
        "idle-check",
    ),
    Fault(
        "step-shape/conv-twice",
        f'{CHECK}when: raw.op in ["conv", "noop"]\ncheck: raw.phase == "decode"',
        "contradiction",
        by=("step-shape/conv-once",),
    ),
    Fault(
        "step-shape/conv-once",
        f'{CHECK}when: raw.op == "conv"\ncheck: raw.phase == "prefill"',
        "",
    ),
    Fault(
        "layer-limits/many",
        f"{CHECK}check: not is_integer(num_layers) or num_layers <= 100000",
        "shadowed-rule",
        by=("layer-limits/layer-limit",),
    ),
    Fault(
        "overlay/single",
        f"{CHECK}let: {{total: length(elements(runtime))}}\nwhen: is_list(runtime)\ncheck: total != 1",
        "shadowed-rule",
        by=("overlay/plain-overlay",),
    ),
]
PAIRS = {  # three checks of which any two can be satisfied at once
    "path-kernels/a": 'message: a\ncheck: activation != "f16"',
    "path-kernels/b": 'message: b\ncheck: activation != "f32"',
    "path-kernels/c": "message: c\ncheck: activation != null",
}


def _planted(folder: Path, faults: list[Fault]) -> Path:
    pack = copied(folder, "execution-v0")
    if any(fault.kind == "overlap" and "finiteness" in fault.rule for fault in faults):
        edit(pack, "path-lists/finiteness-fallback.yaml", "hit: first", "hit: unique")
    for fault in faults:
        if fault.old:
            edit(pack, f"{fault.rule}.yaml", fault.old, fault.text)
        else:
            add_rule(pack, fault.rule, fault.text)
    return pack


def _expected(fault: Fault) -> tuple[str, str, int | None, tuple[str, ...]]:
    by = tuple(f"execution-v0/{name}" if "/" in name else name for name in fault.by)
    return fault.kind, f"execution-v0/{fault.rule}", fault.row, by


@pytest.mark.parametrize("faults", [FIRST, SECOND, THIRD], ids=["first", "second", "third"])
def test_planted_faults_are_found(tmp_path: Path, faults: list[Fault]) -> None:
    """Each planted fault is found, with its row and what it is at fault with, and there is no other finding."""
    analysis = analyze(read_pack(_planted(tmp_path, faults)))
    found = {(one.kind, one.rule, one.row, one.by) for one in analysis.findings}
    assert found == {_expected(fault) for fault in faults if fault.kind}
    assert analysis.skipped == ()


def test_thirty_faults_are_planted() -> None:
    """The three copies have thirty faults, of every kind but the one that has a test of its own."""
    planted = [fault for fault in [*FIRST, *SECOND, *THIRD] if fault.kind]
    assert len(planted) == 30
    assert {fault.kind for fault in planted} == {
        "dead-rule", "idle-check", "shadowed-rule", "contradiction", "redundant-row", "dead-row", "shadowed-row", "gap",
        "overlap", "switched-off",
    }  # fmt: skip


def test_an_impossible_stage_is_found(tmp_path: Path) -> None:
    """Checks that can be satisfied two by two, but never all at once, are found together."""
    pack = copied(tmp_path, "execution-v0")
    for identity, body in PAIRS.items():
        add_rule(pack, identity, body)
    [found] = analyze(read_pack(pack)).findings
    assert (found.kind, found.rule) == ("impossible-stage", "execution-v0/path-kernels/c")
    assert found.by == ("execution-v0/path-kernels/a", "execution-v0/path-kernels/b")
    assert found.message == (
        "no item can pass all of `execution-v0/path-kernels/a`, `execution-v0/path-kernels/b` "
        "and `execution-v0/path-kernels/c`"
    )


SHIPPED = sorted(path.parent.name for path in resource("rules").glob("*/pack.yaml"))


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_packs_have_no_findings(name: str) -> None:
    """The analysis finds nothing in a shipped pack, and looks at all of its stages."""
    analysis = analyze(read_pack(resource("rules", name)))
    assert [finding.to_dict() for finding in analysis.findings] == []
    assert analysis.skipped == ()


def test_settings_that_switch_rules_are_told() -> None:
    """A rule that a setting switches is listed with the values under which it never applies."""
    switches = analyze(read_pack(resource("rules", "execution-v0"))).switches
    assert [(one.rule, one.setting, one.on, one.off) for one in switches] == [
        ("execution-v0/flow/profile-known", "policies.unresolvedKernel", ("error",), ("any other value",)),
        (
            "execution-v0/flow/read-dtype-mismatch",
            "policies.dtypeTransition",
            ("require_cast_step",),
            ("any other value",),
        ),
        ("execution-v0/flow/kernel-configured", "policies.unsupportedPrecision", ("error",), ("any other value",)),
        ("execution-v0/flow/output-declared", "policies.unsupportedPrecision", ("error",), ("any other value",)),
    ]


def _typed(value: Any, type_: Type) -> Any:
    """Return a value of a witness as rules read it."""
    if isinstance(type_, Optional):
        return None if value is None else _typed(value, type_.inner)
    if isinstance(type_, Record):
        fields = {name: _typed(inner, type_.fields[name]) for name, inner in value.items()}
        return filled(RecordValue(type_, fields), type_)
    return value


def _reported(pack: Pack, stage: Stage, witness: Mapping[str, Any]) -> list[str]:
    """Return the rules of a stage that report a witness when the engine takes it through the stage."""
    scope, compiled = pack.scopes[stage.scope], compile_rules(pack)
    values = {name: pack.constants.get(name, neutral(type_)) for name, type_ in scope.variables.items()}
    values |= {name: _typed(value, scope.variables[name]) for name, value in witness.items()}
    report = Report()
    walk = ItemWalk(compiled.pack, compiled.scopes[scope.name], values, set(), report, Slots())
    stages = (*passed_stages(pack, stage), stage)
    walk.walk([data for each in stages for data in compiled.pack.meta["stages"][each.name]])
    return [found.rule for found in report.diagnostics]


@pytest.mark.parametrize("faults", [FIRST, SECOND, THIRD], ids=["first", "second", "third"])
def test_witnesses_show_their_findings_in_the_engine(tmp_path: Path, faults: list[Fault]) -> None:
    """The engine reports a witness by the rule that is found, and by one of those that it is found with."""
    pack = read_pack(_planted(tmp_path, faults))
    shown = 0
    for found in analyze(pack).findings:
        if found.kind in ("shadowed-rule", "contradiction") and found.witness is not None:
            reported = _reported(pack, pack.stages[found.stage], found.witness)
            assert found.rule in reported
            assert found.kind == "contradiction" or set(found.by) & set(reported)
            shown += 1
    assert shown >= 1


PLACES = {
    "when: lid and not lid\ncheck: full": ("dead-rule", "when: ", "lid and not lid"),
    "check: full or not full": ("idle-check", "check: ", "full or not full"),
}


@pytest.mark.parametrize("body", PLACES)
def test_a_finding_stands_at_what_it_is_about(tmp_path: Path, body: str) -> None:
    """A rule that never applies is shown at its condition, a check that never fails at the check."""
    declarations = (
        "documents: {lid: {type: bool}, full: {type: bool}}\nstages: {look: {each: request}}\n"
        "questions: {looked: {given: [lid, full], answer: 'null'}}\n"
    )
    kind, key, condition = PLACES[body]
    folder = tmp_path / "boxes"
    pack = small_pack(folder, declarations, {"look/a": f"message: no\n{body}"})
    [found] = analyze(pack).findings
    line = (folder / "look" / "a.yaml").read_text(encoding="utf-8").splitlines()[found.place.line - 1]
    assert (found.kind, line) == (kind, key + condition)
    assert line[found.place.column - 1 :] == (condition if kind == "dead-rule" else line)


def test_a_dead_row_stands_at_its_condition(tmp_path: Path) -> None:
    """A row that never applies is shown at what never holds, one that is never chosen as a whole."""
    declarations = (
        "documents: {lid: {type: bool}}\nstages: {look: {each: request, gives: {label: 'string?'}}}\n"
        "questions: {looked: {given: lid, answer: label}}\n"
    )
    conditions = {"a": "lid and not lid", "b": "lid", "c": "lid"}
    rows = "rows:\n" + "".join(f"  - {{when: {text}, value: '\"{name}\"'}}\n" for name, text in conditions.items())
    pack = small_pack(tmp_path / "boxes", declarations, {"look/a": f"table: label\n{rows}"})
    found = [(one.kind, one.place.line, one.place.column) for one in analyze(pack).findings if one.row]
    assert found == [("dead-row", 5, 12), ("shadowed-row", 7, 5)]


COUNTS = {
    "(count x in names: x == own) < 2": False,
    "(count x in names: x == own) != 7": False,
    "(count x in names: x == own) < 50": False,
    "(count x in names: x == own) >= 0": True,
    "(count x in names: x == own) + (count x in names: x != own) == length(names)": False,
    '(count x in names: x == "a") < 2 or (count x in names: x == "b") < 2': False,
}


@pytest.mark.parametrize("condition", COUNTS)
def test_an_item_may_be_in_a_list_several_times(tmp_path: Path, condition: str) -> None:
    """A count of equal items is not one at most; where a count goes far, nothing is said."""
    declarations = (
        "documents: {names: {type: list<string>}, own: {type: string}}\nstages: {look: {each: request}}\n"
        "questions: {looked: {given: [names, own], answer: 'null'}}\n"
    )
    pack = small_pack(tmp_path / "boxes", declarations, {"look/a": f"message: no\ncheck: '{condition}'"})
    assert [found.kind for found in analyze(pack).findings] == ["idle-check"] * COUNTS[condition]


def test_a_finding_is_shown(tmp_path: Path) -> None:
    """Text, Markdown and JSON tell the place, what is wrong, why that is exact, and the witness."""
    declarations = (
        "vocabularies: {colour: {values: [red, blue]}}\n"
        "documents: {shade: {type: colour}, full: {type: bool}}\nstages: {look: {each: request}}\n"
        "questions: {looked: {given: [shade, full], answer: 'null'}}\n"
    )
    check = "message: no\n"
    rules = {"look/a": check + 'check: shade == "red"', "look/b": check + "when: full\ncheck: 'shade != \"blue\"'"}
    analysis = analyze(small_pack(tmp_path / "boxes", declarations, rules))
    place = analysis.findings[0].place
    assert render_text(analysis) == (
        f"{place.file}:5:1: shadowed-rule: whatever fails the check fails `boxes/look/a` too\n"
        "  rule:    boxes/look/b\n"
        "  exact:   it does not fail without that one in any of the 4 cells of shade, full\n"
        '  witness: {"shade": "blue", "full": true}\n'
        "\n"
        "boxes: 1 finding in 2 rules\n"
    )
    row = (
        "| shadowed-rule | `boxes/look/b` | whatever fails the check fails `boxes/look/a` too "
        '| `{"shade": "blue", "full": true}` |'
    )
    assert row in render_markdown(analysis).splitlines()
    [plain] = json.loads(render_json(analysis))["findings"]
    assert (plain["kind"], plain["by"], plain["witness"]) == (
        "shadowed-rule",
        ["boxes/look/a"],
        {"full": True, "shade": "blue"},
    )
