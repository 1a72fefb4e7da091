"""String literals: from source text to value, and back."""

from __future__ import annotations

import re

from kernelpath.language.odd_characters import is_invisible, utf16_units

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'"}
_QUOTED = {"\n": "\\n", "\t": "\\t", "\\": "\\\\", '"': '\\"'}


def unquote(source: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the value of a quoted literal, and the spans in `source` of escapes that do not exist."""
    bad: list[tuple[int, int]] = []

    def replace(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        if match[2] not in _PLAIN:
            bad.append((match.start() + 1, match.end() + 1))
            return ""
        return _PLAIN[match[2]]

    value = _ESCAPE.sub(replace, source[1:-1])
    # Two escapes may spell one character beyond U+FFFF, as in JSON.
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"), bad


def quote(value: str) -> str:
    """Return the canonical literal for a string: double quotes, and escapes for what would not be seen."""
    return '"' + "".join(_quote_character(character) for character in value) + '"'


def _quote_character(character: str) -> str:
    if character in _QUOTED:
        return _QUOTED[character]
    if not is_invisible(character):
        return character
    return "".join(f"\\u{unit:04x}" for unit in utf16_units(character))
