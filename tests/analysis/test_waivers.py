"""Waivers: what they waive, until when, and what is wrong with them."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelpath.analysis.waivers import WaiverErrors, apply_waivers, read_waivers
from kernelpath.analysis.waivers.applying import render_json, render_markdown, render_text
from kernelpath.analysis.waivers.globs import matches, matches_rule
from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.evaluate.unasked import Unasked

TODAY = date(2030, 6, 15)
RULES = ["boxes/look/colour", "boxes/look/size", "boxes/pack/weight"]


def _read(text: str) -> list:  # type: ignore[type-arg]
    return read_waivers(Source("waivers.yaml", text))


def _waiver(**members: str) -> str:
    whole = {"rule": "boxes/look/colour", "model": "red-*", "step": "box_1", "reason": "old stock", "owner": "ann"}
    whole |= {"expires": "2030-06-15", **members}
    lines = [f"{name}: {value!r}" for name, value in whole.items() if value]
    return "  - " + "\n    ".join(lines) + "\n"


def _waivers(*items: str) -> list:  # type: ignore[type-arg]
    return _read("waivers:\n" + "".join(items))


def _finding(rule: str = "boxes/look/colour", subject: str | None = "box_1") -> Diagnostic:
    return Diagnostic(rule, (), "error", "the box is blue", subject=subject)


def test_a_waiver_waives_what_its_globs_match() -> None:
    """A finding is waived where rule, model and step match, and reported where one of them does not."""
    findings = {"red-1": [_finding(), _finding(subject="box_2"), _finding("boxes/look/size")], "blue": [_finding()]}
    result = apply_waivers(_waivers(_waiver()), findings, TODAY, RULES)
    assert [(model, found.rule, found.subject, waiver.owner) for model, found, waiver in result.waived] == [
        ("red-1", "boxes/look/colour", "box_1", "ann")
    ]
    assert [(model, found.rule, found.subject) for model, found in result.reported] == [
        ("red-1", "boxes/look/colour", "box_2"),
        ("red-1", "boxes/look/size", "box_1"),
        ("blue", "boxes/look/colour", "box_1"),
    ]
    assert result.findings == ()
    assert not result.ok


def _weight_unasked(*steps: str) -> dict[str, list[Unasked]]:
    return {"red-1": [Unasked(("boxes/pack/weight",), ("boxes/look/colour",), steps)]}


#: The steps that a rule was not asked about (none: all), the step that a waiver of it names, and whether that hides it.
UNASKED = [
    ((), None, True),
    ((), "*", False),
    ((), "box_1", True),
    (("box_1",), None, True),
    (("box_1",), "box_1", False),
    (("box_1",), "box_2", True),
    (("box_1", "box_2"), "box_1", True),
    (("box_1", "box_2"), "box_*", False),
]


@pytest.mark.parametrize(("steps", "step", "hides"), UNASKED)
def test_a_rule_without_a_verdict_is_waived_for_each_step(
    steps: tuple[str, ...], step: str | None, hides: bool
) -> None:
    """Waived errors may keep a rule from being asked only where a waiver is for that rule, model and step."""
    waivers = _waivers(_waiver(), *([_waiver(rule="boxes/pack/weight", step=step)] if step else []))
    result = apply_waivers(waivers, {"red-1": [_finding()]}, TODAY, RULES, _weight_unasked(*steps))
    assert ("waiver/hides" in [found.rule for found in result.findings]) is hides
    assert result.ok is not hides


def test_an_error_that_is_reported_hides_nothing() -> None:
    """A model that fails anyway has no further error for what was not asked; another model's errors change nothing."""
    findings = {"red-1": [_finding(), _finding("boxes/look/size")], "red-2": [_finding()]}
    unasked = {**_weight_unasked(), "red-2": _weight_unasked()["red-1"]}
    result = apply_waivers(_waivers(_waiver()), findings, TODAY, RULES, unasked)
    assert [found.message for found in result.findings] == [
        "1 rule was not asked about model `red-2`, because of errors that are waived"
    ]


