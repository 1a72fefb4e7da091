"""What a stage may rely on of the stages before it: an item that nothing kept out may be anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.planted import add_rule, copied, small_pack
from kernelpath.analysis.analyze import analyze
from kernelpath.packs.files import PackErrors
from kernelpath.packs.reading import read_pack

PACK = """vocabularies: {{colour: {{values: [red, green, blue]}}}}
records: {{Part: {{fields: {{whole: {{type: bool}}}}}}}}
values:
  shade: {{type: 'colour?'}}
  full: {{type: bool}}
  part: {{type: 'Part?'}}
  answer: {{type: json}}
scopes: {{box: {{uses: [shade, full, part], given: {{tint: 'colour?'}}}}}}
stages: {{first: {{scope: box}}, second: {{scope: box, after: [first]}}}}
programs:
  look:
    inputs: [shade, full, part]
    run:
{run}
    value: answer
"""
APART = ["{walk: first}", "{walk: second, needs: [first]}"]
TOGETHER = ["{walk: [first, second]}"]
RED = 'check: shade == "red"'
TINT = "each: box\norder: 5\nresolve: tint\nfirst:\n  - {{value: {0}}}\n"


def _check(body: str, severity: str = "error") -> str:
    return f"each: box\norder: 10\nseverity: {severity}\nmessage: no\n{body}\n"


def _pack(run: list[str]) -> str:
    lines = ["{set: {answer: 'null'}}", *run]
    return PACK.format(run="\n".join(f"      - {entry}" for entry in lines))


#: What stands in the first stage, how items come to the second, and whether a check there that repeats it never fails.
CASES = {
    "an error": ([_check(RED)], APART, True),
    "an error that stops": ([_check(f"{RED}\nstop: true")], APART, True),
    "a warning": ([_check(RED, "warning")], APART, False),
    "a note": ([_check(RED, "note")], APART, False),
    "a warning that stops, walked apart": ([_check(f"{RED}\nstop: true", "warning")], APART, False),
    "a warning that stops, walked together": ([_check(f"{RED}\nstop: true", "warning")], TOGETHER, True),
    "a warning, walked together": ([_check(RED, "warning")], TOGETHER, False),
    "an error where a warning may have stopped the item": (
        [_check("check: full\nstop: true", "warning"), _check(RED).replace("10", "20")],
        APART,
        False,
    ),
    "a conditional walk": ([_check(RED)], ["{walk: first, when: full}", APART[1]], False),
    "two walks under one condition": (
        [_check(RED)],
        ["{walk: first, when: full}", "{walk: second, needs: [first], when: full}"],
        True,
    ),
    "a condition that is another by then": (
        [_check(RED)],
        ["{walk: first, when: full}", "{set: {full: not full}}", "{walk: second, needs: [first], when: full}"],
        False,
    ),
    "a value that is set in between": ([_check(RED)], [APART[0], "{set: {shade: '\"blue\"'}}", APART[1]], False),
    "another value that is set in between": ([_check(RED)], [APART[0], "{set: {full: 'true'}}", APART[1]], True),
    "a value that is set, and looked at again": (
        [_check(RED)],
        [
            APART[0],
            "{set: {shade: '\"blue\"'}, when: full}",
            "{walk: first, when: full}",
            APART[1],
        ],
        True,
    ),
    "a value that is set under another condition than it is looked at": (
        [_check(RED)],
        [
            APART[0],
            "{set: {shade: '\"blue\"'}, when: full}",
            "{walk: first, when: not full}",
            APART[1],
        ],
        False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_check_never_fails_only_where_every_item_passed_one_like_it(tmp_path: Path, name: str) -> None:
    """A check of a later stage is idle only if an earlier one keeps out all that would fail it."""
    rules, run, idle = CASES[name]
    first = {f"first/rule-{place}": rule for place, rule in enumerate(rules)}
    pack = small_pack(tmp_path / "boxes", _pack(run), {**first, "second/again": _check(RED)})
    found = [(one.kind, one.rule) for one in analyze(pack).findings if one.stage == "second"]
    assert found == ([("idle-check", "boxes/second/again")] if idle else [])


@pytest.mark.parametrize("name", CASES)
def test_a_value_is_known_not_to_be_null_only_where_every_item_passed(tmp_path: Path, name: str) -> None:
    """A rule reads a member of what may be null if an earlier stage keeps null out, in every way to come there."""
    rules, run, known = CASES[name]
    reads = _check("check: part.whole")
    first = {
        f"first/rule-{place}": rule.replace(RED, "check: part != null\nstop: true") for place, rule in enumerate(rules)
    }
    first = {path: rule.replace("stop: true\nstop: true", "stop: true") for path, rule in first.items()}
    entries = [entry.replace("shade: '\"blue\"'", "part: 'null'") for entry in run]
    stops = name == "a warning, walked together"  # here it stops, too
    try:
        small_pack(tmp_path / "boxes", _pack(entries), {**first, "second/reads": reads})
        told = []
    except PackErrors as errors:
        told = [found.message for found in errors.diagnostics]
    refused = ["`part` may be null (`Part?`), so `.whole` cannot be read"]
    assert told == ([] if known or stops else refused)


def test_what_a_walk_gives_is_not_what_another_gives(tmp_path: Path) -> None:
    """A check of what the first stage resolves says nothing of what the second one resolves under the same name."""
    rules = {
        "first/tint": TINT.format("shade"),
        "first/red": _check('check: tint == "red"'),
        "second/tint": TINT.format("if full then shade else null"),
        "second/red": _check('check: tint == "red"'),
    }
    for run in (APART, TOGETHER):
        pack = small_pack(tmp_path / "boxes", _pack(run), rules)
        assert [one.kind for one in analyze(pack).findings] == []


FLOWS = """vocabularies: {{colour: {{values: [red, green, blue]}}}}
records: {{Box: {{fields: {{name: {{type: string}}, shade: {{type: colour}}}}}}}}
values: {{boxes: {{type: list<Box>}}, answer: {{type: json}}}}
scopes: {{box: {{item: {{box: Box}}, locals: {{held: 'colour?'}}}}}}
stages: {{first: {{scope: box}}, second: {{scope: box, after: [first]}}}}
flows:
  one: {{stage: first, order: listed, slots: colour, reads: {{held: box.name}}{visits}}}
  two: {{stage: second, order: listed, slots: colour, reads: {{held: box.name}}, visits: 'box.shade != "blue"'}}
  three: {{stage: second, order: listed, slots: colour, reads: {{held: box.name}}, visits: 'box.shade != "green"'}}
