"""Logits that are not numbers: an error that names the step that first gave such a value, wherever tokens are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kernelpath.execute.nonfinite import is_finite
from kernelpath.execute.run import Options, Run
from kernelpath.execute.sampling import Sampling
from kernelpath.execute.session import NotFinite, Session
from kernelpath.models.model import Model
from kernelpath.models.weights import Weight, store
from models.oracle import Oracle, greedy
from models.tiny import tiny_model, with_weight

from .paths import plain_path
from .sessions import device, session

IDS = [5, 7, 100, 3, 17]
BACKENDS = ["numpy", pytest.param("wgpu", marks=pytest.mark.gpu)]


def changed(model: Model, name: str, row: int | None, value: float) -> Model:
    """Return a model with the first element of a weight's row, or the whole weight, at a value."""
    weight = model.weights[name]
    values = weight.array().copy()
    values[... if row is None else (row, 0)] = value
    data = values.view(np.uint8).reshape(-1) if weight.dtype == "f32" else store(values, weight.dtype)
    return with_weight(model, replace(weight, data=data))


def refused(run: Callable[[], Any]) -> tuple[str, str | None]:
    """Return the message and the help of the error that a run raises."""
    with pytest.raises(NotFinite) as raised:
        run()
    (finding,) = raised.value.diagnostics
    return finding.message, finding.help


def made(backend: str, model: Model, **options: Any) -> Session:
    return session(backend, plain_path("llama"), model, **options)


WAYS: dict[str, Callable[[Session], Any]] = {
    "greedy": lambda made: list(made.generate(IDS, 3)),
    "sampled": lambda made: list(made.generate(IDS, 3, Sampling(temperature=1.0))),
    "prefill": lambda made: made.finite(made.prefill(IDS)),
    "with logits": lambda made: list(Run(made, None, IDS, Options(max_tokens=3, top=5))),
    "as text": lambda made: list(Run(made, None, IDS, Options(max_tokens=3))),
}
FETCH = "`{}` holds values that are not finite: fetch the model again"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("value", "words"), [(np.nan, "a value that is not a number"), (-np.inf, "an infinite value")])
def test_weights_that_are_not_finite_are_named(way: str, value: float, words: str, backend: str) -> None:
    """However tokens are made, the first step whose weight it is, its layer, and the first position."""
    model = changed(tiny_model("llama", "f32"), "layer.1.self_attn.o_proj", 3, value)
    message, help_text = refused(lambda: WAYS[way](made(backend, model, fuse=False)))
    where = "step `layer.1.o_proj` of layer 1 in prefill"
    assert message == f"the logits are not finite: {where} first gives {words} at token position 0"
    assert help_text == FETCH.format("layer.1.self_attn.o_proj")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("embed_tokens", "step `embed` in prefill"),
        ("layer.0.input_norm", "step `layer.0.input_norm` of layer 0 in prefill"),
        ("layer.1.self_attn.v_proj", "step `layer.1.v_proj` of layer 1 in prefill"),
        ("layer.0.mlp.up_proj", "step `layer.0.up_proj` of layer 0 in prefill"),
        ("layer.1.mlp.down_proj", "step `layer.1.down_proj` of layer 1 in prefill"),
        ("final_norm", "step `final_norm` in prefill"),
        ("lm_head", "step `lm_head` in prefill"),
    ],
)
def test_the_first_step_is_named(name: str, step: str, backend: str) -> None:
    """Of all the steps that what is not a number goes through."""
    model = changed(tiny_model("llama", "f32", tied=False), name, None, np.nan)
    message, help_text = refused(lambda: list(made(backend, model, fuse=False).generate(IDS, 1)))
    position = len(IDS) - 1 if name in ("final_norm", "lm_head") else 0  # the last row alone goes there
    assert message == (
        f"the logits are not finite: {step} first gives a value that is not a number at token position {position}"
    )
    assert help_text == FETCH.format(name)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("chunk", [2, 3, 512])
