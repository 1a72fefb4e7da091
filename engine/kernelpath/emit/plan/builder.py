"""The growing plan: its buffers by name, its run-time numbers, and the values that the names of ops stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from kernelpath.emit.plan.expressions import Scalar, compiled, names_in
from kernelpath.emit.plan.model import (
    ROWS,
    START,
    Binding,
    Buffer,
    Dispatch,
    Dynamic,
    DynamicExpression,
    Uniform,
    Value,
    evaluate,
    resolve,
)
from kernelpath.emit.plan.storage import byte_size

UNIFORM_ALIGNMENT = 256
"""Where a dispatch's part of the uniforms may start, in bytes: WebGPU's least common alignment."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The buffer that holds a named value of the running tokens, with the shape that its writer gave it."""

    buffer: int
    dtype: str
    shape: tuple[Value, ...]


class PlanBuilder:
    """Collects buffers, dynamics and dispatches while ops are lowered one after another."""

    def __init__(self, rows: tuple[int, int], capacity: int) -> None:
        self.min_rows, self.max_rows = rows
        self.capacity = capacity
        self.buffers: list[Buffer] = []
        self.dispatches: list[Dispatch] = []
        self.dynamics: list[DynamicExpression] = [DynamicExpression("rows", ()), DynamicExpression("start", ())]
        self.slots: dict[str, Slot] = {}
        self.uniform_size = 0
        self._largest: list[Scalar] = [self.max_rows, capacity - self.max_rows]
        self._places: dict[DynamicExpression, int] = {}
        self._named: dict[str, int] = {}
        self._always: dict[Dynamic, bool] = {}
        self._uniforms: dict[tuple[tuple[Uniform, ...], int], int] = {}

    def variables(self) -> dict[str, Value]:
        """Return what `rows`, `start` and `capacity` stand for; a plan for one row count has a plain number of rows."""
        rows: Value = self.max_rows if self.min_rows == self.max_rows else Dynamic(ROWS)
        return {"rows": rows, "start": Dynamic(START), "capacity": self.capacity}

    def value(self, text: str, names: Mapping[str, Value]) -> Value:
        """Return what an expression is worth: a number now, or a dynamic where it reads one. KeyError: unknown name."""
        if text in names:
            return names[text]
        used = {name: names[name] for name in sorted(names_in(text))}
        if any(isinstance(value, Dynamic) for value in used.values()):
            return self._dynamic(DynamicExpression(text, tuple(used.items())))
        plain = {name: resolve(value, ()) for name, value in used.items()}
        return compiled(text, plain)(**plain)

    def _dynamic(self, expression: DynamicExpression) -> Dynamic:
        place = self._places.get(expression)
        if place is None:
            place = self._places[expression] = len(self.dynamics)
            names = {name: resolve(value, self._largest) for name, value in expression.names}
            self._largest.append(compiled(expression.text, names)(**names))
            self.dynamics.append(expression)
        return Dynamic(place)

    def always(self, condition: Dynamic) -> bool:
        """Return whether a run-time condition holds at every number of rows, at the first and the last position."""
        if condition not in self._always:
            dynamics = self.dynamics[: condition.index + 1]
            calls = ((rows, start) for rows in range(self.min_rows, self.max_rows + 1) for start in self._ends(rows))
            self._always[condition] = all(evaluate(dynamics, rows, start)[-1] for rows, start in calls)
        return self._always[condition]

    def _ends(self, rows: int) -> set[int]:
        return {0, self.capacity - rows}

    def largest(self, value: Value) -> Scalar:
        """Return a value at the plan's largest call."""
        return resolve(value, self._largest)

    def extent(self, shape: tuple[Value, ...]) -> tuple[int, ...]:
        """Return a shape at the plan's largest call."""
        return tuple(int(self.largest(length)) for length in shape)

    def elements(self, shape: tuple[Value, ...]) -> int:
        """Return how many elements a shape has at the plan's largest call."""
        return prod(self.extent(shape))

    def size(self, dtype: str, shape: tuple[Value, ...]) -> int:
        """Return the bytes of an array at the plan's largest call; ValueError where rows are no whole blocks."""
        return byte_size(dtype, self.extent(shape))

    def buffer(self, buffer: Buffer, shared: bool) -> int:
        """Add a buffer and return its place; a shared one is added once by its name, and grows to its largest user."""
        place = self._named.get(buffer.name) if shared else None
        if place is None:
            self.buffers.append(buffer)
            place = len(self.buffers) - 1
            if shared:
                self._named[buffer.name] = place
        elif buffer.size > self.buffers[place].size:
            self.buffers[place] = replace(self.buffers[place], size=buffer.size)
        return place

    def dispatch(self, dispatch: Dispatch) -> None:
        """Add a dispatch, and give its uniforms their place; equal uniforms have one place."""
        size = dispatch.variant.uniform_size
        key = (dispatch.uniforms, size)
        if key not in self._uniforms:
            self._uniforms[key] = self.uniform_size
            self.uniform_size += -(-size // UNIFORM_ALIGNMENT) * UNIFORM_ALIGNMENT
        self.dispatches.append(replace(dispatch, uniform_offset=self._uniforms[key]))

    def binding(self, index: int, name: str, kind: str, slot: Slot, shape: tuple[Value, ...]) -> Binding:
        """Return a slot's buffer as a binding of the kernel's own shape."""
        return Binding(index, name, kind, slot.buffer, slot.dtype, shape, self.size(slot.dtype, shape))
