"""Any model file gives a model or findings, and any command that opens one ends with them: never another exception."""

from __future__ import annotations

import contextlib
import io
import json
import random
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kernelpath.cli import main
from kernelpath.models.errors import ModelErrors
from kernelpath.models.open_model import open_model
from kernelpath.models.tables import architecture_names, architecture_table
from models.files import GGUF_KEYS, write_folder
from models.test_open_model import CONFIGS
from models.test_tokenizer import byte_level, sentence_piece
from models.tiny import tiny_model

HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 2**31, 2**32 - 1, 2**63 - 1, -(2**63)),
    *(0.0, -1.0, 0.5, 1e-320, 1e308, float("nan"), float("inf"), -float("inf")),
    *("", "a", "\0", "\x1b[2J", "é" * 300, "none", "linear", "\u202e"),
    *([], [0], [-1], [2**40], [0.5], [float("nan")], [True], [""], ["a", "a"], ["a b", "b a"], [[1]], [1] * 1000),
)
NESTED: tuple[Any, ...] = (
    *({}, {"a": 1}, [{}], [None], {"type": "linear"}),
    *({"rope_type": "llama3", "factor": 0}, 10**400, "\ud800"),
)
SMALL: dict[str, Any] = {
    "num_layers": 2,
    "hidden_size": 32,
    "num_heads": 2,
    "num_kv_heads": 1,
    "head_dim": 16,
    "ffn_size": 32,
    "vocab_size": 268,
}


def gguf(metadata: Mapping[str, Any], tensors: Mapping[str, Any]) -> bytes:
    """Return a GGUF file by hand: the library's writer does not take every value."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    head += b"".join(_text(key) + _typed(value) for key, value in metadata.items())
    data = b""
    for name, weight in tensors.items():
        sizes = [*reversed(weight.shape)]
        head += _text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, 0, len(data))
        data += weight.data.tobytes() + bytes(-len(weight.data) % 32)
    return head + bytes(-len(head) % 32) + data


def _text(value: str) -> bytes:
    raw = value.encode("utf-8", "surrogatepass")
    return struct.pack("<Q", len(raw)) + raw


def _typed(value: Any) -> bytes:
    kind = _kind(value)
    return struct.pack("<I", kind) + _plain(value, kind)


def _kind(value: Any) -> int:
    kinds = {bool: 7, str: 8, list: 9, float: 12, int: 11}
    return 10 if type(value) is int and value > 2**63 - 1 else kinds[type(value)]


def _plain(value: Any, kind: int) -> bytes:
    if kind == 8:
        return _text(value)
    if kind == 9:
        inner = _kind(value[0]) if value else 4
        return struct.pack("<IQ", inner, len(value)) + b"".join(_plain(item, inner) for item in value)
    return struct.pack({7: "<?", 10: "<Q", 11: "<q", 12: "<d"}[kind], value)


def keys(form: str) -> list[str]:
    """Return all keys that any table reads, and some that none does."""
    entries = [entry for name in architecture_names() for entry in architecture_table(name).fields.values()]
    read = {key for entry in entries for key in entry.get(form, ())}
    return sorted(read | {"layer_types", "attention.value_length", "colour", "attention_bias"})


def gguf_parts() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the metadata and the tensors of a small model."""
    from kernelpath.models.bind import logical_names

    model = tiny_model("llama", "f32", **SMALL)
    sizes = {f"llama.{key}": model.architecture[field] for key, field in GGUF_KEYS.items()}
    names = logical_names(architecture_table("llama"), "gguf", model.architecture)
    tensors = {stored: model.weights[logical] for logical, _, stored in names if logical != "lm_head"}
    return {"general.architecture": "llama", **sizes}, tensors


def gguf_files() -> Iterator[dict[str, Any]]:
    """Yield metadata with one hostile value each, then with several."""
    base, _ = gguf_parts()
    places = [f"llama.{key}" for key in keys("gguf")] + ["general.alignment", "general.name", "split.count", "split.no"]
    for spoken in (sentence_piece(), byte_level()):
        whole = {**base, **spoken}
        for key in [*(places if spoken.get("tokenizer.ggml.scores") else ()), *spoken]:
            for value in HOSTILE:
                changed = {name: member for name, member in whole.items() if name != key}
                yield changed if value is None else {**changed, key: value}
    chance = random.Random(8)
    for _ in range(300):
        whole = {**base, **chance.choice((sentence_piece(), byte_level()))}
        for key in chance.sample([*places, *whole], chance.randrange(2, 5)):
            whole[key] = chance.choice(HOSTILE[1:])
        yield whole


