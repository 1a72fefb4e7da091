"""Text made safe to show: control characters, direction overrides and lone surrogates become visible escapes."""

from __future__ import annotations

import unicodedata

TAB_STOP = 4
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_JOINER = "\u200d"  # emoji and Indic scripts are written with it
_KEPT = frozenset({_JOINER, "\u3000"})  # the second is the space of Chinese and Japanese text


def escape(character: str) -> str:
    """Return one character as it may be shown, an escape such as ``\\x1b`` where it would not be seen or would harm."""
    if character.isprintable() or character in _KEPT or unicodedata.category(character) not in _HIDDEN:
        return character
    code = ord(character)
    if code < 0x100:
        return {9: "\\t", 10: "\\n", 13: "\\r"}.get(code, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def printable(text: str) -> str:
    """Return a text on one line, with every character that would not be seen escaped."""
    return text if text.isprintable() else "".join(map(escape, text))


def cell(character: str) -> str:
    """Return what a character of a source line is shown as; a tab is shown as spaces."""
    return " " * TAB_STOP if character == "\t" else escape(character)


def width(text: str) -> int:
    """Return how many terminal columns a printable text takes: wide characters two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.combining(character) or character == _JOINER:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
