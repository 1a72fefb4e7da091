"""Runs of numbers as people write them."""

from __future__ import annotations

from collections.abc import Sequence


def ranges_text(numbers: Sequence[int]) -> str:
    """Return ascending numbers as text, runs of three and more as ranges.

    >>> ranges_text([3, 4, 5, 6, 7, 9, 11, 12])
    '3 to 7, 9, 11, 12'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(_run(run) for run in runs)


def _run(run: Sequence[int]) -> str:
    return f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run))
