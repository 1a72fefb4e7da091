"""Every character of a scalar's text maps to the place where it was written, whatever the style."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kernelpath.diagnostics import Source
from kernelpath.packs.documents import DocumentErrors, Mapping, Scalar, read_yaml

WORDS = st.text(alphabet="abé😀'\\\"#:-", min_size=1, max_size=5)
SAFE_WORDS = st.text(alphabet="abé😀", min_size=1, max_size=5)
GAPS = st.sampled_from([" ", "  ", "\n", "\n\n", " \n \n\n ", "\n   "])
BREAKS = st.sampled_from(["\n", "\r\n", "\r"])


def scalar(text: str) -> Scalar:
    """Return the value of the first key of a document."""
    root = read_yaml(Source("file.yaml", text))
    assert isinstance(root, Mapping)
    value = root.entries[0][1]
    assert isinstance(value, Scalar)
    return value


def assert_mapped(value: Scalar) -> None:
    """Hold each character against the file, by line and column; folded and escaped ones by what stands there."""
    source = value.source
    offsets = [value.source_offset(index) for index in range(len(value.text) + 1)]
    assert offsets == sorted(offsets)
    for index, character in enumerate(value.text):
        written = source.text[source.offset(*value.position(index))]
        if written in "\r\n":
            assert character in " \n"
        elif not (value.style == '"' and written == "\\"):
            assert written == character


def phrases(words: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Words with gaps between them, some over several lines; lines are indented, so that they stay in the scalar."""
    pairs = st.lists(st.tuples(words, GAPS), max_size=4)
    return st.builds(
        lambda parts, last: "".join(w + g for w, g in parts).replace("\n", "\n  ") + last,
        pairs,
        words,
    )


@given(phrases(SAFE_WORDS), BREAKS)
def test_plain(text: str, line_break: str) -> None:
    """A plain scalar of one or several lines maps exactly."""
    assert_mapped(scalar(f"key: {text}\nnext: 1\n".replace("\n", line_break)))


@given(phrases(WORDS), BREAKS)
def test_single_quoted(text: str, line_break: str) -> None:
    """A single-quoted scalar maps exactly, a doubled quote as one character."""
    written = text.replace("'", "''")
    assert_mapped(scalar(f"key: '{written}'\nnext: 1\n".replace("\n", line_break)))


ESCAPED = st.sampled_from(
    ["\\n", "\\x41", "\\u00e9", "\\U0001f600", '\\"', "\\\\", "\\\n  ", "\\\n \n  ", "\\t", "\\/"]
)


@given(st.lists(st.one_of(SAFE_WORDS, ESCAPED, GAPS.map(lambda gap: gap + "  ")), max_size=8), BREAKS)
def test_double_quoted(parts: list[str], line_break: str) -> None:
    """A double-quoted scalar maps exactly: escapes to their backslash, escaped line breaks to nothing."""
    text = "".join(parts)
    assert_mapped(scalar(f'key: "{text}"\nnext: 1\n'.replace("\n", line_break)))


LINES = st.lists(
    st.one_of(
        st.just(""),
        st.just(" "),
        st.just("   "),
        st.builds("{}{}".format, st.sampled_from(["", " ", "\t", "   "]), WORDS),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("sign", ["|", ">"])
@given(
    lines=LINES,
    indent=st.integers(1, 4),
    explicit=st.booleans(),
    chomping=st.sampled_from(["", "-", "+"]),
    comment=st.sampled_from(["", "  # said"]),
    line_break=BREAKS,
    follows=st.sampled_from(["next: 1\n", "", "# said\nnext: 1\n"]),
)
def test_block(
    sign: str, lines: list[str], indent: int, explicit: bool, chomping: str, comment: str, line_break: str, follows: str
) -> None:
    """A literal or folded block maps exactly, whatever its indentation, chomping, blank lines and header."""
    header = f"{sign}{indent if explicit else ''}{chomping}{comment}"
    body = "".join(f"{' ' * indent}{line}\n" for line in lines)
    text = f"key: {header}\n{body}{follows}".replace("\n", line_break)
    try:
        value = scalar(text)
    except DocumentErrors:
        assume(False)  # leading blank lines longer than the first line with text are no YAML
    assert value.style == sign
    assert_mapped(value)


@pytest.mark.parametrize(
    ("text", "offset", "expected"),
    [
        ("key: one two\n", 4, (1, 10)),
        ("key: one\n  two\n", 3, (1, 9)),
        ("key: one\n  two\n", 4, (2, 3)),
        ("key: 'it''s'\n", 3, (1, 11)),
        ("key: 'it''s'\n", 2, (1, 9)),
        ('key: "a\\x41b"\n', 1, (1, 8)),
        ('key: "a\\x41b"\n', 2, (1, 12)),
        ('key: "a\\\n   b"\n', 1, (2, 4)),
        ("key: |\n  one\n  two\n", 4, (3, 3)),
        ("key: |2\n    one\n", 2, (2, 5)),
        ("key: >\n  one\n  two\n", 4, (3, 3)),
        ("key: >-\n\n  one\n", 1, (3, 3)),
        ("key: one\n", 3, (1, 9)),
        ("key: |\n  one\n", 4, (3, 1)),
        ("\ufeffkey: one\n", 0, (1, 6)),
    ],
)
def test_places(text: str, offset: int, expected: tuple[int, int]) -> None:
    """Offsets in the text come out at the lines and columns an editor shows."""
    assert scalar(text).position(offset) == expected
