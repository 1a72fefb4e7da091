"""The tokens of JSON text, with their offsets: what faults are found by, and what places are found by."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

# A closed string without bare control characters, or a bracket, comma or colon, or a run of anything else.
# INVARIANT: every alternative takes at least one character, and possessively, so that reading is linear and flat.
TOKEN = re.compile(
    r'[ \t\n\r]*+(?:("[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+")|([{}\[\]:,])|([^\s{}\[\]:,"]++)|(.))',
    re.S,
)
STRING, MARK, WORD, OTHER = 1, 2, 3, 4

# All up to the next bracket, strings whole.
_TO_BRACKET = re.compile(r'(?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.S)
BLANK = re.compile(r"[ \t\n\r]*+")
_CLOSED_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.S)
_BARE = re.compile(r"[^\s{}\[\]:,\"]++")


def skip_blanks(text: str, at: int) -> int:
    """Return the offset of the next character that is not white space."""
    found = BLANK.match(text, at)
    return found.end() if found else at


def value_end(text: str, at: int) -> int:
    """Return the offset after the value that starts at an offset of valid JSON, without recursion."""
    if text[at] == '"':
        return string_end(text, at)
    if text[at] not in "{[":
        found = _BARE.match(text, at)
        return found.end() if found else at
    depth, at = 1, at + 1
    while depth:
        found = _TO_BRACKET.match(text, at)
        at = found.end() if found else at
        depth += 1 if text[at] in "{[" else -1
        at += 1
    return at


def string_end(text: str, at: int) -> int:
    """Return the offset after the string that opens at an offset of valid JSON."""
    found = _CLOSED_STRING.match(text, at)
    return found.end() if found else len(text)


def children(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield (key offset, value offset) for each member of the object, or item of the list, that opens at an offset.

    A list's items have -1 for the key. The text must be valid JSON.
    """
    is_object = text[at] == "{"
    at = skip_blanks(text, at + 1)
    while text[at] not in "}]":
        key = at if is_object else -1
        if is_object:
            at = skip_blanks(text, skip_blanks(text, string_end(text, at)) + 1)
        yield key, at
        at = skip_blanks(text, value_end(text, at))
        if text[at] == ",":
            at = skip_blanks(text, at + 1)


def key_text(text: str, at: int) -> str:
    """Return the decoded key, or string, that opens at an offset of valid JSON."""
    raw = text[at : string_end(text, at)]
    return raw[1:-1] if "\\" not in raw else str(json.loads(raw))
