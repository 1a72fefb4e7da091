"""Whatever a pack asks for has a limit: of entries, depth and length, each named in the mistake at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.program import run_program

from .folders import told, written


def minimal(text: str) -> str:
    """Return a pack.yaml that declares one value, with more text after it."""
    return "summary: A pack.\nvalues: {v: {type: json}}\n" + text


def mistakes(folder: Path, text: str) -> list[tuple[str, str]]:
    """Return the places and messages of what is wrong with a pack."""
    found = told(written(folder / "p", {"pack.yaml": minimal(text)}))
    return [(str(one.span).rpartition("pack.yaml:")[2], one.message) for one in found]


def fragments(depth: int, times: int, start: str) -> str:
    """Return fragments that each include the one before so many times."""
    lines = [f"  g{n}: [{', '.join([f'{{include: g{n - 1}}}'] * times)}]" for n in range(1, depth + 1)]
    return "\n".join(["fragments:", f"  g0: [{start}]", *lines, ""])


def programs(depth: int, times: int) -> str:
    """Return programs that each call the one before so many times."""
    calls = (", ".join([f"{{call: p{n - 1}, into: v}}"] * times) for n in range(1, depth + 1))
    lines = [f"  p{n}: {{inputs: [], run: [{called}], value: v}}" for n, called in enumerate(calls, 1)]
    return "\n".join(["programs:", "  p0: {inputs: [], run: [{set: {v: 'null'}}], value: v}", *lines, ""])


SET = "{set: {v: 'null'}}"
USED = "programs: {p: {inputs: [], run: [{include: g%d}], value: v}}\n"


def test_what_keeps_within_the_limits_is_read(tmp_path: Path) -> None:
    """Fragments and calls that come to less than the limits are no mistake."""
    assert mistakes(tmp_path, fragments(15, 1, SET) + USED % 15) == []
    assert mistakes(tmp_path, fragments(11, 2, SET) + USED % 11) == []
    assert mistakes(tmp_path, programs(16, 1)) == []
    assert mistakes(tmp_path, programs(11, 2)) == []


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (
            fragments(13, 2, SET) + USED % 13,
            "5:18",
            "with fragments written out, the programs have over 10,000 entries",
        ),
        (fragments(14, 2, "") + USED % 14, "6:18", "with fragments written out, the programs have over 10,000 entries"),
        (fragments(2_000, 1, SET) + USED % 2_000, "1989:21", "fragments include each other over 16 deep"),
        (
            fragments(30, 2, SET).replace("g0: [", "g0: [{include: g30}, ") + USED % 30,
            "19:19",
            "fragments include each",
        ),
        (programs(13, 2), "16:56", "with this call the program comes to over 10,000 entries"),
        (programs(2_000, 1), "21:34", "programs call each other over 16 deep"),
    ],
    ids=["bomb", "empty bomb", "deep", "deep circle", "calls", "deep calls"],
)
def test_a_bomb_is_refused_where_it_is_wired(tmp_path: Path, text: str, place: str, message: str) -> None:
    """Fragments and programs that come to more than anybody writes are refused at an entry, with the limit."""
    found = mistakes(tmp_path, text)
    assert found[0][0] == place
    assert found[0][1].startswith(message)


def test_a_long_circle_of_programs_is_told_once(tmp_path: Path) -> None:
    """A circle is told at a call of its first program, its middle left out where it is long."""
    lines = [f"  p{n}: {{inputs: [], run: [{{call: p{(n + 1) % 2_000}, into: v}}], value: v}}" for n in range(2_000)]
    way = "p0 -> p1 -> p2 -> p3 -> p4 -> … -> p1996 -> p1997 -> p1998 -> p1999 -> p0"
    expected = [("4:33", f"programs call each other in a circle: {way}")]
    assert mistakes(tmp_path, "\n".join(["programs:", *lines])) == expected


LISTED = """\
summary: A pack.
values: {{v: {{type: json}}, two: {{type: 'list<json, 2>'}}, size: {{type: int}}}}
programs:
  p: {{inputs: [v], run: [{{set: {{two: '{0}'}}}}, {{set: {{size: length(two)}}}}], value: size}}
  q: {{inputs: [two], run: [{{set: {{size: length(two)}}}}], value: size}}
"""


def test_a_list_that_is_written_longer_than_declared(tmp_path: Path) -> None:
    """What gives a value more items than its type has is refused where that is known."""
    pack = written(tmp_path / "p", {"pack.yaml": LISTED.format("[1, 2, 3]")})
    assert [(str(one.span)[-4:], one.message) for one in told(pack)] == [
        ("4:38", "this gives a list of up to 3 items, and at most 2 are declared")
    ]


@pytest.mark.parametrize("program", ["p", "q"])
def test_a_list_that_becomes_longer_than_declared(tmp_path: Path, program: str) -> None:
    """Where it is not known, the value is refused when it comes, once, and what reads it is not asked."""
    pack = load_folder(written(tmp_path / "p", {"pack.yaml": LISTED.format("elements(v)")}))
    given = {"p": "v", "q": "two"}[program]
    assert run_program(pack, program, {given: [1, 2]}).value == 2
    outcome = run_program(pack, program, {given: [1, 2, 3]})
    assert outcome.value is None
    assert [found.message for found in outcome.report.diagnostics] == ["`two` has 3 items, and its type has at most 2"]
