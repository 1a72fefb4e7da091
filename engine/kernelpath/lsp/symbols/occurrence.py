"""A name in a text: where it stands, what it stands for, and of which type it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kernelpath.language import Type

#: A kind of name, then the names that lead to it: `("field", "Box", "size")`, `("value", "boxes")`.
Symbol = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A stretch of a file, from `start` up to `end`, that names `symbol`; None where it is but an expression.

    `declares` marks the place where the name gets its meaning. `text` is the expression's own text.
    """

    start: int
    end: int
    symbol: Symbol | None
    type: Type | None = None
    declares: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True)
class Location:
    """A stretch of a file by offsets."""

    path: Path
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of a file and the text that replaces it."""

    path: Path
    start: int
    end: int
    text: str
