"""`kernelpath kernels pin`: write down the content of every kernel of this project."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.executing import told
from kernelpath.cli.options import add_shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    add_shared(arguments, formats=("text", "json"))


def run(options: Namespace) -> int:
    """Write the lock file and the project's own catalogue, and print what changed."""
    from kernelpath.cli.values import json_text

    with told():
        from kernelpath.execute.lock import pin

        changed = pin()
    console = Console(options)
    if not console.is_text:
        console.write(json_text({"changed": list(changed)}))
    elif not console.quiet:
        console.write("".join(f"{name}\n" for name in changed) + f"{len(changed)} kernels changed\n")
    return 0
