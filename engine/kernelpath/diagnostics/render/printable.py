"""Text made safe to show: control characters, direction overrides and lone surrogates become visible escapes."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable

TAB_STOP = 4
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_JOINER = "\u200d"  # emoji and Indic scripts are written with it
_ACTING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_KEPT = frozenset({_JOINER, "\u3000"})  # the second is the space of Chinese and Japanese text
_SHOWN = _KEPT | {"\n", "\t", "\u200c", "\u00ad"}  # the last two join and part letters of words


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


def visible(text: str) -> str:
    """Return text of several lines with an escape for every character that a terminal would act on.

    >>> print(visible("a\x1b[31mb\\n\x9b2J"))
    a\x1b[31mb
    \x9b2J
    """
    return _replaced(text.replace("\r\n", "\n"), escape)


def visible_json(text: str) -> str:
    """Return JSON text that says the same, with JSON's own escapes for such characters."""
    return _replaced(text, lambda character: json.dumps(character)[1:-1])


def visible_xml(text: str) -> str:
    """Return XML text that says the same, with XML's references for such characters; those it cannot have are shown."""
    return _replaced(text, lambda character: f"&#{ord(character)};" if character >= "\x7f" else escape(character))


def _replaced(text: str, escaped: Callable[[str], str]) -> str:
    acting = {character for character in set(text) if _acts(character)}
    return text.translate({ord(character): escaped(character) for character in acting})


def _acts(character: str) -> bool:
    """Return whether a terminal may do something else with a character than show it."""
    if character in _SHOWN or character.isprintable():
        return False
    return unicodedata.category(character) in _ACTING


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
