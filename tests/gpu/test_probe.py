"""The device document of an adapter: what is taken from wgpu, and that the shipped reports are still true."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kernelpath.execute import device as device_module
from kernelpath.execute.device import DeviceError, probe
from kernelpath.execution_graph.devices import default_limits, facts, known_features, load_device

#: Shipped reports of single machines, by what such a machine's adapter is called.
REPORTS = {"NVIDIA H200": "nvidia-h200", "llvmpipe": "lavapipe"}
INFO = {
    "device": "Box 9",
    "vendor": "ACME",
    "vendor_id": 0x10DE,
    "architecture": "",
    "adapter_type": "DiscreteGPU",
    "backend_type": "Vulkan",
    "description": "1.2",
}


def probed(monkeypatch: pytest.MonkeyPatch, info: dict[str, Any], features: list[str], limits: dict[str, int]) -> Any:
    """Return what is written of an adapter that wgpu would report so."""
    adapter = SimpleNamespace(info={**INFO, **info}, features=features, limits=limits, summary="Box 9")
    gpu = SimpleNamespace(enumerate_adapters_sync=lambda: [adapter])
    monkeypatch.setattr(device_module, "_import_wgpu", lambda: SimpleNamespace(gpu=gpu, __version__="9.9"))
    monkeypatch.delenv("WGPUPY_WGPU_ADAPTER_NAME", raising=False)
    return probe(known_features(), default_limits())


def test_what_webgpu_has_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Features and limits get WebGPU's names; what only wgpu has, and limits that it reports as 0, are left out."""
    limits = {
        "max-compute-workgroup-size-x": 1024,
        "max-texture-dimension-2d": 4096,
        "max-bind-groups-plus-vertex-buffers": 0,
        "max-immediate-size": 256,
    }
    assert probed(monkeypatch, {}, ["subgroup", "subgroup-barrier", "shader-f16"], limits) == {
        "summary": "Box 9 through wgpu on Vulkan",
        "kind": "discrete",
        "vendor": "nvidia",
        "architecture": "",
        "features": ["shader-f16", "subgroups"],
        "limits": {"maxTextureDimension2D": 4096, "maxComputeWorkgroupSizeX": 1024},
        "sources": [
            {
                "title": "wgpu 9.9, the adapter's features and limits",
                "is": "a report of the machine itself; driver 1.2",
            }
        ],
    }


@pytest.mark.parametrize(
    ("info", "member", "wanted"),
    [
        ({"vendor_id": 0x10005}, "vendor", "mesa"),
        ({"vendor_id": 0x8086}, "vendor", "intel"),
        ({"vendor_id": 1}, "vendor", "acme"),
        ({"architecture": "Ampere"}, "architecture", "ampere"),
        ({"adapter_type": "CPU"}, "kind", "software"),
        ({"adapter_type": "IntegratedGPU"}, "kind", "integrated"),
        ({"adapter_type": "Unknown"}, "kind", None),
    ],
)
def test_names_are_those_that_browsers_give(
    monkeypatch: pytest.MonkeyPatch, info: dict[str, Any], member: str, wanted: str | None
) -> None:
    """Makers go by their number, else by the driver's word; a kind that nothing is known of is left out."""
    assert probed(monkeypatch, info, [], {}).get(member) == wanted


def test_no_adapter_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a driver there is nothing to write."""
    gpu = SimpleNamespace(enumerate_adapters_sync=list)
    monkeypatch.setattr(device_module, "_import_wgpu", lambda: SimpleNamespace(gpu=gpu, __version__="9.9"))
    with pytest.raises(DeviceError, match="no GPU adapter was found"):
        probe(known_features(), default_limits())


@pytest.mark.gpu
def test_the_shipped_report_of_this_machine_is_true(gpu: str) -> None:
    """Where this machine's adapter has a file, its probe gives the file's facts; wgpu reports no architecture."""
    name = next((file for part, file in REPORTS.items() if part in gpu), None)
    if name is None:
        pytest.skip(f"there is no report of {gpu} among the shipped devices")
    found = probe(known_features(), default_limits())
    if name == "lavapipe" and "Mesa 25" not in found["sources"][0]["is"]:
        pytest.skip(f"the report is of Mesa 25, not of this machine's {found['sources'][0]['is']}")
    assert facts(found) | {"architecture": ""} == load_device(name) | {"architecture": ""}
