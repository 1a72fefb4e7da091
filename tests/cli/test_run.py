"""`run`: what it prints, what it takes, and what it says where it cannot run."""

from __future__ import annotations

import json
import math
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import kernelpath.execute.device as device
from cli.conftest import Ran
from cli.model_files import WORDS, model_file
from cli.test_running import COMMAND
from models.files import write_gguf
from models.oracle import Oracle, greedy
from models.test_tokenizer import built, byte_level
from models.tiny import tiny_model, with_weight

Cli = Callable[..., Ran]
NUMPY = ("--backend", "numpy")
JSON = ("--format", "json")


@pytest.fixture
def model(folder: Path) -> str:
    """Return the name of a model's file in the folder."""
    return model_file(folder, dtype="f32")


def _told(cli: Cli, *words: str) -> Any:
    ran = cli("run", *words, *NUMPY, *JSON)
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)


def test_the_tokens_are_the_models(cli: Cli, model: str) -> None:
    """Greedy ids, and the ten largest logits of each, are those of an independent forward pass."""
    told = _told(cli, model, "--ids", "5,6,7", "--max-tokens", "6", "--ignore-end", "--keep", "f32")
    oracle = Oracle(tiny_model("llama", "f32", vocab_size=WORDS))
    assert told["ids"] == greedy(oracle, [5, 6, 7], 6)[0]
    assert [len(top) for top in told["topLogits"]] == [10] * 6
    assert [top[0][0] for top in told["topLogits"]] == told["ids"]
    assert all(math.isfinite(logit) for top in told["topLogits"] for _, logit in top)


def test_json_says_everything(cli: Cli, model: str) -> None:
    """The document has ids, text, where it ended and timings, and the text is that of the ids."""
    told = _told(cli, model, "--prompt", "the", "--max-tokens", "3", "--ignore-end")
    tokenizer = built(byte_level())
    assert told["promptIds"] == tokenizer.encode("the")
    assert told["text"] == "".join(tokenizer.stream(iter(told["ids"])))
    assert (told["backend"], told["stopped"], len(told["ids"])) == ("numpy", "length", 3)
    assert {name: told["timings"][name] for name in ("prefillTokens", "decodeTokens")} == {
        "prefillTokens": len(told["promptIds"]),
        "decodeTokens": 2,
    }
    assert told["timings"]["prefillTokensPerSecond"] > 0


def test_text_comes_on_standard_output(cli: Cli, folder: Path, model: str) -> None:
    """The text alone stands on standard output or in the file, how fast it came on standard error, unless quiet."""
    words = ("run", model, "--prompt", "the", "--max-tokens", "5", "--ignore-end", *NUMPY)
    text = _told(cli, *words[1:-2])["text"]
    ran = cli(*words)
    assert (ran.code, ran.out) == (0, text + "\n")
    assert ran.err.startswith("numpy: prefill 2 tokens at ")
    assert ran.err.endswith(" tokens/s, stopped: length\n")
    assert ", decode 4 tokens at " in ran.err
    assert cli(*words, "-q") == Ran(0, text + "\n", "")
    assert cli(*words, "-q", "--output", "text.txt") == Ran(0, "", "")
    assert (folder / "text.txt").read_text() == text + "\n"


def test_chat_goes_through_the_template(cli: Cli, model: str) -> None:
    """A message, given or on standard input, is put as the model's template says."""
    expected = built(byte_level()).chat([{"role": "user", "content": "the 12"}])
    words = (model, "--max-tokens", "1")
    assert _told(cli, *words, "--chat", "the 12")["promptIds"] == expected
    for chat in (["--chat"], ["--chat", "-"]):
        piped = cli("run", *words, *NUMPY, *JSON, *chat, stdin="the 12")
        assert json.loads(piped.out)["promptIds"] == expected


def test_a_prompt_may_be_piped(cli: Cli, model: str) -> None:
    """`--prompt -` reads standard input, which is UTF-8."""
    words = ("run", model, *NUMPY, *JSON, "--max-tokens", "1", "--prompt", "-")
    assert json.loads(cli(*words, stdin="thé").out)["promptIds"] == built(byte_level()).encode("thé")
    ran = cli("run", model, *NUMPY, "--prompt", "-", "-q", stdin=b"th\xe9")
    assert ran == Ran(2, "", "-: error[cli/input]: byte 2 of standard input is not UTF-8\n")


