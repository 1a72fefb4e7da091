"""The budget of one evaluation: how many loop iterations it may make."""

from __future__ import annotations

from kernelpath.language.errors import EvaluationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    Element = TypeVar("Element")

BUDGET = 1_000_000
"""Iterations of loops and of `range` that one evaluation may make."""
MAX_STRING = 10_000_000
"""Characters that a string made by joining or replacing may have."""


class Meter:
    """Counts the iterations of one evaluation; a loop is charged its whole length on entry."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = BUDGET

    def charge(self, iterations: int) -> None:
        """Take iterations from the budget, or raise EvaluationError."""
        self.left -= iterations
        if self.left < 0:
            raise EvaluationError(f"the budget of {BUDGET:,} loop iterations is spent")

    def over(self, items: Sequence[Element]) -> Sequence[Element]:
        """Charge a loop over `items`, and return them."""
        self.charge(len(items))
        return items


def bounded(length: int) -> None:
    """Raise EvaluationError for a string of more characters than MAX_STRING."""
    if length > MAX_STRING:
        raise EvaluationError(f"a string longer than {MAX_STRING:,} characters")
