"""GGUF files: what is read, and what is said of broken ones."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFReader

from kernelpath.models.errors import ModelErrors
from kernelpath.models.gguf_file import read_gguf

from .files import write_gguf
from .tiny import tiny_model

METADATA = {
    "general.name": "tiny",
    "test.text": "größe ▁ \N{ROCKET}",
    "test.flag": True,
    "test.float": 1.5,
    "test.texts": ["a", "", "ß"],
    "test.numbers": [1, 2, 3],
}


@pytest.fixture(scope="module")
def tiny_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = tiny_model("llama", "q8_0", num_layers=1, hidden_size=32, ffn_size=32, vocab_size=5)
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf", model, "llama", METADATA)


def message(path: Path) -> str:
    with pytest.raises(ModelErrors) as raised:
        read_gguf(path)
    (finding,) = raised.value.diagnostics
    return finding.message.replace(str(path), "FILE")


def test_values_and_tensors_are_those_that_the_library_reads(tiny_file: Path) -> None:
    """Metadata, dtypes, shapes and bytes equal those of the gguf library's own reader."""
    file, reader = read_gguf(tiny_file), GGUFReader(tiny_file)
    kept = {key: field.contents() for key, field in reader.fields.items() if not key.startswith("GGUF.")}
    assert file.metadata == kept
    assert list(file.tensors) == [tensor.name for tensor in reader.tensors]
    for tensor in reader.tensors:
        weight = file.tensors[tensor.name]
        assert weight.dtype == tensor.tensor_type.name.lower()
        assert weight.shape == tuple(int(size) for size in reversed(tensor.shape))
        assert weight.data.tobytes() == tensor.data.tobytes()


def test_weights_are_windows_of_the_file(tiny_file: Path) -> None:
    """No weight owns a copy of its bytes, and none can be written to."""
    weights = read_gguf(tiny_file).tensors.values()
    assert all(not weight.data.flags.owndata and not weight.data.flags.writeable for weight in weights)


def test_a_file_cut_anywhere_is_a_finding(tiny_file: Path, tmp_path: Path) -> None:
    """Whatever the length at which a file ends too early, the answer is a finding, and never another exception."""
    whole = tiny_file.read_bytes()
    cut = tmp_path / "cut.gguf"
    for length in [*range(0, 900, 7), *range(900, len(whole), 501), len(whole) - 1]:
        cut.write_bytes(whole[:length])
        with pytest.raises(ModelErrors):
            read_gguf(cut)


def test_a_changed_byte_never_crashes(tiny_file: Path, tmp_path: Path) -> None:
    """A header with a random byte changed is read, or is a finding."""
    whole, generator = tiny_file.read_bytes(), np.random.default_rng(7)
    changed = tmp_path / "changed.gguf"
    outcomes = set()
    for _ in range(600):
        damaged = bytearray(whole)
        damaged[generator.integers(0, 1200)] = generator.integers(0, 256)
        changed.write_bytes(damaged)
        try:
            read_gguf(changed)
            outcomes.add("read")
        except ModelErrors:
            outcomes.add("finding")
    assert outcomes == {"read", "finding"}


def head(*parts: bytes, tensors: int = 0, values: int = 0, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, values) + b"".join(parts)


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


NAME = text("k")
TENSOR = text("t") + struct.pack("<I", 1)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "`FILE` is not a GGUF file of version 2 or 3: it is too short"),
        (b"PK\3\4....", "`FILE` is not a GGUF file of version 2 or 3: it begins with b'PK\\x03\\x04'"),
        (head(version=1), "`FILE` is not a GGUF file of version 2 or 3: its version is 1"),
        (head(values=1), "`FILE` is broken at byte 24: 8 bytes are wanted, 0 are left"),
        (
            head(struct.pack("<Q", 2**63), values=1),
            "`FILE` is broken at byte 32: a string of 9223372036854775808 bytes goes past the end of the file",
        ),
        (head(NAME, struct.pack("<I", 77), values=1), "`FILE` is broken at byte 37: value type 77 is not known"),
        (
            head(NAME, struct.pack("<IIQ", 9, 8, 2**60), values=1),
            "`FILE` is broken at byte 49: a list of 1152921504606846976 values goes past the end of the file",
        ),
        (
            head(NAME, struct.pack("<IIQ", 9, 4, 2**60), values=1),
            "`FILE` is broken at byte 49: 4611686018427387904 bytes are wanted, 0 are left",
        ),
        (
            head(2 * (NAME + struct.pack("<IB", 7, 1)), values=2),
            "`FILE` is broken at byte 47: the key `k` is there a second time",
        ),
        (
            head(struct.pack("<Q", 1), b"\xff", values=1),
            "`FILE` is broken at byte 32: a string is not UTF-8: invalid start byte",
        ),
        (head(tensors=2**40), "`FILE` is broken at byte 24: 1099511627776 tensors go past the end of the file"),
        (
            head(TENSOR, struct.pack("<QIQ", 32, 99, 0), tensors=1),
            "`t` is stored as `ggml type 99`, which is not supported",
        ),
        (
            head(TENSOR, struct.pack("<QIQ", 40, 8, 0), tensors=1),
            "rows of `t` have 40 values; q8_0 needs a multiple of 32",
        ),
        (
            head(TENSOR, struct.pack("<QIQ", 0, 0, 0), tensors=1),
            "`FILE` is broken at byte 57: tensor `t` of shape [0] is empty",
        ),
        (
            head(TENSOR, struct.pack("<QIQ", 4, 0, 64), tensors=1),
            "`FILE` is broken at byte 128: tensor `t` of 16 bytes goes past the end of the file",
        ),
    ],
)
def test_what_is_said_of_a_broken_file(content: bytes, expected: str, tmp_path: Path) -> None:
    """Each fault is one message that names the byte and the two numbers."""
    path = tmp_path / "broken.gguf"
    path.write_bytes(content)
    assert message(path) == expected