def test_a_prompt_of_bytes_that_are_no_text(cli: Cli, model: str) -> None:
    """An argument that is not UTF-8 is told with the place of its first wrong byte."""
    for option in ("--prompt", "--chat"):
        ran = cli("run", model, *NUMPY, option, "th\udce9", "-q")
        assert ran == Ran(2, "", "-: error[cli/input]: byte 2 of the text is not UTF-8\n")


def test_an_embedding_model_is_told_to_be_one(cli: Cli, folder: Path) -> None:
    """It runs, and people are told that its text means nothing."""
    model = model_file(folder, "embeddinggemma", "f32")
    ran = cli("run", model, *NUMPY, "--ids", "5", "--max-tokens", "1", "-q")
    assert (ran.code, ran.err) == (0, "Tiny is an embedding model: what it goes on with means nothing\n")


def test_sampling_is_seeded(cli: Cli, model: str) -> None:
    """One seed gives one text, another another; with one candidate it is the greedy one."""
    words = (model, "--ids", "5,6", "--max-tokens", "8", "--ignore-end")
    warm = ("--temperature", "5", "--seed")
    first, again, other = (_told(cli, *words, *warm, seed)["ids"] for seed in ("1", "1", "2"))
    assert first == again != other
    assert _told(cli, *words, *warm, "1", "--top-k", "1")["ids"] == _told(cli, *words)["ids"]


def test_the_cache_has_room_for_what_is_asked(cli: Cli, model: str) -> None:
    """The run ends where the model's context does; `--capacity` makes it smaller."""
    words = (model, "--ids", "5,6", "--ignore-end", "--max-tokens", "500")
    whole = _told(cli, *words)
    assert (len(whole["ids"]), whole["stopped"]) == (63, "capacity")  # 64 positions, and a last token without one
    assert len(_told(cli, *words, "--capacity", "10")["ids"]) == 9


def test_a_cache_that_no_machine_has_room_for(cli: Cli, folder: Path) -> None:
    """A model may say that it holds any number of positions: what they take is told before it is asked for."""
    more = {"llama.context_length": 4_294_967_295}
    write_gguf(folder / "long.gguf", tiny_model("llama", "f32"), "llama", more)
    ran = cli("run", "long.gguf", "--ids", "1", *NUMPY, "--capacity", "4000000000", "-q")
    assert (ran.code, ran.out) == (2, "")
    message = "numpy has no room for the 4,096,000,000,000 bytes of the cache: the machine has "
    assert ran.err.startswith(f"-: error[device/unusable]: {message}")


