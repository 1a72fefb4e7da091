"""Read the spelling of a type: `int`, `string?`, `list<int>`, `list<step, 500>`, `map<json>`, `object`, `json`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kernelpath.language import wording
from kernelpath.language.errors import LanguageErrors, Problem
from kernelpath.language.types import BOOL, FLOAT, INT, JSON, NULL, STRING, ListOf, MapOf, Type, optional

_TOKEN = re.compile(r"[ \t\r\n]*([A-Za-z][A-Za-z0-9_-]*|[0-9]+|[<>?,]|[^ \t\r\n])")
_NAMED: dict[str, Type] = {
    "bool": BOOL,
    "int": INT,
    "float": FLOAT,
    "string": STRING,
    "null": NULL,
    "json": JSON,
    "object": MapOf(JSON),
}
_MAX_NESTING = 20


def parse_type(text: str, names: Mapping[str, Type] | None = None) -> Type:
    """Return the type that `text` spells; raise LanguageErrors for a mistake.

    `names` holds vocabularies and records.
    """
    reader = _TypeReader(text, names or {})
    result = reader.type(0)
    if reader.at < len(reader.tokens):
        raise reader.bad()
    return result


class _TypeReader:
    def __init__(self, text: str, names: Mapping[str, Type]) -> None:
        self.text = text
        self.names = names
        self.tokens = [(match[1], match.start(1)) for match in _TOKEN.finditer(text)]
        self.at = 0

    def bad(self) -> LanguageErrors:
        odd = next((at for at, character in enumerate(self.text) if not character.isascii()), None)
        if odd is not None:
            message, help_ = wording.strange_character(self.text[odd])
            return LanguageErrors([Problem(message, odd, odd + 1, help_)])
        message, help_ = wording.bad_type(self.text)
        return LanguageErrors([Problem(message, 0, len(self.text), help_)])

    def take(self) -> tuple[str, int]:
        if self.at >= len(self.tokens):
            raise self.bad()
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, token: str) -> bool:
        found = self.at < len(self.tokens) and self.tokens[self.at][0] == token
        self.at += found
        return found

    def type(self, depth: int) -> Type:
        if depth > _MAX_NESTING:
            raise self.bad()
        name, place = self.take()
        result = self.container(name, depth) if self.accept("<") else self.named(name, place)
        return optional(result) if self.accept("?") else result

    def container(self, name: str, depth: int) -> Type:
        inner = self.type(depth + 1)
        limit = self.limit() if name == "list" and self.accept(",") else None
        if name not in ("list", "map") or not self.accept(">"):
            raise self.bad()
        return ListOf(inner, limit) if name == "list" else MapOf(inner)

    def limit(self) -> int:
        digits, _ = self.take()
        if not digits.isdigit() or len(digits) > 9:
            raise self.bad()
        return int(digits)

    def named(self, name: str, place: int) -> Type:
        found = self.names.get(name) or _NAMED.get(name)
        if found is not None:
            return found
        if not name[0].isalpha() or name in ("list", "map"):
            raise self.bad()
        message, help_ = wording.unknown_type(name, [*_NAMED, "list", "map", *self.names])
        raise LanguageErrors([Problem(message, place, place + len(name), help_)])
