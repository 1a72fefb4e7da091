"""`kernelpath apply`: the runtime config that a manifest makes of another."""

from __future__ import annotations

from kernelpath.cli.check import once_only
from kernelpath.cli.console import Console
from kernelpath.cli.inputs import read_manifest, read_overlay
from kernelpath.cli.judging import Judge
from kernelpath.cli.options import add_layers, add_shared
from kernelpath.facade import apply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("manifest", metavar="MANIFEST", help="a manifest; - for standard input")
    arguments.add("config", metavar="CONFIG", help="a runtime config")
    add_layers(arguments)
    add_shared(arguments)


def run(options: Namespace) -> int:
    """Print the runtime config and the compiled graph as JSON, or say why there are none."""
    once_only([options.manifest, options.config])
    console = Console(options)
    overlay = read_overlay(options.config)
    assert overlay is not None
    overlay.is_config = True
    judge = Judge(options, overlay)
    manifest = read_manifest(options.manifest)
    applied = apply(judge.whole(manifest), overlay.document.value, pack=judge.pack, catalog=judge.catalog)
    judged = judge.judged(manifest, "apply", applied)
    if judged.diagnostics and (not judged.ok or (console.is_text and not console.quiet)):
        account = judge.account([judged], judged.diagnostics, console.format)
        console.refuse(judged.diagnostics, judge.sources([manifest]), account)
    if not judged.ok:
        return 1
    from kernelpath.cli.values import json_text

    console.write(json_text(applied.value))
    return 0