def test_memory_that_is_not_given(cli: Cli, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that runs out of memory is told of, with what needs less."""

    def refuse(*_: Any, **__: Any) -> None:
        raise MemoryError("unable to allocate 5 GiB")

    monkeypatch.setattr("kernelpath.execute.session.Session.prefill", refuse)
    monkeypatch.setattr("kernelpath.execute.session.Session.generate", refuse)
    for form in ((), JSON):
        ran = cli("run", model, "--ids", "1", *NUMPY, *form)
        assert ran.code == 2
        assert "the machine has no memory for this: unable to allocate 5 GiB" in ran.out + ran.err


BROKEN = (
    "error[run/not-finite]: the logits are not finite: step `final_norm` in prefill first gives a value that is not a "
    "number at token position 1\n"
)


@pytest.fixture
def broken(folder: Path) -> str:
    """Return the name of a model whose last norm is not a number."""
    model = tiny_model("llama", "f32", vocab_size=WORDS)
    weight = model.weights["final_norm"]
    wrong = replace(weight, data=np.full(weight.shape, np.nan, np.float32).view(np.uint8))
    write_gguf(folder / "broken.gguf", with_weight(model, wrong), "llama", byte_level())
    return "broken.gguf"


@pytest.mark.parametrize("options", ["", "--ignore-end", "--temperature 1", "--temperature 2 --top-k 3", "--trace t"])
@pytest.mark.parametrize("backend", ["numpy", pytest.param("wgpu", marks=pytest.mark.gpu)])
@pytest.mark.sampled(4)
def test_logits_that_are_not_numbers(cli: Cli, broken: str, options: str, backend: str) -> None:
    """No token is made up of them: the error names the step, in text and in JSON, with exit code 1."""
    words = ("run", broken, "--prompt", "the", "--max-tokens", "3", "--backend", backend, *options.split())
    assert cli(*words, "-q") == Ran(1, "\n", f"-: {BROKEN}")
    ran = cli(*words)
    assert (ran.code, ran.out) == (1, "\n")
    assert ran.err.startswith(BROKEN)
    assert "  = help: `final_norm` holds values that are not finite: fetch the model again\n" in ran.err
    told = cli(*words, *JSON)
    document = json.loads(told.out)
    assert (told.code, told.err) == (1, "")
    assert (document["ids"], document["text"], document["stopped"]) == ([], "", "not-finite")
    (found,) = document["diagnostics"]
    assert f"error[{found['rule']}]: {found['message']}\n" == BROKEN
    assert {entry["name"]: entry["value"] for entry in found["values"]} == {
        "step": "final_norm",
        "layer": "none",
        "phase": "prefill",
        "position": "1",
        "kernel": "rmsnorm.wgsl#main",
        "out": "nan",
    }


@pytest.mark.parametrize("backend", ["numpy", pytest.param("wgpu", marks=pytest.mark.gpu)])
def test_no_speed_is_measured_of_logits_that_are_not_numbers(cli: Cli, broken: str, backend: str) -> None:
    """`bench` tells what `run` tells."""
    words = ("bench", broken, "--prefill", "2", "--decode", "3", "--repeat", "1", "--backend", backend)
    assert cli(*words, "-q") == Ran(1, "", f"-: {BROKEN}")
    document = json.loads(cli(*words, *JSON).out)
    assert [found["rule"] for found in document["diagnostics"]] == ["run/not-finite"]


def test_the_text_before_the_error_stands(cli: Cli, folder: Path) -> None:
    """What came is on standard output, or in the file, and the error follows it."""
    whole = tiny_model("llama", "f32", vocab_size=WORDS, tied=False)
    chosen, _ = greedy(Oracle(whole), [5, 6], 4)
    weight = whole.weights["embed_tokens"]
    values = weight.array().copy()
    values[chosen[3]] = np.nan
    assert chosen[3] not in (5, 6, *chosen[:3])
    wrong = with_weight(whole, replace(weight, data=values.view(np.uint8).reshape(-1)))
    write_gguf(folder / "late.gguf", wrong, "llama")
    words = ("run", "late.gguf", "--ids", "5,6", "--keep", "f32", *NUMPY, "-q")
    text = "".join(f"{token} " for token in chosen)
    ran = cli(*words)
    assert (ran.code, ran.out) == (1, text + "\n")
    assert "step `embed` in decode first gives a value that is not a number at token position 5\n" in ran.err
    assert cli(*words, "--output", "text.txt").code == 1
    assert (folder / "text.txt").read_text() == text + "\n"


def test_what_of_a_model_is_not_read_is_told(cli: Cli, folder: Path) -> None:
    """People read it on standard error with every command that opens the model, tools in the document."""
    write_gguf(folder / "odd.gguf", tiny_model("llama", "f32"), "llama", {"llama.colour": "green"})
    line = "model: warning[model/unread-keys]: `colour` of this `llama` model is not read\n"
    words = ("run", "odd.gguf", "--ids", "1", "--max-tokens", "1", *NUMPY)
    assert cli(*words, "-q").err == line
    assert "warning[model/unread-keys]: `colour` of this `llama` model is not read\n" in cli(*words).err
    ran = cli(*words, *JSON)
    assert (ran.code, ran.err) == (0, "")
    assert [found["rule"] for found in json.loads(ran.out)["warnings"]] == ["model/unread-keys"]
    made = cli("init", "odd.gguf", "-q", "--output", "made.json")
    assert made == Ran(0, "", line)
    bench = cli("bench", "odd.gguf", "--prefill", "2", "--decode", "1", "--repeat", "1", *NUMPY, "-q")
    assert (bench.code, bench.err) == (0, line)
    planned = cli("compile", "made.json", "--plan", "--model", "odd.gguf", "--catalog", "kernelpath", "-q")
    assert (planned.code, planned.err) == (0, line)


def test_no_token_is_asked_for(cli: Cli, model: str) -> None:
    """`--max-tokens 0` gives none."""
    assert _told(cli, model, "--ids", "5", "--max-tokens", "0")["ids"] == []


def test_a_trace_has_each_step(cli: Cli, folder: Path, model: str) -> None:
    """The file has a JSON object for each step of each call, with the numbers of what it wrote."""
    cli("run", model, "--ids", "5,6,7", "--max-tokens", "2", *NUMPY, "--ignore-end", "--trace", "trace.jsonl")
    lines = [json.loads(line) for line in (folder / "trace.jsonl").read_text().splitlines()]
    steps = [line["step"] for line in lines]
    assert steps.count("embed") == 2
    assert set(lines[0]) == {"step", "op", "kernel", "outputs"}
    assert lines[0]["outputs"]["out"]["shape"] == [3, 96]
    assert set(lines[0]["outputs"]["out"]) == {"shape", "min", "max", "mean", "rms", "nan", "inf"}


def test_a_manifest_that_may_not_run(cli: Cli, folder: Path, model: str) -> None:
    """Findings of a manifest that is to run are told as `check` tells them, with exit code 1."""
    cli("init", model, "--output", "made.json")
    text = (folder / "made.json").read_text()
    (folder / "bad.json").write_text(
        text.replace('"dst": "state"', '"src": "stat"', 1).replace("doppler.ex", "dopler.ex")
    )
    words = ("bad.json", "--catalog", "kernelpath", "-q")
    ran = cli("run", model, "--prompt", "the", *NUMPY, "--manifest", *words)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == cli("check", *words).out != ""


def test_a_manifest_of_another_model(cli: Cli, folder: Path, model: str) -> None:
    """A manifest that says another number of layers than the model has is not run."""
    ran = cli("run", model, "--prompt", "the", *NUMPY, "--manifest", "passes.json", "--catalog", "doppler-0.1.7", "-q")
    assert ran == Ran(2, "", "-: error[cli/other-model]: the manifest is for 4 layers, and the model has 2\n")


WRONG = {
    "": "there is nothing to answer",
    "--prompt=": "the prompt is empty",
    "--ids 1,x": "`1,x` is no list of token ids",
    f"--ids {WORDS}": f"the token id {WORDS} is not one of the model's, 0 to {WORDS - 1}",
    "--ids=": "`` is no list of token ids",
    "--ids 1 --trace no/such": "`no/such` cannot be written: no such file or directory",
    "--ids 1,2,3,4,5 --capacity 3": "the text would have 5 tokens, and the session holds 3",
    "--ids 1 --manifest nosuch.json": "there is no file `nosuch.json`",
}


@pytest.mark.parametrize("words", WRONG)
def test_what_cannot_be_run(cli: Cli, model: str, words: str) -> None:
    """Each mistake is one message, with exit code 2."""
    ran = cli("run", model, *words.split(), *NUMPY, "-q")
    assert (ran.code, ran.out) == (2, "")
    assert f"]: {WRONG[words]}\n" in ran.err


def test_a_model_without_a_tokenizer(cli: Cli, folder: Path) -> None:
    """Such a model takes ids and gives ids."""
    model = model_file(folder, dtype="f32", tokenizer=False)
    told = _told(cli, model, "--ids", "5", "--max-tokens", "3")
    assert told["text"] == "".join(f"{token} " for token in told["ids"])
    ran = cli("run", model, "--prompt", "the", *NUMPY, "-q")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "model: error[model/no-tokenizer]: model `Tiny` has no tokenizer\n"


@pytest.mark.parametrize("words", ["--temperature -1", "--top-p nan", "--temperature inf", "--max-tokens -3"])
def test_numbers_that_are_none(cli: Cli, model: str, words: str) -> None:
    """A number that generation cannot use is wrong usage."""
    assert cli("run", model, "--prompt", "the", *words.split()).code == 2


def _library(adapters: list[Any]) -> Any:
    return SimpleNamespace(gpu=SimpleNamespace(enumerate_adapters_sync=lambda: adapters))


OPENGL = SimpleNamespace(summary="Mesa", info={"device": "Mesa", "backend_type": "OpenGL", "adapter_type": "CPU"})
ABSENT = {
    "no adapter": (_library([]), "no GPU adapter was found", "install a Vulkan driver"),
    "OpenGL": (_library([OPENGL]), "Mesa can be reached through OpenGL only", "install its Vulkan driver"),
}


@pytest.mark.parametrize("case", ABSENT)
def test_no_device(cli: Cli, model: str, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    """Without a device that can be used, `wgpu` is refused with the remedy, and `auto` runs in numpy and says why."""
    library, message, remedy = ABSENT[case]
    monkeypatch.setattr(device, "_import_wgpu", lambda: library)
    words = ("run", model, "--ids", "5", "--max-tokens", "1", "-q")
    for command in (
        words,
        ("bench", model, "--prefill", "8", "--decode", "4"),
        ("kernels", "verify", "--device"),
        ("init", model, "--features", "device"),
    ):
        refused = cli(*command, *(("--backend", "wgpu") if command[0] in ("run", "bench") else ()))
        assert (refused.code, refused.out) == (2, "")
        assert f"error[device/unusable]: {message}" in refused.err
    assert f"  = help: {remedy}" in refused.err
    taken = cli(*words)
    assert taken.code == 0
    assert taken.err.startswith(message)
    assert taken.err.endswith(": running in numpy, which is slow\n")


def test_a_library_that_is_not_there(cli: Cli, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing extra is told with what installs it."""
    monkeypatch.setitem(sys.modules, "wgpu", None)
    ran = cli("run", model, "--ids", "5", "--backend", "wgpu")
    assert (ran.code, ran.out) == (2, "")
    assert "the `wgpu` package is not installed" in ran.err
    assert "pip install 'kernelpath[gpu]'" in ran.err


@pytest.mark.gpu
def test_a_driver_that_ends_loops_early(cli: Cli, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop fault of a driver is told with both numbers and the remedy."""
    probe = device._LOOP_PROBE.replace("data[2] += 1u;", "data[2] += 1u; if i == 24u { break; }")
    monkeypatch.setattr(device, "_LOOP_PROBE", probe)
    ran = cli("run", model, "--ids", "5", "--backend", "wgpu", "--adapter", "llvmpipe")
    assert (ran.code, ran.out) == (2, "")
    assert "ends loops early: two loops of 40000 ran 40000 and 25 times" in ran.err
    assert "use Mesa 25 or later" in ran.err


@pytest.mark.gpu
def test_a_device_that_is_lost(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that is lost in the middle ends the command with a message; what came before stands."""
    model = model_file(folder, dtype="f32", tokenizer=False)
    first = _told(cli, model, "--ids", "5", "--max-tokens", "1")["text"]
    from kernelpath.execute.wgpu_backend.backend import WgpuBackend

    whole, calls = WgpuBackend.run, []

    def run(self: WgpuBackend, *words: Any) -> None:
        calls.append(words)
        if len(calls) == 4:
            self._gpu.destroy()
        whole(self, *words)

    monkeypatch.setattr(WgpuBackend, "run", run)
    ran = cli("run", model, "--ids", "5", "--max-tokens", "60", "--ignore-end", "--backend", "wgpu")
    assert (ran.code, ran.out) == (2, first)
    assert "error[device/lost]: the device was lost while it worked\n" in ran.err
    assert "  = help: look into the driver's log, or run with `--backend numpy`\n" in ran.err


@pytest.mark.gpu
def test_both_backends_say_the_same(cli: Cli, model: str) -> None:
    """A GPU gives the tokens that numpy gives, in text and in JSON."""
    words = (model, "--prompt", "the", "--max-tokens", "12", "--ignore-end")
    told = _told(cli, *words)
    there = cli("run", *words, "--backend", "wgpu", *JSON)
    assert json.loads(there.out)["ids"] == told["ids"]
    assert cli("run", *words, "--backend", "wgpu").out == told["text"] + "\n"


@pytest.mark.parametrize("words", ["run MODEL --ids 1,2 --max-tokens 2 --backend numpy", "init MODEL"])
@pytest.mark.parametrize(("streams", "code"), [("2>&-", 0), (">&-", 0), (">/dev/full", 2), (">/dev/full 2>&-", 2)])
@pytest.mark.sampled(2)
def test_streams_that_are_closed_or_full(folder: Path, model: str, words: str, streams: str, code: int) -> None:
    """Whatever becomes of its streams, a command with a model ends with a code that means something."""
    command = f"{shlex.join(COMMAND)} {words.replace('MODEL', model)} {streams}"
    done = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == code


@pytest.mark.parametrize("key", ["ggml.model", "ggml.pre"])
@pytest.mark.parametrize("option", ["--prompt", "--chat"])
def test_a_text_for_a_model_whose_tokenizer_is_not_known(cli: Cli, folder: Path, key: str, option: str) -> None:
    """Such a model takes token ids; a text that would have to be cut into tokens is bad input."""
    model = tiny_model("llama", "f32", vocab_size=WORDS)
    write_gguf(folder / "odd.gguf", model, "llama", byte_level(**{key: "no-such"}))
    ran = cli("run", "odd.gguf", option, "hi", *NUMPY, "-q")
    assert (ran.code, ran.out) == (2, "")
    assert "error[model/unknown-tokenizer]" in ran.err
    assert cli("run", "odd.gguf", "--ids", "5", "--max-tokens", "1", *NUMPY, "-q").code == 0
