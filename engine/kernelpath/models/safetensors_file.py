"""Read safetensors files, alone or in shards, as windows of the memory map.

The format is that of https://github.com/huggingface/safetensors: eight bytes of header length, a JSON header, data.
The library checks the header when it opens the file; the windows are cut here, because it gives no bf16 to numpy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from kernelpath.models import errors
from kernelpath.models.gguf_file import TensorFile
from kernelpath.models.reading import mapped as map_file
from kernelpath.models.weights import Bytes, Weight

_DTYPES = {"F32": "f32", "F16": "f16", "BF16": "bf16"}
_LENGTH_BYTES = 8


def read_safetensors(paths: Sequence[Path]) -> TensorFile:
    """Open one file, or all shards of a model; raises `ModelErrors` for a broken file or a tensor in two shards.

    A dtype that nothing here reads stays as the file spells it: only a weight that is used has to be read.
    """
    tensors: dict[str, Weight] = {}
    for path in paths:
        for name, weight in _read_shard(path).items():
            if name in tensors:
                raise errors.repeated_tensor(path, name)
            tensors[name] = weight
    return TensorFile(paths[0], {}, tensors)


def _read_shard(path: Path) -> dict[str, Weight]:
    mapped = map_file(path)
    _check_header(path)
    length = int.from_bytes(mapped[:_LENGTH_BYTES].tobytes(), "little")
    base = _LENGTH_BYTES + length
    header = json.loads(mapped[_LENGTH_BYTES:base].tobytes())
    return {name: _window(name, entry, mapped[base:]) for name, entry in header.items() if name != "__metadata__"}


def _check_header(path: Path) -> None:
    """Let the library check lengths, overlaps and holes before a byte is trusted."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np"):
            pass
    except (SafetensorError, OSError) as fault:
        raise errors.broken_safetensors(path, str(fault)) from None


def _window(name: str, entry: Mapping[str, object], data: Bytes) -> Weight:
    shape, offsets, dtype = entry["shape"], entry["data_offsets"], entry["dtype"]
    assert isinstance(shape, list)
    assert isinstance(offsets, list)
    return Weight(name, _DTYPES.get(str(dtype), str(dtype)), tuple(shape), data[offsets[0] : offsets[1]])
