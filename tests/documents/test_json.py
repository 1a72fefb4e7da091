"""Users' JSON is read as the standard reader reads it, and each fault is told once, at its place."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelpath.graph.documents import MAX_BYTES, read_json
from kernelpath.graph.json_faults import first_fault
from kernelpath.graph.locate import tokens


@pytest.mark.parametrize(
    ("data", "value"),
    [
        ("1", 1),
        (" null\n", None),
        ('"a"', "a"),
        ("{}", {}),
        ('{"a": [1, 2.5, {"b": true}]}', {"a": [1, 2.5, {"b": True}]}),
        ("\ufeff[]", []),
        (b"\xef\xbb\xbf[]", []),
        ('"é😀"'.encode(), "é😀"),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\ud800"', "\ud800"),
        ("[1e400, -1e400]", [float("inf"), float("-inf")]),
        ("9" * 4300, int("9" * 4300)),
        ("[" * 200 + "]" * 200, json.loads("[" * 200 + "]" * 200)),
        ("[" + ",".join(["[]"] * 500) + "]", [[]] * 500),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_values(data: bytes | str, value: Any) -> None:
    """What is JSON is read, in text or in bytes, up to the limits and with numbers that overflow as infinities."""
    document = read_json("file.json", data)
    assert (document.value, document.diagnostics, document.ok) == (value, (), True)


@pytest.mark.parametrize(
    ("data", "rule", "line", "column"),
    [
        ("", "empty", 1, 1),
        (" \n", "empty", 1, 1),
        ('{"a": 1,}', "trailing-comma", 1, 8),
        ("[1,\n\n]", "trailing-comma", 1, 3),
        ("[1,,2]", "extra-comma", 1, 4),
        ("[,1]", "extra-comma", 1, 2),
        ("{,}", "extra-comma", 1, 2),
        ('{"a": 1 "b": 2}', "missing-comma", 1, 9),
        ("[1 2]", "missing-comma", 1, 4),
        ('{"a" 1}', "missing-colon", 1, 6),
        ('{"a"}', "missing-colon", 1, 5),
        ("{a: 1}", "bare-key", 1, 2),
        ("{1: 2}", "key-type", 1, 2),
        ("{[]: 2}", "key-type", 1, 2),
        ("{'a': 1}", "single-quote", 1, 2),
        ("{\"a\": 'x'}", "single-quote", 1, 7),
        ('{\n  "a": 1 // x\n}', "comment", 2, 10),
        ("/* x */ 1", "comment", 1, 1),
        ("# x\n1", "comment", 1, 1),
        ('{"a": NaN}', "constant", 1, 7),
        ("[Infinity]", "constant", 1, 2),
        ("[-Infinity]", "constant", 1, 2),
        ("[True]", "literal", 1, 2),
        ("None", "literal", 1, 1),
        ("[red]", "bare-word", 1, 2),
        ("[01]", "number", 1, 2),
        ("[.5]", "number", 1, 2),
        ("[1.]", "number", 1, 2),
        ("[+1]", "number", 1, 2),
        ("[0x1]", "number", 1, 2),
        ("[-]", "number", 1, 2),
        ('["a\nb"]', "unclosed-string", 1, 4),
        ('["a', "unclosed-string", 1, 2),
        ('["a\\', "unclosed-string", 1, 2),
        ('["a\tb"]', "control-character", 1, 4),
        ('["a\\\tb"]', "control-character", 1, 5),
        ('["a\\q"]', "escape", 1, 4),
        ('["\\\\\\q"]', "escape", 1, 5),
        ('["\\u12"]', "escape", 1, 3),
        ('{"a": [1, 2', "truncated", 1, 12),
        ('{"a":', "truncated", 1, 6),
        ('{"a"', "truncated", 1, 5),
        ("{", "truncated", 1, 2),
        ("[1,\n", "truncated", 1, 4),
        ("1 2", "after-end", 1, 3),
        ("{}\n{}", "after-end", 2, 1),
        ("[1}", "bracket", 1, 3),
        ('{"a": [1}', "bracket", 1, 9),
        ("]", "bracket", 1, 1),
        ("[:]", "bracket", 1, 2),
        ("\xa01", "character", 1, 1),
        ("[1,\u3000]", "character", 1, 4),
        ("[" * 201 + "]" * 201, "too-deep", 1, 201),
        ("[" * 100_000, "too-deep", 1, 201),
        ('{"a":' * 100_000, "too-deep", 1, 1001),
        (f"[{'1' * 4301}]", "long-integer", 1, 2),
        (f"[-{'1' * 4301}]", "long-integer", 1, 2),
        (b'{"a": "\xff"}', "encoding", 1, 8),
        (b'\xef\xbb\xbf\n"\xff"', "encoding", 2, 2),
        (b"\xff\xfe{\x00}\x00", "encoding", 1, 1),
        (b"\xed\xa0\x80", "encoding", 1, 1),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_one_fault_gives_one_message(data: bytes | str, rule: str, line: int, column: int) -> None:
    """What is not JSON has no value, and one error at the place of its first fault."""
    document = read_json("file.json", data)
    (found,) = document.diagnostics
    assert found.span is not None
    assert (found.rule, found.span.line, found.span.column) == (f"json/{rule}", line, column)
    assert (document.value, document.ok, found.severity) == (None, False, "error")


def test_a_cut_off_file_points_at_what_is_open() -> None:
    """The message says what is missing, and where the part that is not finished begins."""
    (found,) = read_json("file.json", '{"a": {\n  "b": [1, 2').diagnostics
    assert found.message == "the file ends inside a list"
    assert found.help == "is it cut off? `]` is missing"
    assert [(str(label.span), label.text) for label in found.secondary] == [("file.json:2:8", "it opens here")]


def test_too_large_a_file_names_the_limit() -> None:
    """The limit is told in megabytes, and the file is not read."""
    (found,) = read_json("file.json", bytes(MAX_BYTES + 1)).diagnostics
    assert (found.rule, found.message) == ("json/too-large", "the file is larger than 256 MB")


def test_duplicate_keys_are_a_warning_with_both_lines() -> None:
    """The last of equal keys counts; each repeat is told, with the one before it, also where escapes hide it."""
    document = read_json("file.json", '{\n"a": 1,\n"b": [{"c": 1}, {"c": 2}],\n"\\u0061": 2,\n"a": 3\n}')
    assert document.value == {"a": 3, "b": [{"c": 1}, {"c": 2}]}
    assert document.ok
    assert [(d.rule, d.severity, d.message) for d in document.diagnostics] == [
        ("json/duplicate-key", "warning", "the key `a` is set on line 2 and again on line 4: the last counts"),
        ("json/duplicate-key", "warning", "the key `a` is set on line 4 and again on line 5: the last counts"),
    ]
    assert [str(d.secondary[0].span) for d in document.diagnostics] == ["file.json:2:1", "file.json:4:1"]


DOCUMENT = '{\n  "a": [1, {"b/c": "x"}],\n  "e~f": {"": {}},\n  "a": [2, {"k\\u0041": [3]}]\n}'


@pytest.mark.parametrize(
    ("pointer", "value", "key"),
    [
        ("", (1, 1, 5, 2), (1, 1)),
        ("/a", (4, 8, 4, 29), (4, 3)),
        ("/a/0", (4, 9, 4, 10), (4, 9)),
        ("/a/1/kA", (4, 24, 4, 27), (4, 13)),
        ("/a/1/kA/0", (4, 25, 4, 26), (4, 25)),
        ("/e~0f", (3, 10, 3, 18), (3, 3)),
        ("/e~0f/", (3, 15, 3, 17), (3, 11)),
        ("/a/9", (4, 8, 4, 29), (4, 3)),
        ("/a/-1", (4, 8, 4, 29), (4, 3)),
        ("/a/00", (4, 8, 4, 29), (4, 3)),
        ("/absent/x", (1, 1, 5, 2), (1, 1)),
    ],
)
def test_places(pointer: str, value: tuple[int, int, int, int], key: tuple[int, int]) -> None:
    """A pointer's value and key are found; of equal keys the last; where a pointer ends early, what there is."""
    document = read_json("file.json", DOCUMENT)
    span = document.locate(pointer)
    assert (span.line, span.column, span.end_line, span.end_column) == value
    name = document.key_span(pointer)
    assert (name.line, name.column) == key


