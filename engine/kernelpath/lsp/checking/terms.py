"""Terms whose texts are parsed once, however often the types around them change."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from kernelpath.language import Expression, Message, parse, parse_message
from kernelpath.packs.columns import with_columns
from kernelpath.packs.functions import expand
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

    INVARIANT: a tree depends on its text, on the functions that were read before it, and on the columns.
    """

    trees: dict[tuple[str, int, Container[str]], Any] = field(default_factory=dict)

    def expression(self, text: str) -> Expression:
        """Return the tree of an expression, functions written out and columns as one name; raises LanguageErrors."""
        key = (text, len(self.functions), self.columns)
        found: Expression | None = self.trees.get(key)
        if found is None:
            found = self.trees[key] = self.whole(parsed(text))
        return found

    def message(self, text: str) -> Message:
        """Return the pieces of a message template, as `expression` returns its expressions; raises LanguageErrors."""
        pieces = parsed_message(text).pieces
        return Message(tuple(p if isinstance(p, str) else self.whole(p) for p in pieces))

    def whole(self, expression: Expression) -> Expression:
        """Return an expression with functions written out and columns as one name; raises LanguageErrors."""
        return with_columns(expand(expression, self.functions), self.columns)
