"""Logits that are not numbers: an error, which names the step that first gave a value that is not finite.

Whoever runs a session only has to look at logits. The step is found afterwards, by running the same calls again and
looking at what each launch wrote.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from kernelpath.diagnostics import ERROR, Diagnostic
from kernelpath.emit.plan.model import CACHE, WEIGHT, Binding, Dispatch, Plan
from kernelpath.execute.backend import Array, Backend
from kernelpath.execute.numpy_backend.meaning import assignments
from kernelpath.execute.weights import Weights
from kernelpath.models.weights import dequantise

_LAYER = re.compile(r"layer\.(\d+)\.")
_ROWS = 4096  # of a weight that are looked at together
_HELP = {
    "weight": "`{weight}` holds values that are not finite: fetch the model again",
    "f16": "the largest f16 is 65,504: `kernelpath init --features subgroups` makes a manifest that keeps all in f32",
    "": "`--trace FILE` shows what each step gave",
}


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a plan: the tokens of it, None for the one that was sampled last, and the position of the first."""

    plan: Plan
    tokens: Sequence[int] | None
    start: int

    @property
    def rows(self) -> int:
        """How many tokens the call runs."""
        return 1 if self.tokens is None else len(self.tokens)


@dataclass(frozen=True, slots=True)
class Origin:
    """The first value that is not finite: the launch that gave it, where it went, and at which position it stands."""

    call: Call
    dispatch: Dispatch
    binding: Binding
    position: int
    value: float


class _Found(Exception):
    """Ends a run in the middle: the origin is known."""

    def __init__(self, origin: Origin) -> None:
        super().__init__()
        self.origin = origin


def is_finite(logits: Array) -> bool:
    """Return whether all logits are numbers."""
    return bool(np.isfinite(logits).all())


def find_origin(backend: Backend, calls: Sequence[Call]) -> Origin | None:
    """Run calls again, from the first position on, up to the first value that is not finite; None if there is none."""
    for call in calls:
        try:
            backend.run(call.plan, call.tokens, call.start, partial(_look, call))
        except _Found as found:
            return found.origin
    return None


def _look(call: Call, dispatch: Dispatch, arrays: dict[str, Array]) -> None:
    if not dispatch.final:  # what a launch leaves for the next one of its kernel may well be infinite
        return
    written = {each.target for each in assignments(dispatch.variant.family.meaning)}
    for binding in dispatch.bindings:
        if binding.name in written and binding.name in arrays:
            _look_at(call, dispatch, binding, arrays[binding.name])


def _look_at(call: Call, dispatch: Dispatch, binding: Binding, values: Array) -> None:
    """Raise `_Found` if the rows of a call that a launch wrote are not all finite."""
    if not np.issubdtype(values.dtype, np.floating):
        return
    cached = call.plan.buffers[binding.buffer].role == CACHE
    rows = values[call.start : call.start + call.rows] if cached else values
    wrong = ~np.isfinite(rows)
    if wrong.any():
        place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        row = int(place[0]) if len(rows) == call.rows else call.rows - 1
        raise _Found(Origin(call, dispatch, binding, call.start + row, float(rows[place])))


def diagnose(backend: Backend, calls: Sequence[Call], weights: Weights) -> Diagnostic:
    """Return the finding for a call, the last, whose logits are not finite."""
    last, origin = calls[-1], find_origin(backend, calls)
    if origin is None:
        message = f"the logits of {last.plan.phase} at token position {last.start + last.rows - 1} are not finite"
        return _finding(message, last.plan.phase, (), _HELP[""])
    dispatch, phase = origin.dispatch, origin.call.plan.phase
    layer = _LAYER.match(dispatch.step)
    values = {
        "step": dispatch.step,
        "layer": layer[1] if layer else "none",
        "phase": phase,
        "position": str(origin.position),
        "kernel": dispatch.variant.name,
        origin.binding.name: str(origin.value),
    }
    where = f"of layer {layer[1]} in {phase}" if layer else f"in {phase}"
    message = (
        f"the logits are not finite: step `{dispatch.step}`{_fused(dispatch)} {where} "
        f"first gives {_words(origin.value)} at token position {origin.position}"
    )
    return _finding(message, dispatch.step, tuple(values.items()), _help(origin, weights))


def _finding(message: str, subject: str, values: tuple[tuple[str, str], ...], help_text: str) -> Diagnostic:
    return Diagnostic("run/not-finite", (), ERROR, message, subject=subject, values=values, help=help_text)


def _fused(dispatch: Dispatch) -> str:
    """Return which steps of the graph a launch stands for, where it stands for several."""
    _, colon, steps = (dispatch.note or "").partition(": ")
    return f", which runs {steps}," if colon else ""


def _words(value: float) -> str:
    return "a value that is not a number" if np.isnan(value) else "an infinite value"


def _help(origin: Origin, weights: Weights) -> str:
    wrong = _wrong_weight(origin, weights)
    if wrong is not None:
        return _HELP["weight"].format(weight=wrong)
    return _HELP["f16" if origin.binding.dtype == "f16" else ""]


def _wrong_weight(origin: Origin, weights: Weights) -> str | None:
    """Return the name of a weight that a launch reads and that is not finite itself, None if there is none."""
    read = (origin.call.plan.buffers[binding.buffer] for binding in origin.dispatch.bindings)
    names = [part.name for buffer in read if buffer.role == WEIGHT for part in buffer.parts]
    return next((name for name in names if not _weight_is_finite(name, weights)), None)


def _weight_is_finite(name: str, weights: Weights) -> bool:
    weight = weights[name]
    if len(weight.shape) == 1:
        return is_finite(weight.array())
    size = weight.row_bytes
    parts = (weight.data[begin : begin + _ROWS * size] for begin in range(0, weight.data.size, _ROWS * size))
    return all(is_finite(dequantise(part, weight.dtype, (part.size // size, weight.shape[-1]))) for part in parts)
