"""A progress bar on standard error, on a terminal only."""

from __future__ import annotations

import sys

_WIDTH = 30


class Progress:
    """Shows how far a piece of work is; where standard error is no terminal, nothing is drawn."""

    def __init__(self, what: str, total: int, quiet: bool = False) -> None:
        self._what, self._total, self._done = what, max(total, 1), 0
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty()

    def add(self, count: int = 1) -> None:
        """Say that so much more is done."""
        self._done += count
        if self._shown:
            filled = min(_WIDTH, _WIDTH * self._done // self._total)
            bar = "#" * filled + "." * (_WIDTH - filled)
            sys.stderr.write(f"\r{self._what} [{bar}] {self._done}/{self._total}")
            sys.stderr.flush()

    def close(self) -> None:
        """Take the bar away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
