"""`kernelpath kernels repin`: point a manifest's kernelRefs at a catalogue."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.executing import OWN_CATALOG, told
from kernelpath.cli.inputs import read_manifest, unusable
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
    """Print the manifest with every kernelRef rewritten; say which kernels the catalogue lacks."""
    from kernelpath.cli.values import json_text

    console = Console(options)
    manifest = read_manifest(options.file)
    with told():
        from kernelpath.execute.lock import count_references, repin

        inference, problems = repin(manifest.inference, usable_catalog(options.catalog))
        references = count_references(manifest.inference)
    if not references:
        raise unusable("cli/nothing", f"`{options.file}` has no kernelRef in a graph or a profile to point anywhere")
    value = {**manifest.document.value, "inference": inference} if manifest.whole else inference
    console.write(json_text(value))
    if problems:
        console.refuse(problems, {})
    return 1 if problems else 0
