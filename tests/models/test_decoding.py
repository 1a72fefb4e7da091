"""Texts of ids, whole and as they come: what a stream gives is what decoding gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .test_tokenizer import built, byte_level, sentence_piece

SENTENCE_PIECE = built(sentence_piece())
BYTE_LEVEL = built(byte_level())
FIRST_BYTE, A, SPACED = 3, 260, 266  # ids of `<0x00>`, `a` and ` ab` in the SentencePiece vocabulary

# Bytes that begin, go on with, or break characters, between tokens of text and control tokens.
BYTES = [FIRST_BYTE + byte for byte in b"\n\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff"]
PIECES = st.sampled_from([*BYTES, 0, 1, A, SPACED])


def streamed(tokenizer: object, ids: list[int]) -> list[str]:
    return list(tokenizer.stream(iter(ids)))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([FIRST_BYTE + 0x0A, FIRST_BYTE + 0xF0, A], "\n\ufffda"),
        ([FIRST_BYTE + 0x09, FIRST_BYTE + 0xC3, SPACED], "\t\ufffd ab"),
        ([FIRST_BYTE + 0x41, FIRST_BYTE + 0xC3, A], "A\ufffda"),
        ([A, FIRST_BYTE + 0x0A, FIRST_BYTE + 0xF0, FIRST_BYTE + 0x9F], "a\n\ufffd"),
        ([FIRST_BYTE + 0xFF] * 40 + [A], "\ufffd" * 40 + "a"),
        ([FIRST_BYTE + byte for byte in "\ufffd€".encode()], "\ufffd€"),
        ([FIRST_BYTE + byte for byte in b"\xe2\x96\x81\xff"], "\u2581\ufffd"),
        ([1, SPACED, 2], "ab"),
        ([10_000, A], "a"),
    ],
)
def test_bytes_that_are_not_utf8_are_replaced_and_those_around_them_kept(ids: list[int], expected: str) -> None:
    """A newline before half a character stays a newline, in a stream and as a whole."""
    assert "".join(streamed(SENTENCE_PIECE, ids)) == SENTENCE_PIECE.decode(ids) == expected


def test_text_comes_as_soon_as_it_is_certain() -> None:
    """A broken byte is held back for one token, whole characters come at once."""
    ids = [A, FIRST_BYTE + 0xF0, FIRST_BYTE + 0x0A, *(FIRST_BYTE + byte for byte in "é".encode()), A]
    assert streamed(SENTENCE_PIECE, ids) == ["a", "\ufffd\n", "é", "a"]


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=90))
def test_pieces_of_a_sentence_piece_stream_join_to_the_text(ids: list[int]) -> None:
    """Whatever ids come, the pieces are the decoded text, which is the library's where all bytes are UTF-8."""
    text = SENTENCE_PIECE.decode(ids)
    assert "".join(streamed(SENTENCE_PIECE, ids)) == text
    library = SENTENCE_PIECE.inner.decode(ids)
    assert text == library or "\ufffd" in library


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(0, 262), max_size=90))
def test_pieces_of_a_byte_level_stream_join_to_the_text(ids: list[int]) -> None:
    """Byte-level texts are the library's, broken bytes and all."""
    assert "".join(streamed(BYTE_LEVEL, ids)) == BYTE_LEVEL.decode(ids) == BYTE_LEVEL.inner.decode(ids)
