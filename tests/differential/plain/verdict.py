"""How a plain function says no, and the dtype reading that most decisions share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from .javascript import UNDEFINED, coalesce, to_string, trim

DTYPES = ("f16", "f32")


@dataclass(frozen=True)
class Rejected(Exception):
    """The reference's first rejection: the decision's number, and what it blames (None where it names nothing)."""

    decision: str
    subject: str | None = None


def reject(decision: str, subject: str | None = None) -> NoReturn:
    """Stop with a rejection."""
    raise Rejected(decision, subject)


def normalised(value: Any) -> str:
    """Return `String(value ?? "").trim().toLowerCase()`."""
    return trim(to_string(coalesce(value, ""))).lower()


def read_dtype(value: Any, decision: str, subject: str | None = None) -> str:
    """Return the dtype that a value spells, or reject with `decision`."""
    text = normalised(value)
    if text not in DTYPES:
        reject(decision, subject)
    return text


def is_text(value: Any) -> bool:
    """Tell whether a value is a text with something but white space in it."""
    return isinstance(value, str) and trim(value) != ""


__all__ = ["DTYPES", "UNDEFINED", "Rejected", "is_text", "normalised", "read_dtype", "reject"]
