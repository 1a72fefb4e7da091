"""The pack answers recorded execution-v1 requests as the reference did."""

from __future__ import annotations

import json
from random import Random

import pytest

from conformance_v1.recorded import FILES, comparable, disagreement, pack, requests
from kernelpath.replay import answer

COUNTS = {"generated": 8000, "real": 3953}
SHARES = 16
SAMPLE = 250


def disagreements(name: str, places: range | list[int]) -> dict[str, str]:
    """Return where the pack and the reference disagree, of the requests at some places of a file."""
    asked = [requests(name)[place] for place in places]
    return {each.identity: words for each in asked if (words := disagreement(each))}


@pytest.mark.parametrize("name", FILES)
def test_agrees_with_a_sample(name: str) -> None:
    """Verdict, value, and on rejection the recorded decision and phase; the sample is the same each time."""
    assert disagreements(name, Random(51).sample(range(COUNTS[name]), SAMPLE)) == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("name", FILES)
def test_agrees_with_every_recorded_case(name: str, share: int) -> None:
    """The same for all cases, each in one share."""
    assert disagreements(name, range(share, COUNTS[name], SHARES)) == {}


@pytest.mark.parametrize("name", FILES)
def test_every_case_is_there(name: str) -> None:
    """No case is passed over because a file lacks it."""
    assert len(requests(name)) == COUNTS[name]


def test_what_is_compared() -> None:
    """Prose of kernel paths, lanes and contracts does not count, and everything else does."""
    path = {"kernelPath": {"id": "a", "name": "b", "description": "c"}, "name": "d"}
    assert comparable([path], "compile") == [{"kernelPath": {"id": "a"}, "name": "d"}]
    lane = {"laneIntegrity": {"status": "x", "policy": {"kind": "k", "reason": "r", "evidence": []}}, "errors": [1]}
    assert comparable(lane, "compile") == {"laneIntegrity": {"status": "x", "policy": {"kind": "k"}}, "errors": [1]}
    assert comparable({"errors": ["a"], "ok": False, "facts": {"reason": 1}}, "contract") == {
        "ok": False,
        "facts": {"reason": 1},
    }


@pytest.mark.parametrize("name", FILES)
def test_requests_stay_as_they_are_and_answers_are_plain(name: str) -> None:
    """A request is not changed, an answer is JSON, and each error says where it is in the house style."""
    for place in Random(52).sample(range(COUNTS[name]), 60):
        request = requests(name)[place]
        before = json.dumps(request.options)
        found = answer(pack(), request)
        assert json.dumps(request.options) == before
        assert json.loads(json.dumps(found)) == found
        for each in found["diagnostics"]:
            assert each["rule"].startswith("execution-v1/") or each["rule"] == "replay/member", each
            assert not each["message"].endswith("."), each
            assert each["pointer"] is not None or each["rule"] == "replay/member", each
