"""Conversions agree with JavaScript; the expected texts are what Node.js prints for the same values."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelpath.language.builtins.json import canonical, keys, number, spread, text, truthy, values
from kernelpath.language.numerals import number_text, text_number


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (0.1, "0.1"),
        (-1.5, "-1.5"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (-1.25e22, "-1.25e+22"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-9, "1.5e-9"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (2**53 + 1, "9007199254740992"),
        (10**400, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
    ],
)
def test_number_text(value: float, expected: str) -> None:
    """A number is written with the fewest digits that tell it apart, as `String` does."""
    assert number_text(value) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", 0.0),
        (" \u00a012\ufeff\n", 12.0),
        ("\x8512", math.nan),
        ("0x10", 16.0),
        ("0B11", 3.0),
        ("0o17", 15.0),
        ("+0x10", math.nan),
        ("0x", math.nan),
        ("1_000", math.nan),
        (".5", 0.5),
        ("5.", 5.0),
        ("+1E-2", 0.01),
        (".", math.nan),
        ("1e", math.nan),
        ("--1", math.nan),
        ("00012", 12.0),
        ("1e400", math.inf),
        ("-Infinity", -math.inf),
        ("inf", math.nan),
        ("nan", math.nan),
        ("٣", math.nan),
    ],
)
def test_text_number(source: str, expected: float) -> None:
    """A text is read as `Number` does, and not as Python would."""
    assert repr(text_number(source)) == repr(expected)


@given(st.floats(allow_nan=False))
def test_number_text_is_read_back(value: float) -> None:
    """The text of a number is a text of that number."""
    assert text_number(number_text(value)) == value


@pytest.mark.parametrize(
    ("value", "as_text", "as_number", "truth"),
    [
        (None, "null", 0.0, False),
        (True, "true", 1.0, True),
        ("", "", 0.0, False),
        ("0", "0", 0.0, True),
        (0, "0", 0.0, False),
        (math.nan, "NaN", math.nan, False),
        ([], "", 0.0, True),
        ([[5]], "5", 5.0, True),
        ([True], "true", math.nan, True),
        ([1, None, [2, []]], "1,,2,", math.nan, True),
        ({}, "[object Object]", math.nan, True),
    ],
)
def test_conversions_of_json(value: Any, as_text: str, as_number: float, truth: bool) -> None:
    """`text`, `number` and `truthy` are `String`, `Number` and `Boolean`."""
    assert (text(value), repr(number(value)), truthy(value)) == (as_text, repr(as_number), truth)


def test_object_keys_have_javascript_order() -> None:
    """Keys that are array indexes come first, in ascending order; all others stay as they were written."""
    value = {"b": 0, "10": 1, "01": 2, "2": 3, "4294967294": 4, "4294967295": 5, "-1": 6, "a": 7}
    assert keys(value) == ["2", "10", "4294967294", "b", "01", "4294967295", "-1", "a"]
    assert values(value) == [3, 1, 4, 0, 2, 5, 6, 7]
    assert canonical({"b": 1, "1": {"z": None, "0": []}}) == '{"1":{"0":[],"z":null},"b":1}'


def test_canonical_escapes() -> None:
    """Control characters, quotes and unpaired surrogates are escaped, and nothing else is."""
    assert canonical('\ud800x\u2028\u0001\n"\\/\x7f😀') == '"\\ud800x\u2028\\u0001\\n\\"\\\\/\x7f😀"'
    assert canonical([math.inf, -0.0, 1e21, math.nan]) == "[null,0,1e+21,null]"


def test_spread_takes_what_javascript_spreads() -> None:
    """A string spreads to its UTF-16 units, a list to its items, and what is neither to nothing."""
    assert spread({"0": "z", "k": 1}, "a😀") == {"0": "a", "k": 1, "1": "\ud83d", "2": "\ude00"}
    assert spread([7, 8], {"1": 9}) == {"0": 7, "1": 9}
    assert spread(None, 5) == spread(True, None) == {}
