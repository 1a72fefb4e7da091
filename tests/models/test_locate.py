"""Which files are models: by what is in them, alone, in folders and in parts."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelpath.models.model import Model
from kernelpath.models.open_model import open_model
from kernelpath.models.weights import Weight, store

from .files import add_tensors, write_folder, write_gguf, write_gguf_parts, write_safetensors
from .test_open_model import CONFIGS, problem, same_weights
from .tiny import tiny_model


@pytest.fixture
def model() -> Model:
    """Return a small model."""
    return tiny_model("llama", "f32", num_layers=1)


@pytest.mark.parametrize("name", ["U.GGUF", "sha256-blob", "model.bin", "a.safetensors", "no ending."])
def test_a_file_that_begins_as_gguf_is_gguf(name: str, model: Model, tmp_path: Path) -> None:
    """Its name does not matter."""
    path = write_gguf(tmp_path / "model.gguf", model, "llama").rename(tmp_path / name)
    same_weights(model, open_model(path))


@pytest.mark.parametrize("name", ["U.SAFETENSORS", "sha256-blob"])
def test_a_file_that_begins_as_safetensors_is_safetensors(name: str, model: Model, tmp_path: Path) -> None:
    """Its config.json lies beside it."""
    folder = write_folder(tmp_path / "folder", model, CONFIGS["llama"])
    path = (folder / "model-00001-of-00001.safetensors").rename(folder / name)
    same_weights(model, open_model(path))


def test_a_folder_with_one_gguf_file_is_that_model(model: Model, tmp_path: Path) -> None:
    """So is one that has a vision part beside it; of two models, one must be named."""
    write_gguf(tmp_path / "a.gguf", model, "llama")
    same_weights(model, open_model(tmp_path))
    write_gguf(tmp_path / "mmproj-a.gguf", model, "llama")
    same_weights(model, open_model(tmp_path))
    write_gguf(tmp_path / "B.GGUF", model, "llama")
    assert problem(tmp_path) == "`PATH` holds 2 models: `B.GGUF`, `a.gguf`"


def test_a_folder_with_both_formats_is_read_by_its_config(model: Model, tmp_path: Path) -> None:
    """Safetensors with a config.json go before GGUF, which goes before safetensors without one."""
    folder = write_folder(tmp_path / "folder", model, CONFIGS["llama"])
    write_gguf(folder / "a.gguf", model, "llama")
    assert open_model(folder).architecture["types"]["global"]["rope"]["pairs"] == "halves"
    (folder / "config.json").unlink()
    assert open_model(folder).architecture["types"]["global"]["rope"]["pairs"] == "adjacent"


@pytest.mark.parametrize("given", [1, 2, 3])
def test_gguf_parts_are_opened_together(given: int, model: Model, tmp_path: Path) -> None:
    """Whichever part is named, and in a folder."""
    paths = write_gguf_parts(tmp_path, model, 3)
    for opened in (open_model(paths[given - 1]), open_model(tmp_path)):
        assert {name: weight.data.tobytes() for name, weight in opened.weights.items()} == {
            name: weight.data.tobytes() for name, weight in model.weights.items()
        }


def test_what_is_said_of_parts_that_do_not_fit_together(model: Model, tmp_path: Path) -> None:
    """A part that is missing, that has another name, that stands in another's place, and one that lacks tensors."""
    paths = write_gguf_parts(tmp_path, model, 2)
    alone = shutil.copy(paths[0], tmp_path / "renamed.gguf")
    stray = "and its name does not say which files the others are"
    assert problem(alone) == f"`PATH` is part 1 of 2 of a model, {stray}"
    second = paths[1].read_bytes()
    shutil.copy(paths[0], paths[1])
    swapped = problem(paths[0]).replace(paths[1].name, "SECOND")
    assert swapped == "`FOLDER/SECOND` is part 1 of 2 of a model, and stands where part 2 of 2 belongs"
    paths[1].unlink()
    assert problem(paths[0]) == f"part 2 of 2 of the model is missing: `FOLDER/{paths[1].name}`"
    paths[1].write_bytes(second)
    short = write_gguf_parts(tmp_path, model, 2, claimed=12)
    assert problem(short[0]) == "`split.tensors.count` is `12`, not the 11 tensors that the parts have"


