"""Pieces of generated Python: how tight they bind, and names that they may use."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable
from keyword import iskeyword
from typing import NamedTuple

from kernelpath.language.runtime import RUNTIME

LOOSEST, OR, AND, NOT, COMPARE, SUM, PRODUCT, MINUS, POSTFIX = range(9)
LEVELS = {"and": AND, "compare": COMPARE, "postfix": POSTFIX}

_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Fragment(NamedTuple):
    """The text of a Python expression, and the level of its loosest operator."""

    text: str
    level: int = POSTFIX

    def at(self, needed: int) -> str:
        """Return the text for a place that needs `needed`, in parentheses if it binds looser."""
        return f"({self.text})" if self.level < needed else self.text


def is_simple(text: str) -> bool:
    """Return whether a text is a name with attributes, which may as well be read twice."""
    return _SIMPLE.fullmatch(text) is not None


def loop_name(name: str, texts: Iterable[str]) -> str:
    """Return the Python name of a loop variable, which hides nothing that the texts or the generated code read."""
    taken = {word for text in texts for word in _WORD.findall(text)} | {"meter"}
    while iskeyword(name) or hasattr(builtins, name) or name in RUNTIME or name in taken:
        name += "_"
    return name
