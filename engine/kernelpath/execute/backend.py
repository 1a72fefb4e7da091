"""What a backend does: it runs the dispatches of plans over one set of weights and caches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from kernelpath.emit.plan.model import Dispatch, Plan

Array = NDArray[Any]
Observer = Callable[[Dispatch, dict[str, Array]], None]
"""Called after a dispatch with the arrays that it wrote, by binding name."""


NOT_FINITE = -1
"""What a backend gives in the place of a token that was sampled from logits that are not all numbers."""


class Backend(Protocol):
    """Plans of one session share weights, caches and constants by their buffers' names."""

    def load(self, plan: Plan) -> None:
        """Make ready what a plan needs; a second time does nothing."""

    def run(self, plan: Plan, tokens: Sequence[int] | None, start: int, observer: Observer | None = None) -> None:
        """Run a plan for tokens whose first stands at position `start`; None: for the token that was sampled last.

        Returns before the work is done where the backend can; an observer makes it wait after each dispatch.
        """

    def read(self, plan: Plan, name: str) -> Array:
        """Return an output of the plan's last run, `logits` [rows, vocabulary] as f32 or `next` [rows] as u32."""

    def sampled(self, plan: Plan, count: int) -> list[int]:
        """Return the tokens that the last `count` runs sampled, of each the last row's, oldest first.

        In the place of one whose logits were not all finite stands NOT_FINITE.
        """

    def close(self) -> None:
        """Give back what the backend holds; it cannot be used after."""
