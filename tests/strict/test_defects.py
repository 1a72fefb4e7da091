"""Each recorded defect: what the reference's pack makes of it, what strict makes of it, and what tells them apart."""

from __future__ import annotations

from typing import Any

import pytest

import kernelpath as kp

from .ablation import without
from .asked import REFERENCE, STRICT, ask, errors, names, record, rules, warnings
from .defects import DEFECTS

#: Defects of which both packs are free: an uncaught error of the reference, and that it reports one fault alone.
FREE_IN_BOTH = {"B51", "B54", "B61"}


def outcome(result: kp.Result, part: str) -> Any:
    """Return the named part of what a request gives; where it is refused, the rules that refuse it."""
    if not result.ok:
        return [f"refused by {rule.removeprefix('execution-v0/').removeprefix('strict/')}" for rule in rules(result)]
    found = result.value if part else "accepted"
    for name in part.split(".") if part else ():
        found = found.get(name) if isinstance(found, dict) else None
    return found


def without_words(value: Any) -> Any:
    """Return a value without the name and description of kernel paths, which only this project writes."""
    if isinstance(value, dict):
        own = {"name", "description"} if "decode" in value else set()
        return {key: without_words(item) for key, item in value.items() if key not in own}
    return [without_words(item) for item in value] if isinstance(value, list) else value


def test_every_recorded_defect_is_here() -> None:
    """The table of defects has all 72 that are recorded, and no other."""
    assert list(DEFECTS) == names()


@pytest.mark.parametrize("name", DEFECTS)
def test_the_reference_s_pack_has_the_defect(name: str) -> None:
    """The pack `execution-v0` answers as the reference did, right or wrong."""
    expected = record(name)["expect"]
    result = ask(record(name), REFERENCE)
    assert result.ok == expected["ok"]
    if result.ok:
        assert without_words(result.value) == expected["value"]
    elif expected["decision"] != "CRASH":
        first = result.diagnostics[0]
        assert (expected["decision"] in first.decisions, first.subject) == (True, expected.get("subject"))


@pytest.mark.parametrize("name", DEFECTS)
@pytest.mark.sampled(40)
def test_strict_says_what_is_wrong(name: str) -> None:
    """Strict reports exactly the faults that there are; where it accepts, at most warnings."""
    result = ask(record(name))
    if record(name)["fn"] in ("contract", "graph"):
        assert result.value["ok"] == (errors(result) == [])
        return
    expected = [*DEFECTS[name].says, *EXPECTED_WARNINGS.get(name, [])]
    assert sorted(errors(result) or warnings(result)) == sorted(expected)


#: What strict also warns of, beside what the defect is about.
EXPECTED_WARNINGS = {
    "B44": ["step `a` runs kernel `rmsnorm.wgsl#main`, which reads f32, but slot `state` holds f16, in layer 1"],
    "B14": [
        "step `n` runs kernel `rmsnorm_f16.wgsl#main`, which reads f16, but slot `state` holds f32, in layers 0, 1"
    ],
}


@pytest.mark.parametrize("name", [name for name in DEFECTS if name not in FREE_IN_BOTH | {"B20", "B28"}])
@pytest.mark.sampled(8)
def test_this_tells_the_packs_apart(name: str) -> None:
    """Strict without the rules or the operation in question has the defect; with them it has not.

    What only one pack refuses is accepted or refused as by the reference's; what both accept is not as in strict.
    """
    told = DEFECTS[name]
    assert told.rules or told.operations
    requested = record(name)
    reference, strict = ask(requested, REFERENCE), ask(requested, STRICT)
    ablated = ask(requested, without(told.rules, told.operations))
    assert outcome(ablated, told.part) != outcome(strict, told.part)
    assert ablated.ok == reference.ok
    if not (reference.ok and strict.ok):
        assert outcome(ablated, told.part) == outcome(reference, told.part)


def test_one_rule_serves_a_dtype_that_is_written_out_and_one_that_is_not() -> None:
    """B20 and B21 say the same in two ways: strict accepts both, the reference one, for it looks at what is carried."""
    verdicts = {pack: [ask(record(name), pack).ok for name in ("B20", "B21")] for pack in (REFERENCE, STRICT)}
    assert verdicts == {REFERENCE: [True, False], STRICT: [True, True]}
    boundary = without(operations=DEFECTS["B20"].operations)
    assert [ask(record(name), boundary).ok for name in ("B20", "B21")] == [True, False]


@pytest.mark.parametrize("name", sorted(FREE_IN_BOTH))
def test_collected_diagnostics_are_right_in_both_packs(name: str) -> None:
    """What the reference gets wrong by throwing, no pack gets wrong: both report every fault."""
    reference, strict = (errors(ask(record(name), pack)) for pack in (REFERENCE, STRICT))
    assert (len(reference), len(strict)) == (len(DEFECTS[name].says),) * 2


def test_a_warning_tells_the_packs_apart_on_kernel_inputs() -> None:
    """The one defect that strict accepts unchanged is warned of, by one rule alone."""
    assert [(found.rule, found.severity) for found in ask(record("B28")).diagnostics] == [
        ("strict/flow/kernel-input", "warning")
    ]
    assert ask(record("B28"), REFERENCE).diagnostics == ()
    assert [found.severity for found in ask(record("B28"), without(["flow/kernel-input"])).diagnostics] == ["note"]