def test_a_waiver_counts_up_to_its_last_day() -> None:
    """On its last day a waiver counts; on the day after, its findings are reported, and it is one itself."""
    waivers, findings = _waivers(_waiver()), {"red-1": [_finding()]}
    on_the_day = apply_waivers(waivers, findings, TODAY, RULES)
    assert (len(on_the_day.waived), on_the_day.reported, on_the_day.findings) == (1, (), ())
    after = apply_waivers(waivers, findings, date(2030, 6, 16), RULES)
    assert after.waived == ()
    assert [found.rule for _, found in after.reported] == ["boxes/look/colour"]
    assert [(found.rule, found.message, str(found.span)) for found in after.findings] == [
        ("waiver/expired", "the waiver of `boxes/look/colour` expired on 2030-06-15", "waivers.yaml:2:5")
    ]


#: Globs that match every name, or nearly.
NOTHING = ("*", "**", "?*", "*?", "*?*", "??*", "?*?", "*" * 5, "?**?", "*-*", "r*", "*d*")


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"step": "box_9"}, ["waiver/unused"]),
        ({"rule": "boxes/look/color"}, ["waiver/unknown-rule"]),
        ({"rule": "boxes/*/colour"}, ["waiver/over-broad"]),
        ({"rule": "boxes/**"}, ["waiver/over-broad"]),
        ({"rule": "**"}, ["waiver/over-broad"]),
        ({"model": "*", "step": "*"}, ["waiver/over-broad"]),
        ({"model": "", "step": ""}, ["waiver/over-broad"]),
        *(({"model": model, "step": step}, ["waiver/over-broad"]) for model in NOTHING for step in ("*", "?*", "*_*")),
        ({"model": "*1", "step": "b*"}, ["waiver/over-broad"]),
        ({"model": "red*", "step": "*"}, []),
        ({"model": "*", "step": "box*"}, []),
        ({"model": "?????", "step": "*"}, []),
        ({"rule": "boxes/?*/colour"}, ["waiver/over-broad"]),
        ({"rule": "?*/look/colour"}, ["waiver/over-broad"]),
        ({"rule": "boxes/look/?*"}, []),
        ({"model": "*"}, []),
        ({"step": "*"}, []),
        ({"rule": "boxes/look/*"}, []),
        ({"expires": "2030-06-14", "step": "box_9"}, ["waiver/expired"]),
        ({"rule": "**", "step": "box_9"}, ["waiver/unused", "waiver/over-broad"]),
    ],
)
def test_waivers_that_are_wrong_are_findings(members: dict[str, str], expected: list[str]) -> None:
    """A waiver that is expired, for nothing or for too much is a finding at its place."""
    result = apply_waivers(_waivers(_waiver(**members)), {"red-1": [_finding()]}, TODAY, RULES)
    assert [found.rule for found in result.findings] == expected
    assert result.ok is (not expected)


def test_a_misspelt_rule_is_told() -> None:
    """A waiver of a rule that there is not names the one that was meant."""
    [found] = apply_waivers(_waivers(_waiver(rule="boxes/look/colours")), {}, TODAY, RULES).findings
    assert (found.message, found.help) == ("no rule is `boxes/look/colours`", "did you mean `boxes/look/colour`?")


