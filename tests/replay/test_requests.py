"""Requests are read line by line: parts are put back, and what is wrong with a line is said of that line alone."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from kernelpath.replay import Fault, Requests, content_of


def requests(*lines: object) -> Requests:
    """Return the requests of these lines; a text is a line as it is."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return Requests("\n".join(texts).encode())


def asked(**options: Any) -> dict[str, Any]:
    """Return a request with these options."""
    return {"id": "a", "fn": "compile", "options": options}


def test_parts_are_put_back() -> None:
    """A part stands for its value, in requests and in later parts; each place has a value of its own."""
    read = requests(
        {"part": 1, "value": [1, 2]},
        {"part": 2, "value": {"in": {"$part": 1}, "again": {"$part": 1}}},
        {**asked(x={"$part": 2}, y=[{"$part": 1}]), "expect": {"$part": 1}},
    )
    assert len(read) == 1
    assert read[0].options == {"x": {"in": [1, 2], "again": [1, 2]}, "y": [[1, 2]]}
    assert read[0].expect == [1, 2]
    held = read[0].options["x"]
    assert held["in"] is not held["again"]


def test_blank_lines_are_passed_over() -> None:
    """A line without text is none, so places count requests."""
    read = requests("", asked(n=1), "  ", {**asked(n=2), "id": "b"}, "")
    assert [(each.identity, each.options) for each in (read[0], read[1])] == [("a", {"n": 1}), ("b", {"n": 2})]
    assert len(read) == 2


def test_a_member_named_part_is_not_a_part() -> None:
    """A line is a part by its own members, whatever stands within it."""
    read = requests(asked(part=1, value=2), {"id": "b", "fn": "f", "part": 1, "value": 2, "options": {}})
    assert len(read) == 2
    assert read[0].options == {"part": 1, "value": 2}


@pytest.mark.parametrize(
    ("line", "identity", "message"),
    [
        ("{", "line 1", "line 1 cannot be read: the file ends inside an object"),
        ("[1]", "line 1", "line 1 is not an object"),
        ({"fn": "f", "options": {}}, "line 1", "`id` of line 1 is missing"),
        ({"id": 5, "fn": "f", "options": {}}, "line 1", "`id` of line 1 is not text"),
        ({"id": "x", "options": {}}, "x", "`fn` of line 1 is missing"),
        ({"id": "x", "fn": ["f"], "options": {}}, "x", "`fn` of line 1 is not text"),
        ({"id": "x", "fn": "f"}, "x", "`options` of line 1 is missing"),
        ({"id": "x", "fn": "f", "options": None}, "x", "`options` of line 1 is not an object"),
        (asked(x={"$part": 7}), "a", "line 1 needs part `7`, which no line before it has"),
        (asked(x={"$part": "1"}), "a", "line 1 needs part `1`, which no line before it has"),
        (asked(x={"$part": True}), "a", "line 1 needs part `True`, which no line before it has"),
    ],
)
def test_a_line_that_holds_no_request(line: object, identity: str, message: str) -> None:
    """The fault names the request, or its line if it has no id; the next line is read all the same."""
    read = requests(line, {**asked(n=1), "id": "next"})
    with pytest.raises(Fault) as raised:
        read[0]
    assert (raised.value.identity, raised.value.diagnostic.message) == (identity, message)
    assert read[1].identity == "next"


def test_a_part_cannot_stand_for_a_later_one() -> None:
    """Parts refer back only, so that none holds itself."""
    read = requests({"part": 1, "value": {"$part": 1}}, asked(x={"$part": 1}), {"part": 2, "value": 5})
    with pytest.raises(Fault, match="line 2 needs part `1`, which no line before it has"):
        read[0]
    late = requests(asked(x={"$part": 2}), {"part": 2, "value": 5})
    with pytest.raises(Fault, match="line 1 needs part `2`"):
        late[0]


def test_options_may_be_a_part() -> None:
    """All that a request is asked with may be one part; a part that is not an object is not."""
    read = requests(
        {"part": 1, "value": {"n": 1}},
        {"id": "a", "fn": "f", "options": {"$part": 1}},
        {"part": 2, "value": [1]},
        {"id": "b", "fn": "f", "options": {"$part": 2}},
    )
    assert read[0].options == {"n": 1}
    with pytest.raises(Fault, match="`options` of line 4 is not an object"):
        read[1]


def test_parts_that_double_without_end() -> None:
    """Forty lines that each hold the one before twice would fill any memory; they are a fault of the request."""
    parts = [{"part": n, "value": [{"$part": n - 1}] * 2 if n else 1} for n in range(40)]
    read = requests(*parts, asked(x={"$part": 39}))
    with pytest.raises(Fault, match="over 5,000,000 members"):
        read[0]


def test_parts_that_go_too_deep() -> None:
    """A chain of parts is as deep as a text that holds them all."""
    parts = [{"part": n, "value": [{"$part": n - 1}] if n else 1} for n in range(300)]
    with pytest.raises(Fault, match="nested over 200 levels deep"):
        requests(*parts, asked(x={"$part": 299}))[0]


def test_a_compressed_file() -> None:
    """A file is unpacked by what it begins with; one that is damaged is refused in words."""
    packed = gzip.compress(b"x" * 100)
    assert content_of(packed) == content_of(b"x" * 100) == b"x" * 100
    for damaged in (packed[:20], packed[:-1], packed[:15] + b"\0\0\0" + packed[18:]):
        with pytest.raises(ValueError, match="it is not whole as a gzip file"):
            content_of(damaged)
