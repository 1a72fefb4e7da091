"""`kernelpath pack doc`: a pack's documentation as Markdown."""

from __future__ import annotations

from pathlib import Path

from kernelpath.cli.console import Console
from kernelpath.cli.options import add_shared
from kernelpath.cli.pack_pages import pages
from kernelpath.cli.packs import pack_with_rules
from kernelpath.cli.saving import written
from kernelpath.cli.streams import harmless
from kernelpath.files.writing import write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.description = "Write an index, a page for each rule, and the decision matrix, as Markdown."
    add_shared(arguments, formats=("text",))
    arguments.epilog = "--output is a folder here; without it, pages go to `PACK-rules` in the working folder"


def run(options: Namespace) -> int:
    """Write every page, over older ones, and say how many there are."""
    pack = pack_with_rules(options.pack)
    folder = Path(options.output or f"{pack.name}-rules")
    found = pages(pack, options.pack)
    for name, text in found.items():
        _write(folder / name, harmless(text))
    options.output = None
    if not options.quiet:
        Console(options).write(f"{len(found)} pages in {folder}\n")
    return 0


def _write(path: Path, text: str) -> None:
    with written(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text.encode("utf-8", "backslashreplace"))
