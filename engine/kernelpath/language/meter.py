"""The budget of one evaluation: how many steps it may take.

A loop costs its length. In a loop, an operation costs what it looks at, too: an iteration may be as cheap as it seems,
and still go through megabytes.
"""

from __future__ import annotations

from kernelpath.language.errors import EvaluationError
from kernelpath.language.json_values import json_equal, json_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeVar

    Element = TypeVar("Element")

BUDGET = 1_000_000
"""Steps of one evaluation: iterations of loops, and items, members and stretches of text that loops look at."""
CHARACTERS = 64
"""Characters of a text that count as one step."""


class Meter:
    """Counts the steps of one evaluation; a loop is charged its whole length on entry."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = BUDGET

    def charge(self, steps: int) -> None:
        """Take steps from the budget, or raise EvaluationError."""
        self.left -= steps
        if self.left < 0:
            raise EvaluationError(f"the budget of {BUDGET:,} steps is spent")

    def over(self, items: Sequence[Element]) -> Sequence[Element]:
        """Charge a loop over `items`, and return them."""
        self.charge(len(items))
        return items

    def wide(self, value: Any) -> Any:
        """Charge what an operation costs that looks at each item of a value, and return the value."""
        kind = type(value)
        if kind is str:
            if len(value) >= CHARACTERS:
                self.charge(len(value) // CHARACTERS)
        elif kind in _CONTAINERS:
            self.charge(len(value))
        return value

    def deep(self, value: Any) -> Any:
        """Charge what an operation costs that goes through all of a value, and return the value."""
        self.charge(self._weight(value))
        return value

    def found_in(self, value: Any, items: Sequence[Any]) -> bool:
        """Charge the comparisons of a value with items, and return whether it equals one of them."""
        self.charge(len(items) * (1 + self._weight(value)))
        return json_in(value, items)

    def place_in(self, items: Sequence[Any], value: Any) -> int | None:
        """Charge the comparisons of a value with items, and return the place of the first that it equals."""
        self.charge(len(items) * (1 + self._weight(value)))
        return next((place for place, item in enumerate(items) if json_equal(item, value)), None)

    def _weight(self, value: Any) -> int:
        """Return how much there is in a value, or more than is left: an item and 64 characters count one each."""
        kind = type(value)
        if kind is str:
            return len(value) // CHARACTERS
        if kind not in _CONTAINERS:
            return 0
        total, waiting = 0, [value]
        while waiting and total <= self.left:
            inside = waiting.pop()
            total += len(inside)
            for part in inside.values() if type(inside) is dict else inside:
                if type(part) in _CONTAINERS:
                    waiting.append(part)
                elif type(part) is str:
                    total += len(part) // CHARACTERS
        return total


_CONTAINERS = frozenset((list, tuple, dict))