programs:
  look:
    inputs: [boxes]
    run:
      - {{set: {{answer: 'null'}}}}
      - {{flow: one, over: boxes, start: {{}}}}
      - {{flow: two, over: boxes, start: {{}}, needs: [first]}}
      - {{flow: three, over: boxes, start: {{}}, needs: [first]}}
    value: answer
"""


@pytest.mark.parametrize(
    ("visits", "first", "second", "found"),
    [
        ("", 'check: box.shade != "red"', 'check: box.shade != "red"', ["idle-check"]),
        (", visits: 'box.name != \"x\"'", 'check: box.shade != "red"', 'check: box.shade != "red"', []),
        ("", "check: held != null", "check: held != null", []),
        ("", 'check: box.name != "x"', 'check: box.shade != "blue"', []),
        ("", 'check: box.name != "x"', 'check: box.shade != "green"', []),
        ("", 'check: box.shade != "red"', 'when: box.shade == "red"\ncheck: box.name != "x"', ["dead-rule"]),
    ],
)
def test_flows_visit_what_they_say(tmp_path: Path, visits: str, first: str, second: str, found: list[str]) -> None:
    """An item comes to a stage by any of its flows; what it held in an earlier flow is not what it holds now."""
    rules = {"first/rule": _check(first), "second/rule": _check(second)}
    pack = small_pack(tmp_path / "boxes", FLOWS.format(visits=visits), rules)
    assert [one.kind for one in analyze(pack).findings] == found


@pytest.mark.parametrize(
    ("severity", "dead"), [("error", ["strict/pinning/harmless-id"]), ("warning", []), ("note", [])]
)
def test_a_naming_rule_hides_a_rule_of_strict_if_it_is_an_error(tmp_path: Path, severity: str, dead: list[str]) -> None:
    """A rule about ids in `step-shape` leaves `harmless-id` of `pinning` alive unless it rejects the step."""
    pack = copied(tmp_path, "strict")
    naming = f'each: raw-step\nseverity: {severity}\nmessage: no\ncheck: is_string(raw.id) and starts_with(raw.id, "s")'
    add_rule(pack, "step-shape/named-s", naming)
    found = analyze(read_pack(pack)).findings
    assert [one.rule for one in found if one.stage == "pinning"] == dead