def test_one_shard_of_safetensors_names_the_others(model: Model, tmp_path: Path) -> None:
    """A file named as one of three is opened with the other two."""
    folder = write_folder(tmp_path / "folder", model, CONFIGS["llama"], shards=3)
    same_weights(model, open_model(folder / "model-00002-of-00003.safetensors"))
    (folder / "model-00003-of-00003.safetensors").unlink()
    expected = "part 3 of 3 of the model is missing: `FOLDER/model-00003-of-00003.safetensors`"
    assert problem(folder / "model-00002-of-00003.safetensors") == expected


BUFFERS = ("self_attn.rotary_emb.inv_freq", "self_attn.rotary_emb.cos_cached", "self_attn.masked_bias")


def buffers(dtype: str) -> dict[str, Weight]:
    """Return what older checkpoints hold besides weights, at a dtype that nothing reads."""
    names = (*(f"model.layers.0.{name}" for name in BUFFERS), "model.rotary_emb.inv_freq", "model.position_ids")
    return {name: Weight(name, dtype, (2,), np.zeros(16, np.uint8)) for name in names}


@pytest.mark.parametrize("dtype", ["I64", "F64"])
def test_buffers_of_older_checkpoints_are_skipped(dtype: str, model: Model, tmp_path: Path) -> None:
    """They are worked out from the metadata, and are no reason to refuse a file."""
    folder = write_folder(tmp_path / "folder", model, CONFIGS["llama"])
    add_tensors(folder / "model-00001-of-00001.safetensors", buffers(dtype))
    opened = open_model(folder)
    same_weights(model, opened)
    assert opened.warnings == ()


def test_buffers_of_gguf_files_are_skipped(model: Model, tmp_path: Path) -> None:
    """As the first converters wrote them."""
    table = Weight("t", "f32", (16,), store(np.ones(16, np.float32), "f32"))
    path = write_gguf(tmp_path / "model.gguf", model, "llama", tensors={"blk.0.attn_rot_embd.weight": table})
    same_weights(model, open_model(path))


def test_a_tensor_of_an_unknown_dtype_is_refused_where_it_is_used(model: Model, tmp_path: Path) -> None:
    """The embedding, another weight, and one that has no place."""
    for name, expected in {
        "model.embed_tokens.weight": "`embed_tokens.weight` is stored as `I64`, which is not supported",
        "model.norm.weight": "`final_norm` is stored as `I64`, which is not supported",
        "model.extra.weight": "the `llama` table has no place for `extra.weight`",
    }.items():
        folder = write_folder(tmp_path / "folder", model, CONFIGS["llama"])
        path = folder / "model-00001-of-00001.safetensors"
        add_tensors(path, {name: Weight(name, "I64", (203, 96), np.zeros(203 * 96 * 8, np.uint8))})
        assert problem(folder) == expected


def test_two_tensors_of_one_logical_name(model: Model, tmp_path: Path) -> None:
    """A prefix that is cut off must not hide one tensor behind another."""
    folder = write_folder(tmp_path / "folder", model, CONFIGS["llama"])
    path = folder / "model-00001-of-00001.safetensors"
    add_tensors(path, {"norm.weight": Weight("n", "f32", (96,), store(np.ones(96, np.float32), "f32"))})
    assert problem(folder) == f"`PATH/{path.name}` holds tensor `norm.weight` a second time"


def test_embeddings_must_be_matrices(model: Model, tmp_path: Path) -> None:
    """A number, or a list, is not one."""
    for shape in ((), (8,), (2, 2, 2)):
        folder = write_folder(tmp_path / "folder", model, CONFIGS["llama"])
        values = np.zeros(int(np.prod(shape)), np.float32).view(np.uint8)
        path = folder / "model-00001-of-00001.safetensors"
        add_tensors(path, {"model.embed_tokens.weight": Weight("e", "f32", shape, values)})
        assert problem(folder) == f"`embed_tokens.weight` has shape {list(shape)}, but rows and columns are needed"


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("make", "why"), [(_fifo, "it is a named pipe, not a file"), (_folder, "it is a folder, not a file")]
)
@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja"])
def test_what_is_not_a_file_is_not_read(
    name: str, make: Callable[[Path], None], why: str, model: Model, tmp_path: Path
) -> None:
    """Neither a folder nor a pipe, which would never end."""
    folder = write_folder(tmp_path / "folder", model, CONFIGS["llama"])
    (folder / "tokenizer.json").write_text('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}')
    (folder / name).unlink(missing_ok=True)
    make(folder / name)
    assert problem(folder) == f"`PATH/{name}` cannot be read: {why}"


