"""Where a model runs, and what is said where it cannot."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kernelpath.execute import place
from kernelpath.execute.device import DeviceError
from kernelpath.execute.numpy_backend import NumpyBackend
from kernelpath.execute.place import choose_place

from .tiny import tiny_model


def refuse(name: str | None = None) -> None:
    raise DeviceError("no GPU adapter was found", "install a driver")


def test_numpy_takes_every_kernel() -> None:
    """The numpy backend has all features that kernels ask for, and is asked for no device."""
    chosen = choose_place("numpy")
    assert (chosen.backend, chosen.name, chosen.note) == ("numpy", "numpy", None)
    assert chosen.limits.features == {"shader-f16", "subgroup"}
    assert isinstance(chosen.make(tiny_model("llama").weights), NumpyBackend)


def test_auto_falls_back_to_numpy_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a device, `auto` runs in numpy with a note that says why."""
    monkeypatch.setattr(place, "open_device", refuse)
    chosen = choose_place("auto")
    assert (chosen.backend, chosen.note) == ("numpy", "no GPU adapter was found: running in numpy, which is slow")


def test_asking_for_wgpu_without_a_device_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a device, `wgpu` raises what the device said, with its remedy."""
    monkeypatch.setattr(place, "open_device", refuse)
    with pytest.raises(DeviceError, match="no GPU adapter was found") as raised:
        choose_place("wgpu")
    assert raised.value.help == "install a driver"


@pytest.mark.gpu
def test_wgpu_knows_its_device() -> None:
    """With a device, the place carries its name and its features."""
    chosen = choose_place("wgpu")
    assert chosen.backend == "wgpu"
    assert chosen.name
    assert chosen.limits.max_storage_buffer_binding_size >= 1 << 27


def test_naming_models_costs_no_library() -> None:
    """Importing the package of models imports neither numpy nor a library of models."""
    heavy = "{'numpy', 'gguf', 'tokenizers', 'safetensors', 'jinja2', 'tqdm', 'yaml', 'lark'}"
    code = f"import sys, kernelpath.models; print(sorted({heavy} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
