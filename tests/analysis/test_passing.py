"""What a stage may rely on of the stages before it: an item that nothing kept out may be anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.planted import add_rule, copied, small_pack
from kernelpath.analysis.analyze import analyze
from kernelpath.packs.files import PackErrors
from kernelpath.packs.reading import read_pack

PACK = """uses: javascript
documents: {{crates: {{type: list<Crate>}}}}
vocabularies: {{colour: {{values: [red, green, blue]}}}}
records:
  Part: {{fields: {{whole: bool}}}}
  Crate: {{fields: {{shade: 'colour?', full: bool, part: 'Part?'}}}}
items: {{boxes: {{of: crates, as: box}}, others: {{of: crates, as: box}}}}
stages:
  first: {{each: {first}, gives: {{tint: 'colour?'}}}}
  second: {{each: boxes{after}}}
questions: {{look: {{given: [crates], answer: 'null'}}}}
"""
AFTER = ", after: [first]"
RED = 'check: box.shade == "red"'


def _check(body: str, severity: str = "error") -> str:
    return f"severity: {severity}\nmessage: no\n{body}\n"


def _pack(first: str, after: str) -> str:
    return PACK.format(first=first, after=after)


#: What stands in the first stage, over which table, what the second is after, and whether it relies on what passed.
CASES = {
    "an error": (_check(RED), "boxes", AFTER, True),
    "a warning": (_check(RED, "warning"), "boxes", AFTER, False),
    "a note": (_check(RED, "note"), "boxes", AFTER, False),
    "a stage that it is not after": (_check(RED), "boxes", "", False),
    "a stage over other rows": (_check(RED), "others", AFTER, False),
    "an error of some rows": (_check(f"when: box.full\n{RED}"), "boxes", AFTER, False),
}


@pytest.mark.parametrize("name", CASES)
def test_a_check_never_fails_only_where_every_row_passed_one_like_it(tmp_path: Path, name: str) -> None:
    """A check of a later stage is idle only if an earlier one keeps out all that would fail it."""
    rule, over, after, idle = CASES[name]
    pack = small_pack(tmp_path / "boxes", _pack(over, after), {"first/rule": rule, "second/again": _check(RED)})
    found = [(one.kind, one.rule) for one in analyze(pack).findings if one.stage == "second"]
    assert found == ([("idle-check", "boxes/second/again")] if idle else [])


REFUSED = ["`box.part` may be null (`Part?`), so `.whole` cannot be read"]


def _refused(folder: Path, declarations: str, rules: dict[str, str]) -> list[str]:
    try:
        small_pack(folder, declarations, rules)
    except PackErrors as errors:
        return [found.message for found in errors.diagnostics]
    return []


@pytest.mark.parametrize("name", CASES)
def test_a_value_is_known_not_to_be_null_only_where_every_row_passed(tmp_path: Path, name: str) -> None:
    """A rule reads a member of what may be null if an earlier stage keeps null out."""
    rule, over, after, known = CASES[name]
    rules = {
        "first/rule": rule.replace(RED, "check: box.part != null"),
        "second/reads": _check("check: box.part.whole"),
    }
    assert _refused(tmp_path / "boxes", _pack(over, after), rules) == ([] if known else REFUSED)


@pytest.mark.parametrize(
    ("guards", "known"), [("[box.part]", True), ("[box]", True), ("[box.shade]", False), (None, False)]
)
def test_a_guard_keeps_a_row_from_the_rules_that_read_it(tmp_path: Path, guards: str | None, known: bool) -> None:
    """Within a stage, a check says of what it guards what every rule that reads it may rely on, and of nothing else."""
    guarding = _check("check: box.part != null") + (f"guards: {guards}\n" if guards else "")
    rules = {"second/guard": guarding, "second/a-reader": _check("check: box.part.whole")}
    assert _refused(tmp_path / "boxes", _pack("boxes", ""), rules) == ([] if known else REFUSED)


def test_rules_come_after_what_they_read(tmp_path: Path) -> None:
    """Names say nothing of the order: what gives and what guards stands before what reads, the rest by name."""
    rules = {
        "first/a-reads-tint": _check('check: tint == "red"'),
        "first/b-alone": _check("check: box.full"),
        "first/y-guard": _check("check: box.shade != null\nguards: [box.shade]"),
        "first/z-gives": "resolve: tint\nfirst: [{value: box.shade}]\n",
    }
    pack = small_pack(tmp_path / "boxes", _pack("boxes", AFTER), {**rules, "second/again": _check("check: box.full")})
    assert [rule.name for rule in pack.stages["first"].rules] == ["y-guard", "z-gives", "a-reads-tint", "b-alone"]


@pytest.mark.parametrize(
    ("severity", "dead"), [("error", ["strict/pinning/harmless-id"]), ("warning", []), ("note", [])]
)
@pytest.mark.sampled(1)
def test_a_naming_rule_hides_a_rule_of_strict_if_it_is_an_error(tmp_path: Path, severity: str, dead: list[str]) -> None:
    """A rule about ids in `step-shape` leaves `harmless-id` of `pinning` alive unless it rejects the step."""
    pack = copied(tmp_path, "strict")
    naming = f'severity: {severity}\nmessage: no\ncheck: is_string(raw.id) and starts_with(raw.id, "s")'
    add_rule(pack, "step-shape/named-s", naming)
    found = analyze(read_pack(pack)).findings
    assert [one.rule for one in found if one.stage == "pinning"] == dead