def test_a_model_that_is_not_a_file(model: Model, tmp_path: Path) -> None:
    """A pipe, a device, and a path through a file."""
    os.mkfifo(tmp_path / "pipe.gguf")
    assert problem(tmp_path / "pipe.gguf") == "`PATH` cannot be read: it is a named pipe, not a file"
    assert problem(Path("/dev/zero")) == "`PATH` cannot be read: it is a device, not a file"
    path = write_gguf(tmp_path / "model.gguf", model, "llama")
    assert problem(path / "more") == "there is no file `PATH`"


BROKEN: dict[str, tuple[str, Any, str]] = {
    "an index of nothing": (
        "model.safetensors.index.json",
        {"weight_map": {}},
        "`PATH/NAME` cannot be used: it has no `weight_map` of file names",
    ),
    "an index of numbers": (
        "model.safetensors.index.json",
        {"weight_map": {"a": 1}},
        "`PATH/NAME` cannot be used: it has no `weight_map` of file names",
    ),
    "a template that is not text": ("chat_template.jinja", b"\xff", "`PATH/NAME` cannot be used: byte 0 is not UTF-8"),
    "settings that are a list": ("tokenizer_config.json", [], "`PATH/NAME` cannot be used: it is not a JSON object"),
    "a setting that is no truth value": (
        "tokenizer_config.json",
        {"add_bos_token": "no"},
        "`add_bos_token` is `'no'`, not true or false",
    ),
    "a key that is there twice": (
        "config.json",
        b'{"a": 1, "a": 2}',
        "`PATH/NAME` cannot be used: the key `a` is there twice",
    ),
    "a config without an end": ("config.json", b"[" * 100_000, "`PATH/NAME` cannot be used: "),
    "a vocabulary that is none": ("tokenizer.json", {"model": 1}, "`PATH/NAME` cannot be used: "),
}


@pytest.mark.parametrize("case", BROKEN)
def test_files_beside_the_weights_that_cannot_be_used(case: str, model: Model, tmp_path: Path) -> None:
    """Each is one message that names the file."""
    name, content, expected = BROKEN[case]
    folder = write_folder(tmp_path / "folder", model, CONFIGS["llama"])
    (folder / "tokenizer.json").write_text('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}')
    (folder / name).write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    assert problem(folder).startswith(expected.replace("NAME", name))


@pytest.mark.parametrize(
    ("settings", "template"),
    [
        ({"chat_template": [{"name": [], "template": "x"}, 5]}, None),
        ({"chat_template": [{"name": "tool_use", "template": "x"}, {"name": "default", "template": "y"}]}, "y"),
        ({"chat_template": "z"}, "z"),
        ({}, None),
    ],
)
def test_chat_templates_of_settings(
    settings: dict[str, Any], template: str | None, model: Model, tmp_path: Path
) -> None:
    """One text, or the one called default."""
    folder = write_folder(tmp_path / "folder", model, CONFIGS["llama"] | {"bos_token_id": 2**40})
    (folder / "tokenizer.json").write_text('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}')
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    opened = open_model(folder)
    assert opened.tokenizer is not None
    assert (opened.tokenizer.chat_template, opened.tokenizer.start_id) == (template, -1)
    assert [found.message for found in opened.warnings] == [
        "`bos_token_id` is 1099511627776, but the vocabulary has 1 tokens: it is not used"
    ]
    (folder / "chat_template.json").write_text(json.dumps({"chat_template": "from a file"}))
    assert (open_model(folder).tokenizer or opened.tokenizer).chat_template == "from a file"


def test_safetensors_written_by_hand_are_read(tmp_path: Path) -> None:
    """A file with no tensor at all is a model that lacks its embedding."""
    (tmp_path / "config.json").write_text(json.dumps(CONFIGS["llama"]))
    write_safetensors(tmp_path / "model.safetensors", {})
    assert problem(tmp_path) == "the file lacks `embed_tokens.weight`"
