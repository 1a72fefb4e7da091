"""`kernelpath apply`: the runtime config that a manifest makes of another."""

from __future__ import annotations

from kernelpath.cli.check import once_only
from kernelpath.cli.console import Console
from kernelpath.cli.inputs import read_manifest, read_overlay
from kernelpath.cli.judging import Judge
from kernelpath.cli.options import add_shared, whole_number
from kernelpath.facade import apply

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def declare(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("manifest", metavar="MANIFEST", help="a manifest; - for standard input")
    parser.add_argument("config", metavar="CONFIG", help="a runtime config")
    parser.add_argument("--num-layers", type=whole_number, metavar="N", help="how many layers the model has")
    add_shared(parser)


def run(options: argparse.Namespace) -> int:
    """Print the runtime config and the compiled graph as JSON, or say why there are none."""
    once_only([options.manifest, options.config])
    console = Console(options)
    overlay = read_overlay(options.config)
    assert overlay is not None
    overlay.is_config = True
    judge = Judge(options, overlay)
    manifest = read_manifest(options.manifest)
    applied = apply(judge.whole(manifest), overlay.document.value, pack=judge.pack, catalog=judge.catalog)
    found = judge.placed(manifest, applied.diagnostics)
    if found and (not applied.ok or (console.is_text and not console.quiet)):
        console.refuse(found, judge.sources([manifest]))
    if not applied.ok:
        return 1
    from kernelpath.cli.values import json_text

    console.write(json_text(applied.value))
    return 0
