"""Run a plan with numpy: each dispatch is its family's `meaning`, its results rounded to what they are stored as."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from kernelpath.emit.plan.expressions import Scalar
from kernelpath.emit.plan.model import CACHE, CONSTANT, WEIGHT, Binding, Buffer, Dispatch, Plan, resolve
from kernelpath.execute.backend import NOT_FINITE, Array, Observer
from kernelpath.execute.device import DeviceError
from kernelpath.execute.numpy_backend.meaning import assignments, run
from kernelpath.execute.numpy_backend.rounding import rounded
from kernelpath.execute.weights import Weights, identity, stored

PERSISTENT = (WEIGHT, CACHE, CONSTANT)
"""The roles whose contents outlive a call, and are shared by the plans of a session."""

HISTORY = 4096
"""How many sampled tokens are kept for `sampled`."""


class NumpyBackend:
    """The meaning of a plan.

    `compute` is the dtype of all arithmetic, f64 (the reference) or f32 (half the memory, and faster). Arrays are held
    at it, rounded to their buffer's dtype; `emulate_storage=False` leaves them as they are computed.
    """

    def __init__(self, weights: Weights, compute: str = "f64", emulate_storage: bool = True) -> None:
        self._weights = weights
        self._dtype = np.float64 if compute == "f64" else np.float32
        self._emulate = emulate_storage
        self._held: dict[Hashable, Array] = {}
        self._values: dict[tuple[int, int], Array] = {}
        self._sampled: list[int] = []
        self._finite: list[bool] = []
        self._plans: dict[int, Plan] = {}

    def load(self, plan: Plan) -> None:
        """Dequantise the plan's weights and make its caches, which start as NaN: a key read too early shows."""
        self._plans[id(plan)] = plan  # kept, so that no other plan gets its id
        self._refuse_too_large(plan)
        for buffer in plan.buffers:
            if buffer.role in PERSISTENT and self._key(buffer) not in self._held:
                self._held[self._key(buffer)] = self._made(plan, buffer)

    def _key(self, buffer: Buffer) -> Hashable:
        return identity(buffer, self._weights)

    def _made(self, plan: Plan, buffer: Buffer) -> Array:
        if buffer.role == WEIGHT:
            return stored(buffer, self._weights).array().astype(self._dtype)
        if buffer.role == CONSTANT:
            return rounded(np.array(buffer.values, dtype=self._dtype), buffer.dtype)
        return np.full(_largest_shape(plan, buffer), np.nan, dtype=self._dtype)

    def _refuse_too_large(self, plan: Plan) -> None:
        """Raise DeviceError for caches that the machine has no memory for: the system might give it, and then kill."""
        caches = [_largest_shape(plan, buffer) for buffer in plan.buffers if buffer.role == CACHE]
        needed = sum(prod(shape) for shape in caches) * np.dtype(self._dtype).itemsize
        if needed > (memory := memory_bytes()):
            message = f"numpy has no room for the {needed:,} bytes of the cache: the machine has {memory:,}"
            raise DeviceError(message, "keep fewer positions with `--capacity`")

    def run(self, plan: Plan, tokens: Sequence[int] | None, start: int, observer: Observer | None = None) -> None:
        """Evaluate every dispatch in order."""
        ids = self._sampled[-1:] if tokens is None else list(tokens)
        inputs = {"tokens": np.array(ids), "last": np.array([len(ids) - 1])}
        for index, buffer in enumerate(plan.buffers):
            if buffer.name in inputs:
                self._values[id(plan), index] = inputs[buffer.name]
        dynamics = plan.evaluate(len(ids), start)
        with np.errstate(all="ignore"):
            for dispatch in plan.dispatches:
                written = self._dispatch(plan, dispatch, dynamics) if dispatch.final else {}
                if observer:
                    observer(dispatch, written)
        if any(buffer.name == "next" for buffer in plan.buffers):
            self._sampled = [*self._sampled[-HISTORY:], int(self.read(plan, "next").reshape(-1)[-1])]
            logits = self._values[id(plan), plan.buffer_named("logits")]
            last = logits.reshape(-1, logits.shape[-1])[-1]
            self._finite = [*self._finite[-HISTORY:], bool(np.isfinite(last).all())]

    def _dispatch(self, plan: Plan, dispatch: Dispatch, dynamics: Sequence[Scalar]) -> dict[str, Array]:
        arrays = {each.name: self._array(plan, each, dynamics) for each in (*dispatch.inherited, *dispatch.bindings)}
        written = evaluate_dispatch(dispatch, arrays, dynamics, self._dtype, self._emulate)
        for binding in dispatch.bindings:
            if binding.name in written:
                self._write(plan, binding, written[binding.name])
        return written

    def _array(self, plan: Plan, binding: Binding, dynamics: Sequence[Scalar]) -> Array:
        shape = tuple(int(resolve(length, dynamics)) for length in binding.shape)
        buffer = plan.buffers[binding.buffer]
        own = self._values.get((id(plan), binding.buffer))
        held = self._held.get(self._key(buffer)) if buffer.role in PERSISTENT else own
        if held is None or held.size != np.prod(shape):
            # Poison: whatever a kernel does not write must be seen.
            return np.full(shape, np.nan, dtype=self._dtype)
        return held.reshape(shape)

    def _write(self, plan: Plan, binding: Binding, value: Array) -> None:
        buffer = plan.buffers[binding.buffer]
        if buffer.role in PERSISTENT:
            key = self._key(buffer)
            self._held[key] = value.reshape(self._held[key].shape)
        else:
            self._values[id(plan), binding.buffer] = value

    def read(self, plan: Plan, name: str) -> Array:
        """Return an output of the last run of this plan."""
        value = self._values[id(plan), plan.buffer_named(name)]
        return value.astype(np.uint32 if name == "next" else np.float32)

    def sampled(self, plan: Plan, count: int) -> list[int]:
        """Return the tokens that the last runs sampled."""
        recent = zip(self._sampled[-count:], self._finite[-count:], strict=True)
        return [token if finite else NOT_FINITE for token, finite in recent]

    def close(self) -> None:
        """Let go of all arrays."""
        self._held.clear()
        self._values.clear()


