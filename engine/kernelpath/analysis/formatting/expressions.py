"""Which values of pack files are expressions or messages, and how these are written canonically."""

from __future__ import annotations

from kernelpath.language import LanguageErrors, parse, parse_message, unparse
from kernelpath.packs.grammar import Path, role_at

EXPRESSION, MESSAGE, TEXT = "expression", "message", "text"


def role(kind: str, path: Path) -> str:
    """Return what the scalar at a path is: an expression, a message with expressions in it, or plain text."""
    found = role_at(kind, path)
    return found.kind if found and found.kind in (EXPRESSION, MESSAGE) else TEXT


def canonical(text: str, role_: str) -> str:
    """Return the canonical text of an expression or a message; a text that cannot be parsed is returned as it is."""
    if role_ == EXPRESSION:
        return _canonical_expression(text)
    return _canonical_message(text) if role_ == MESSAGE else text


def _canonical_expression(text: str) -> str:
    try:
        tree = parse(text)
        written = unparse(tree)
        return written if parse(written) == tree else text
    except LanguageErrors:
        return text


def _canonical_message(text: str) -> str:
    try:
        message = parse_message(text)
        pieces = (_literal(piece) if isinstance(piece, str) else f"{{{unparse(piece)}}}" for piece in message.pieces)
        written = "".join(pieces)
        return written if parse_message(written) == message else text
    except LanguageErrors:
        return text


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def is_written_canonically(text: str, canonical_text: str) -> bool:
    """Return whether an expression over several lines is canonical but for its line breaks."""
    return " ".join(line.strip() for line in text.strip().splitlines()) == canonical_text
