"""Terms whose texts are parsed once, however often the types around them change."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache

from kernelpath.language import Expression, Message, parse, parse_message
from kernelpath.packs.terms import TermReader

_TEXTS = 20_000


@lru_cache(maxsize=_TEXTS)
def parsed(text: str) -> Expression:
    """Return the syntax tree of an expression; raises LanguageErrors."""
    return parse(text)


@lru_cache(maxsize=_TEXTS)
def parsed_message(text: str) -> Message:
    """Return the pieces of a message template; raises LanguageErrors."""
    return parse_message(text)


@dataclass(slots=True)
class QuickTerms(TermReader):
    """Reads terms as TermReader does, and keeps the trees of their texts.

    INVARIANT: a tree depends on its text, on the functions that were read before it, on the columns, and on what is
    lost by then; a reader for other columns has other trees.
    """

    trees: dict[tuple[str, int, Collection[str], int], Expression] = field(default_factory=dict)

    def expression(self, text: str) -> Expression:
        """Return the tree of an expression, functions written out and columns as one name; raises LanguageErrors."""
        key = (text, len(self.functions), self.columns, len(self.lost))
        found = self.trees.get(key)
        if found is None:
            found = self.trees[key] = self.whole(parsed(text))
        return found

    def message(self, text: str) -> Message:
        """Return the pieces of a message template, as `expression` returns its expressions; raises LanguageErrors."""
        pieces = parsed_message(text).pieces
        return Message(tuple(p if isinstance(p, str) else self.whole(p) for p in pieces))
