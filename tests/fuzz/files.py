"""A folder with one of each kind of file that commands read, and the commands that read each."""

from __future__ import annotations

import copy
import json
import random
import shutil
import struct
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

import kernelpath.cli.demo as demo
from cli.model_files import model_file
from fuzz.spoiling import Spoil, spoilt_bytes, spoilt_document, spoilt_lines
from kernelpath.cli import main
from kernelpath.resources import resource
from models.files import GGUF_KEYS, write_folder, write_gguf
from models.test_open_model import CONFIGS
from models.test_tokenizer import byte_level
from models.tiny import tiny_model

TESTS = Path(__file__).parents[1]


@dataclass(frozen=True)
class Kind:
    """A kind of file: which files of the folder are of it, how they are spoilt, and the commands that read them.

    In a command, `FILE` stands for the spoilt file.
    """

    files: tuple[str, ...]
    spoils: tuple[Spoil, ...]
    commands: tuple[str, ...]


def spoilt_gguf(chance: random.Random, content: bytes) -> bytes:
    """Return a whole model whose metadata say something odd."""
    more = {**byte_level(), "general.name": "Tiny"}
    for _ in range(chance.randint(1, 3)):
        key = chance.choice((*more, *(f"llama.{name}" for name in (*GGUF_KEYS, *MORE_KEYS)), "llama.no.such.key"))
        more[key] = copy.deepcopy(chance.choice(GGUF_VALUES))
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "spoilt.gguf")
        model = tiny_model("llama", "q8_0", vocab_size=len(byte_level()["tokenizer.ggml.tokens"]))
        try:
            write_gguf(path, model, "llama", more)
        except (ValueError, TypeError, OverflowError, AttributeError, struct.error):
            return content[: chance.randrange(len(content))]  # what the writer refuses no file has
        return path.read_bytes()


MORE_KEYS = ("rope.freq_base", "rope.scaling.type", "rope.scaling.factor", "attention.sliding_window", "vocab_size")
GGUF_VALUES: tuple[Any, ...] = (
    0, 1, 2, 7, 2**31, 2**32 - 1, 0.0, -1.0, 1e30, float("nan"), float("inf"), True, "", "llama", "gpt2", "x" * 300,
    "a\0b", [], [1, 2], ["a"], ["a", "a"], [0.5],
    "{{ messages }}", "{% for", "{{ 1|dictsort }}", "{{ messages[9].x.y }}",
)  # fmt: skip

