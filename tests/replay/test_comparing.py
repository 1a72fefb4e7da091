"""Two files of answers differ by verdicts, by values, and by what each rule says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kernelpath.replay.comparing import NoAnswers, RuleChange, Value, Verdict, compare, read_answers
from kernelpath.replay.rendering import render_json, render_text


def said(rule: str, message: str = "m", severity: str = "error") -> dict[str, Any]:
    """Return a finding."""
    return {"rule": rule, "decisions": [], "severity": severity, "message": message, "pointer": "/a"}


def answered(identity: str, value: Any = None, *found: dict[str, Any]) -> dict[str, Any]:
    """Return an answer; it passes if no finding is an error."""
    ok = all(each["severity"] != "error" for each in found)
    return {"id": identity, "ok": ok, "value": value, "diagnostics": list(found)}


def changes(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> Any:
    """Compare answers as they are read from files."""
    read = [read_answers("\n".join(json.dumps(each) for each in answers).encode()) for answers in (old, new)]
    return compare(*read)


def test_equal_answers() -> None:
    """The order of lines and of members does not count; of an integer and the float that is equal, neither."""
    old = [answered("a", {"x": 1, "y": [2]}), answered("b", None, said("p/s/r"))]
    new = [answered("b", None, said("p/s/r")), answered("a", {"y": [2.0], "x": 1})]
    found = changes(old, new)
    assert found.is_empty
    assert render_text(found) == "2 answers compared, 0 changed\n"


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, ("/a/b/1", 2, 3)),
        ({"a/b": {"c~d": 1}}, {"a/b": {"c~d": True}}, ("/a~1b/c~0d", 1, True)),
        ([1], [1, None], ("/1", ..., None)),
        ({"a": None}, {}, ("/a", None, ...)),
        (None, {"a": 1}, ("", None, {"a": 1})),
        ({"a": "1"}, {"a": 1}, ("/a", "1", 1)),
    ],
)
def test_the_first_place_at_which_values_differ(old: Any, new: Any, place: tuple[str, Any, Any]) -> None:
    """A value that changed is reported by a pointer and both sides."""
    (found,) = render_json(changes([answered("a", old)], [answered("a", new)]))["values"]
    assert (found["pointer"], found.get("old", ...), found.get("new", ...)) == place


def test_verdicts_and_rules() -> None:
    """A verdict that changed is reported with the rules that refuse; rules go by stage and name, whatever the pack."""
    old = [
        answered("a", 1),
        answered("b", None, said("old/s/r"), said("old/s/w", severity="warning")),
        answered("c", None, said("old/s/r", "x")),
        answered("d", 2),
    ]
    new = [
        answered("a", None, said("new/s/r"), said("new/s/q")),
        answered("b", 5, said("new/s/w", severity="warning")),
        answered("c", None, said("new/s/r", "y")),
        answered("e", 2),
    ]
    found = changes(old, new)
    assert found.verdicts == [Verdict("a", False, ("s/r", "s/q")), Verdict("b", True, ("s/r",))]
    assert found.values == []
    assert found.rules == {"s/q": RuleChange(gained=["a"]), "s/r": RuleChange(["a"], ["b"], ["c"])}
    assert (found.only_old, found.only_new, found.compared, found.changed) == (["d"], ["e"], 3, 3)
    assert render_text(found) == (
        "3 answers compared, 3 changed\n"
        "only in the old file: 1\n"
        "  d\n"
        "only in the new file: 1\n"
        "  e\n"
        "verdicts: 2\n"
        "  a: refused now by s/r, s/q\n"
        "  b: passes now, was refused by s/r\n"
        "rules: 2\n"
        "  s/q: 1 gained (first a)\n"
        "  s/r: 1 gained (first a), 1 lost (first b), 1 other findings (first c)\n"
    )


def test_long_lists_are_cut_for_people() -> None:
    """People read the first twenty of a kind and the number of all; tools read all."""
    found = changes([answered(str(n), n) for n in range(30)], [answered(str(n), -n - 1) for n in range(30)])
    lines = render_text(found).splitlines()
    assert (lines[1], lines[2], lines[-1], len(lines)) == ("values: 30", "  0: the whole: 0 -> -1", "  and 10 more", 23)
    assert len(render_json(found)["values"]) == 30
    assert found.values[3] == Value("3", "", 3, -4)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is not an answer with `id`, `ok`, `value` and `diagnostics`"),
        ("[]", "line 2 is not an answer with `id`, `ok`, `value` and `diagnostics`"),
        (
            '{"id": "b", "ok": 1, "diagnostics": []}',
            "line 2 is not an answer with `id`, `ok`, `value` and `diagnostics`",
        ),
        ('{"id": "b", "ok": true, "diagnostics": [{}]}', "line 2 has a finding without `rule`"),
        ('{"id": "a", "ok": true, "diagnostics": []}', "line 2 has the id `a`, which an earlier line has, too"),
    ],
)
def test_what_is_not_a_file_of_answers(line: str, message: str) -> None:
    """A line that is not an answer is refused: leaving it out would compare less than was asked for."""
    with pytest.raises(NoAnswers) as raised:
        read_answers((json.dumps(answered("a")) + "\n" + line).encode())
    assert str(raised.value) == message
