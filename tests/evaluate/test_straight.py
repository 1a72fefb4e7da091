"""The straight path of a question gives what the steps of its plan give, or leaves the question to them."""

from __future__ import annotations

from typing import Any

import pytest

import kernelpath as kp
from conformance.recorded import every_case, request
from differential.mutations import mutants
from kernelpath.evaluate import question
from kernelpath.evaluate.question import Outcome, QuestionRun


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Outcome | None, Outcome]]:
    """Return a list that gets, of each question that is asked, what comes of it in one go and step by step."""
    pairs: list[tuple[Outcome | None, Outcome]] = []

    def ask(pack: Any, name: str, given: Any) -> Outcome:
        outcome = QuestionRun(pack, name, given).run()
        pairs.append((QuestionRun(pack, name, given).straight(), outcome))
        return outcome

    monkeypatch.setattr(question, "ask", ask)
    monkeypatch.setattr("kernelpath.api.ask_question", ask)
    return pairs


def hold(pairs: list[tuple[Outcome | None, Outcome]]) -> None:
    """Hold what came in one go to what came step by step: answer, cells, and how much was asked."""
    for straight, outcome in pairs:
        clean = not (outcome.report.diagnostics or outcome.report.unasked)
        if straight is None:
            assert not clean
            continue
        assert clean
        assert straight.value == outcome.value
        assert straight.report.asked == outcome.report.asked
        cells = {name: plain(value) for name, value in straight.cells.items() if name != "findings" and "?" not in name}
        assert cells == {name: plain(outcome.cells[name]) for name in cells}


def plain(value: Any) -> Any:
    """Return a value with the members of its records, which are objects of their own, as mappings."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    members = getattr(type(value), "__slots__", None) or (vars(value) if hasattr(value, "__dict__") else None)
    return {name: plain(getattr(value, name)) for name in members} if members else value


@pytest.mark.parametrize("part", range(4))
@pytest.mark.sampled(1)
def test_recorded_requests(both: list[tuple[Outcome | None, Outcome]], part: int) -> None:
    """Every recorded request that finds nothing takes the straight path to the same answer."""
    for case in [*every_case()][part::8]:
        request(case)
    hold(both)
    assert sum(straight is not None for straight, _ in both) > len(both) // 4


def test_mutants(both: list[tuple[Outcome | None, Outcome]]) -> None:
    """So does a request that nobody recorded."""
    for case in mutants(every_case(), 7, 150):
        request(case)
    hold(both)


def test_steps_that_are_left_to_the_run(both: list[tuple[Outcome | None, Outcome]]) -> None:
    """The strict pack takes graphs layer by layer, which no function does alone; its answers are the same, too."""
    strict = kp.load_pack("strict")
    for case in [*every_case()][::12]:
        request(case, strict)
    hold(both)
    assert any(straight is not None for straight, _ in both)
