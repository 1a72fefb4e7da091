"""Draw the inputs of a kernel check: seeded values for each binding, stored at its dtype."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from kernelpath.emit.plan.families import READ, READ_WRITE, BindingFormat, Variant
from kernelpath.emit.plan.storage import DTYPES
from kernelpath.execute.trial import Array, Names, formats, shape, value
from kernelpath.models.weights import Weight, convert

# Where the f16 scales of a K-quant block stand, and how far its values spread for a scale of 1 when all else is random.
_K_SCALES = {"q4_k": ((0, 1 / 200), (2, 7.5 / 200)), "q6_k": ((208, 1 / 1350),)}


def inputs(variant: Variant, names: Names, fill: Mapping[str, Any]) -> dict[str, Weight]:
    """Return what the bindings of a variant hold before a run, as stored; the same for the same variant and case.

    A binding's `fill`, or the case's own for it, says what: normal values of deviation `scale` (1 by default), with a
    NaN and an infinity among them where `special` asks for it; ids below `integers`; a rotary spectrum of base
    `frequencies`.
    """
    generator = np.random.default_rng(zlib.crc32(f"{variant.name} {sorted(names.items())}".encode()))
    return {
        name: _drawn(form, names, {**form.fill, **fill.get(name, {})}, generator)
        for name, form in formats(variant).items()
        if form.kind in (READ, READ_WRITE)
    }


def _drawn(form: BindingFormat, names: Names, fill: Mapping[str, Any], generator: np.random.Generator) -> Weight:
    lengths = shape(form, names)
    if "integers" in fill:
        ids = generator.integers(0, int(value(str(fill["integers"]), names)), lengths, dtype=np.uint32)
        return Weight(form.name, "u32", lengths, ids.reshape(-1).view(np.uint8))
    if "frequencies" in fill:
        spectrum = float(fill["frequencies"]) ** (-np.arange(lengths[0]) / max(lengths[0], 1))
        return _weight(form, lengths, spectrum)
    deviation = float(value(str(fill.get("scale", "1.0")), names))
    if form.dtype in _K_SCALES:
        return _blocks(form, lengths, deviation, generator)
    values = generator.normal(size=lengths) * deviation
    if fill.get("special") and DTYPES[form.dtype].elements == 1:
        flat = values.reshape(-1)
        flat[0], flat[flat.size // 2] = np.nan, np.inf
    return _weight(form, lengths, values)


def _weight(form: BindingFormat, lengths: tuple[int, ...], values: Array) -> Weight:
    if form.dtype == "f16":  # `convert` refuses what overflows; here an infinity is welcome
        with np.errstate(over="ignore"):
            return Weight(form.name, "f16", lengths, values.astype(np.float16).reshape(-1).view(np.uint8))
    plain = Weight(form.name, "f32", lengths, values.astype(np.float32).reshape(-1).view(np.uint8))
    return plain if form.dtype in ("f32", "u32") else convert(plain, form.dtype)


def _blocks(form: BindingFormat, lengths: tuple[int, ...], deviation: float, generator: np.random.Generator) -> Weight:
    """Return random K-quant blocks: every bit pattern is one, only the scales must be finite and of the right size."""
    storage = DTYPES[form.dtype]
    blocks = int(np.prod(lengths)) // storage.elements
    data = generator.integers(0, 256, (blocks, storage.bytes), dtype=np.uint8)
    for at, spread in _K_SCALES[form.dtype]:
        scales = (generator.uniform(0.5, 1.0, (blocks, 1)) * deviation * spread).astype(np.float16)
        data[:, at : at + 2] = scales.view(np.uint8)
    return Weight(form.name, form.dtype, lengths, data.reshape(-1))
