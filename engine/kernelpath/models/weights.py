"""Named weights as they are stored: dtype, shape, and the raw bytes.

Block layouts are ggml's (https://github.com/ggml-org/ggml, `ggml-common.h`): a row is cut into blocks of equal length,
and no block crosses rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from kernelpath.models import errors

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

# dtype -> (values in a block, bytes of a block)
BLOCKS: dict[str, tuple[int, int]] = {
    "f32": (1, 4),
    "f16": (1, 2),
    "bf16": (1, 2),
    "q4_0": (32, 18),
    "q4_1": (32, 20),
    "q5_0": (32, 22),
    "q5_1": (32, 24),
    "q8_0": (32, 34),
    "q2_k": (256, 84),
    "q3_k": (256, 110),
    "q4_k": (256, 144),
    "q5_k": (256, 176),
    "q6_k": (256, 210),
}


_CHUNK = 1 << 18  # values converted at a time


@dataclass(frozen=True, slots=True, eq=False)
class Weight:
    """One named weight, row-major; `shape` is (outputs, inputs) for a matrix, (length,) for a vector.

    `data` is a one-dimensional view of its bytes, little-endian: for a file, a window of the memory map, so that
    nothing is read before it is used.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    data: Bytes

    @property
    def row_bytes(self) -> int:
        """Bytes of one row."""
        return stored_bytes(self.dtype, (self.shape[-1],))

    def array(self) -> Floats:
        """Return the values as f32 in the weight's shape; f16 and bf16 widen exactly, blocks are dequantised."""
        return dequantise(self.data, self.dtype, self.shape)


def stored_bytes(dtype: str, shape: tuple[int, ...]) -> int:
    """Return how many bytes an array takes at a dtype; its rows must be whole blocks."""
    values, size = BLOCKS[dtype]
    return prod(shape) // values * size


def dequantise(data: Bytes, dtype: str, shape: tuple[int, ...]) -> Floats:
    """Return stored bytes as an f32 array of a shape."""
    if dtype == "f32":
        return data.view("<f4").reshape(shape)
    if dtype == "f16":
        return data.view("<f2").astype(np.float32).reshape(shape)
    if dtype == "bf16":
        return (data.view("<u2").astype(np.uint32) << 16).view(np.float32).reshape(shape)
    from gguf import GGMLQuantizationType, quants

    rows: Bytes = data.reshape(-1, stored_bytes(dtype, (shape[-1],)))
    values: Floats = quants.dequantize(rows, GGMLQuantizationType[dtype.upper()])
    return values.reshape(shape)


def to_bf16(values: Floats) -> npt.NDArray[np.uint16]:
    """Return f32 values rounded to bf16, as their 16 bits: to nearest, ties to even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> 16) & np.uint32(1))) >> 16
    # Rounding a NaN up could carry into the exponent and give infinity: keep its high bits, and make it quiet.
    quiet = (bits >> 16) | np.uint32(0x40)
    return np.where(np.isnan(values), quiet, rounded).astype(np.uint16)


def store(values: Floats, dtype: str, name: str = "weight") -> Bytes:
    """Return f32 values stored at a dtype, as bytes; a finite value that f16 cannot hold is an error."""
    columns, block = values.shape[-1], BLOCKS[dtype][0]
    if columns % block:
        raise errors.not_a_multiple(name, columns, dtype, block)
    if dtype == "bf16":
        return to_bf16(values).view(np.uint8).reshape(-1)
    if dtype == "f16":
        return _to_f16(values, name).view(np.uint8).reshape(-1)
    if dtype == "f32":
        return np.ascontiguousarray(values, "<f4").view(np.uint8).reshape(-1)
    from gguf import GGMLQuantizationType, quants

    try:
        stored: Bytes = quants.quantize(np.ascontiguousarray(values), GGMLQuantizationType[dtype.upper()])
    except NotImplementedError:
        raise errors.not_storable(name, dtype) from None
    return stored.reshape(-1)


def _to_f16(values: Floats, name: str) -> npt.NDArray[np.float16]:
    with np.errstate(over="ignore"):
        halves = values.astype("<f2")
    if np.isinf(halves).any():
        lost = np.isinf(halves) & np.isfinite(values)
        if lost.any():
            raise errors.overflow(name, "f16", float(values[lost].flat[0]))
    return np.ascontiguousarray(halves)


def convert(weight: Weight, dtype: str) -> Weight:
    """Return a weight stored at another dtype; at its own dtype it is the same object, with no copy."""
    if weight.dtype == dtype:
        return weight
    rows = weight.shape[0] if len(weight.shape) > 1 else 1
    width = prod(weight.shape) // rows
    step = max(1, _CHUNK // width)
    parts = [_converted(weight, dtype, begin, min(begin + step, rows), width) for begin in range(0, rows, step)]
    return Weight(weight.name, dtype, weight.shape, parts[0] if len(parts) == 1 else np.concatenate(parts))


def _converted(weight: Weight, dtype: str, begin: int, end: int, width: int) -> Bytes:
    """Convert some rows: in parts that stay in the processor's cache, and never a whole table at f32."""
    row = stored_bytes(weight.dtype, (width,))
    values = dequantise(weight.data[begin * row : end * row], weight.dtype, (end - begin, width))
    return store(values, dtype, weight.name)
