"""Globs of waivers: `*` for any characters, `?` for one; nothing else is special.

A glob is matched without going back: the set of places in it that the text may have reached moves on with each
character, as the bits of one number. So the time grows with the text, whatever the glob is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

#: The most characters that a glob may have.
MAX_GLOB = 1_000
_LEAST = 2


@dataclass(slots=True)
class _Glob:
    """A glob as masks over its single characters: bit `n` stands for `n` of them being matched.

    `literals` says which of them a character may be, `anything` which are a `?`; at the places in `many` any characters
    may follow, at those in `within` any but the one that keeps parts apart.
    """

    literals: dict[str, int] = field(default_factory=dict)
    anything: int = 0
    many: int = 0
    within: int = 0
    length: int = 0


@lru_cache(maxsize=4096)
def _read(glob: str, apart: str) -> _Glob:
    read = _Glob()
    for part in re.findall(r"\*+|[^*]", glob):
        place = 1 << read.length
        if part[0] == "*":
            read.within |= place
            read.many |= place if len(part) > 1 or not apart else 0
            continue
        if part == "?":
            read.anything |= place
        else:
            read.literals[part] = read.literals.get(part, 0) | place
        read.length += 1
    return read


def matches(glob: str, text: str, apart: str = "") -> bool:
    """Return whether a glob matches a whole text; `*` and `?` do not match `apart`, which `**` does."""
    read = _read(glob, apart)
    reached = 1
    for character in text:
        fits, stays = read.literals.get(character, 0), read.many
        if character != apart:
            fits, stays = fits | read.anything, stays | read.within
        reached = (reached & fits) << 1 | reached & stays
        if not reached:
            return False
    return bool(reached >> read.length & 1)


def matches_rule(glob: str, rule: str) -> bool:
    """Return whether a glob matches a rule's identity: `*` stays within one part of its path, `**` does not."""
    return matches(glob, rule, "/")


def is_everything(glob: str) -> bool:
    """Return whether a glob matches every text, or nearly: all that have one character, or are so long.

    >>> [is_everything(glob) for glob in ("*", "?*", "*??", "*e*", "?", "llama-*", "t5-*")]
    [True, True, True, True, False, False, False]
    """
    return "*" in glob and len(re.sub(r"[\W_]", "", glob)) < _LEAST
