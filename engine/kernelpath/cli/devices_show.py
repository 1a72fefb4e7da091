"""`kernelpath devices show`: all that is known of a device, and where it comes from."""

from __future__ import annotations

from kernelpath.cli.devices_list import add_showing, console_of, members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.cli.arguments import Arguments


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("device", metavar="NAME|FILE", help="a device of `devices list`, or a device document")
    add_showing(arguments)


def run(options: Namespace) -> int:
    """Print the device: as text with the limits that are not the default, as JSON with all of them."""
    from kernelpath.execution_graph.devices import load_document

    console, device = console_of(options), load_document(options.device)
    if console.is_text:
        from kernelpath.diagnostics.render.printable import printable

        console.write("".join(printable(line) + "\n" for line in _text(options.device, device)))
        return 0
    from kernelpath.cli.values import json_text

    console.write(json_text(members(options.device, device)))
    return 0


def _text(name: str, device: Mapping[str, Any]) -> Iterator[str]:
    from kernelpath.execution_graph.devices import default_limits, facts

    found, defaults = facts(device), default_limits()
    yield f"{name}: {device['summary']}" if "summary" in device else name
    for member in ("kind", "vendor", "architecture"):
        yield f"  {member.ljust(13)}{device.get(member) or '-'}"
    yield f"  {'features'.ljust(13)}{', '.join(found['features']) or '-'}"
    beyond = {limit: amount for limit, amount in found["limits"].items() if amount != defaults[limit]}
    yield "  limits" if beyond else "  limits       the defaults of WebGPU"
    for limit, amount in beyond.items():
        yield f"    {limit} {amount:,} (default {defaults[limit]:,})"
    if beyond and len(beyond) < len(defaults):
        yield "    all others are the defaults of WebGPU"
    yield "  sources" if "sources" in device else "  sources      -"
    for source in device.get("sources", ()):
        yield f"    {source['title']}: {source['is']}"
        if "url" in source:
            yield f"      {source['url']}"