def test_a_document_with_errors_has_no_places() -> None:
    """Where there is no value, every place is the start of the file."""
    assert str(read_json("file.json", "[1,").locate("/0")) == "file.json:1:1"


def test_pointer_tokens() -> None:
    """`~1` and `~0` are read in that order, so that `~01` is `~1`."""
    assert tokens("/a~1b/~01/") == ["a/b", "~1", ""]
    assert tokens("") == []


VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=6)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=4)),
    max_leaves=15,
)


def pointers(value: Any, at: str = "") -> list[tuple[str, Any]]:
    """Return every pointer into a value, with what it leads to."""
    inner: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        inner = [(key.replace("~", "~0").replace("/", "~1"), child) for key, child in value.items()]
    elif isinstance(value, list):
        inner = [(str(index), child) for index, child in enumerate(value)]
    return [(at, value), *(found for token, child in inner for found in pointers(child, f"{at}/{token}"))]


@given(VALUES, st.sampled_from([None, 0, 2]), st.booleans())
def test_every_place_holds_its_value(value: Any, indent: int | None, ascii_only: bool) -> None:
    """The text at a pointer's place, read by itself, is the value that the pointer leads to."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    document = read_json("file.json", text)
    assert (document.value, document.diagnostics) == (value, ())
    for pointer, child in pointers(value):
        span = document.locate(pointer)
        start = document.source.offset(span.line, span.column)
        end = document.source.offset(span.end_line, span.end_column)
        assert json.loads(text[start:end]) == child


ANY = st.text(alphabet=st.sampled_from("ab01.-+eE \n\t,:[]{}\"\\/u#'tnN\x00\xa0\ud800"), max_size=14)


@given(
    st.one_of(
        ANY, st.builds(lambda v, at, s: json.dumps(v)[:at] + s + json.dumps(v)[at:], VALUES, st.integers(0, 30), ANY)
    )
)
def test_both_readers_agree(text: str) -> None:
    """The strict reader finds a fault in a text exactly where the standard one refuses it."""
    try:
        json.loads(text, parse_constant=lambda name: [][0])
        is_json = True
    except (ValueError, IndexError):
        is_json = False
    document = read_json("file.json", text)
    assert (first_fault(document.source) is None) == is_json
    assert document.ok == is_json


def test_duplicates_are_told_up_to_a_number() -> None:
    """A document that sets a key without end gives a hundred warnings."""
    assert len(read_json("file.json", "{" + ", ".join('"a": 1' for _ in range(5_000)) + "}").diagnostics) == 100


@pytest.mark.parametrize(
    ("text", "column", "found"),
    [("[1, 2 3]", 7, "3"), ('{"a": 1, "b" 2}', 14, "2"), ("[1, 2,", 7, "the end of the file"), ('["abcdef', 2, '"')],
)
def test_a_mistake_in_a_document_of_many_megabytes(
    text: str, column: int, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong with a document that is too long to be read token by token is placed, and told in general words."""
    monkeypatch.setattr(sys.modules[read_json.__module__], "MAX_SLOW", 5)
    (mistake,) = read_json("file.json", text).diagnostics
    assert (mistake.rule, mistake.message) == ("json/syntax", f"this is not JSON from `{found}` on")
    assert mistake.span is not None
    assert mistake.span.column == column
