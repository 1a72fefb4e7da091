"""`kernelpath devices list`: the devices that go by a name."""

from __future__ import annotations

from kernelpath.cli.console import Console

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.cli.arguments import Arguments

HEADINGS = ("DEVICE", "KIND", "VENDOR", "ARCHITECTURE", "F16", "SUBGROUPS", "WORKGROUP", "BUFFER", "BINDING")
_UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    add_showing(arguments)


def add_showing(arguments: Arguments) -> None:
    """Add the options of commands that show devices."""
    add = arguments.group("shared options").add
    add("--format", default="text", choices=("text", "json"), help="how to show them (text)")
    add("--output", metavar="FILE", help="write there, instead of to standard output")


def console_of(options: Namespace) -> Console:
    """Return where a command that shows devices writes."""
    options.quiet = options.verbose = False
    return Console(options)


def run(options: Namespace) -> int:
    """Print a table of the devices, or their facts by name as JSON."""
    from kernelpath.execution_graph.devices import facts, shipped_devices

    console, devices = console_of(options), shipped_devices()
    if console.is_text:
        from kernelpath.cli.kernels_list import table

        console.write(table([HEADINGS, *(_row(name, device, facts(device)) for name, device in devices.items())]))
        return 0
    from kernelpath.cli.values import json_text

    console.write(json_text([members(name, device) for name, device in devices.items()]))
    return 0


def members(name: str, device: Mapping[str, Any]) -> dict[str, Any]:
    """Return what JSON says of a device: its name, what its document says, and its facts."""
    from kernelpath.execution_graph.devices import facts

    return {"name": name, **device, **facts(device)}


def _row(name: str, device: Mapping[str, Any], found: Mapping[str, Any]) -> tuple[str, ...]:
    limits = found["limits"]
    sizes = ("maxComputeWorkgroupStorageSize", "maxBufferSize", "maxStorageBufferBindingSize")
    words = (device.get("kind", ""), found["vendor"], found["architecture"])
    has = ("yes" if feature in found["features"] else "-" for feature in ("shader-f16", "subgroups"))
    return (name, *(word or "-" for word in words), *has, *(size(limits[limit]) for limit in sizes))


def size(amount: int) -> str:
    """Return a number of bytes in the largest unit of which it has at least one, to two places.

    >>> size(32768), size(2147483644), size(100)
    ('32 KiB', '2 GiB', '100 B')
    """
    for unit, factor in _UNITS:
        if amount >= factor:
            return f"{round(amount / factor, 2):g} {unit}"
    return f"{amount} B"
