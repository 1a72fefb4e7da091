"""Weights over the device's binding limit, cut into parts of rows that are dispatched one after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kernelpath.emit.plan.builder import PlanBuilder
from kernelpath.emit.plan.families import Split, Variant
from kernelpath.emit.plan.limits import Limits
from kernelpath.emit.plan.model import Value
from kernelpath.emit.plan.storage import whole_blocks

ROW_STEP = 64
"""Parts are multiples of so many rows where the limit allows, so that kernels' tiles stay whole."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part: the names that differ from the whole's, and the rows of each binding that is cut."""

    names: Mapping[str, Value]
    ranges: Mapping[str, tuple[int, int]]


def cuts(variant: Variant, names: Mapping[str, Value], limits: Limits, builder: PlanBuilder) -> Iterator[Part]:
    """Yield the parts of a dispatch: one without changes where everything fits, or where the family cannot be cut."""
    split = variant.family.split
    height = _rows_that_fit(variant, split, names, limits, builder) if split else None
    total = names[split.dimension] if split else 0
    if split is None or height is None or not isinstance(total, int):
        yield Part({}, {})
        return
    for begin in range(0, total, height):
        end = min(begin + height, total)
        yield Part({split.dimension: end - begin, split.column: begin}, dict.fromkeys(split.bindings, (begin, end)))


def _rows_that_fit(
    variant: Variant, split: Split, names: Mapping[str, Value], limits: Limits, builder: PlanBuilder
) -> int | None:
    """Return how many rows a part may have, or None where the whole fits or not even one row does."""
    fits: list[int] = []
    for binding in variant.bindings:
        if binding.name in split.bindings and isinstance(names[split.dimension], int):
            shape = builder.extent(tuple(builder.value(length, names) for length in binding.shape))
            if not whole_blocks(binding.dtype, shape):
                return None
            whole = builder.size(binding.dtype, shape)
            row = builder.size(binding.dtype, shape[1:])
            if whole > limits.storage_bytes and row <= limits.storage_bytes:
                fits.append(limits.storage_bytes // row)
    height = min(fits, default=None)
    return height // ROW_STEP * ROW_STEP or height if height else None
