"""Message templates: text with expressions in braces, such as "box `{box.id}` holds {count}"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kernelpath.language import wording
from kernelpath.language.ast import Expression
from kernelpath.language.checker import Checked, Names, check
from kernelpath.language.errors import LanguageErrors, Problem
from kernelpath.language.interpreter import interpret
from kernelpath.language.parser import parse
from kernelpath.language.showing import shown
from kernelpath.language.types import is_json_like

if TYPE_CHECKING:
    from lark import Lark, Token

    from kernelpath.language.to_python import PythonWriter


@dataclass(frozen=True)
class Message:
    """The pieces of a template, in order: literal text, and expressions with spans relative to the template."""

    pieces: tuple[str | Expression, ...]


@dataclass(frozen=True)
class CheckedMessage:
    """The pieces of a template whose expressions are well typed, and what they read."""

    pieces: tuple[str | Checked, ...]
    variables: frozenset[str]
    sources: frozenset[str]


@cache
def _grammar() -> Lark:
    from lark import Lark

    from kernelpath.resources import resource

    return Lark(resource("grammars", "message.lark").read_text(encoding="utf-8"), parser="lalr")


def parse_message(text: str) -> Message:
    """Return the pieces of a template; `{{` and `}}` are braces. Raise LanguageErrors with all problems."""
    from lark.exceptions import UnexpectedInput

    try:
        tokens: Sequence[Token] = _grammar().parse(text).children  # type: ignore[assignment]
    except UnexpectedInput as error:
        raise LanguageErrors([_lone_brace(text, error.pos_in_stream or 0)]) from None
    pieces: list[str | Expression] = []
    problems: list[Problem] = []
    for token in tokens:
        if token.type == "TEXT":
            pieces.append(str(token).replace("{{", "{").replace("}}", "}"))
            continue
        try:
            pieces.append(parse(str(token)[1:-1], offset=(token.start_pos or 0) + 1))
        except LanguageErrors as errors:
            problems.extend(errors.problems)
    if problems:
        raise LanguageErrors(problems)
    return Message(tuple(pieces))


def _lone_brace(text: str, place: int) -> Problem:
    words = wording.lone_brace() if text[place : place + 1] == "}" else wording.unclosed_brace()
    return Problem(words[0], place, place + 1, words[1])


def check_message(message: Message, names: Names, given: Sequence[Checked] = ()) -> CheckedMessage:
    """Return the template with its expressions checked; raise LanguageErrors with the problems of all of them."""
    pieces: list[str | Checked] = []
    problems: list[Problem] = []
    for piece in message.pieces:
        if isinstance(piece, str):
            pieces.append(piece)
            continue
        try:
            pieces.append(_showable(check(piece, names, given=given)))
        except LanguageErrors as errors:
            problems.extend(errors.problems)
    if problems:
        raise LanguageErrors(problems)
    expressions = [piece for piece in pieces if isinstance(piece, Checked)]
    variables = frozenset(name for piece in expressions for name in piece.variables)
    return CheckedMessage(tuple(pieces), variables, frozenset(name for piece in expressions for name in piece.sources))


def _showable(checked: Checked) -> Checked:
    if not is_json_like(checked.type):
        message, help_ = wording.not_shown(str(checked.type))
        raise LanguageErrors([Problem(message, checked.expression.start, checked.expression.end, help_)])
    return checked


def render(message: CheckedMessage, environment: Mapping[str, object], sources: Mapping[str, str] | None = None) -> str:
    """Return the text of a message; raise EvaluationError where an expression in it has no value."""
    return "".join(
        piece if isinstance(piece, str) else shown(interpret(piece, environment, sources)) for piece in message.pieces
    )


def message_to_python(message: CheckedMessage, writer: PythonWriter) -> str:
    """Return a Python expression for the text of a message."""
    parts = [
        repr(piece) if isinstance(piece, str) else f"shown_text({writer.expression(piece)})" for piece in message.pieces
    ]
    if len(parts) == 1:
        return parts[0]
    return f'"".join(({", ".join(parts)}))' if parts else '""'
