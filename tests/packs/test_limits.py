"""Whatever a pack asks for has a limit: of entries, depth and length, each named in the mistake at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.program import run_program

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
