"""What a change to a pack's files keeps: the whole of what each case gives, in whatever order a test file says it."""

from __future__ import annotations

from pathlib import Path

from kernelpath.analysis.keeping import behaviour

PACK = """\
summary: Boxes.
documents: {order: {doc: boxes}}
items: {boxes: {of: list(order), as: box, index: place, at: 'order#/{place}'}}
stages: {shape: {each: boxes}}
questions: {order: {given: order, answer: 'true'}}
"""
RULE = """\
summary: A box is small.
why: Others do not fit.
check: box != "large"
message: box {place} is large
help: MANY take a smaller one
"""
CASES = """\
cases:
  - name: a small box
    given: {box: small}
    expect: pass
  - name: a large box
    given: {box: large, place: 1}
    expect:
"""


def written(folder: Path, text: str, help_text: str) -> Path:
    """Write a pack of one rule, whose failing case says help and place in the order that a text has."""
    (folder / "shape").mkdir(parents=True)
    (folder / "pack.yaml").write_text(PACK)
    (folder / "shape" / "size.yaml").write_text(RULE.replace("MANY", help_text))
    (folder / "shape" / "size.test.yaml").write_text(CASES + text.replace("MANY", help_text))
    return folder


FAIL = "      fail: box 1 is large\n"
AT = "      at: order#/1\n"
HELP = "      help: MANY take a smaller one\n"


def test_the_order_of_an_expectation_does_not_matter(tmp_path: Path) -> None:
    """A formatter that puts `at` before `help` changes nothing that a case gives."""
    folder = written(tmp_path / "boxes", FAIL + HELP + AT, "please")
    test = folder / "shape" / "size.test.yaml"
    before = behaviour(folder)
    assert {case[2] for case in before.cases} == {"passed"}
    after = behaviour(folder, {test: CASES + (FAIL + AT + HELP).replace("MANY", "please")})
    assert before.broken_by(after) is None


def test_what_a_report_would_cut_counts(tmp_path: Path) -> None:
    """Two outcomes that differ far behind what one line shows are not the same."""
    long = "please " * 60
    folder = written(tmp_path / "boxes", FAIL + HELP + AT, long + "do")
    rule, test = folder / "shape" / "size.yaml", folder / "shape" / "size.test.yaml"
    changes = {path: path.read_text().replace("please do", "please now") for path in (rule, test)}
    broken = behaviour(folder).broken_by(behaviour(folder, changes))
    assert broken == "case `a large box` of `boxes/shape/size` would not give what it gives"
