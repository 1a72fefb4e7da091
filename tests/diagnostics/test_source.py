"""A source maps offsets to lines and columns as editors count them, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelpath.diagnostics import Source, Span

TEXTS = st.text(alphabet="ab😀\n\r\t\u2028\ud800", max_size=40)


@pytest.mark.parametrize(
    ("text", "offset", "expected"),
    [
        ("", 0, (1, 1)),
        ("ab", 2, (1, 3)),
        ("ab\n", 2, (1, 3)),
        ("ab\n", 3, (2, 1)),
        ("a\r\nb", 1, (1, 2)),
        ("a\r\nb", 2, (1, 3)),
        ("a\r\nb", 3, (2, 1)),
        ("a\rb", 2, (2, 1)),
        ("a\u2028b", 2, (1, 3)),
        ("😀b", 1, (1, 2)),
        ("ab", 99, (1, 3)),
        ("ab", -1, (1, 1)),
    ],
)
def test_position(text: str, offset: int, expected: tuple[int, int]) -> None:
    """Lines and columns count from 1, in code points; places outside the text are its nearest end."""
    assert Source("a", text).position(offset) == expected


@given(TEXTS, st.integers(0, 40))
def test_offsets_come_back(text: str, offset: int) -> None:
    """A place that an offset has leads back to it, save that none lies inside a line break of two characters."""
    source = Source("a", text)
    offset = min(offset, len(text))
    inside = text[offset - 1 : offset + 1] == "\r\n"
    assert source.offset(*source.position(offset)) == offset - inside


@given(TEXTS)
def test_lines_are_what_editors_count(text: str) -> None:
    """The lines joined by line breaks are the text with every break made `\\n`."""
    source = Source("a", text)
    lines = [source.line(number) for number in range(1, source.line_count() + 1)]
    assert "\n".join(lines) == text.replace("\r\n", "\n").replace("\r", "\n")
    assert [source.line_length(number) for number in range(1, source.line_count() + 1)] == list(map(len, lines))


def test_a_part_of_a_line() -> None:
    """A line can be cut to a column and a length, and a line that is not there is empty."""
    source = Source("a", "first\nsecond\n")
    assert source.line(2, first=3, limit=2) == "co"
    assert source.line(2, first=5) == "nd"
    assert source.line(9) == ""


def test_span() -> None:
    """A span runs from its first character up to and not including its end, over lines too."""
    source = Source("a.txt", "one\ntwo\n")
    assert source.span(1, 6) == Span("a.txt", 1, 2, 2, 3)
    assert str(source.span(4, 7)) == "a.txt:2:1"
