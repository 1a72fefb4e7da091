"""Run one kernel by itself, outside a plan: for checking it against its meaning, and for timing it."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelpath.emit.plan.expressions import Scalar, compiled
from kernelpath.emit.plan.families import UNIFORM, BindingFormat, Families, Variant, load_families
from kernelpath.emit.plan.storage import ALIGNMENT, byte_size
from kernelpath.execute.device import COPY_DST, COPY_SRC, STORAGE, Device
from kernelpath.execute.device import UNIFORM as UNIFORM_USAGE
from kernelpath.execute.shaders import Shaders

Array = NDArray[Any]
Names = dict[str, Scalar]

NUMPY = {"f32": np.float32, "f16": np.float16, "u32": np.uint32, "i32": np.int32}

POISON = b"\xc0\x7f\xc0\x7f"
"""A NaN as f32, two as f16, and no likely id as u32: what a kernel leaves unwritten is seen."""

_FORMATS = {"u32": "<I", "i32": "<i", "f32": "<f"}


@dataclass(frozen=True, slots=True, eq=False)
class Launch:
    """A pipeline with its bind group and workgroup counts."""

    pipeline: Any
    group: Any
    counts: tuple[int, int, int]


def value(text: str, names: Names) -> Scalar:
    """Evaluate an expression of a family."""
    return compiled(text, names)(**names)


def all_names(variant: Variant, given: Mapping[str, Scalar], cpu: bool) -> Names:
    """Return the names that a variant's expressions may use: what is given, then what the family gives by default."""
    family = variant.family
    names: Names = {"cpu": cpu}
    names.update({p.name: p.default for p in family.parameters.values() if p.default is not None})
    names.update(given)
    for parameter in family.parameters.values():
        if parameter.type == "float" and parameter.name in names:
            names[parameter.name] = float(names[parameter.name])
    for name, text in family.dimension_defaults.items():
        names.setdefault(name, value(text, names))
    return names


def chain(variant: Variant, families: Families | None = None) -> tuple[Variant, ...]:
    """Return a variant and those that its `then` leads to, in the order of their launches."""
    links = [variant]
    while (following := links[-1].then) is not None:
        kernel, entry = following.split("#")
        found = (families or load_families()).variant(kernel, entry)
        if found is None:
            raise KeyError(f"{links[-1].name} goes on with {following}, which there is not")
        links.append(found)
    return tuple(links)


def formats(variant: Variant) -> dict[str, BindingFormat]:
    """Return the bindings of a variant's whole chain by name, uniforms left out."""
    return {form.name: form for link in chain(variant) for form in link.bindings if form.kind != UNIFORM}


def shape(form: BindingFormat, names: Names) -> tuple[int, ...]:
    """Return the logical shape of a binding."""
    return tuple(int(value(text, names)) for text in form.shape)


class Trial:
    """A variant's chain on a device with buffers of its own, ready to be launched any number of times."""

    def __init__(self, shaders: Shaders, variant: Variant, names: Names) -> None:
        self.device: Device = shaders.device
        self.variant = variant
        self.names = names
        self.forms = formats(variant)
        self.buffers = {name: self._buffer(form) for name, form in self.forms.items()}
        self.links = chain(variant)
        self.launches = [self.launch(shaders, link, self.buffers) for link in self.links]

    def _buffer(self, form: BindingFormat) -> Any:
        size = max(byte_size(form.dtype, shape(form, self.names)), ALIGNMENT)
        return self.device.handle.create_buffer(size=size, usage=STORAGE | COPY_SRC | COPY_DST)

    def launch(
        self,
        shaders: Shaders,
        variant: Variant,
        buffers: Mapping[str, Any],
        overrides: Mapping[str, float] | None = None,
    ) -> Launch:
        """Return one launch of a variant on these buffers; `overrides` go before the family's own values."""
        constants = {name: _constant(raw, self.names) for name, raw in variant.overrides.items()} | dict(
            overrides or {}
        )
        pipeline = shaders.pipeline(variant, constants)
        uniforms = self._uniforms(variant)
        entries = [
            _entry(form.index, uniforms if form.kind == UNIFORM else buffers[form.name]) for form in variant.bindings
        ]
        group = self.device.handle.create_bind_group(layout=pipeline.layout, entries=entries)
        names = {**self.names, **constants}
        x, y, z = (int(value(text, names)) for text in variant.groups)
        limit = self.device.limits["max-compute-workgroups-per-dimension"]
        if variant.fold and x > limit:
            y = -(-x // limit)
            x = -(-x // y)
        return Launch(pipeline.handle, group, (x, y, z))

    def _uniforms(self, variant: Variant) -> Any:
        data = bytearray(max(variant.uniform_size, ALIGNMENT))
        for each in variant.uniforms:
            number = value(each.value, self.names)
            struct.pack_into(
                _FORMATS[each.type], data, each.offset, float(number) if each.type == "f32" else int(number)
            )
        return self.device.handle.create_buffer_with_data(data=bytes(data), usage=UNIFORM_USAGE)

    def write(self, name: str, array: Array) -> None:
        """Fill a buffer; its bytes past the array hold poison."""
        buffer, data = self.buffers[name], np.ascontiguousarray(array).tobytes()
        self.device.handle.queue.write_buffer(buffer, 0, data + (POISON * (buffer.size // 4))[len(data) : buffer.size])

    def poison(self, name: str) -> None:
        """Fill a buffer with values that no kernel may leave."""
        self.write(name, np.zeros(0, np.uint8))

    def run(self) -> None:
        """Launch the chain once, in one pass."""
        encoder = self.device.handle.create_command_encoder()
        record(encoder, self.launches)
        self.device.handle.queue.submit([encoder.finish()])

    def read(self, name: str) -> Array:
        """Return a buffer's values in their logical shape."""
        form = self.forms[name]
        data = np.frombuffer(self.device.handle.queue.read_buffer(self.buffers[name]), NUMPY[form.dtype])
        lengths = shape(form, self.names)
        return data[: int(np.prod(lengths))].reshape(lengths).copy()


def record(encoder: Any, launches: list[Launch], timestamps: Any = None) -> None:
    """Record launches into one compute pass; `timestamps` is wgpu's description of two of its queries."""
    options = {"timestamp_writes": timestamps} if timestamps else {}
    compute = encoder.begin_compute_pass(**options)
    for launch in launches:
        compute.set_pipeline(launch.pipeline)
        compute.set_bind_group(0, launch.group)
        compute.dispatch_workgroups(*launch.counts)
    compute.end()


def _constant(raw: Any, names: Names) -> float:
    if isinstance(raw, Mapping):
        return float(value(raw["value"], names) if "value" in raw else raw["default"])
    return float(raw)


def _entry(index: int, buffer: Any) -> dict[str, Any]:
    return {"binding": index, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}}
