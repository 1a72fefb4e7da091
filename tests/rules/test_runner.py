"""The runner of rule tests: what passes, what fails with which words, and that nothing passes unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.analysis.testing import BROKEN, FAILED, PASSED, PackResults, load_pack_tests, run_pack_tests
from kernelpath.packs.files import PackErrors
from rules.small_pack import write_pack

FITS = """\
cases:
  - name: small
    given: {box: {size: 20, colour: red}}
    expect: pass
  - name: large
    given: {box: {name: crate, size: 21, colour: red}}
    expect:
      fail: box `crate` of size 21 is larger than 20
      subject: crate
      help: take a box of at most 20
      at: order#/boxes/crate/size
  - name: another limit
    given: {box: {name: crate, size: 3, colour: green}, most: 1}
    expect: {fail: box `crate` of size 3 is larger than 2}
  - name: blue
    given: {box: {colour: blue}}
    expect: skip
"""
SHADE = """\
cases:
  - name: its own
    given: {box: {note: dark, colour: red}, before: blue}
    expect: {value: red, source: note}
  - name: that of the box before
    given: {box: {note: null}, before: blue}
    expect: {value: blue, source: before}
  - name: none before
    given: {box: {}}
    expect: {value: null, source: before}
"""
LABEL = """\
cases:
  - name: with a shade
    given: {box: {name: crate}, shade: red, source(shade): note}
    expect: {value: {text: {name: crate}, shade: red, because: note}}
  - name: without
    given: {box: {name: crate}}
    expect: {value: {text: {name: crate}}}
"""
AFTER = """\
cases:
  - name: painted
    given: {box: {name: crate, colour: green}}
    expect: {slot: crate, holds: green}
