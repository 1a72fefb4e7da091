"""What is said when a device cannot be had, or cannot be used."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kernelpath.execute import device as device_module
from kernelpath.execute.device import Device, DeviceError, open_device


def adapter(summary: str, backend: str, kind: str) -> SimpleNamespace:
    """Return what the choice among adapters looks at."""
    info = {"device": summary, "backend_type": backend, "adapter_type": kind}
    return SimpleNamespace(summary=summary, info=info)


def chosen(monkeypatch: pytest.MonkeyPatch, adapters: list[SimpleNamespace], **options: object) -> str:
    """Return the summary of the adapter that would be opened."""
    monkeypatch.delenv("WGPUPY_WGPU_ADAPTER_NAME", raising=False)
    name = options.get("name")
    return str(device_module._choose(adapters, name, bool(options.get("allow_opengl"))).summary)


GPU, CPU, OPENGL = adapter("H200", "Vulkan", "DiscreteGPU"), adapter("llvmpipe", "Vulkan", "CPU"), None
OPENGL = adapter("Mesa", "OpenGL", "Unknown")


def test_gpu_goes_before_software_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real GPU is chosen, in whatever order adapters come."""
    assert chosen(monkeypatch, [OPENGL, CPU, GPU]) == "H200"
    assert chosen(monkeypatch, [CPU, OPENGL]) == "llvmpipe"


def test_name_picks_an_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Part of a summary is enough, in any case."""
    assert chosen(monkeypatch, [GPU, CPU], name="LLVM") == "llvmpipe"


def test_unknown_name_lists_the_adapters(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message repeats the name, the help names what there is."""
    with pytest.raises(DeviceError) as caught:
        chosen(monkeypatch, [GPU, CPU], name="Arc")
    assert str(caught.value) == "no adapter is called `Arc`"
    assert caught.value.help == "the adapters here are `H200`, `llvmpipe`"


def test_opengl_is_taken_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenGL alone is refused with a reason, and accepted on request."""
    with pytest.raises(DeviceError) as caught:
        chosen(monkeypatch, [OPENGL])
    assert str(caught.value) == "Mesa can be reached through OpenGL only, which has no f16 and no subgroups"
    assert caught.value.help == "install its Vulkan driver, or run with `--backend numpy`"
    assert chosen(monkeypatch, [OPENGL], allow_opengl=True) == "Mesa"


@pytest.mark.parametrize("failing", [False, True])
def test_no_adapter_names_the_remedy(failing: bool) -> None:
    """An empty list, or an error from the library, becomes one message with the package to install."""

    def enumerate_adapters_sync() -> list[object]:
        if failing:
            raise RuntimeError("no adapter")
        return []

    wgpu = SimpleNamespace(gpu=SimpleNamespace(enumerate_adapters_sync=enumerate_adapters_sync))
    with pytest.raises(DeviceError) as caught:
        device_module._adapters(wgpu)  # type: ignore[arg-type]
    assert str(caught.value) == "no GPU adapter was found"
    assert "apt-get install libvulkan1 mesa-vulkan-drivers" in caught.value.help


@pytest.mark.gpu
def test_absent_feature_names_the_kernel(device: Device) -> None:
    """A kernel whose feature the device lacks is refused before anything is compiled."""
    with pytest.raises(DeviceError) as caught:
        device.require(("shader-f16", "mind-reading"), "kernel a.wgsl#main")
    assert str(caught.value) == f"kernel a.wgsl#main needs `mind-reading`, which {device.name} does not have"


@pytest.mark.gpu
def test_driver_that_ends_loops_early_is_refused(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """The probe counts iterations; where one loop runs short, the message gives both numbers."""
    probe = device_module._LOOP_PROBE.replace("data[2] += 1u;", "data[2] += 1u; if i == 24u { break; }")
    monkeypatch.setattr(device_module, "_LOOP_PROBE", probe)
    with pytest.raises(DeviceError) as caught:
        device_module._refuse_loop_fault(device)
    assert str(caught.value).endswith("ends loops early: two loops of 40000 ran 40000 and 25 times")
    assert "Mesa 25" in caught.value.help


@pytest.mark.gpu
def test_open_device_gives_what_a_plan_must_know(device: Device) -> None:
    """Limits have wgpu's names, features are those wanted and there, and a second device can be opened."""
    assert device.limits["max-compute-workgroups-per-dimension"] == 65535
    assert device.features <= set(device_module.WANTED_FEATURES)
    assert open_device().name == device.name
