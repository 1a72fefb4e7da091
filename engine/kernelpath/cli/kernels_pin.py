"""`kernelpath kernels pin`: write down the content of every kernel of this project."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.executing import told
from kernelpath.cli.inputs import unusable
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
        from kernelpath.execute.lock import lock_file, pin

        try:
            changed = pin()
        except OSError as error:  # an installed copy may belong to somebody else
            raise unusable("cli/output", f"`{lock_file()}` cannot be written", error) from None
    console = Console(options)
    if not console.is_text:
        console.write(json_text({"changed": list(changed)}))
    elif not console.quiet:
        console.write("".join(f"{name}\n" for name in changed) + _counted(len(changed)))
    return 0


def _counted(changed: int) -> str:
    return f"{changed} kernel{'' if changed == 1 else 's'} changed\n"