"""
SIZED = """\
cases:
  - name: small
    given: {raw: {size: 10}}
    expect: pass
  - name: large
    given: {raw: {size: 11}, index: 4}
    expect: {fail: raw box 4 has size 11, subject: '4', at: order#/4}
  - name: beyond what the language counts
    given: {raw: {size: 9223372036854775807}}
    expect: {error: integer overflow}
  - name: in a whole order
    run: order
    given: {raws: [{size: 1}, {size: 12}]}
    expect: {fail: raw box 1 has size 12, subject: '1', at: order#/1}
  - name: two in a whole order
    run: order
    given: {raws: [{size: 11}, {size: 1}, {size: 12}]}
    expect: {fail: [raw box 0 has size 11, raw box 2 has size 12]}
  - name: a good order
    run: order
    given: {raws: [{size: 1}]}
    expect: pass
"""
NAMED = """\
cases:
  - name: somebody's
    given: {raw: {name: a}}
    expect: pass
  - name: nobody's
    given: {raw: {name: nobody}, index: 0}
    expect: {fail: raw box 0 is nobody's}
"""
GOOD = {
    "boxes/fits": FITS,
    "boxes/shade": SHADE,
    "boxes/label": LABEL,
    "boxes/after": AFTER,
    "raws/sized": SIZED,
    "broken/named": NAMED,
}


def told(results: PackResults) -> list[str]:
    """Return what is wrong, as `line:column: message (help)`."""
    found = []
    for diagnostic in results.diagnostics:
        help_text = f" ({diagnostic.help})" if diagnostic.help else ""
        place = f"{diagnostic.span.line}:{diagnostic.span.column}" if diagnostic.span else "?"
        found.append(f"{place}: {diagnostic.message}{help_text}")
    return found


def test_good_cases_of_every_kind_of_rule_pass(tmp_path: Path) -> None:
    """Checks, resolutions, tables, transitions and whole questions pass where they do what is expected."""
    results = run_pack_tests(write_pack(tmp_path, GOOD))
    assert told(results) == []
    assert results.ok
    assert results.count(PASSED) == 18
    assert results.untested == ()


def test_rules_without_tests_are_named(tmp_path: Path) -> None:
    """A rule that no test file lies beside is among the untested ones."""
    results = run_pack_tests(write_pack(tmp_path, {"boxes/fits": FITS}))
    assert results.untested == (
        "shop/boxes/after",
        "shop/boxes/shade",
        "shop/boxes/label",
        "shop/raws/sized",
        "shop/broken/named",
    )


def test_pack_without_tests_is_no_success(tmp_path: Path) -> None:
    """A pack without any case, and a selection that names none, are not ok."""
    assert not run_pack_tests(write_pack(tmp_path / "none", {})).ok
    assert not run_pack_tests(write_pack(tmp_path / "some", GOOD), select="no such case").ok


def test_selection_keeps_what_has_it_in_rule_or_name(tmp_path: Path) -> None:
    """A selection is looked for in `rule: case`."""
    pack = write_pack(tmp_path, GOOD)
    names = [(result.rule, result.name) for result in run_pack_tests(pack, select="shade").results]
    assert names == [
        ("shop/boxes/label", "with a shade"),
        ("shop/boxes/shade", "its own"),
        ("shop/boxes/shade", "that of the box before"),
        ("shop/boxes/shade", "none before"),
    ]


def test_pack_that_cannot_be_read_is_told_as_such(tmp_path: Path) -> None:
    """The mistakes of the pack itself are raised, not counted as failed tests."""
    pack = write_pack(tmp_path, GOOD)
    (pack / "boxes" / "fits.yaml").write_text("check: 1\n", encoding="utf-8")
    with pytest.raises(PackErrors):
        run_pack_tests(pack)


MISMATCHES = {
    "another message": (
        "boxes/fits",
        "given: {box: {name: crate, size: 30, colour: red}}",
        "expect: {fail: too large}",
        'expected fail "too large", but the rule gives fail "box `crate` of size 30 is larger than 20"',
    ),
    "another subject": (
        "boxes/fits",
        "given: {box: {name: crate, size: 30, colour: red}}",
        "expect: {fail: box `crate` of size 30 is larger than 20, subject: box}",
        'expected fail "box `crate` of size 30 is larger than 20", subject "box", but the rule gives '
        'fail "box `crate` of size 30 is larger than 20", subject "crate"',
    ),
    "a help that is not there": (
        "raws/sized",
        "given: {raw: {size: 11}, index: 0}",
        "expect: {fail: raw box 0 has size 11, help: make it smaller}",
        'expected fail "raw box 0 has size 11", help "make it smaller", but the rule gives '
        'fail "raw box 0 has size 11", help null',
    ),
    "a fail that passes": (
        "boxes/fits",
        "given: {box: {size: 1, colour: red}}",
        "expect: {fail: too large}",
        'expected fail "too large", but the rule gives `pass`',
    ),
    "a skip that passes": (
        "boxes/fits",
        "given: {box: {size: 1, colour: red}}",
        "expect: skip",
        "expected `skip`, but the rule gives `pass`",
    ),
    "a pass that skips": (
        "boxes/fits",
        "given: {box: {colour: blue}, most: 1}",
        "expect: pass",
        "expected `pass`, but the rule gives `skip`",
    ),
    "another value": (
        "boxes/shade",
        "given: {before: blue, box: {}}",
        "expect: {value: red, source: before}",
        'expected value "red", source "before", but the rule gives value "blue", source "before"',
    ),
    "another source": (
        "boxes/shade",
        "given: {before: blue, box: {}}",
        "expect: {value: blue, source: note}",
        'expected value "blue", source "note", but the rule gives value "blue", source "before"',
    ),
    "another part of an object": (
        "boxes/label",
        "given: {box: {name: chest}}",
        "expect: {value: {text: {name: box}}}",
        'expected value {"text": {"name": "box"}}, but the rule gives value {"text": {"name": "chest"}} '
        '(`text.name` is "chest", not "box")',
    ),
    "another slot": (
        "boxes/after",
        "given: {box: {name: a, colour: red}}",
        "expect: {slot: b, holds: red}",
        'expected slot "b", holds "red", but the rule gives slot "a", holds "red"',
    ),
    "an error that is none": (
        "raws/sized",
        "given: {raw: {size: 1}}",
        "expect: {error: integer overflow}",
        'expected error "integer overflow", but the rule gives `pass`',
    ),
    "a question that meets another error": (
        "broken/named",
        "run: order\n    given: {raws: [{size: 11}]}",
        "expect: pass",
        'expected `pass`, but the rule gives error "the question stops at another error: raw box 0 has size 11"',
    ),
    "a fault too few": (
        "raws/sized",
        "run: order\n    given: {raws: [{size: 11}, {size: 12}]}",
        "expect: {fail: raw box 0 has size 11}",
        'expected fail "raw box 0 has size 11", but the rule gives '
        'fail ["raw box 0 has size 11", "raw box 1 has size 12"]',
    ),
}


@pytest.mark.parametrize("name", MISMATCHES)
def test_case_that_differs_fails_and_says_how(tmp_path: Path, name: str) -> None:
    """A case whose rule does something else fails at its `expect`, with both sides in the message."""
    rule, given, expect, message = MISMATCHES[name]
    pack = write_pack(tmp_path, {**GOOD, rule: GOOD[rule] + f"  - name: new\n    {given}\n    {expect}\n"})
    results = run_pack_tests(pack)
    line = len(GOOD[rule].splitlines()) + 2 + len(given.splitlines())
    assert told(results) == [f"{line}:13: {message}"]
    assert [result.outcome for result in results.results if result.diagnostics] == [FAILED]


def test_failed_case_shows_the_values_that_decided(tmp_path: Path) -> None:
    """A mismatch carries what the rule read."""
    case = "  - name: new\n    given: {box: {size: 30, name: a, colour: red}}\n    expect: pass\n"
    [found] = run_pack_tests(write_pack(tmp_path, {"boxes/fits": FITS + case})).diagnostics
    assert found.values == (("box.colour", "red"), ("most", "10"), ("box.size", "30"), ("limit", "20"))


UNGIVEN = {
    "a field that decides": ("boxes/fits", "{box: {colour: red}}", "pass", "field `size` of a Box"),
    "a field that the message shows": (
        "boxes/fits",
        "{box: {size: 30, colour: red}}",
        "{fail: box}",
        "field `name` of a Box",
    ),
    "a variable": ("boxes/fits", "{most: 1}", "pass", "`box`"),
    "a source": ("boxes/label", "{box: {name: a}, shade: red}", "{value: {}}", "`source(shade)`"),
    "what only the subject reads": ("raws/sized", "{raw: {size: 11}}", "{fail: raw box 0}", "`index`"),
}


@pytest.mark.parametrize("name", UNGIVEN)
def test_case_that_lacks_what_the_rule_reads_is_broken(tmp_path: Path, name: str) -> None:
    """What the rule comes to read must be given, or be null by its type."""
    rule, given, expect, path = UNGIVEN[name]
    case = f"  - name: new\n    given: {given}\n    expect: {expect}\n"
    results = run_pack_tests(write_pack(tmp_path, {rule: GOOD[rule] + case}))
    line = len(GOOD[rule].splitlines()) + 1
    assert told(results) == [f"{line}:11: the rule reads {path}, which the case does not give"]
    assert results.results[-1].outcome == BROKEN


def test_two_forms_of_a_rule_are_held_to_each_other(tmp_path: Path) -> None:
    """A compiled form that does something else than the rule means fails every case that shows it."""
    tests = load_pack_tests(write_pack(tmp_path, {"boxes/fits": FITS}))
    tests.compiled.pack.namespace["boxes__fits__holds"] = lambda box, limit: True  # type: ignore[index]
    results = PackResults(tuple(tests.run()), ())
    assert told(results)[0] == (
        '5:11: the rule means fail "box `crate` of size 21 is larger than 20", subject "crate", '
        'help "take a box of at most 20", at "order#/boxes/crate/size", but its compiled form gives `pass` '
        "(this is a fault of the engine: please report it)"
    )
    assert [result.outcome for result in results.results] == [PASSED, FAILED, FAILED, PASSED]


def test_every_part_that_is_evaluated_can_be_observed(tmp_path: Path) -> None:
    """An observer is told each part of a rule before its values, which coverage builds on."""
    parts: list[tuple[str, str, str]] = []
    pack = write_pack(tmp_path, {"boxes/fits": FITS, "boxes/shade": SHADE})
    run_pack_tests(pack, "that of|large", observe=lambda case, rule, part: parts.append((case.name, rule.name, part)))
    assert parts == []
    run_pack_tests(pack, "that of", observe=lambda case, rule, part: parts.append((case.name, rule.name, part)))
    run_pack_tests(pack, ": large", observe=lambda case, rule, part: parts.append((case.name, rule.name, part)))
    assert parts == [
        ("that of the box before", "shade", "first[0].when"),
        ("that of the box before", "shade", "first[1].source"),
        ("that of the box before", "shade", "first[1].value"),
        ("large", "fits", "when"),
        ("large", "fits", "let limit"),
        ("large", "fits", "check"),
    ]


def test_outcomes_can_be_written_as_expectations(tmp_path: Path) -> None:
    """A result keeps what the rule did in the form of a test file, which an update builds on."""
    results = run_pack_tests(write_pack(tmp_path, {"boxes/shade": SHADE, "boxes/fits": FITS}), "box")
    given = [result.given.to_plain() for result in results.results if result.given]
    assert given == [
        "pass",
        {
            "fail": "box `crate` of size 21 is larger than 20",
            "subject": "crate",
            "help": "take a box of at most 20",
            "at": "order#/boxes/crate/size",
        },
        {
            "fail": "box `crate` of size 3 is larger than 2",
            "subject": "crate",
            "help": "take a box of at most 2",
            "at": "order#/boxes/crate/size",
        },
        "skip",
        {"value": "red", "source": "note"},
        {"value": "blue", "source": "before"},
        {"value": None, "source": "before"},
    ]
