"""The command line. Each command is one module, and is imported only when it is asked for: a cold start counts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name (those of the process, if none are given) and return the exit code."""
    import sys

    from kernelpath.cli.running import run

    return run(sys.argv[1:] if arguments is None else list(arguments))
