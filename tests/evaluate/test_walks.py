"""One fault gives one message, at its place; what it leaves unknown is never guessed, and nothing passes by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.question import Outcome, ask
from packs.folders import BOXES, copied, written

CHECK = "summary: A\nwhy: b\nseverity: {severity}\ncheck: {check}\nmessage: '{message}'\n"


def check(condition: str, message: str, severity: str = "error", extra: str = "") -> str:
    """Return a check of the paint stage."""
    return CHECK.format(check=condition, message=message, severity=severity) + extra


@pytest.fixture
def paint(tmp_path: Path) -> Any:
    """Return a function that paints an order by the small pack with some files more, or others."""

    def run(order: Any, **files: str) -> Outcome:
        names = {f"{name.replace('__', '/').replace('_', '-')}.yaml": text for name, text in files.items()}
        pack = written(copied(BOXES, tmp_path / "boxes"), names)
        return ask(load_folder(pack), "paint", {"order": {"boxes": order}})

    return run


def box(name: str, on: str = "floor", **members: Any) -> dict[str, Any]:
    """Return a box as it is ordered."""
    return {"name": name, "size": 1, "on": on, **members}


def told(outcome: Outcome) -> list[tuple[str, str | None, str]]:
    """Return rule, subject and message of each finding."""
    return [(found.rule, found.subject, found.message) for found in outcome.report.diagnostics]


def test_slots_carry_from_box_to_box(paint: Any) -> None:
    """What one item leaves in a slot the next one reads."""
    outcome = paint([box("a"), box("b", "a", paint="blue"), box("c", "b"), box("d", "a")])
    assert outcome.value == {"coats": ["red by below", "blue by order", "blue by below", "red by below"], "boxes": 4}


def test_a_fault_is_told_once(paint: Any) -> None:
    """What hangs on a faulty item is silent: one message, not one for each box above it."""
    outcome = paint([box("a", "nowhere"), box("b", "a"), box("c", "b"), box("d")])
    assert told(outcome) == [("boxes/paint/coat-known", "a", "box `a` stands on `nowhere`, which is not painted")]
    assert outcome.value is None


def test_what_does_not_hang_on_a_fault_is_still_checked(paint: Any) -> None:
    """A second fault elsewhere is told, too; and a box that gives its own colour takes none from the faulty one."""
    outcome = paint([box("a", "nowhere"), box("b", "a", paint="green"), box("c", "b"), box("d", "gone")])
    assert [subject for _, subject, _ in told(outcome)] == ["a", "d"]
    assert outcome.report.ok is False


def test_an_item_that_cannot_be_read_may_have_written_anything(paint: Any) -> None:
    """After a box without shape nobody knows which slots it wrote, so reads of unwritten slots are not blamed."""
    outcome = paint([box("a"), 5, box("b", "unknown"), box("c", "a")])
    assert told(outcome) == [("boxes/shape/box-object", "1", "box 1 has no size from 0 to 100")]


def test_a_write_makes_a_slot_known_again(paint: Any) -> None:
    """A slot that a fault left open is known once another item writes it."""
    outcome = paint([box("a", "nowhere"), box("a", paint="blue"), box("b", "a"), box("c", "gone")])
    assert [subject for _, subject, _ in told(outcome)] == ["a", "c"]


def test_a_message_may_name_what_a_fault_left_open(paint: Any) -> None:
    """A rule that fails although its message's values are unknown says so, and does not fail itself."""
    rule = check('box.name != "b"', "box `{box.name}` is on {below}", extra="subject: '{below}'\nhelp: take {below}\n")
    outcome = paint([box("a", "nowhere"), box("b", "a")], paint__no_b=rule)
    assert told(outcome)[1] == (
        "boxes/paint/no-b",
        None,
        "rule `boxes/paint/no-b` does not hold; an earlier fault leaves open what else it would say",
    )


def test_a_rule_on_what_a_fault_left_open_is_silent(paint: Any) -> None:
    """A condition on an unknown value neither holds nor fails."""
    outcome = paint([box("a", "nowhere"), box("b", "a")], paint__no_red=check('coat != "red"', "red"))
    assert [rule for rule, _, _ in told(outcome)] == ["boxes/paint/coat-known"]


def test_warnings_do_not_reject(paint: Any) -> None:
    """A finding that is no error is told, and the value is given."""
    outcome = paint([box("a")], paint__red=check('coat != "red"', "box `{box.name}` is red", severity="warning"))
    assert told(outcome) == [("boxes/paint/red", "a", "box `a` is red")]
    assert outcome.report.ok
    assert outcome.value == {"coats": ["red by below"], "boxes": 1}


