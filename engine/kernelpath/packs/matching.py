"""The short forms of decision tables: cells that are compared with inputs, and paths of members."""

from __future__ import annotations

import json
import re

_PATH = re.compile(r'(?:"[^"\\]+"|[^."\\]+)(?:\.(?:"[^"\\]+"|[^."\\]+))*')
_PART = re.compile(r'"((?:[^"\\]|\\.)*)"|([^."]+)')


def match_text(cells: object) -> str:
    """Return the condition that cells stand for: each input equals its cell, or is among the cell's values.

    >>> match_text({"colour": ["red", "blue"], "size": 3})
    'colour in ["red", "blue"] and size == 3'
    """
    assert isinstance(cells, dict)
    return " and ".join(_cell(name, value) for name, value in cells.items()) or "true"


def _cell(name: str, value: object) -> str:
    if isinstance(value, list):
        return f"{name} in [{', '.join(json.dumps(item) for item in value)}]"
    return f"{name} == {json.dumps(value)}"


#: The most members of a path: each is a level of the object that is built.
MAX_PATH = 50


def member_path(text: str) -> tuple[str, ...]:
    """Return the members that a path names, none where it is not one; a name with dots stands in double quotes.

    >>> member_path('a."b.c".d'), member_path("a..b")
    (('a', 'b.c', 'd'), ())
    """
    if not _PATH.fullmatch(text):
        return ()
    return tuple(quoted or plain for quoted, plain in _PART.findall(text))
