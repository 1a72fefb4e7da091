"""Whatever a pack asks for has a limit: of entries, depth and length, each named in the mistake at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.question import ask

from .folders import told, written

DOCUMENT = "documents: {d: {doc: a document}}\n"


def mistakes(folder: Path, text: str) -> list[tuple[str, str]]:
    """Return the places and messages of what is wrong with a pack."""
    found = told(written(folder / "p", {"pack.yaml": f"summary: A pack.\n{DOCUMENT}{text}"}))
    return [(str(one.span).rpartition("pack.yaml:")[2], one.message) for one in found]


def values(count: int, last: str = "1") -> str:
    """Return values each of which needs the next."""
    lines = [f"  v{n}: {{type: int, is: v{n + 1} + 1}}" for n in range(count - 1)]
    return "\n".join(["values:", *lines, f"  v{count - 1}: {{type: int, is: '{last}'}}", ""])


def tables(count: int) -> str:
    """Return tables each of which goes over the next, from the last of which nothing is made."""
    lines = [f"  t{n}: {{of: t{n + 1}, as: r{n}}}" for n in range(count - 1)]
    return "\n".join(
        ["uses: javascript", "items:", *lines, f"  t{count - 1}: {{of: elements(d), as: r{count - 1}}}", ""]
    )


def questions(count: int) -> str:
    """Return questions each of which asks the next."""
    asked = [f"  v{n}: {{ask: q{n + 1}}}" for n in range(count - 1)]
    lines = [f"  q{n}: {{given: d, answer: v{n}}}" for n in range(count - 1)]
    return "\n".join(["values:", *asked, "questions:", *lines, f"  q{count - 1}: {{given: d, answer: d}}", ""])


@pytest.mark.parametrize("text", [values(100), tables(100), questions(17)], ids=["values", "tables", "questions"])
def test_what_keeps_within_the_limits_is_read(tmp_path: Path, text: str) -> None:
    """As many as the limit allows are no mistake."""
    assert mistakes(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (values(1_500), "104:3", "over 100 values and tables need each other in a row, up to this one"),
        (tables(1_500), "105:3", "over 100 values and tables need each other in a row, up to this one"),
        (questions(200), "20:3", "questions ask each other over 16 deep"),
    ],
    ids=["values", "tables", "questions"],
)
def test_more_is_refused_where_it_stands(tmp_path: Path, text: str, place: str, message: str) -> None:
    """One more than the limit, and thousands more, are refused at an entry, with the limit, and once."""
    found = mistakes(tmp_path, text)
    assert found[0] == (place, message)
    assert [told for _, told in found].count(message) == 1


def test_a_long_circle_is_reported_once(tmp_path: Path) -> None:
    """A circle of fifty values is reported at one of them, with the way round."""
    [(place, message)] = mistakes(tmp_path, values(50, last="v0") + "questions: {q: {given: d, answer: d}}\n")
    names = [f"value v{n} (line {n + 4})" for n in (49, *range(50))]
    assert (place, message) == ("53:3", f"these need each other in a circle: {' -> '.join(names)}")


LISTED = """\
summary: A pack.
uses: javascript
documents: {{d: {{doc: any list}}, given: {{type: 'list<json, 2>', doc: a short one}}}}
values: {{two: {{type: 'list<json, 2>', is: '{0}'}}, size: length(two)}}
items: {{rows: {{of: two, as: row, index: place}}, few: {{of: given, as: one, index: place}}}}
stages: {{look: {{each: rows}}, count: {{each: few, for: [given]}}}}
questions:
  computed: {{given: d, answer: size}}
  given: {{given: given, answer: length(given)}}
"""
SEEN = 'summary: A\nwhy: b\ncheck: false\nmessage: "seen {place}"\nseverity: warning\n'


def listed(folder: Path, text: str) -> Path:
    """Return a pack with a value that is given by an expression, and rules that see every item."""
    files = {"pack.yaml": LISTED.format(text), "look/seen.yaml": SEEN, "count/seen.yaml": SEEN}
    return written(folder / "p", files)


def test_a_list_that_is_written_longer_than_declared(tmp_path: Path) -> None:
    """What gives a value more items than its type has is refused where that is known."""
    assert [(str(one.span)[-4:], one.message) for one in told(listed(tmp_path, "[1, 2, 3]"))] == [
        ("4:43", "this gives a list of up to 3 items, and at most 2 are declared")
    ]


@pytest.mark.parametrize(("question", "document", "name"), [("computed", "d", "two"), ("given", "given", "given")])
def test_a_list_that_becomes_longer_than_declared(tmp_path: Path, question: str, document: str, name: str) -> None:
    """If it is not known, the value is refused when it comes, once, and what reads it is not asked."""
    pack = load_folder(listed(tmp_path, "elements(d)"))
    outcome = ask(pack, question, {document: [1, 2]})
    assert outcome.value == 2
    assert [found.message for found in outcome.report.diagnostics] == ["seen 0", "seen 1"]
    outcome = ask(pack, question, {document: [1, 2, 3]})
    assert outcome.value is None
    found = [one.message for one in outcome.report.diagnostics]
    assert found == [f"`{name}` has 3 items, and its type has at most 2"]
