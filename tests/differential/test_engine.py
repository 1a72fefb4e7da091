"""The engine agrees with the plain reading of the decisions on requests that nobody recorded.

Other seeds and more requests: `python tests/differential/test_engine.py SEED COUNT`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from conformance.recorded import disagreement, every_case, request, without_wording
from differential import plain
from differential.mutations import mutants


def facts() -> plain.Facts:
    """Return the facts that the project ships."""
    return plain.read_facts(Path(__file__).parents[2] / "kernels")


def differences(seed: int, count: int) -> Iterator[tuple[str, str]]:
    """Yield the id of each mutant on which the two differ, and how."""
    known = facts()
    for mutant in mutants(every_case(), seed, count):
        words = disagreement(request(mutant), expectation(plain.decide(mutant, known)))
        if words:
            yield mutant["id"], words


def expectation(outcome: plain.Outcome) -> Mapping[str, Any]:
    """Return an outcome of the plain reading in the form of a recorded one."""
    if outcome[0] == "ok":
        return {"ok": True, "value": without_wording(outcome[1])}
    return {"ok": False, "decision": outcome[1], "subject": outcome[2]}


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 4))])
def test_agrees_with_the_plain_reading_on_mutants(seed: int) -> None:
    """Verdict, value, decision and subject are the plain reading's, on a thousand mutants of recorded cases."""
    assert dict(differences(seed, 1_000)) == {}


def test_the_comparison_can_fail() -> None:
    """A wrong verdict, value, decision or subject is told: the comparison above is no formality."""
    accepted = next(case for case in every_case() if case["expect"]["ok"] and case["expect"]["value"])
    rejected = next(case for case in every_case() if case["expect"].get("decision") == "E55")
    result = request(accepted)
    assert disagreement(result, {"ok": True, "value": {}}) == "another value"
    assert str(disagreement(result, {"ok": False, "decision": "E55", "subject": "s1"})).startswith("accepted")
    result, expect = request(rejected), rejected["expect"]
    assert str(disagreement(result, {"ok": True, "value": None})).startswith("rejected")
    assert "is not reported" in str(disagreement(result, {**expect, "decision": "E60"}))
    assert "is not reported" in str(disagreement(result, {**expect, "subject": "nobody"}))


if __name__ == "__main__":
    found = dict(differences(int(sys.argv[1]), int(sys.argv[2])))
    print(*(f"{name}: {words}" for name, words in found.items()), f"{len(found)} differences", sep="\n")
