"""The weights of a plan's buffers, as they are stored: cut into parts, converted, stacked."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from kernelpath.diagnostics import Diagnostic
from kernelpath.emit.plan.limits import problem
from kernelpath.emit.plan.model import Buffer, Plan, WeightPart
from kernelpath.models.weights import Bytes, Weight, convert

Weights = Mapping[str, Weight]


def check_weights(plan: Plan, weights: Weights) -> list[Diagnostic]:
    """Return what is wrong with the weights that a plan needs: those that a model lacks, each named once."""
    needed = {part.name: None for buffer in plan.buffers for part in buffer.parts}
    return [
        problem("missing-weight", name, f"the path needs the weight `{name}`, which the model does not have")
        for name in needed
        if name not in weights
    ]


def stored(buffer: Buffer, weights: Weights) -> Weight:
    """Return the weight that a buffer holds: its parts at the buffer's dtype, one after another by rows."""
    parts = [convert(_rows(weights[part.name], part), buffer.dtype) for part in buffer.parts]
    if len(parts) == 1:
        return parts[0]
    rows = sum(part.shape[0] for part in parts)
    data: Bytes = np.concatenate([part.data for part in parts])
    return Weight(buffer.name, buffer.dtype, (rows, *parts[0].shape[1:]), data)


def identity(buffer: Buffer, weights: Weights) -> Hashable:
    """Return what two buffers have in common when one can stand for both.

    The same caches and constants have the same name; weights may have two names, as tied embeddings do.
    """
    if not buffer.parts:
        return buffer.name
    return buffer.dtype, tuple((id(weights[part.name]), part.begin, part.end) for part in buffer.parts)


def _rows(weight: Weight, part: WeightPart) -> Weight:
    if part.begin == 0 and part.end is None:
        return weight
    end = weight.shape[0] if part.end is None else part.end
    row = weight.data.size // weight.shape[0]
    data = weight.data[part.begin * row : end * row]
    return Weight(weight.name, weight.dtype, (end - part.begin, *weight.shape[1:]), data)
