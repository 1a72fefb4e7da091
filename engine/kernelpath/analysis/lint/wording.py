"""The texts of a rule, and what of the input each of their expressions shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kernelpath.analysis.lint.knowledge import bare
from kernelpath.analysis.lint.linted import LintedPack, LintedRule
from kernelpath.diagnostics import Span
from kernelpath.language import Checked, Expression
from kernelpath.language.ast import Binary, Conditional, Literal, Name
from kernelpath.language.types import STRING, required
from kernelpath.packs.model import Check, Text

Piece = str | Expression


@dataclass(frozen=True, slots=True)
class Wording:
    """A message or a help text, the rule that it belongs to, and what it is called."""

    rule: LintedRule
    what: str
    text: Text

    @property
    def span(self) -> Span:
        """The whole text."""
        return self.rule.node(self.text.place).span

    def part(self, start: int, end: int) -> Span:
        """Return the place of a stretch of the text."""
        return self.rule.part(self.text, start, end)


def wordings(pack: LintedPack) -> Iterator[Wording]:
    """Yield the messages and helps of the pack's own rules."""
    for text in pack.own_rules:
        if isinstance(text.rule, Check):
            yield Wording(text, "message", text.rule.message)
            if text.rule.help:
                yield Wording(text, "help", text.rule.help)


def plain_pieces(text: Text) -> list[Piece]:
    """Return a text's pieces: what is written, and the expressions."""
    return [piece.expression if isinstance(piece, Checked) else piece for piece in text.checked.pieces]


def alternatives(node: Expression, lets: Mapping[str, Expression]) -> list[list[Piece]]:
    """Return what an expression may show: each way through its branches, as written text and what shows input."""
    node = bare(node)
    match node:
        case Literal(value=str() as value):
            return [[value]]
        case Conditional():
            return [*alternatives(node.then, lets), *alternatives(node.otherwise, lets)]
        case Binary(operator="??"):
            return [*alternatives(node.left, lets), *alternatives(node.right, lets)]
        case Binary(operator="+") if required(node.type) == STRING:
            rights = alternatives(node.right, lets)
            return [[*left, *right] for left in alternatives(node.left, lets) for right in rights]
        case Name(name=name) if name in lets:
            return alternatives(lets[name], lets)
    return [[node]]
