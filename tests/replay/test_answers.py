"""A pack answers recorded requests as it answers the same questions asked one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kernelpath as kp
from conformance.recorded import CRASH, Case, cases, request
from kernelpath.replay import Request, answer, replay

PACK = """\
summary: A pack that adds the members of two documents.
uses: javascript
documents:
  first: {doc: a document that is made of members}
  second: {doc: a whole document, optional: true}
stages:
  gate: {doc: is there a sum, each: request, at: first#}
questions:
  sum:
    doc: both added
    given: [first, second]
    answer: number(first.a.b) + number(second)
    request: {b: first.a.b, a: first.a, whole: first, other: second}
  none:
    doc: nothing
    given: [second]
    answer: second
"""
RULE = """\
summary: The first number is small.
why: |
  Large sums overflow.
decisions: [D1]
check: number(first.a.b) < 100
message: '`b` is {text(first.a.b)}'
at: /a/b
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Return the folder of the pack above."""
    folder = tmp_path / "toy"
    (folder / "gate").mkdir(parents=True)
    (folder / "pack.yaml").write_text(PACK, encoding="utf-8")
    (folder / "gate" / "small.yaml").write_text(RULE, encoding="utf-8")
    return folder


def ask(pack: Path, fn: str, **options: Any) -> dict[str, Any]:
    """Return what the pack answers to one request."""
    return answer(kp.load_pack(str(pack)), Request("r", fn, options))


def test_members_become_documents(pack: Path) -> None:
    """A member goes where the question says: a whole document, or a part of one, smaller parts over larger ones."""
    assert ask(pack, "sum", b=1, other=2)["value"] == 3
    assert ask(pack, "sum", a={"b": 4}, other=2)["value"] == 6
    assert ask(pack, "sum", b=5, a={"b": 4}, whole={"a": {"b": 3}}, other=2)["value"] == 7
    assert ask(pack, "none")["value"] is None


def test_a_request_is_not_changed(pack: Path) -> None:
    """What is put into a document is put into a copy."""
    options = {"whole": {"a": {"b": 3}, "c": 1}, "b": 5, "other": 0}
    before = json.dumps(options)
    assert ask(pack, "sum", **options)["value"] == 5
    assert json.dumps(options) == before


def test_a_finding(pack: Path) -> None:
    """An answer with an error has no value, and says which rule found what where."""
    assert ask(pack, "sum", b=100, other=1) == {
        "id": "r",
        "ok": False,
        "value": None,
        "diagnostics": [
            {
                "rule": "toy/gate/small",
                "decisions": ["D1"],
                "severity": "error",
                "message": "`b` is 100",
                "pointer": "/a/b",
            }
        ],
    }


def test_a_member_that_the_question_does_not_take(pack: Path) -> None:
    """It changes nothing, and is reported."""
    found = ask(pack, "sum", b=1, other=2, whle={})
    assert (found["ok"], found["value"]) == (True, 3)
    assert [(each["rule"], each["severity"], each["message"]) for each in found["diagnostics"]] == [
        ("replay/member", "warning", "question `sum` takes no `whle`")
    ]


def test_a_question_that_the_pack_does_not_have(pack: Path) -> None:
    """The answer is a refusal that lists the questions."""
    found = ask(pack, "compile")
    assert (found["ok"], found["value"]) == (False, None)
    assert [(each["rule"], each["message"]) for each in found["diagnostics"]] == [
        ("replay/line", "pack `toy` has no question `compile`; it has `sum`, `none`")
    ]


def test_every_line_has_its_answer_in_order(pack: Path) -> None:
    """Several processes give the answers of one, bad lines included."""
    lines = [json.dumps({"id": f"r{n}", "fn": "sum", "options": {"b": n, "other": 1}}) for n in range(300)]
    lines[70], lines[200] = "[", '{"id": "r200"}'
    content = "\n".join(lines).encode()
    alone = [each for share in replay(content, str(pack), 1) for each in share]
    assert alone == [each for share in replay(content, str(pack), 3) for each in share]
    assert [each["id"] for each in alone] == [f"r{n}" if n != 70 else "line 71" for n in range(300)]
    assert [each["value"] for each in alone] == [n + 1 if n < 100 and n not in (70,) else None for n in range(300)]


def recorded() -> Iterator[Case]:
    """Yield some recorded requests whose question has the name that they were recorded under."""
    for name in ("generated", "presets"):
        yield from [case for case in cases(name) if case["fn"] in ("compile", "apply")][::12]


def test_recorded_requests_of_the_shipped_pack() -> None:
    """Replaying a request gives what asking it gives."""
    pack = kp.load_pack("execution-v0")
    for case in recorded():
        found, asked = answer(pack, Request(case["id"], case["fn"], dict(case["options"]))), request(case)
        said = [each["message"] for each in found["diagnostics"] if each["rule"] != "replay/member"]
        assert (found["ok"], said) == (asked.ok, [each.message for each in asked.diagnostics]), case["id"]
        assert found["value"] == asked.value, case["id"]
        assert found["ok"] == case["expect"]["ok"] or case["expect"].get("decision") == CRASH
