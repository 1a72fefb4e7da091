"""The nearest known word to a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable

_NEAR = 0.6  # the share of characters in common, as difflib counts it
_LONG = 200  # nobody mistypes a text that long, and the comparison is quadratic


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that a mistyped word most likely stands for, or None where none is near.

    A word that differs in case or in `-`, `_` and spaces alone is the nearest. Equally near ones: the first in order
    of the alphabet, so that the answer does not hang on the order of a set.

    >>> did_you_mean("colour", ["color", "size"])
    'color'
    >>> did_you_mean("weight", ["color", "size"]) is None
    True
    """
    known = sorted(set(candidates) - {word})
    same = [candidate for candidate in known if _folded(candidate) == _folded(word)]
    if same:
        return same[0]
    if len(word) > _LONG:
        return None
    from difflib import SequenceMatcher  # not at import: only a mistake pays for it

    matcher = SequenceMatcher(b=_folded(word))
    near: list[tuple[float, str]] = []
    for candidate in known:
        matcher.set_seq1(_folded(candidate))
        if matcher.real_quick_ratio() >= _NEAR and matcher.quick_ratio() >= _NEAR and matcher.ratio() >= _NEAR:
            near.append((-matcher.ratio(), candidate))
    return min(near)[1] if near else None


def _folded(word: str) -> str:
    return word.casefold().replace("-", "").replace("_", "").replace(" ", "")
