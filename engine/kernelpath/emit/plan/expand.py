"""A kernel path as one flat list of calls: sections in order, layers unrolled, implied ops put in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelpath.emit.plan.architecture import layer_names
from kernelpath.emit.plan.expressions import Scalar, compiled, names_in
from kernelpath.emit.plan.ops import Implied, Ops

PREFILL, DECODE = "prefill", "decode"


@dataclass(frozen=True, slots=True)
class Call:
    """One op to lower: the path's step, at a layer. Without a kernel, one of the op's own is chosen by dtypes.

    `weights_of` has the weight's name of each op that the call stands for, where it stands for several.
    """

    op: str
    layer: int | None
    kernel: str | None
    entry: str
    weights: str | None = None
    constants: Mapping[str, Any] = field(default_factory=dict)
    note: str | None = None
    weights_of: Mapping[str, str] = field(default_factory=dict)

    @property
    def step(self) -> str:
        """Return the name that diagnostics and traces give the call."""
        return self.op if self.layer is None else f"layer.{self.layer}.{self.op}"


def expand(
    path: Mapping[str, Any], phase: str, architecture: Mapping[str, Any], ops: Ops, all_rows: bool
) -> list[Call]:
    """Return a path's calls in the order of execution, for a phase.

    A phase that a path does not have runs the other's steps; one that it has as an empty list runs none. A layer
    override replaces a layer's steps: in both phases those of its `steps`, else in each phase the phase's own list.
    Outside the layers, a step with a `phase` runs in that phase alone. `all_rows` asks for logits of every token of the
    call, not of the last alone.
    """
    options: dict[str, Scalar] = {"all_rows": all_rows, "phase": phase}
    sections: list[tuple[int | None, Sequence[Mapping[str, Any]]]] = [(None, _outside(path, "preLayer", phase))]
    sections += [(layer, steps) for layer, steps in enumerate(_layers(path, phase, architecture["num_layers"]))]
    sections += [(None, _outside(path, section, phase)) for section in ("postLayer", "sampling")]
    return [call for layer, steps in sections for call in _section(steps, layer, architecture, ops, options)]


def _layers(path: Mapping[str, Any], phase: str, count: int) -> list[Sequence[Mapping[str, Any]]]:
    other = DECODE if phase == PREFILL else PREFILL
    common = _steps(path, phase if phase in path else other)
    overrides = {
        layer: override["steps"] if "steps" in override else _steps(override, phase)
        for override in path.get("layerOverrides") or ()
        for layer in override["layers"]
    }
    return [overrides.get(layer, common) for layer in range(count)]


def _steps(lists: Mapping[str, Any], phase: str) -> Sequence[Mapping[str, Any]]:
    steps: Sequence[Mapping[str, Any]] = (lists.get(phase) or {}).get("steps") or ()
    return steps


def _outside(path: Mapping[str, Any], section: str, phase: str) -> list[Mapping[str, Any]]:
    return [step for step in path.get(section) or () if step.get("phase") in (None, "both", phase)]


def _section(
    steps: Iterable[Mapping[str, Any]],
    layer: int | None,
    architecture: Mapping[str, Any],
    ops: Ops,
    options: Mapping[str, Scalar],
) -> list[Call]:
    calls = [_call(step, layer) for step in steps]
    names = layer_names(architecture, layer) | dict(options)
    calls = _without_replaced([call for call in calls if _applies(ops, call, names)], ops)
    for implied in ops.implied:
        if implied.when is None or holds(implied.when, names):
            calls = _with_implied(calls, implied)
    return calls


def _call(step: Mapping[str, Any], layer: int | None) -> Call:
    return Call(
        step["op"], layer, step["kernel"], step.get("entry") or "main", step.get("weights"), step.get("constants") or {}
    )


def _applies(ops: Ops, call: Call, names: Mapping[str, Scalar]) -> bool:
    op = ops.by_name.get(call.op)
    return op is None or op.when is None or holds(op.when, names)


def _without_replaced(calls: list[Call], ops: Ops) -> list[Call]:
    replaced = {name for call in calls if call.op in ops.by_name for name in ops.by_name[call.op].replaces}
    return [call for call in calls if call.op not in replaced]


def _with_implied(calls: list[Call], implied: Implied) -> list[Call]:
    present = {call.op for call in calls}
    if implied.op in present or implied.before not in present:
        return calls
    at = next(index for index, call in enumerate(calls) if call.op == implied.before)
    return [*calls[:at], _implied_call(calls, calls[at], implied), *calls[at:]]


def _implied_call(calls: list[Call], anchor: Call, implied: Implied) -> Call:
    like = next((call for call in calls if call.op == implied.like), None)
    note = f"implied before {anchor.op}"
    if like is None:
        return Call(implied.op, anchor.layer, None, "main", note=note)
    return Call(implied.op, anchor.layer, like.kernel, implied.entry or like.entry, note=note)


def holds(condition: str, names: Mapping[str, Scalar]) -> bool:
    """Return whether a condition over plain names holds."""
    used = {name: names[name] for name in names_in(condition)}
    return bool(compiled(condition, used)(**used))
