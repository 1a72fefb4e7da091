"""The wgpu backend: what it says when a device fails, and what it tells of its time."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kernelpath.execute.device import DeviceError
from kernelpath.execute.wgpu_backend import WgpuBackend
from kernelpath.execute.wgpu_backend.readback import Readback
from kernelpath.execute.wgpu_backend.uniforms import packed
from models.oracle import Oracle
from models.tiny import tiny_model

from .paths import plain_path, preset
from .sessions import device, session

IDS = [5, 7, 200, 3, 17]


class LostBuffer:
    """A staging buffer of a device that was lost."""

    def map_sync(self, *_: Any) -> None:
        """Fail as wgpu does."""
        raise RuntimeError("Could not map buffer (3 : device lost).")


def lost_gpu() -> Any:
    """Return a device whose buffers can no longer be mapped."""
    encoder = SimpleNamespace(copy_buffer_to_buffer=lambda *_: None, finish=lambda: None)
    queue = SimpleNamespace(submit=lambda _: None)
    return SimpleNamespace(create_command_encoder=lambda: encoder, create_buffer=lambda **_: LostBuffer(), queue=queue)


def test_a_lost_device_is_said_with_a_remedy() -> None:
    """A read that the device does not answer says so, and what to do."""
    with pytest.raises(DeviceError) as error:
        Readback(lost_gpu()).read(None, 0, 4)
    assert str(error.value) == "the device stopped answering: Could not map buffer (3 : device lost)."
    assert "run with `--backend numpy`" in error.value.help


class GPUOutOfMemoryError(Exception):
    """What wgpu raises where a buffer finds no room."""


@pytest.mark.gpu
def test_a_device_without_room_is_said_with_the_buffer() -> None:
    """A buffer that the device has no room for is named, with its size."""

    def full(**_: Any) -> Any:
        raise GPUOutOfMemoryError

    handle = SimpleNamespace(create_buffer=full, queue=None)
    crowded = replace(device(), handle=handle, name="a small device")
    with pytest.raises(DeviceError) as error:
        WgpuBackend({}, crowded)
    assert str(error.value) == "a small device has no room for the 4,096 bytes of `history`"


@pytest.mark.gpu
def test_every_launch_is_timed() -> None:
    """The times of a plan's last call name each of its dispatches once, in order."""
    running = session("wgpu", plain_path("llama"), tiny_model("llama", "f32"))
    running.decode(5)
    backend = running.backend
    assert isinstance(backend, WgpuBackend)
    times = backend.times(running.plans.decode)
    assert [dispatch.step for dispatch, _ in times] == [each.step for each in running.plans.decode.dispatches]
    assert all(seconds >= 0 for _, seconds in times)


@pytest.mark.parametrize(
    ("kind", "value", "word"),
    [("u32", 2**32 - 1, 0xFFFFFFFF), ("i32", -1, 0xFFFFFFFF), ("f32", 1.0, 0x3F800000), ("u32", True, 1)],
)
def test_uniforms_are_packed_as_the_kernels_read_them(kind: str, value: float, word: int) -> None:
    """A field holds its number's 32 bits."""
    assert packed(kind, value) == word


@pytest.mark.parametrize("value", [2**32, -1])
def test_a_number_that_a_field_cannot_hold_is_an_error(value: int) -> None:
    """An offset that would wrap is refused, not wrapped."""
    with pytest.raises(OverflowError):
        packed("u32", value)


@pytest.mark.parametrize("backend", ["numpy", pytest.param("wgpu", marks=pytest.mark.gpu)])
def test_a_residual_over_the_range_of_f16_is_kept_at_f32(backend: str) -> None:
    """A residual stream that passes 65,504 gives the model's logits where the path keeps it at f32."""
    model = tiny_model("gemma3", "f16", embedding_scale=1e6)
    largest = 0.0

    def watch(dispatch: Any, written: dict[str, Any]) -> None:
        nonlocal largest
        if dispatch.op.endswith("residual"):
            largest = max(largest, float(np.abs(written["out"]).max()))

    logits = session(backend, plain_path("gemma3"), model, fuse=False).prefill(IDS, observer=watch)
    assert largest > 65_504
    np.testing.assert_allclose(logits, Oracle(model, np.float64).run(IDS)[-1], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("backend", ["numpy", pytest.param("wgpu", marks=pytest.mark.gpu)])
def test_an_overflow_is_not_absorbed(backend: str) -> None:
    """Where a path keeps that residual at f16, its infinity reaches the logits and does not turn into numbers."""
    model = tiny_model("gemma3", "f16", embedding_scale=1e6)
    logits = session(backend, preset("gemma3-f16-fused-f16a-online"), model).prefill(IDS)
    assert not np.isfinite(logits).any()
