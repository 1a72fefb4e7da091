"""`kernelpath kernels repin`: point a manifest's references to kernels at a catalogue."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.executing import OWN_CATALOG, told
from kernelpath.cli.finding_packs import given, pack_for
from kernelpath.cli.inputs import read_document, unusable
from kernelpath.cli.judging import usable_catalog
from kernelpath.cli.options import add_shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("file", metavar="MANIFEST", help="the manifest; - for standard input")
    add_shared(arguments, catalog=OWN_CATALOG)


def run(options: Namespace) -> int:
    """Print the manifest with every reference to a kernel rewritten; say which kernels the catalogue lacks."""
    from kernelpath.cli.values import json_text

    console = Console(options)
    document = read_document(options.file)
    given(pack_for(options.pack, document), document, named=True)
    with told():
        from kernelpath.execute.lock import repin_manifest

        value, problems, count = repin_manifest(document.value, usable_catalog(options.catalog))
    if not count:
        raise unusable("cli/nothing", f"`{options.file}` refers to no kernel, in a graph or a profile")
    console.write(json_text(value))
    if problems:
        console.refuse(problems, {})
    return 1 if problems else 0
