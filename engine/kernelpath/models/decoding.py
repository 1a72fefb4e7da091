"""Token ids to text, whole or as they come."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_REPLACEMENT = "\ufffd"
_WINDOW, _KEPT = 24, (8, 9, 10, 11, 12)


class TextDecoder:
    """The text of a tokenizer's ids: `inner` is a `tokenizers.Tokenizer`.

    Where tokens such as `<0x0A>` stand for bytes, bytes that are not UTF-8 become U+FFFD and those around them stay
    text. (The library makes a whole run of them U+FFFD, so that a text would change backwards as it grows.)
    """

    def __init__(self, inner: Any, special: bool = False) -> None:
        """Take a tokenizer; special tokens are left out of texts unless `special`."""
        self._inner = inner
        added = {} if special else inner.get_added_tokens_decoder()
        self._left_out = frozenset(index for index, token in added.items() if token.special)
        self._decoder = inner.decoder
        self._falls_back = self._decoder is not None and b'"ByteFallback"' in self._decoder.__getstate__()

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids; ids that the tokenizer does not have are left out."""
        found = (self._inner.id_to_token(token) for token in ids if token not in self._left_out)
        tokens = [token for token in found if token is not None]
        if self._decoder is None:
            return " ".join(tokens)
        text: str = self._decoder.decode(_as_utf8(tokens) if self._falls_back else tokens)
        return text

    def stream(self, ids: Iterator[int]) -> Iterator[str]:
        """Yield text as ids come in: pieces join to the whole text, and a character is never cut in two."""
        window = _Window(self)
        for token in ids:
            piece = window.take(token)
            if piece:
                yield piece
        rest = window.rest()
        if rest:
            yield rest


class _Window:
    """The last ids of a stream, and how many characters of their text have been given out.

    A U+FFFD at the end is held back: the next id may make a character of it.
    """

    def __init__(self, decoder: TextDecoder) -> None:
        self._decoder = decoder
        self._ids: list[int] = []
        self._given = 0

    def take(self, token: int) -> str:
        """Add an id, and return the text that is certain now."""
        self._ids.append(token)
        text = self._decoder.decode(self._ids)
        certain = len(text) - text.endswith(_REPLACEMENT)
        piece = text[self._given : certain]
        self._given = max(self._given, certain)
        if len(self._ids) > _WINDOW:
            self._shorten(text)
        return piece

    def rest(self) -> str:
        """Return what was held back."""
        return self._decoder.decode(self._ids)[self._given :]

    def _shorten(self, text: str) -> None:
        """Forget the oldest ids, where the others alone give the same end of the text, with all that is not given."""
        for kept in _KEPT:
            end = self._decoder.decode(self._ids[-kept:])
            if text.endswith(end) and len(text) - len(end) <= self._given:
                self._ids = self._ids[-kept:]
                self._given -= len(text) - len(end)
                return


def _as_utf8(tokens: Sequence[str]) -> list[str]:
    """Return tokens with the bytes among them that are not UTF-8 replaced by U+FFFD."""
    result: list[str] = []
    for is_byte, run in groupby(tokens, lambda token: _BYTE.fullmatch(token) is not None):
        together = list(run)
        result += _decodable(together) if is_byte else together
    return result


def _decodable(run: Sequence[str]) -> list[str]:
    """Return the tokens of bytes with U+FFFD in place of each sequence that is not UTF-8."""
    text = bytes(int(token[3:5], 16) for token in run).decode("utf-8", "replace")
    first, *others = ([f"<0x{byte:02X}>" for byte in part.encode()] for part in text.split(_REPLACEMENT))
    return first + [token for part in others for token in (_REPLACEMENT, *part)]
