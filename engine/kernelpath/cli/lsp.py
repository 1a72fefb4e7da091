"""`kernelpath lsp`: the language server, for editors."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments


def declare(arguments: Arguments) -> None:
    """Say what the command takes: nothing; an editor talks to it over standard input and output."""
    arguments.epilog = "Editors start it; engine/kernelpath/lsp/README.md says how for VS Code, Neovim and Helix."


def run(options: Namespace) -> int:
    """Serve until the editor ends it; raises InputErrors where there are no streams to talk over."""
    import sys

    for name, stream in (("standard input", sys.stdin), ("standard output", sys.stdout)):
        if stream is None:
            from kernelpath.cli.inputs import unusable

            raise unusable("cli/input", f"{name} is closed", help_text="an editor talks to the server over both")
    from kernelpath.lsp import serve

    return serve()