def test_checks_that_guard_nothing_let_the_others_speak(paint: Any) -> None:
    """Two independent faults of one item are two messages, in the order of the rules' names."""
    rules = {"paint__b_one": check('coat == "blue"', "one"), "paint__a_two": check("box.size > 5", "two")}
    assert [message for _, _, message in told(paint([box("a")], **rules))] == ["two", "one"]


def test_a_guard_keeps_the_item_from_the_rules_that_read_what_it_guards(paint: Any) -> None:
    """Where a guard failed, a rule that reads what it guards is not asked, and one that does not is."""
    rules = {
        "paint__z_one": check('box.kind == "wood"', "one", extra="guards: [box.kind]\n"),
        "paint__a_two": check('box.kind in ["wood", "paper"]', "two"),
        "paint__a_three": check("box.size > 5", "three"),
    }
    assert [message for _, _, message in told(paint([box("a")], **rules))] == ["three", "one"]


def test_a_rule_that_cannot_be_evaluated_is_a_finding(paint: Any) -> None:
    """Division by zero and its like reject the item by that rule; they do not end the program."""
    rule = check("10 // box.size > 0", "x")
    outcome = paint([box("a", size=0), box("b")], paint__share=rule.replace("box.size", "(box.size - 1)"))
    assert told(outcome) == [
        ("boxes/paint/share", "b", "rule `boxes/paint/share` cannot be evaluated here: division by zero")
    ]


def test_what_an_open_check_makes_sure_of_is_not_relied_on(paint: Any) -> None:
    """A check with `stop` that has no value, or reads what is unknown, is no ground for the rules that rely on it."""
    sure = check("{0} and below != null", "x", extra="guards: [below]\n")
    rules = {"paint__reads": check('lower(below) == "red"', "{below}")}
    broken = paint(
        [box("a", "nowhere", size=2), box("b", "gone", paint="blue"), box("c", "a", paint="blue", size=2)],
        paint__sure=sure.format("1 // (box.size - 1) > 0"),
        **rules,
    )
    assert told(broken) == [
        ("boxes/paint/sure", "a", "x"),
        ("boxes/paint/sure", "b", "rule `boxes/paint/sure` cannot be evaluated here: division by zero"),
    ]


def test_no_row_is_asked_after_the_first_that_applies(paint: Any) -> None:
    """A later row without a value is no fault of a box that an earlier row is for, be the box at fault or not."""
    table = (
        "summary: A\nwhy: b\ntable: coat_text\nhit: first\nrows:\n"
        "  - {when: box.size < 5, value: '\"small\"'}\n  - {when: 1 // (box.size - 1) > 0, value: '\"big\"'}\n"
        "  - {value: '\"any\"'}\n"
    )
    rules = {"paint__coat_text": table, "paint__no_b": check('box.name != "b"', "no", severity="warning")}
    outcome = paint([box("a"), box("b")], **rules)
    assert told(outcome) == [("boxes/paint/no-b", "b", "no")]
    assert outcome.value == {"coats": ["small", "small"], "boxes": 2}


def test_items_that_a_flow_does_not_visit_are_not_checked(paint: Any) -> None:
    """A box without size is not painted, so no rule of the flow looks at it, and it writes no slot."""
    outcome = paint([box("a", "nowhere", size=0), box("b", "a")])
    assert [subject for _, subject, _ in told(outcome)] == ["b"]


def test_two_rows_of_a_unique_table_are_a_finding(paint: Any) -> None:
    """Hit policy `unique` holds: where two rows apply the table gives nothing, and says so."""
    table = (
        "summary: A\nwhy: b\ntable: coat_text\nhit: unique\nrows:\n"
        "  - {when: box.size < 5, value: '\"small\"'}\n  - {when: box.size > 3, value: '\"big\"'}\n"
        "  - {value: '\"any\"'}\n"
    )
    outcome = paint([box("a", size=9)], paint__coat_text=table)
    assert told(outcome) == [
        (
            "boxes/paint/coat-text",
            "a",
            "rule `boxes/paint/coat-text` cannot be evaluated here: "
            "rows 2 and 3 of a table with hit policy `unique` apply at once",
        )
    ]


def test_an_endless_order_is_cut_off(paint: Any) -> None:
    """A walk ends after ten thousand items at fault, and says how many it did not look at."""
    outcome = paint([box(f"b{number}", "nowhere") for number in range(10_002)])
    findings = told(outcome)
    assert len(findings) == 10_001
    assert findings[-1] == (
        "boxes/paint",
        None,
        "10,000 items are at fault, which is the limit: the other 2 are not looked at",
    )