JSON = (spoilt_document, spoilt_document, spoilt_document, spoilt_bytes)
YAML = (spoilt_lines, spoilt_lines, spoilt_lines, spoilt_bytes)
RUN = "--backend numpy --max-tokens 1 -q"
KINDS: Mapping[str, Kind] = {
    "manifest": Kind(
        ("passes.json", "fails.json", "section.json", "model.json"),
        JSON,
        (
            "check FILE",
            "check FILE --pack strict",
            "check FILE --runtime overlay.json -q",
            "check FILE --runtime path-config.json --format json",
            "check FILE --waivers waivers.yaml --format sarif",
            "check FILE --format junit",
            "check FILE --format github -v",
            "check FILE --num-layers 3 --catalog catalog.yaml",
            "compile FILE -q",
            "compile FILE --plan --catalog kernelpath",
            "compile FILE --part /runtimeInferencePatch/kernelPath",
            "explain FILE norm",
            "explain FILE 0 --pack strict --format json",
            "explain FILE attend.kvIO --runtime overlay.json",
            "fix FILE --trials 30",
            "fix FILE --trials 30 --format json --pack strict",
            "apply FILE config.json",
            "kernels repin FILE",
            "pack diff shop mine --manifests FILE",
            f"run tiny.gguf --manifest FILE --ids 1 --catalog kernelpath {RUN}",
        ),
    ),
    "overlay": Kind(
        ("overlay.json", "config.json", "path-config.json"),
        JSON,
        (
            "check passes.json --runtime FILE",
            "check fails.json section.json --runtime FILE --format json",
            "check passes.json --runtime FILE --pack strict -q",
            "compile passes.json --runtime FILE -q",
            "apply passes.json FILE",
            "explain passes.json lm_head --runtime FILE",
            "fix fails.json --runtime FILE --trials 30",
        ),
    ),
    "waivers": Kind(
        ("waivers.yaml",),
        YAML,
        ("check fails.json --waivers FILE", "check fails.json passes.json --waivers FILE --format json"),
    ),
    "catalogue": Kind(
        ("catalog.yaml",),
        YAML,
        (
            "check passes.json --catalog FILE",
            "check passes.json --catalog FILE --pack strict --format sarif",
            "explain passes.json norm --catalog FILE",
            "kernels list --catalog FILE",
            "kernels repin passes.json --catalog FILE",
            "fix fails.json --catalog FILE --trials 20",
        ),
    ),
    "limits": Kind(
        ("limits.json",),
        JSON,
        ("compile model.json --catalog kernelpath --plan --limits FILE",),
    ),
    "pack of its own": Kind(
        ("shop/pack.yaml", "shop/boxes/fits.yaml", "shop/boxes/label.yaml", "shop/boxes/shade.yaml"),
        YAML,
        (
            "pack show --pack shop",
            "pack show fits --pack shop --python",
            "pack show --pack shop --format json",
            "pack doc --pack shop --output pages",
            "pack lint shop",
            "pack fmt shop --check",
            "pack fmt FILE --diff",
            "pack test shop --coverage",
            "pack test shop --mutate --format json",
            "pack analyze shop",
            "pack analyze shop --format sarif",
            "pack diff shop whole",
            "pack diff whole shop --format json",
            "explain label --pack shop",
            "check passes.json --pack shop",
        ),
    ),
    "rule test": Kind(
        ("shop/boxes/fits.test.yaml", "shop/boxes/label.test.yaml", "mine/flow/streaming.test.yaml"),
        YAML,
        ("pack test shop", "pack test mine --format junit", "pack fmt FILE --check", "explain fits --pack shop"),
    ),
    "pack that extends": Kind(
        ("mine/pack.yaml", "mine/flow/streaming.yaml", "mine/result/extra.yaml"),
        YAML,
        (
            "check passes.json --pack mine",
            "check fails.json --pack mine --format sarif",
            "compile passes.json --pack mine -q",
            "pack fmt FILE --check",
            "explain passes.json attend --pack mine",
        ),
    ),
    "GGUF": Kind(
        ("tiny.gguf",),
        (spoilt_bytes, spoilt_gguf, spoilt_gguf),
        ("init FILE", f"run FILE --ids 1 {RUN}", f"run FILE --prompt hi {RUN}", f"run FILE --chat hi {RUN}"),
    ),
    "safetensors": Kind(
        ("folder/model-00001-of-00001.safetensors",),
        (spoilt_bytes,),
        ("init folder", f"run folder --ids 1 {RUN}", "init FILE"),
    ),
    "config.json": Kind(("folder/config.json",), JSON, ("init folder", f"run folder --ids 1,2 {RUN}")),
}

