"""A progress bar for weights as they are read, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any, TextIO

from kernelpath.models.weights import Weight


class WatchedWeights(Mapping[str, Weight]):
    """Weights that move a bar on when each is first taken; where the stream is no terminal, nothing is drawn."""

    def __init__(self, weights: Mapping[str, Weight], stream: TextIO | None = sys.stderr) -> None:
        """Start a bar over the bytes of all distinct weights."""
        from tqdm import tqdm

        self._weights = weights
        self._waiting = {id(weight): len(weight.data) for weight in weights.values()}
        total = sum(self._waiting.values())
        options = {"unit": "B", "unit_scale": True, "leave": False, "disable": stream is None or not stream.isatty()}
        self._bar: Any = tqdm(total=total, desc="weights", file=stream or StringIO(), **options)

    def __getitem__(self, name: str) -> Weight:
        weight = self._weights[name]
        size = self._waiting.pop(id(weight), None)
        if size is not None:
            self._bar.update(size)
            if not self._waiting:
                self._bar.close()
        return weight

    def __contains__(self, name: object) -> bool:
        """Return whether there is such a weight; asking is not taking."""
        return name in self._weights

    def __iter__(self) -> Iterator[str]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)
