"""How long a text or a list may become that is made of others."""

from __future__ import annotations

from kernelpath.language.errors import EvaluationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAX_STRING = 1_000_000
"""Characters that a string made by joining or replacing may have."""
MAX_LIST = 1_000_000
"""Items that a list made of two others may have."""


def bounded(length: int) -> None:
    """Raise EvaluationError for a string of more characters than MAX_STRING."""
    if length > MAX_STRING:
        raise EvaluationError(f"a string longer than {MAX_STRING:,} characters")


def joined_texts(left: str, right: str) -> str:
    """Return two texts as one, or raise EvaluationError."""
    bounded(len(left) + len(right))
    return left + right


def joined_lists(left: Sequence[Any], right: Sequence[Any]) -> list[Any]:
    """Return two lists as one, or raise EvaluationError."""
    if len(left) + len(right) > MAX_LIST:
        raise EvaluationError(f"a list longer than {MAX_LIST:,} items")
    return [*left, *right]
