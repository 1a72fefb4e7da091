"""Read GGUF files: metadata values, and tensors as windows of the memory map.

The format is that of https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3, little-endian. The
header is walked here, with every length checked against the file, because the `gguf` library takes seconds for a
vocabulary of 262,144 and trusts lengths; blocks are dequantised by that library.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kernelpath.models import errors
from kernelpath.models.reading import mapped as map_file
from kernelpath.models.reading import status
from kernelpath.models.weights import BLOCKS, Bytes, Weight, stored_bytes

MAGIC = b"GGUF"
VERSIONS = (2, 3)
DEFAULT_ALIGNMENT = 32
_STRING, _ARRAY = 8, 9
# value type -> struct format; GGUF's own numbers
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
# tensor type -> dtype; ggml's own numbers
_TENSOR_TYPES = {
    0: "f32",
    1: "f16",
    2: "q4_0",
    3: "q4_1",
    6: "q5_0",
    7: "q5_1",
    8: "q8_0",
    10: "q2_k",
    11: "q3_k",
    12: "q4_k",
    13: "q5_k",
    14: "q6_k",
    30: "bf16",
}
_MOST_DIMENSIONS = 4
_MOST_VALUES = 1 << 24  # of a list; the largest known vocabularies have some 2^18 tokens, and twice as many merges
_MOST_KEYS, _MOST_TENSORS = 1 << 16, 1 << 20


@dataclass(frozen=True, slots=True)
class TensorFile:
    """What a file of weights holds: metadata (empty for safetensors) and tensors under the file's own names."""

    path: Path
    metadata: Mapping[str, object]
    tensors: Mapping[str, Weight]


@dataclass(slots=True)
class _Cursor:
    """A place in the file that only moves forward, and never past the end."""

    path: Path
    data: memoryview
    offset: int = 0
    nested: int = field(default=0)

    def broken(self, what: str) -> errors.ModelErrors:
        return errors.broken_gguf(self.path, what, self.offset)

    def take(self, form: str, count: int = 1) -> tuple[object, ...]:
        """Read `count` numbers of one struct format."""
        size = struct.calcsize("<" + form)
        if count * size > len(self.data) - self.offset:
            raise self.broken(f"{count * size} bytes are wanted, {len(self.data) - self.offset} are left")
        values = struct.unpack_from(f"<{count}{form}", self.data, self.offset)
        self.offset += count * size
        return values

    def integer(self, form: str) -> int:
        """Read one whole number."""
        (value,) = self.take(form)
        assert isinstance(value, int)
        return value

    def text(self) -> str:
        """Read a string: its length in bytes, then UTF-8."""
        length = self.integer("Q")
        if length > len(self.data) - self.offset:
            raise self.broken(f"a string of {length} bytes goes past the end of the file")
        raw = bytes(self.data[self.offset : self.offset + length])
        try:
            value = raw.decode()
        except UnicodeDecodeError as fault:
            raise self.broken(f"a string is not UTF-8: {fault.reason}") from None
        self.offset += length
        return value


def read_gguf(path: Path) -> TensorFile:
    """Open a GGUF file; raises `ModelErrors` naming the byte where it is broken."""
    if status(path).st_size < len(MAGIC):
        raise errors.not_gguf(path, "it is too short")
    mapped = map_file(path)
    cursor = _Cursor(path, mapped.data)
    if bytes(cursor.data[:4]) != MAGIC:
        raise errors.not_gguf(path, f"it begins with {bytes(cursor.data[:4])!r}")
    cursor.offset = 4
    version = cursor.integer("I")
    if version not in VERSIONS:
        raise errors.not_gguf(path, f"its version is {version}")
    tensor_count, value_count = cursor.integer("Q"), cursor.integer("Q")
    metadata = _read_metadata(cursor, value_count)
    return TensorFile(path, metadata, _read_tensors(cursor, tensor_count, metadata, mapped))


def _read_metadata(cursor: _Cursor, count: int) -> dict[str, object]:
    metadata: dict[str, object] = {}
    if count > _MOST_KEYS:
        raise cursor.broken(f"{count:,} keys are more than {_MOST_KEYS:,}")
    for _ in range(count):
        name = cursor.text()
        if name in metadata:
            raise cursor.broken(f"the key `{name}` is there a second time")
        metadata[name] = _read_value(cursor, cursor.integer("I"))
    return metadata


