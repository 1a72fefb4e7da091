"""Every recorded outcome of the reference is the public functions' outcome too."""

from __future__ import annotations

import json

import pytest

from conformance.recorded import cases, disagreement, every_case, request


@pytest.mark.parametrize(("name", "count"), [("generated", 1718), ("presets", 265), ("defects", 72)])
def test_agrees_with_every_recorded_case(name: str, count: int) -> None:
    """Verdict, value, and on rejection the recorded decision and its subject are among those that are reported."""
    found = {case["id"]: disagreement(request(case), case["expect"]) for case in cases(name)}
    assert len(found) == count
    assert {identity: words for identity, words in found.items() if words} == {}


def test_no_request_is_changed() -> None:
    """What a caller passes in is, member for member, what it was."""
    for case in every_case():
        before = json.dumps(case["options"])
        request(case)
        assert json.dumps(case["options"]) == before, case["id"]


def test_a_request_gives_the_same_answer_twice() -> None:
    """An answer hangs on the request alone, not on those before it; neither does changing an answer change the next."""
    case = next(case for case in cases("presets") if case["fn"] == "compile" and case["expect"]["ok"])
    first = request(case)
    text = json.dumps(first.value)
    first.value["resolvedSteps"]["prefill"].clear()
    first.value["sessionDefaults"].clear()
    assert json.dumps(request(case).value) == text


def test_each_rejection_says_where() -> None:
    """Every error has a rule, a message in the house style, and a subject or a place in a document."""
    for case in every_case():
        for found in request(case).diagnostics:
            assert found.rule.startswith("execution-v0/"), case["id"]
            assert not found.message.endswith("."), found.message
            assert found.subject is not None or found.pointer is not None or found.rule in WHOLE_REQUEST, found


WHOLE_REQUEST = {"execution-v0/limits/layer-limit"}


def test_values_are_plain_json() -> None:
    """A value holds nothing but what JSON has, so that it can be printed, compared and sent on."""
    for case in every_case():
        value = request(case).value
        assert json.loads(json.dumps(value)) == value, case["id"]
