"""A plan as plain JSON, for people and tools to read; `kernels/README.md` describes the format."""

from __future__ import annotations

from typing import Any

from kernelpath.emit.plan.model import Binding, Buffer, Dispatch, Dynamic, Plan, Value

VERSION = 1


def to_document(plan: Plan) -> dict[str, Any]:
    """Return a plan as plain JSON. Numbers known at run time stand as {"dynamic": place in `dynamics`}."""
    return {
        "version": VERSION,
        "path": plan.path_id,
        "phase": plan.phase,
        "rows": {"least": plan.min_rows, "most": plan.max_rows},
        "capacity": plan.capacity,
        "allRows": plan.all_rows,
        "memory": _memory(plan),
        "dynamics": [_dynamic(each.text, each.names) for each in plan.dynamics],
        "buffers": [_buffer(buffer) for buffer in plan.buffers],
        "uniformBytes": plan.uniform_size,
        "dispatches": [_dispatch(dispatch) for dispatch in plan.dispatches],
    }


def _memory(plan: Plan) -> dict[str, int]:
    """Return the bytes of the plan's buffers, by role."""
    totals: dict[str, int] = {}
    for buffer in plan.buffers:
        totals[buffer.role] = totals.get(buffer.role, 0) + buffer.size
    return totals


def _dynamic(text: str, names: tuple[tuple[str, Value], ...]) -> dict[str, Any]:
    where = {"where": {name: _value(value) for name, value in names}} if names else {}
    return {"value": text, **where}


def _value(value: Value) -> Any:
    return {"dynamic": value.index} if isinstance(value, Dynamic) else value


def _buffer(buffer: Buffer) -> dict[str, Any]:
    members: dict[str, Any] = {"name": buffer.name, "role": buffer.role, "dtype": buffer.dtype, "bytes": buffer.size}
    if buffer.parts:
        members["parts"] = [{"weight": part.name, "begin": part.begin, "end": part.end} for part in buffer.parts]
    if buffer.values:
        members["values"] = list(buffer.values)
    return members


def _dispatch(dispatch: Dispatch) -> dict[str, Any]:
    members: dict[str, Any] = {
        "step": dispatch.step,
        "kernel": dispatch.variant.name,
        "family": dispatch.variant.family.name,
        "bindings": [_binding(binding) for binding in dispatch.bindings],
        "uniforms": {"offset": dispatch.uniform_offset, "fields": _fields(dispatch)},
        "overrides": dict(dispatch.overrides),
        "groups": [_value(count) for count in dispatch.groups],
    }
    return members | ({"note": dispatch.note} if dispatch.note else {})


def _fields(dispatch: Dispatch) -> list[dict[str, Any]]:
    return [
        {"name": each.name, "type": each.type, "offset": each.offset, "value": _value(each.value)}
        for each in dispatch.uniforms
    ]


def _binding(binding: Binding) -> dict[str, Any]:
    return {
        "index": binding.index,
        "name": binding.name,
        "kind": binding.kind,
        "buffer": binding.buffer,
        "dtype": binding.dtype,
        "shape": [_value(length) for length in binding.shape],
        "bytes": binding.size,
    }