def _read_value(cursor: _Cursor, kind: int) -> object:
    if kind in _SCALARS:
        return cursor.take(_SCALARS[kind])[0]
    if kind == _STRING:
        return cursor.text()
    if kind == _ARRAY:
        return _read_array(cursor)
    raise cursor.broken(f"value type {kind} is not known")


def _read_array(cursor: _Cursor) -> list[object]:
    kind, count = cursor.integer("I"), cursor.integer("Q")
    if kind in _SCALARS:
        return _read_numbers(cursor, _SCALARS[kind], count)
    # A string or list takes eight bytes at least: a wrong count cannot ask for more memory than the file is long.
    if count * 8 > len(cursor.data) - cursor.offset:
        raise cursor.broken(f"a list of {count} values goes past the end of the file")
    _refuse_longest(cursor, count)
    if kind == _STRING:
        return [cursor.text() for _ in range(count)]
    if kind == _ARRAY and cursor.nested < 2:
        cursor.nested += 1
        values: list[object] = [_read_array(cursor) for _ in range(count)]
        cursor.nested -= 1
        return values
    raise cursor.broken(f"a list of value type {kind} is not known")


def _read_numbers(cursor: _Cursor, form: str, count: int) -> list[object]:
    if count * struct.calcsize("<" + form) <= len(cursor.data) - cursor.offset:
        _refuse_longest(cursor, count)
    return list(cursor.take(form, count))


def _refuse_longest(cursor: _Cursor, count: int) -> None:
    if count > _MOST_VALUES:
        raise cursor.broken(f"a list of {count:,} values is longer than {_MOST_VALUES:,}")


def _read_tensors(cursor: _Cursor, count: int, metadata: Mapping[str, object], mapped: Bytes) -> dict[str, Weight]:
    heads = [_read_tensor_head(cursor) for _ in range(_plausible(cursor, count))]
    alignment = metadata.get("general.alignment", DEFAULT_ALIGNMENT)
    if not isinstance(alignment, int) or alignment <= 0 or alignment & (alignment - 1):
        raise errors.wrong_value("general.alignment", alignment, "a power of two")
    base = -(-cursor.offset // alignment) * alignment
    tensors: dict[str, Weight] = {}
    for name, dtype, shape, offset in heads:
        if name in tensors:
            raise errors.repeated_tensor(cursor.path, name)
        cursor.offset, size = base + offset, stored_bytes(dtype, shape)
        if size > len(mapped) - cursor.offset:
            raise cursor.broken(f"tensor `{name}` of {size} bytes goes past the end of the file")
        tensors[name] = Weight(name, dtype, shape, mapped[cursor.offset : cursor.offset + size])
    return tensors


def _plausible(cursor: _Cursor, count: int) -> int:
    """Return a tensor count, if the rest of the file could hold so many heads of 24 bytes or more."""
    if count * 24 > len(cursor.data) - cursor.offset:
        raise cursor.broken(f"{count} tensors go past the end of the file")
    if count > _MOST_TENSORS:
        raise cursor.broken(f"{count:,} tensors are more than {_MOST_TENSORS:,}")
    return count


def _read_tensor_head(cursor: _Cursor) -> tuple[str, str, tuple[int, ...], int]:
    """Read a tensor's name, dtype, shape (rows first; the file has them last) and offset in the data."""
    name, dimensions = cursor.text(), cursor.integer("I")
    if not 1 <= dimensions <= _MOST_DIMENSIONS:
        raise cursor.broken(f"tensor `{name}` has {dimensions} dimensions")
    sizes = [cursor.integer("Q") for _ in range(dimensions)]
    kind, offset = cursor.integer("I"), cursor.integer("Q")
    if kind not in _TENSOR_TYPES:
        raise errors.unknown_dtype(name, f"ggml type {kind}")
    dtype, shape = _TENSOR_TYPES[kind], tuple(reversed(sizes))
    if not all(shape):
        raise cursor.broken(f"tensor `{name}` of shape {list(shape)} is empty")
    return name, dtype, shape, _whole_blocks(name, dtype, shape, offset)


def _whole_blocks(name: str, dtype: str, shape: tuple[int, ...], offset: int) -> int:
    if shape[-1] % BLOCKS[dtype][0]:
        raise errors.not_a_multiple(name, shape[-1], dtype, BLOCKS[dtype][0])
    return offset
