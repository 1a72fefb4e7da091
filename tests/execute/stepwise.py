"""Compare two backends dispatch by dispatch: each of the device's results against the meaning of its own inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelpath.emit.plan.model import Dispatch, Plan, resolve
from kernelpath.execute.numpy_backend.backend import evaluate_dispatch
from kernelpath.execute.weights import Weights, stored

Array = npt.NDArray[Any]


class Stepwise:
    """An observer of a backend: collects what passes a family's tolerance, as texts.

    The plan must be lowered without sharing, so that what a dispatch reads is still there as it was written.
    """

    def __init__(self, plan: Plan, weights: Weights, tokens: Sequence[int], start: int, held: dict[str, Array]) -> None:
        """`held` keeps the caches, by name, from one call to the next."""
        self.plan, self.weights, self.held = plan, weights, held
        self.dynamics = plan.evaluate(len(tokens), start)
        self.values: dict[int, Array] = {}
        self.failures: list[str] = []
        self.compared = 0
        for index, buffer in enumerate(plan.buffers):
            if buffer.name == "tokens":
                self.values[index] = np.array(tokens)
            elif buffer.name == "last":
                self.values[index] = np.array([len(tokens) - 1])
            elif buffer.values:
                self.values[index] = np.array(buffer.values, dtype=np.float32).astype(np.float64)

    def __call__(self, dispatch: Dispatch, written: dict[str, Array]) -> None:
        """Compare what a dispatch wrote, and keep it for the dispatches that read it."""
        if dispatch.final:
            arrays = {each.name: self._array(each) for each in (*dispatch.inherited, *dispatch.bindings)}
            with np.errstate(all="ignore"):
                expected = evaluate_dispatch(dispatch, arrays, self.dynamics)
            for name, array in expected.items():
                self._compare(dispatch, name, written[name].astype(np.float64), array.astype(np.float64))
        for binding in dispatch.bindings:
            if binding.name in written:
                self._keep(binding.buffer, written[binding.name])

    def _array(self, binding: Any) -> Array:
        shape = tuple(int(resolve(length, self.dynamics)) for length in binding.shape)
        buffer = self.plan.buffers[binding.buffer]
        if buffer.role == "weight":
            return stored(buffer, self.weights).array().astype(np.float64).reshape(shape)
        value = self.held.get(buffer.name) if buffer.role == "cache" else self.values.get(binding.buffer)
        return np.zeros(shape) if value is None else value.astype(np.float64).reshape(shape)

    def _keep(self, place: int, value: Array) -> None:
        buffer = self.plan.buffers[place]
        if buffer.role == "cache":
            self.held[buffer.name] = value
        else:
            self.values[place] = value

    def _compare(self, dispatch: Dispatch, name: str, found: Array, expected: Array) -> None:
        self.compared += 1
        tolerance = dispatch.variant.family.tolerance[dispatch.binding(name).dtype]
        # Sums of many products lose relative precision where they cancel: the row's size is the measure.
        size = np.max(np.abs(expected), axis=-1, keepdims=True) if expected.ndim else np.abs(expected)
        allowed = tolerance["absolute"] + tolerance["relative"] * size
        with np.errstate(invalid="ignore"):
            wrong = ~((np.abs(found - expected) <= allowed) | (found == expected))
        if wrong.any():
            place = tuple(int(index[0]) for index in np.nonzero(wrong))
            where = f"{dispatch.step} ({dispatch.variant.name}) {name}{list(place)}"
            self.failures.append(f"{where}: {found[place]} is not {expected[place]}")
