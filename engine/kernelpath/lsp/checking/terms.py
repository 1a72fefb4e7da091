"""Terms whose texts are parsed once, however often the types around them change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from kernelpath.language import (
    Checked,
    Expression,
    LanguageErrors,
    Message,
    Names,
    Type,
    Vocabulary,
    check,
    check_message,
    parse,
    parse_message,
)
from kernelpath.language.types import JSON
from kernelpath.packs.documents import Node, Scalar
from kernelpath.packs.functions import expand
from kernelpath.packs.model import Term, Text
from kernelpath.packs.terms import MAX_COST, TermReader, place_of

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
    """Reads terms as TermReader does: what is well typed in short, anything else by TermReader itself."""

    def term(
        self, node: Node, names: Names, expected: Type | None = None, given: Sequence[Checked] = ()
    ) -> Term | None:
        """Return the checked expression of a scalar, or None after collecting what is wrong with it."""
        try:
            text = node.text if isinstance(node, Scalar) else ""
            checked = check(expand(parsed(text), self.functions), names, wanted(expected), given)
        except LanguageErrors:
            return TermReader.term(self, node, names, expected, given)
        if checked.cost > MAX_COST:
            return TermReader.term(self, node, names, expected, given)
        return Term(checked, text, place_of(node))

    def text(self, node: Node, names: Names, given: Sequence[Checked] = ()) -> Text | None:
        """Return the checked message template of a scalar, or None after collecting what is wrong with it."""
        if not isinstance(node, Scalar):
            return TermReader.text(self, node, names, given)
        try:
            pieces = parsed_message(node.text).pieces
            message = Message(tuple(p if isinstance(p, str) else expand(p, self.functions) for p in pieces))
            return Text(check_message(message, names, given), node.text, place_of(node))
        except LanguageErrors:
            return TermReader.text(self, node, names, given)


def wanted(expected: Type | None) -> Type | None:
    """An open vocabulary takes any JSON value: its values are the user's own."""
    return JSON if isinstance(expected, Vocabulary) and expected.open else expected
