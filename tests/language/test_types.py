"""Types are spelled as in YAML, and fit where their values may stand."""

from __future__ import annotations

import pytest

from kernelpath.language import (
    BOOL,
    FLOAT,
    INT,
    JSON,
    NULL,
    STRING,
    LanguageErrors,
    ListOf,
    MapOf,
    Optional,
    Record,
    Type,
    Vocabulary,
    parse_type,
)
from kernelpath.language.types import NOTHING, fits, join, optional

COLOUR = Vocabulary("colour", ("red",))
OTHER = Vocabulary("shape", ("red", "round"))
MODE = Vocabulary("mode", ("fast",), open=True)
BOX = Record("box", {"size": INT})


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("int", INT),
        ("string?", Optional(STRING)),
        ("list<int>", ListOf(INT)),
        (" map < json > ? ", Optional(MapOf(JSON))),
        ("object", MapOf(JSON)),
        ("json?", JSON),
        ("list<list<colour?>?>", ListOf(Optional(ListOf(Optional(COLOUR))))),
        ("box", BOX),
        ("null", NULL),
    ],
)
def test_spelling(text: str, type_: Type) -> None:
    """A spelling gives its type, and a type its spelling."""
    names = {"colour": COLOUR, "box": BOX}
    parsed = parse_type(text, names)
    assert parsed == type_
    assert parse_type(str(parsed), names) == type_


def test_list_limit() -> None:
    """A list may say how long it can be, which is no part of its identity."""
    parsed = parse_type("list<int, 64>")
    assert isinstance(parsed, ListOf)
    assert (parsed, parsed.limit) == (ListOf(INT), 64)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("colr", "unknown type `colr`", (0, 4)),
        ("list<strng>", "unknown type `strng`", (5, 10)),
        ("list<int", "`list<int` is not a type", (0, 8)),
        ("list", "`list` is not a type", (0, 4)),
        ("set<int>", "`set<int>` is not a type", (0, 8)),
        ("int int", "`int int` is not a type", (0, 7)),
        ("", "`` is not a type", (0, 0)),
        ("list<int, x>", "`list<int, x>` is not a type", (0, 12)),
        ("list<" * 30 + "int" + ">" * 30, "`" + "list<" * 11 + "list…` is not a type", (0, 183)),
    ],
)
def test_mistake_in_a_spelling(text: str, message: str, place: tuple[int, int]) -> None:
    """What spells no type says so, at the name that is wrong."""
    with pytest.raises(LanguageErrors) as raised:
        parse_type(text, {"colour": COLOUR})
    (problem,) = raised.value.problems
    assert (problem.message, (problem.start, problem.end)) == (message, place)


@pytest.mark.parametrize(
    ("given", "wanted", "fit"),
    [
        (INT, INT, True),
        (INT, FLOAT, False),  # it must be converted
        (INT, Optional(INT), True),
        (NULL, Optional(INT), True),
        (Optional(INT), INT, False),
        (COLOUR, STRING, True),
        (STRING, COLOUR, False),
        (MODE, STRING, False),
        (COLOUR, Vocabulary("colour", ("red",), open=True), True),
        (Vocabulary("colour", ("red",), open=True), COLOUR, False),
        (ListOf(COLOUR), ListOf(STRING), True),
        (ListOf(NOTHING), ListOf(BOX), True),
        (ListOf(INT), ListOf(FLOAT), False),
        (MapOf(INT), JSON, True),
        (ListOf(BOX), JSON, False),
        (MODE, JSON, True),
        (JSON, STRING, False),
        (BOX, Record("box"), True),
        (BOX, Record("crate"), False),
    ],
)
def test_what_fits(given: Type, wanted: Type, fit: bool) -> None:
    """A value stands where each value of its type is one of the wanted type, as it is."""
    assert fits(given, wanted) is fit


@pytest.mark.parametrize(
    ("left", "right", "joined"),
    [
        (INT, FLOAT, FLOAT),
        (INT, NULL, Optional(INT)),
        (Optional(INT), FLOAT, Optional(FLOAT)),
        (COLOUR, OTHER, STRING),
        (COLOUR, MODE, JSON),
        (STRING, JSON, JSON),
        (ListOf(COLOUR), ListOf(OTHER), ListOf(STRING)),
        (ListOf(INT), ListOf(FLOAT), None),
        (INT, STRING, None),
        (BOX, JSON, None),
        (BOOL, BOOL, BOOL),
    ],
)
def test_what_types_join_to(left: Type, right: Type, joined: Type | None) -> None:
    """Two types join to the narrowest that holds the values of both, from either side."""
    assert join(left, right) == joined
    assert join(right, left) == joined


def test_optional_types_do_not_pile_up() -> None:
    """A type that holds null already is its own optional type."""
    assert optional(Optional(INT)) == Optional(INT)
    assert optional(JSON) == JSON
    assert optional(NULL) == NULL
