"""`devices list`, `show` and `probe` from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran
from kernelpath.execute import device as device_module
from kernelpath.execute.device import DeviceError
from kernelpath.execution_graph.devices import facts, shipped_devices

Cli = Callable[..., Ran]


def test_the_list_has_a_line_for_each_device(cli: Cli) -> None:
    """What tells devices apart is in columns, under a heading."""
    ran = cli("devices", "list")
    assert (ran.code, ran.err) == (0, "")
    heading, *lines = ran.out.splitlines()
    assert heading.split() == [
        "DEVICE",
        "KIND",
        "VENDOR",
        "ARCHITECTURE",
        "F16",
        "SUBGROUPS",
        "WORKGROUP",
        "BUFFER",
        "BINDING",
    ]
    assert [line.split()[0] for line in lines] == [*shipped_devices()]
    by_name = {line.split()[0]: line.split()[1:] for line in lines}
    assert by_name["adreno-7xx"] == [
        "mobile",
        "qualcomm",
        "adreno-7xx",
        "-",
        "yes",
        "32",
        "KiB",
        "256",
        "MiB",
        "128",
        "MiB",
    ]
    assert by_name["webgpu-minimum"] == ["minimum", "-", "-", "-", "-", "16", "KiB", "256", "MiB", "128", "MiB"]


def test_the_list_as_json_has_all_facts(cli: Cli) -> None:
    """Tools get the documents whole, with every limit."""
    listed = json.loads(cli("devices", "list", "--format", "json").out)
    assert [one["name"] for one in listed] == [*shipped_devices()]
    for one in listed:
        device = shipped_devices()[one["name"]]
        assert {member: one[member] for member in facts(device)} == facts(device)
        assert one["sources"] == device["sources"]


def test_a_device_is_shown_with_its_sources(cli: Cli) -> None:
    """Text has the limits that are not the default, and where each number comes from."""
    ran = cli("devices", "show", "nvidia-kepler")
    assert ran == Ran(
        0,
        """\
nvidia-kepler: an old discrete NVIDIA GPU on Linux, in Chrome 116
  kind         discrete
  vendor       nvidia
  architecture kepler
  features     bgra8unorm-storage, depth-clip-control, depth32float-stencil8, indirect-first-instance
  limits
    maxStorageBufferBindingSize 2,147,483,644 (default 134,217,728)
    maxBufferSize 2,147,483,648 (default 268,435,456)
    maxComputeWorkgroupStorageSize 49,152 (default 16,384)
    maxComputeInvocationsPerWorkgroup 1,024 (default 256)
    maxComputeWorkgroupSizeX 1,024 (default 256)
    maxComputeWorkgroupSizeY 1,024 (default 256)
    all others are the defaults of WebGPU
  sources
    webgpureport.org issue 3, report from Brave, chrome and chromium: a published adapter report; Chrome 116 on \
Linux, limits and features
      https://github.com/webgpu/webgpureport.org/issues/3
""",
        "",
    )


def test_a_file_of_ones_own_is_shown(cli: Cli, folder: Path) -> None:
    """A document without sources, and with no limit of its own, says so."""
    (folder / "own.yaml").write_text("vendor: acme\narchitecture: ''\nfeatures: []\nlimits: {}\n")
    ran = cli("devices", "show", "own.yaml")
    lines = ["own.yaml", "  kind         -", "  vendor       acme", "  architecture -", "  features     -"]
    assert ran.out.splitlines() == [*lines, "  limits       the defaults of WebGPU", "  sources      -"]


def test_a_broken_file_is_shown_at_its_place(cli: Cli, folder: Path) -> None:
    """The fault is underlined in the file; exit code 2."""
    (folder / "own.yaml").write_text("vendor: acme\narchitecture: ''\nfeatures: [shader-f61]\nlimits: {}\n")
    assert cli("devices", "show", "own.yaml") == Ran(
        2,
        "",
        """\
error[device/feature]: unknown feature `shader-f61`
 --> own.yaml:3:12
  |
3 | features: [shader-f61]
  |            ^^^^^^^^^^
  |
  = help: did you mean `shader-f16`?

1 error
""",
    )


def test_an_unknown_device_is_refused(cli: Cli) -> None:
    """A name that is misspelt gets the one that was probably meant; exit code 2."""
    ran = cli("devices", "show", "lavepipe")
    assert (ran.code, ran.out) == (2, "")
    assert "unknown device `lavepipe`\n  = help: did you mean `lavapipe`?" in ran.err


def test_without_a_driver_nothing_is_written(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing is reported with its remedy, exit code 2, and no file is made."""

    def fail(*_: object) -> None:
        raise DeviceError("no GPU adapter was found", "install a Vulkan driver")

    monkeypatch.setattr(device_module, "probe", fail)
    ran = cli("devices", "probe", "--output", "here.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "error[device/unusable]: no GPU adapter was found\n  = help: install a Vulkan driver\n" in ran.err
    assert not (folder / "here.yaml").exists()


@pytest.mark.gpu
def test_what_is_probed_is_a_device(cli: Cli, folder: Path) -> None:
    """The file that probe writes can be shown, and is the document that it prints as JSON."""
    assert cli("devices", "probe", "--output", "here.yaml") == Ran(0, "", "")
    shown = json.loads(cli("devices", "show", "here.yaml", "--format", "json").out)
    document = json.loads(cli("devices", "probe", "--format", "json").out)
    assert shown == {"name": "here.yaml", **document, **facts(document)}
    assert cli("devices", "probe").out == (folder / "here.yaml").read_text()