def test_without_the_rules_a_wildcard_before_the_name_is_too_broad() -> None:
    """Where the pack's rules are not known, a glob that may be of several stages is over-broad by its text."""
    waivers = _waivers(_waiver(rule="boxes/*/colour"), _waiver(rule="boxes/look/co*"))
    findings = apply_waivers(waivers, {"red-1": [_finding()]}, TODAY).findings
    assert [(found.rule, str(found.span)) for found in findings] == [("waiver/over-broad", "waivers.yaml:2:5")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", ["waivers.yaml:1:1"]),
        ("waivers:\n  - {rule: a, reason: b, owner: c}\n", ["waivers.yaml:2:6"]),
        ("waivers:\n  - {rule: a, reason: b, owner: c, expires: 2030-02-30}\n", ["waivers.yaml:2:45"]),
        ("waivers:\n  - {rule: a, reason: ' ', owner: c, expires: 2030-02-28}\n", ["waivers.yaml:2:23"]),
        ("waivers:\n  - {rule: a, ruel: b, reason: b, owner: c, expires: 2030-02-28}\n", ["waivers.yaml:2:15"]),
        ("waivers: []\nwaivers: []\n", ["waivers.yaml:2:1"]),
    ],
)
def test_a_file_that_is_no_waiver_file_is_refused(text: str, expected: list[str]) -> None:
    """What is wrong with a waiver file is told at its place."""
    with pytest.raises(WaiverErrors) as caught:
        _read(text)
    assert [str(found.span) for found in caught.value.diagnostics] == expected


def test_globs_know_two_wildcards() -> None:
    """`*` and `?` are wildcards, brackets are not; in a rule only `**` goes past a slash."""
    assert matches("layer_?_*", "layer_1_norm")
    assert not matches("layer_[0-9]", "layer_1")
    assert matches("layer_[0-9]", "layer_[0-9]")
    assert matches("*", "a\nb")
    assert [matches_rule(glob, "p/s/r") for glob in ("p/*/r", "p/*", "p/**", "*", "p/s/?")] == [
        True,
        False,
        True,
        False,
        True,
    ]


def test_the_outcome_is_shown() -> None:
    """Text and Markdown name what is waived, by whom and until when; JSON has all of it."""
    result = apply_waivers(_waivers(_waiver()), {"red-1": [_finding()]}, TODAY, RULES)
    assert render_text(result) == (
        "waived: red-1 box_1: boxes/look/colour: the box is blue (ann, until 2030-06-15: old stock)\n"
        "0 reported, 1 waived, 0 about waivers\n"
    )
    assert "| red-1 | box_1 | `boxes/look/colour` | ann | 2030-06-15 | old stock |" in render_markdown(result)
    assert '"expires": "2030-06-15"' in render_json(result)


LETTERS = st.sampled_from("ab/*?")


@given(st.text(LETTERS, max_size=8), st.text(st.sampled_from("ab/"), max_size=8), st.sampled_from(["", "/"]))
def test_globs_are_matched_as_their_regex_would(glob: str, text: str, apart: str) -> None:
    """What a glob matches is what a backtracking matcher finds: stars take any characters, two of them across parts."""
    one = "[^/]" if apart else "."
    stars = re.sub(r"\*+", lambda found: f"{one}*" if len(found[0]) == 1 else ".*", glob)
    expected = re.fullmatch(stars.replace("?", one), text) is not None
    assert matches(glob, text, apart) is expected


@pytest.mark.parametrize(
    ("glob", "text", "expected"),
    [
        ("*a" * 20 + "*b", "a" * 60, False),
        ("*a" * 400 + "*b", "a" * 20_000, False),
        ("*a" * 400, "a" * 20_000, True),
        ("*?" * 400 + "b", "a" * 20_000, False),
        ("**/" * 300 + "b", "a/" * 10_000, False),
    ],
)
def test_a_glob_never_goes_back(glob: str, text: str, expected: bool) -> None:
    """A glob on which a backtracking matcher would never end is matched in one pass over the text."""
    assert matches(glob, text, "/") is expected


def test_a_glob_has_a_longest_length() -> None:
    """A glob longer than names are is refused at its place, with the limit."""
    with pytest.raises(WaiverErrors) as raised:
        _waivers(_waiver(model="a" * 1_001))
    assert [(str(d.span), d.message) for d in raised.value.diagnostics] == [
        ("waivers.yaml:3:12", "the text is longer than 1000 characters")
    ]
