"""The dispatch plan: buffers, and dispatches that bind them, in order. Documented in kernels/README.md.

A plan is made once for a range of `rows` (tokens in a call) and a cache capacity. What changes from call to call is a
`Dynamic`: an expression over `rows` and `start`, evaluated before each submit; all else is a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelpath.emit.plan.expressions import Scalar, compiled
from kernelpath.emit.plan.families import Variant

ACTIVATION = "activation"
SCRATCH = "scratch"
WEIGHT = "weight"
CACHE = "cache"
INPUT = "input"
OUTPUT = "output"
CONSTANT = "constant"

ROWS, START = 0, 1
"""The places of the two run-time variables in `Plan.dynamics`."""


@dataclass(frozen=True, slots=True)
class Dynamic:
    """A number known at run time: the place of its expression in the plan's `dynamics`."""

    index: int


Value = Scalar | Dynamic


@dataclass(frozen=True, slots=True)
class DynamicExpression:
    """What a `Dynamic` stands for: an expression, with a value for each name in it."""

    text: str
    names: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class WeightPart:
    """Rows `begin` to `end` of a named weight; `end` None means to its last row."""

    name: str
    begin: int = 0
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Buffer:
    """A buffer: `size` is in bytes at the plan's capacity.

    `parts` are the weights stacked in it, stored at `dtype`; `values` are a constant's elements; `layer` and `name`
    tell caches apart.
    """

    name: str
    role: str
    dtype: str
    size: int
    parts: tuple[WeightPart, ...] = ()
    values: tuple[float, ...] = ()
    layer: int | None = None


@dataclass(frozen=True, slots=True)
class Binding:
    """A buffer at a binding of a dispatch; `shape` is the logical shape, in elements, of what the kernel sees."""

    index: int
    name: str
    kind: str
    buffer: int
    dtype: str
    shape: tuple[Value, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Uniform:
    """A field of a dispatch's uniforms: u32, i32 or f32 at a byte offset into the dispatch's own part."""

    name: str
    type: str
    offset: int
    value: Value


@dataclass(frozen=True, slots=True)
class Dispatch:
    """One kernel launch. `names` holds the family's dimensions and parameters, for its meaning and for explaining.

    A family may need several launches for one op (a variant's `then`): all but the last have `final` false, and
    `inherited` holds the bindings of the earlier ones, which the meaning reads.
    """

    step: str
    op: str
    variant: Variant = field(repr=False)
    names: Mapping[str, Value]
    bindings: tuple[Binding, ...]
    uniform_offset: int
    uniforms: tuple[Uniform, ...]
    overrides: Mapping[str, Any]
    groups: tuple[Value, Value, Value]
    note: str | None = None
    final: bool = True
    inherited: tuple[Binding, ...] = ()

    def binding(self, name: str) -> Binding:
        """Return the binding of that name; KeyError where there is none."""
        for binding in self.bindings:
            if binding.name == name:
                return binding
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Plan:
    """A lowered phase of a kernel path, for `rows` of `min_rows` to `max_rows` and `start + rows` up to `capacity`."""

    path_id: str
    phase: str
    min_rows: int
    max_rows: int
    capacity: int
    all_rows: bool
    buffers: tuple[Buffer, ...]
    dispatches: tuple[Dispatch, ...]
    dynamics: tuple[DynamicExpression, ...]
    uniform_size: int

    def evaluate(self, rows: int, start: int) -> list[Scalar]:
        """Return the value of every dynamic for a call of `rows` tokens whose first stands at position `start`."""
        return evaluate(self.dynamics, rows, start)

    def buffer_named(self, name: str) -> int:
        """Return the place of the buffer of that name; KeyError where there is none."""
        for index, buffer in enumerate(self.buffers):
            if buffer.name == name:
                return index
        raise KeyError(name)


def evaluate(dynamics: Sequence[DynamicExpression], rows: int, start: int) -> list[Scalar]:
    """Return the values of dynamics, each of which reads none but those before it."""
    values: list[Scalar] = [rows, start]
    for dynamic in dynamics[2:]:
        names = {name: resolve(value, values) for name, value in dynamic.names}
        values.append(compiled(dynamic.text, names)(**names))
    return values


def resolve(value: Value, dynamics: Sequence[Scalar]) -> Scalar:
    """Return the number that a value is, given those of the dynamics."""
    return dynamics[value.index] if isinstance(value, Dynamic) else value


def fold_grid(groups: tuple[int, int, int], fold: bool, limit: int) -> tuple[int, int, int]:
    """Fold a one-dimensional grid over the limit into y; other grids stay.

    A folded kernel takes its linear id from x + y * num_workgroups.x and returns beyond its work.
    """
    x, y, z = groups
    if not fold or x <= limit:
        return groups
    height = -(-x // limit)
    return -(-x // height), y * height, z
