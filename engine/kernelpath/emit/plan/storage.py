"""Storage dtypes of buffers: bytes per block and elements per block, as ggml lays quantised rows out."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod


@dataclass(frozen=True, slots=True)
class Storage:
    """A dtype's block: `elements` values in `bytes` bytes; 1 element for plain numbers."""

    bytes: int
    elements: int = 1


DTYPES: dict[str, Storage] = {
    "f32": Storage(4),
    "f16": Storage(2),
    "bf16": Storage(2),
    "u32": Storage(4),
    "i32": Storage(4),
    "q4_0": Storage(18, 32),
    "q4_1": Storage(20, 32),
    "q5_0": Storage(22, 32),
    "q5_1": Storage(24, 32),
    "q8_0": Storage(34, 32),
    "q4_k": Storage(144, 256),
    "q5_k": Storage(176, 256),
    "q6_k": Storage(210, 256),
}

ALIGNMENT = 16
"""Bound sizes are multiples of 16 bytes: kernels read storage as vectors of four words."""


def whole_blocks(dtype: str, shape: tuple[int, ...]) -> bool:
    """Return whether the rows of an array are whole blocks of a dtype."""
    return not shape or shape[-1] % DTYPES[dtype].elements == 0


def byte_size(dtype: str, shape: tuple[int, ...]) -> int:
    """Return the bytes of an array of that dtype and shape, padded to ALIGNMENT.

    The last axis of a quantised array must be a whole number of blocks; ValueError otherwise.
    """
    storage = DTYPES[dtype]
    if not shape:
        return _padded(storage.bytes)
    if not whole_blocks(dtype, shape):
        raise ValueError(f"{dtype} holds blocks of {storage.elements}, which {shape[-1]} is no multiple of")
    return _padded(prod(shape) // storage.elements * storage.bytes)


def _padded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
