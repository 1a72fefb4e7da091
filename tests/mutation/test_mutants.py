"""Mutants are noticed, proved equivalent, refused or shown; claims are held to going through all inputs."""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path

import pytest

from kernelpath.analysis.coverage.examples import Bench
from kernelpath.analysis.mutation import Score, mutate_rule
from kernelpath.analysis.mutation.equivalence import tell
from kernelpath.analysis.mutation.mutants import mutants_of
from kernelpath.analysis.mutation.rewriting import Rewriting
from kernelpath.analysis.rule_text import read_rule_text
from kernelpath.analysis.testing import PackTests, load_pack_tests
from kernelpath.packs.model import Check, Rule
from packs.folders import written

SHOP = Path(__file__).parent.parent / "planted" / "shop"
COLOURS = ("red", "green", "blue")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the shop."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(SHOP, tmp_path / "shop"))


def changed(shop: Path, name: str, old: str, new: str) -> None:
    """Replace a text of a file of the shop."""
    path = shop / "boxes" / name
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def score(shop: Path, name: str) -> Score:
    """Return what the tests of a rule make of its mutants."""
    tests = load_pack_tests(shop)
    return mutate_rule(tests, next(file for file in tests.files if file.path.name == f"{name}.test.yaml"), shop)


def test_survivor_is_a_diff_and_a_case(shop: Path) -> None:
    """A mutant that no case notices is shown as a change of the rule's file, with the smallest case that notices it."""
    changed(shop, "fits.test.yaml", "size: 10,", "size: 9,")
    [survivor] = score(shop, "fits").survivors
    assert survivor.difference == (
        "--- shop/boxes/fits.yaml\n"
        "+++ shop/boxes/fits.yaml (mutant)\n"
        "@@ -3,3 +3,3 @@\n"
        ' when: box.colour != "blue"\n'
        "-check: box.size <= most\n"
        "+check: box.size < most\n"
        " message: box `{box.name}` of size {box.size} is larger than {most}\n"
    )
    assert survivor.case is not None
    assert survivor.case.text("the largest") == (
        "- name: the largest\n  given: {box: {colour: red, size: 10}}\n  expect: pass\n"
    )
    assert (survivor.file, survivor.kind) == ("shop/boxes/fits.yaml", "operator")


def test_case_that_is_shown_kills(shop: Path) -> None:
    """Once the case that is shown is added, nothing survives."""
    changed(shop, "fits.test.yaml", "size: 10,", "size: 9,")
    [survivor] = score(shop, "fits").survivors
    assert survivor.case is not None
    path = shop / "boxes" / "fits.test.yaml"
    lines = "".join(f"  {line}\n" for line in survivor.case.text("the largest").splitlines())
    path.write_text(path.read_text(encoding="utf-8") + lines, encoding="utf-8")
    assert score(shop, "fits").survivors == ()


def test_equivalent_mutants_are_left_out(shop: Path) -> None:
    """A condition that says the same twice has mutants that nothing tells from it."""
    changed(
        shop, "fits.yaml", 'when: box.colour != "blue"', 'when: box.colour != "blue" and not (box.colour == "blue")'
    )
    found = score(shop, "fits")
    assert (found.equivalent, found.survivors) == (3, ())


def test_refused_mutants_are_left_out(shop: Path) -> None:
    """A change that the checker refuses, such as a null where none may be, is no mutant."""
    found = score(shop, "shade")
    assert (found.refused, found.survivors) == (3, ())


def test_order_of_candidates_is_noticed_by_its_case(shop: Path) -> None:
    """Without the case of a note, the candidate and its order survive."""
    assert score(shop, "shade").share.percent == 100.0
    text = (shop / "boxes" / "shade.test.yaml").read_text(encoding="utf-8").split("  - name")
    (shop / "boxes" / "shade.test.yaml").write_text(text[0] + "  - name" + text[2], encoding="utf-8")
    assert "candidate left out" in {survivor.kind for survivor in score(shop, "shade").survivors}


RULES = [
    'box.size <= most or box.colour in ["red", "green"] and box.note == null',
    'not (box.size < 3 and box.colour == "red") or box.note == box.colour',
    '(box.note ?? "red") == box.colour or box.size == most',
    'box.colour == "red" or box.colour == "green" or box.colour == "blue"',
    'if box.note == null then box.size > 5 else box.note in ["blue", "red"]',
    'any word in ["red", "blue"]: box.colour == word and box.size > 2',
]


@pytest.mark.parametrize("check", RULES)
def test_claims_hold_for_every_input(check: str, shop: Path) -> None:
    """What is proved equivalent no box tells apart, and where some box does, a case is found."""
    changed(shop, "fits.yaml", "check: box.size <= most", f"check: '{check}'")
    tests = load_pack_tests(shop)
    rule = next(rule for rule in tests.pack.rules() if rule.name == "fits")
    writing, told = Rewriting(tests.pack, read_rule_text(shop, rule)), []
    for mutant in mutants_of(rule):
        if mutant.part is not None and mutant.part.name == "check":
            text = writing.written(mutant)
            born = writing.checked(text) if text else None
            if born is not None:
                telling = tell(tests.pack, rule, born, ())
                told.append((telling.equivalent, telling.case is None, not differs(tests, rule, born)))
    assert told
    assert {one for one in told if len(set(one)) > 1} == set()


def differs(tests: PackTests, rule: Rule, mutant: Rule) -> bool:
    """Return whether some box tells two rules apart, by going through boxes of all colours, notes and sizes."""
    bench = Bench(tests.pack, rule)
    reads_note = isinstance(rule, Check) and "note" in rule.holds.text
    for colour, note, size in product(COLOURS, (None, *COLOURS), range(13)):
        box = {"name": "x", "colour": colour, "size": size} | ({"note": note} if reads_note else {})
        given = bench.given({"index": 0, "box": box})
        assert given is not None
        one, other = bench.outcome(given), bench.outcome(given, mutant)
        assert one is not None
        assert other is not None
        if one.kind != other.kind:
            return True
    return False


FROM_THE_END = {
    "pack.yaml": """\
summary: A pack.
uses: javascript
documents: {d: {doc: a document}}
stages: {s: {doc: one, each: request, at: d#}}
values: {answer: d, names: '["a", "b"]', steps: {is: '[object(s) for s in list(d.steps)]'}}
questions: {q: {given: d, answer: answer}}
""",
    "s/first.yaml": """\
summary: The first step does what the first missing member is called.
why: |
  It counts.
decisions: []
let:
  wrong: '[name for name in names if at(d, name) == null]'
check: length(wrong) == 0 or steps[0]?.op == wrong[0]
message: 'the step `{text(steps[0]?.op)}` is not `{wrong[0]}`'
""",
    "s/first.test.yaml": """\
cases:
  - name: all are there
    given: {names: [a], d: {a: 1}}
    expect: pass
  - name: one is missing
    given: {names: [a], d: {}, steps: [{op: x}]}
    expect: {fail: 'the step `x` is not `a`'}
""",
}


def test_a_mutant_may_take_the_last_item(tmp_path: Path) -> None:
    """An input that shows a mutant may need an item at a place from the end, of a list that is empty otherwise."""
    folder = written(tmp_path / "p", FROM_THE_END)
    tests = load_pack_tests(folder)
    assert mutate_rule(tests, tests.files[0], folder).share.of > 10
