"""`kernelpath devices probe`: the device document of this machine's adapter."""

from __future__ import annotations

from kernelpath.cli.devices_list import console_of
from kernelpath.cli.executing import told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("--adapter", metavar="NAME", help="part of the name of the GPU to take")
    add = arguments.group("shared options").add
    add("--format", default="text", choices=("text", "json"), help="the document as YAML (text), or as JSON")
    add("--output", metavar="FILE", help="write there, instead of to standard output")


def run(options: Namespace) -> int:
    """Write the document of the best adapter; exit code 2 without one."""
    from kernelpath.execution_graph.devices import default_limits, document_text, known_features

    console = console_of(options)
    with told():
        from kernelpath.execute.device import probe

        document = probe(known_features(), default_limits(), options.adapter)
    if console.is_text:
        console.write(document_text(document))
        return 0
    from kernelpath.cli.values import json_text

    console.write(json_text(document))
    return 0
