"""The tokens of an expression that is being written, and what stands before its end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<open>"(?:[^"\\\n]|\\.)*\Z|'(?:[^'\\\n]|\\.)*\Z)"""
    r"""|(?P<number>\d+(?:\.\d+)?)|(?P<word>[A-Za-z_]\w*)|(?P<symbol>==|!=|<=|>=|//|\?\?|\?\.|.)""",
    re.S,
)
_OPENS = {")": "(", "]": "["}
DOTS = (".", "?.")


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its kind (string, open, number, word, symbol), its text and where it starts."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset after its last character."""
        return self.start + len(self.text)


def tokens(text: str) -> list[Token]:
    """Return the tokens of a text; a string that is not closed is of kind `open`."""
    found = _TOKEN.finditer(text)
    return [Token(str(token.lastgroup), token[0], token.start()) for token in found if token.lastgroup != "space"]


def operand(before: Sequence[Token], end: int) -> int:
    """Return the index at which the operand begins that ends before token `end`: a name with its members and calls."""
    at = end
    while at > 0:
        token = before[at - 1]
        if token.text in _OPENS and token.kind == "symbol":
            opening = opened(before, at - 1)
            if opening is None:
                return at
            at = opening
            if at == 0 or not (before[at - 1].kind == "word" or before[at - 1].text in _OPENS):
                return at
            continue
        if token.kind not in ("word", "string", "number"):
            return at
        at -= 1
        if at == 0 or before[at - 1].text not in DOTS:
            return at
        at -= 1
    return at


def opened(before: Sequence[Token], closing: int) -> int | None:
    """Return the index of the bracket that the one at `closing` closes."""
    depth = 0
    for at in range(closing, -1, -1):
        if before[at].kind == "symbol" and before[at].text in _OPENS:
            depth += 1
        elif before[at].kind == "symbol" and before[at].text in _OPENS.values():
            depth -= 1
            if depth == 0:
                return at
    return None


def enclosing(before: Sequence[Token]) -> int | None:
    """Return the index of the innermost bracket that is open at the end."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        if before[at].kind == "symbol" and before[at].text in _OPENS:
            depth += 1
        elif before[at].kind == "symbol" and before[at].text in _OPENS.values():
            if depth == 0:
                return at
            depth -= 1
    return None
