"""Writes values as YAML in many ways: every style that can hold a text, comments, blank lines, any order and indent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./=<>+*() -]*[A-Za-z0-9_/)]")
WORDS = {"true", "false", "null", "yes", "no", "on", "off", "True", "False", "Null", "NULL", "TRUE", "FALSE"}


@dataclass
class Writer:
    """Makes each choice by `choose(n)`, a number below n; `comments` are those that it has written."""

    choose: Callable[[int], int]
    comments: list[str] = field(default_factory=list)
    in_block: bool = False

    def document(self, value: dict[str, Any]) -> str:
        """Return a mapping as a document."""
        lines = [*self.above(0), *self.mapping(value, 0), *self.above(0)]
        return "\n".join(lines) + "\n"

    def comment(self) -> str:
        """Return a new comment, all of which differ."""
        text = f"# {len(self.comments)}: 'a' [b] {{c}} - d"
        self.comments.append(text)
        return text

    def above(self, indent: int) -> list[str]:
        """Return blank lines and comments that may stand above an entry."""
        lines: list[str] = [[], [], [], [""], ["", ""]][self.choose(5)]
        for _ in range(max(0, self.choose(6) - 3)):
            deeper = 0 if self.in_block else self.choose(2) * self.choose(4)  # a block scalar would swallow it
            lines = [*lines, " " * (indent + deeper) + self.comment(), *([""] * self.choose(2))]
        return lines

    def beside(self) -> str:
        """Return a comment that may stand behind something."""
        return "  " + self.comment() if self.choose(8) == 0 else ""

    def mapping(self, value: dict[str, Any], indent: int) -> list[str]:
        """Return the entries of a mapping as a block, in any order."""
        names = list(value)
        lines = []
        while names:
            name = names.pop(self.choose(len(names)))
            lines += self.above(indent)
            lines += self.entry(" " * indent + self.inline(name, True) + ":", value[name], indent)
        return lines

    def sequence(self, items: list[Any], indent: int) -> list[str]:
        """Return the items of a list as a block."""
        lines = []
        for item in items:
            lines += self.above(indent)
            if isinstance(item, dict) and item and self.choose(2):
                inner = self.mapping(item, indent + 2)
                start = next(i for i, line in enumerate(inner) if line.strip() and not line.lstrip().startswith("#"))
                lines += [" " * indent + line.strip() if line else "" for line in inner[:start]]
                lines += [" " * indent + "- " + inner[start].lstrip(), *inner[start + 1 :]]
            else:
                lines += self.entry(" " * indent + "-", item, indent)
        return lines

    def entry(self, prefix: str, value: Any, indent: int) -> list[str]:
        """Return what follows a key or a dash."""
        if isinstance(value, dict | list) and value and self.choose(2):
            deeper = indent + 1 + self.choose(4)
            if isinstance(value, dict):
                return [prefix + self.beside(), *self.mapping(value, deeper)]
            return [prefix + self.beside(), *self.sequence(value, deeper)]
        self.in_block = False
        if isinstance(value, str) and self.choose(3) == 0:
            block = self.block(prefix, value, indent)
            if block:
                return block
        return [f"{prefix} {self.inline(value, False)}{self.beside()}"]

    def block(self, prefix: str, text: str, indent: int) -> list[str] | None:
        """Return a text as a block scalar, where one can hold it."""
        body = text.rstrip("\n")
        if not body or body != body.strip() or any(line != line.strip() for line in body.split("\n")) or "\t" in text:
            return None
        ending = {0: "-", 1: ""}.get(len(text) - len(body), "+")
        pad = " " * (indent + 1 + self.choose(4))
        style = "|" if "\n" in body or self.choose(2) else ">"
        lines = body.split("\n") if style == "|" else self.cut(body)
        self.in_block = True
        kept = [""] * (len(text) - len(body) - 1)
        return [f"{prefix} {style}{ending}{self.beside()}", *(pad + line if line else "" for line in lines), *kept]

    def cut(self, text: str) -> list[str]:
        """Return a line cut at some of its single spaces, as a folded block allows."""
        parts = re.split("(?<! ) (?! )", text)
        lines = parts[:1]
        for part in parts[1:]:
            if self.choose(6) == 0:
                lines.append(part)
            else:
                lines[-1] += " " + part
        return lines

    def inline(self, value: Any, flow: bool) -> str:
        """Return a value on one line."""
        if isinstance(value, dict):
            names = list(value)
            mixed = [names.pop(self.choose(len(names))) for _ in list(names)]
            return "{" + ", ".join(f"{self.inline(k, True)}: {self.inline(value[k], True)}" for k in mixed) + "}"
        if isinstance(value, list):
            return "[" + " , ".join(self.inline(item, True) for item in value) + "]"
        if not isinstance(value, str):
            return json.dumps(value)
        styles = [json.dumps(value, ensure_ascii=bool(self.choose(2)))]
        if value.isprintable() and value:
            styles.append("'" + value.replace("'", "''") + "'")
        if PLAIN.fullmatch(value) and value not in WORDS and (not flow or not set(value) & set("?:")):
            styles.append(value)
        return styles[self.choose(len(styles))]