MINE = {
    "pack.yaml": """\
summary: The shipped rules and ours.
extends: execution-v0

constants:
  most: {type: int, doc: how many steps we take, value: 100}

functions:
  streams:
    parameters: {kernel: json}
    doc: whether a kernel streams
    value: not text(kernel).starts_with("attention_small")

values:
  few: {type: bool, doc: whether there are few steps}
""",
    "flow/streaming.yaml": """\
summary: Prefill attends with a streaming kernel.
why: |
  We serve long prompts.
decisions: []
severity: error
each: visit
when: step.op == "attention" and phase == "prefill"
let:
  kernel: step.raw.kernel
check: streams(kernel)
message: step `{step.id}` attends with `{text(kernel)}`, which does not stream
at: /kernel
help: take `attention_streaming_f16.wgsl`
""",
    "flow/streaming.test.yaml": """\
cases:
  - name: the small kernel is refused in prefill
    given: {phase: prefill, step: {id: attend, op: attention, raw: {kernel: attention_small_f16.wgsl}}}
    expect: {fail: 'step `attend` attends with `attention_small_f16.wgsl`, which does not stream'}
  - name: decode may attend as it likes
    given: {phase: decode, step: {op: attention}}
    expect: skip
""",
    "result/extra.yaml": """\
summary: A session patch has no member that nothing reads.
why: |
  It would be forgotten.
decisions: []
severity: warning
each: result
check: length(keys(session_patch)) < 20
message: there are {length(keys(session_patch))} members
""",
}
WAIVERS = """\
waivers:
  - rule: execution-v0/flow/src-produced
    model: demo-*
    step: attend
    reason: the slot is filled by the loader until its next release
    owner: runtime team
    expires: '2099-12-31'
"""
LIMITS = {"max_buffer_size": 1 << 28, "max_compute_workgroup_storage_size": 16384, "features": ["shader-f16"]}


def written(folder: Path) -> Path:
    """Write one of each kind of file into a folder."""
    for name in demo.MANIFESTS:
        shutil.copy(Path(demo.__file__).parent / name, folder)
    for name in ("overlay.json", "config.json", "path-config.json", "section.json", "no-graph.json"):
        shutil.copy(TESTS / "cli" / "data" / name, folder)
    for name in ("shop", "whole"):
        shutil.copytree(TESTS / "planted" / "shop", folder / name)
    for name, text in MINE.items():
        path = folder / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "waivers.yaml").write_text(WAIVERS)
    (folder / "limits.json").write_text(json.dumps(LIMITS))
    (folder / "catalog.yaml").write_text(_catalog(folder))
    model_file(folder)
    write_folder(folder / "folder", tiny_model("llama", "f32"), CONFIGS["llama"])
    assert main(["init", str(folder / "tiny.gguf"), "--output", str(folder / "model.json")]) == 0
    return folder


def _catalog(folder: Path) -> str:
    """Return the kernels of the shipped catalogue that the demo's manifests run."""
    steps = json.loads((folder / "passes.json").read_text())["inference"]["execution"]["steps"]
    wanted = {step.get("kernel") for step in steps}
    rows: list[dict[str, Any]] = yaml.safe_load(resource("kernels", "catalogs", "doppler-0.1.7.yaml").read_text())[
        "kernels"
    ]
    return yaml.safe_dump({"kernels": [row for row in rows if row["kernel"] in wanted]}, sort_keys=False)


#: Words that commands may be given besides a file that they read: options, with values that fit and others.
OPTIONS = (
    "--pack", "--catalog", "--format", "--output", "-q", "-v", "--runtime", "--num-layers", "--waivers", "--part",
    "--plan", "--limits", "--capacity", "--model", "--trials", "--check", "--diff", "--python", "--switches",
    "--manifests", "--exit-code", "-k", "--coverage", "--mutate", "--fail-under", "--fail-fast", "--jobs", "--kind",
    "--gives", "--op", "--features", "--keep", "--ids", "--prompt", "--chat", "--max-tokens", "--temperature",
    "--top-k", "--top-p", "--seed", "--trace", "--prefill", "--decode", "--repeat", "--copy-to", "--", "--no-such",
)  # fmt: skip
VALUES = (
    "", "-", "--", "0", "1", "2", "-1", "1e9", "9" * 30, "nan", "f16", "json", "sarif", "text", "junit", "mine", "shop",
    "strict", "execution-v0", "kernelpath", "passes.json", "fails.json", "tiny.gguf", "folder", "no/such/file", "a\0b",
    "x" * 300, "/", "/~2", "/a~1b/0", "..", "~", "*", "[", "*.json", "\ud800", "\x1b[31m", "norm", "attend.kvIO", "E55",
    "flow/src-produced", "mine/flow/new-rule", "check", "table", "1,2", "1,", "hi", "webgpu", "gpu", "stored",
    "/dev/null", "waivers.yaml", "limits.json", "overlay.json", "config.json",
)  # fmt: skip