def _largest_shape(plan: Plan, buffer: Buffer) -> tuple[int, ...]:
    """Return the shape of what a buffer holds when the session is full."""
    place = plan.buffers.index(buffer)
    shapes = [each.shape for dispatch in plan.dispatches for each in dispatch.bindings if each.buffer == place]
    largest = plan.evaluate(plan.max_rows, plan.capacity - plan.max_rows)
    return tuple(int(resolve(length, largest)) for length in shapes[0])


def memory_bytes() -> int:
    """Return how much memory the machine has; where the system does not say, as much as can be addressed."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 1 << 62


def evaluate_dispatch(
    dispatch: Dispatch,
    arrays: Mapping[str, Array],
    dynamics: Sequence[Scalar],
    dtype: Any = np.float64,
    emulate_storage: bool = True,
) -> dict[str, Array]:
    """Return what a dispatch writes, by binding, when its bindings hold `arrays` of their logical shapes.

    Arrays that are written in part are changed in place.
    """
    forms = {binding.name: binding for binding in dispatch.bindings}
    names = {name: resolve(value, dynamics) for name, value in dispatch.names.items()}
    store = partial(_store, forms, dtype, emulate_storage)
    meaning = dispatch.variant.family.meaning
    values = run(meaning, {**names, **arrays}, store)
    written = [forms[each.target] for each in assignments(meaning) if each.target in forms]
    return {each.name: _shaped(values[each.name], each, dynamics) for each in written}


def _shaped(value: Array, binding: Binding, dynamics: Sequence[Scalar]) -> Array:
    shape = tuple(int(resolve(length, dynamics)) for length in binding.shape)
    return value.reshape(shape) if value.size == np.prod(shape) else np.broadcast_to(value, shape).copy()


def _store(forms: Mapping[str, Binding], dtype: Any, emulate_storage: bool, target: str, value: Any) -> Any:
    """Return a value at the precision of the binding that it goes to; values that go to none stay as they are."""
    if target not in forms or not isinstance(value, np.ndarray):
        return value
    if not np.issubdtype(value.dtype, np.floating):
        return value
    return rounded(value, forms[target].dtype if emulate_storage else "").astype(dtype)