@pytest.mark.parametrize("place", range(len(IDS)))
def test_the_position_is_that_of_the_token(place: int, chunk: int, backend: str) -> None:
    """A token whose embedding is not a number is found where it stands, in whichever chunk of the prefill."""
    model = changed(tiny_model("llama", "f32", tied=False), "embed_tokens", IDS[place], np.nan)
    message, _ = refused(lambda: list(made(backend, model, chunk=chunk).generate(IDS, 1)))
    phase = "decode" if (place // chunk + 1) * chunk > len(IDS) and len(IDS) % chunk == 1 else "prefill"
    assert message == (
        f"the logits are not finite: step `embed` in {phase} first gives a value that is not a number "
        f"at token position {place}"
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("count", [1, 2, 18])
def test_what_came_before_is_given(count: int, backend: str) -> None:
    """Tokens that were chosen from numbers come, then the error: made ahead on a device, or one by one."""
    whole = tiny_model("llama", "f32", tied=False)
    chosen, _ = greedy(Oracle(whole, np.float64), IDS, 20)
    fatal = next(at for at in range(count - 1, 20) if chosen[at] not in (*chosen[:at], *IDS))
    model = changed(whole, "embed_tokens", chosen[fatal], np.nan)
    expected = (
        "the logits are not finite: step `embed` in decode first gives a value that is not a number "
        f"at token position {len(IDS) + fatal}"
    )
    for options in (Options(max_tokens=40), Options(max_tokens=40, top=1)):
        running = Run(made(backend, model), None, IDS, options)
        given: list[str] = []
        message, _ = refused(lambda running=running, given=given: given.extend(running))  # type: ignore[misc]
        assert message == expected
        assert running.outcome.ids == tuple(chosen[: fatal + 1])
        assert running.outcome.text == "".join(f"{token} " for token in chosen[: fatal + 1])
        assert running.outcome.stopped == "not-finite"


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_session_goes_on_after_a_reset(backend: str) -> None:
    """What was not finite in one text is not in the next."""
    model = changed(tiny_model("llama", "f32", tied=False), "embed_tokens", IDS[0], np.nan)
    again = made(backend, model)
    refused(lambda: list(again.generate(IDS, 1)))
    again.reset()
    logits = again.prefill(IDS[1:])
    np.testing.assert_allclose(logits, made(backend, model).prefill(IDS[1:]))
    assert is_finite(logits)


@pytest.mark.parametrize("backend", BACKENDS)
def test_keys_that_a_cache_of_f16_does_not_hold(backend: str) -> None:
    """Finite weights may give keys beyond 65,504; the step that stores them is named, with the steps that it runs."""
    model = tiny_model("llama", "f32")
    weight = model.weights["layer.1.self_attn.k_proj"]
    large = store(weight.array() * np.float32(1e6), "f32")
    model = with_weight(model, replace(weight, data=large))
    path = {**plain_path("llama"), "kvDtype": "f16"}
    attention = ("attention_decode_online_f16kv.wgsl", "attention_streaming_f16kv.wgsl")
    for phase, kernel in zip(("decode", "prefill"), attention, strict=True):
        steps = [step | ({"kernel": kernel} if step["op"] == "attention" else {}) for step in path[phase]["steps"]]
        path[phase] = {**path[phase], "steps": steps}
    message, help_text = refused(lambda: list(session(backend, path, model).generate(IDS, 1)))
    assert message == (
        "the logits are not finite: step `layer.1.rope_kv_write`, which runs q_proj, k_proj, v_proj, rope_q, rope_k, "
        "kv_write, of layer 1 in prefill first gives an infinite value at token position 0"
    )
    assert help_text is not None
    assert help_text.startswith("the largest f16 is 65,504")
    message, _ = refused(lambda: list(session(backend, path, model, fuse=False).generate(IDS, 1)))
    assert "step `layer.1.kv_write` of layer 1 in prefill first gives an infinite value at token position 0" in message


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("width", [1, 2, 7, 255, 256, 257, 1031, 20_011])
def test_the_devices_own_look_at_logits(dtype: type, width: int) -> None:
    """It finds one value that is not finite wherever it stands in a row, and takes no finite one for such."""
    from kernelpath.execute.device import COPY_DST, COPY_SRC, STORAGE
    from kernelpath.execute.wgpu_backend.finite import FiniteProbe
    from kernelpath.execute.wgpu_backend.readback import Readback

    gpu, probe = device().handle, FiniteProbe(device())
    readback, rows = Readback(gpu), 3
    size = -(-rows * width * np.dtype(dtype).itemsize // 4) * 4
    buffer = gpu.create_buffer(size=size, usage=STORAGE | COPY_SRC | COPY_DST)
    looking = probe.over(buffer)

    def seen(values: np.ndarray, row: int) -> bool:
        data = np.zeros(size, np.uint8)
        data[: values.nbytes] = values.view(np.uint8).reshape(-1)
        gpu.queue.write_buffer(buffer, 0, data)
        encoder = gpu.create_command_encoder()
        looking.record(encoder, row, width, 4 // np.dtype(dtype).itemsize)
        gpu.queue.submit([encoder.finish()])
        return bool(readback.read(probe.found, 0, 4).view(np.uint32)[0])

    info = np.finfo(dtype)
    plain = np.resize(np.array([info.max, info.min, info.tiny, -0.0, 1.5], dtype), (rows, width))
    assert [seen(plain, row) for row in range(rows)] == [False] * rows
    for column in {0, width // 2, width - 1}:
        for value in (np.nan, np.inf, -np.inf):
            wrong = plain.copy()
            wrong[1, column] = value
            assert [seen(wrong, row) for row in range(rows)] == [False, True, False]


def test_a_weight_in_blocks_is_looked_at_too() -> None:
    """A block whose scale is infinite makes 32 values that are not finite."""
    model = tiny_model("llama", "q8_0")
    weight = model.weights["layer.0.mlp.gate_proj"]
    data = np.array(weight.data)
    data[:2] = np.array([np.inf], "<f2").view(np.uint8)
    broken = with_weight(model, Weight(weight.name, weight.dtype, weight.shape, data))
    message, help_text = refused(lambda: list(made("numpy", broken, fuse=False).generate(IDS, 1)))
    assert "step `layer.0.gate_proj` of layer 0 in prefill" in message
    assert help_text == FETCH.format("layer.0.mlp.gate_proj")
