"""How a text is written as a YAML scalar: plain where that reads back as the same text, else in quotes, else folded."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kernelpath.analysis.formatting.expressions import EXPRESSION, MESSAGE, TEXT
from kernelpath.diagnostics.render.printable import visible
from kernelpath.packs.scalars import resolve

WIDTH = 120

_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`=<~")
_PRINTABLE = re.compile("[\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
_YAML_1_1 = re.compile(  # what an older reader, such as an editor's, takes for something else than text
    r"(?i:yes|no|on|off)|[-+]?0[0-7_]+|[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?|[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?"
)
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def is_seen(text: str) -> bool:
    """Return whether a text on one line can stand in a file as it is: a reader takes it, and people see all of it."""
    return bool(_PRINTABLE.fullmatch(text)) and visible(text) == text


def inline(text: str, flow: bool, liked: str = "'") -> str:
    """Return a text as a scalar on one line, between brackets where `flow`; quotes only where they are needed.

    `liked` are the quotes that it gets where both kinds are as good.

    >>> [inline(text, False) for text in ("red", "null", 'x == "red"', '"red"', "it's: red")]
    ['red', "'null'", 'x == "red"', '\\'"red"\\'', '"it\\'s: red"']
    """
    return text if is_plain(text, flow) else quoted(text, liked)


def is_plain(text: str, flow: bool) -> bool:
    """Return whether a text needs no quotes, for every reader of YAML, old and new."""
    if not text or text != text.strip(" ") or not is_seen(text) or "\xa0" in (text[0], text[-1]):
        return False
    if not _starts_plainly(text, flow) or ": " in text or " #" in text or text.endswith(":"):
        return False
    if flow and any(character in ",[]{}?:" for character in text):
        return False
    return isinstance(resolve(text), str) and not _YAML_1_1.fullmatch(text)


def _starts_plainly(text: str, flow: bool) -> bool:
    if text.startswith(("---", "...")):
        return False
    if text[0] in "-:?" and not flow:
        return len(text) > 1 and text[1] != " "
    return text[0] not in _INDICATORS


def quoted(text: str, liked: str = "'") -> str:
    """Return a text in quotes of the kind that needs fewer signs; what cannot be seen is escaped in double ones."""
    single = "'" + text.replace("'", "''") + "'"
    double = '"' + "".join(_escaped(character) for character in text) + '"'
    if not is_seen(text):
        return double
    if len(single) == len(double):
        return double if liked == '"' else single
    return single if len(single) < len(double) else double


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if is_seen(character):
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def is_foldable(text: str) -> bool:
    """Return whether a text reads back from a folded block: a single line that blanks neither begin nor end."""
    return bool(text) and text == text.strip() and is_seen(text) and " " in text


def folded(text: str, width: int, kind: str = TEXT) -> list[str]:
    """Return a text cut into lines of at most `width` characters where it can be cut, at single spaces.

    >>> folded('colour == "dark red" and size > 3', 24, EXPRESSION)
    ['colour == "dark red"', 'and size > 3']
    """
    ranks = _break_ranks(text, kind)
    lines, start = [], 0
    while len(text) - start > width:
        cut = _cut(ranks, start, width)
        if cut is None:
            break
        lines.append(text[start:cut])
        start = cut + 1
    return [*lines, text[start:]]


def _cut(ranks: Mapping[int, int], start: int, width: int) -> int | None:
    """Return where to cut: at the best place in the line's later part, else at its last, else at the first after it."""
    near = [place for place in ranks if start < place <= start + width]
    if not near:
        return min((place for place in ranks if place > start + width), default=None)
    late = [place for place in near if place > start + width // 4]
    return max(late or near, key=lambda place: (-ranks[place], place))


_SPACE = re.compile("(?<! ) (?! )")
_CLAUSE = re.compile(r"(?<!\belse) (?=(?:and|or|else|then|for|if)\b|\?\?)")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
_HOLE = re.compile(r"\{(?:[^{}\"']|" + _STRING.pattern + r")*\}")
_WORST = 1000


def _break_ranks(text: str, kind: str) -> dict[int, int]:
    """Return the single spaces of a text and how bad a cut there is.

    In expressions, before a clause is better than elsewhere, outside brackets better than inside; a string is worst.
    """
    spaces = {match.start() for match in _SPACE.finditer(text)}
    if kind == EXPRESSION:
        return _expression_ranks(text, spaces)
    ranks = dict.fromkeys(spaces, 0)
    for hole in _HOLE.finditer(text) if kind == MESSAGE else ():
        inside = {place - hole.start() for place in spaces if hole.start() < place < hole.end()}
        ranks |= {hole.start() + place: 2 + rank for place, rank in _expression_ranks(hole.group(), inside).items()}
    return ranks


def _expression_ranks(text: str, spaces: set[int]) -> dict[int, int]:
    clauses = {match.start() for match in _CLAUSE.finditer(text)}
    strings = {place for match in _STRING.finditer(text) for place in range(*match.span())}
    ranks, depth = {}, 0
    for place, character in enumerate(text):
        if place in strings:
            if place in spaces:
                ranks[place] = _WORST
            continue
        depth += (character in "([{") - (character in ")]}")
        if place in spaces:
            ranks[place] = 2 * depth + (place not in clauses)
    return ranks