def opened(path: Path) -> str:
    """Open a model and use it a little; return what came of it."""
    try:
        model = open_model(path)
        assert all(json.dumps(found.to_dict()) for found in model.warnings)
        if model.tokenizer is not None:
            ids = model.tokenizer.encode("hello ab\n ü")
            assert isinstance(model.tokenizer.decode([0, 1, 300, *ids]), str)
            assert "".join(model.tokenizer.stream(iter(ids))) == model.tokenizer.decode(ids)
        return "opened"
    except ModelErrors as errors:
        return "findings" if all(json.dumps(found.to_dict()) for found in errors.diagnostics) else "unprintable"


def test_any_metadata_of_a_gguf_file(tmp_path: Path) -> None:
    """Whatever value a key has, the model opens or is refused with findings."""
    _, tensors = gguf_parts()
    outcomes = set()
    for metadata in random.Random(7).sample(list(gguf_files()), 900):
        (tmp_path / "model.gguf").write_bytes(gguf(metadata, tensors))
        outcomes.add(opened(tmp_path / "model.gguf"))
    assert outcomes == {"opened", "findings"}


def configs(architecture: str) -> Iterator[dict[str, Any]]:
    """Yield what config.json may say besides, with one hostile value each, then with several."""
    places = [*keys("safetensors"), "model_type", "tie_word_embeddings", "bos_token_id", "eos_token_id", "text_config"]
    values, chance = (*HOSTILE, *NESTED), random.Random(architecture)
    yield from chance.sample([{key: value} for key in places for value in values], 500)
    for _ in range(100):
        yield {key: chance.choice(values) for key in chance.sample(places, chance.randrange(2, 5))}


@pytest.mark.parametrize("architecture", ["llama", "qwen3", "gemma3"])
def test_any_config_of_a_folder(architecture: str, tmp_path: Path) -> None:
    """Whatever config.json says, the model opens or is refused with findings."""
    folder = write_folder(tmp_path / "folder", tiny_model(architecture, "f32", **SMALL), CONFIGS[architecture])
    base = json.loads((folder / "config.json").read_text())
    outcomes = set()
    for changed in configs(architecture):
        whole: dict[str, Any] = dict(base)
        for key, value in changed.items():
            _put(whole, key.split("."), value)
        (folder / "config.json").write_text(json.dumps(whole))
        outcomes.add(opened(folder))
    assert outcomes == {"opened", "findings"}


def _put(value: dict[str, Any], path: list[str], member: Any) -> None:
    for name in path[:-1]:
        inner = value.get(name)
        value[name] = value = dict(inner) if isinstance(inner, dict) else {}  # type: ignore[assignment]
    value[path[-1]] = member


def test_any_settings_of_a_tokenizer(tmp_path: Path) -> None:
    """Whatever the files beside the tokenizer say."""
    folder = write_folder(tmp_path / "folder", tiny_model("llama", "f32", **SMALL), CONFIGS["llama"])
    from models.test_tokenizer import built

    built(byte_level()).inner.save(str(folder / "tokenizer.json"))
    places = ("bos_token", "eos_token", "add_bos_token", "chat_template", "eos_token_id")
    values = (*HOSTILE, *NESTED, [{"name": "default"}], [{"name": 1, "template": "a"}])
    files = ("tokenizer_config.json", "generation_config.json", "chat_template.json")
    outcomes = set()
    for file in files:
        for key, value in random.Random(file).sample([(key, value) for key in places for value in values], 60):
            (folder / file).write_text(json.dumps({key: value}))
            outcomes.add(opened(folder))
        (folder / file).unlink()
    assert outcomes == {"opened", "findings"}


COMMANDS = (
    ("init",),
    ("run", "--ids", "1,2", "--max-tokens", "2", "--backend", "numpy"),
    ("run", "--prompt", "a", "--max-tokens", "1", "--backend", "numpy", "--format", "json"),
    ("bench", "--prefill", "2", "--decode", "1", "--repeat", "1", "--backend", "numpy"),
)


def test_commands_over_any_model(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each ends with 0, 1 or 2, and says nothing of a bug."""
    _, tensors = gguf_parts()
    files = list(gguf_files())
    chance = random.Random(10)
    codes = set()
    for metadata in chance.sample(files, 80):
        (tmp_path / "model.gguf").write_bytes(gguf(metadata, tensors))
        command, *words = chance.choice(COMMANDS)
        with contextlib.redirect_stdout(io.StringIO()):
            code = main([command, str(tmp_path / "model.gguf"), *words])
        codes.add(code)
        assert "bug of kernelpath" not in capfd.readouterr().err
    assert codes <= {0, 1, 2}
    assert {0, 2} <= codes
