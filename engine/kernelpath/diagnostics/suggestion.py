"""The nearest known word to a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable


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
    if len(word) > 200:  # nobody mistypes a text that long; the comparison is quadratic
        return None
    from difflib import get_close_matches  # not at import: only a mistake pays for it

    folded = {_folded(candidate): candidate for candidate in reversed(known)}
    near = get_close_matches(_folded(word), folded, n=1, cutoff=0.6)
    return folded[near[0]] if near else None


def _folded(word: str) -> str:
    return word.casefold().replace("-", "").replace("_", "").replace(" ", "")
