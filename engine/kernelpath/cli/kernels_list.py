"""`kernelpath kernels list`: the kernels of a catalogue."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.judging import usable_catalog
from kernelpath.cli.options import add_shared
from kernelpath.execution_graph.answers import pinned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.cli.arguments import Arguments

HEADINGS = ("KERNEL", "OP", "VARIANT", "WRITES", "NEEDS", "DIGEST")
_DIGEST = 12  # characters that tell digests apart for people


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("--op", metavar="OP", help="only the kernels of one op")
    add_shared(arguments, formats=("text", "json"))


def run(options: Namespace) -> int:
    """Print a table of the kernels, or a list of them as JSON."""
    console = Console(options)
    kernels = usable_catalog(options.catalog)
    chosen = {key: kernel for key, kernel in kernels.items() if options.op in (None, kernel.op)}
    if not chosen:
        _refuse(options.op, kernels)
    if console.is_text:
        console.write(table([HEADINGS, *(_row(key, kernel) for key, kernel in chosen.items())]))
        return 0
    from kernelpath.cli.values import json_text

    console.write(json_text([_members(kernel) for kernel in chosen.values()]))
    return 0


def _refuse(op: str, kernels: Any) -> None:
    from kernelpath.cli.inputs import unusable
    from kernelpath.diagnostics import did_you_mean

    known = sorted({kernel.op for kernel in kernels.values()})
    near = did_you_mean(op, known)
    meant = f"did you mean `{near}`?" if near else f"known ops are {', '.join(known)}"
    raise unusable("cli/usage", f"the catalogue has no kernel of op `{op}`", help_text=meant)


def _row(key: str, kernel: Any) -> tuple[str, ...]:
    needs = ", ".join(kernel.features) or "-"
    digest = kernel.digest.removeprefix("sha256:")[:_DIGEST]
    return (key, kernel.op, kernel.variant, kernel.output or "-", needs, digest)


def _members(kernel: Any) -> dict[str, Any]:
    return {
        "kernel": kernel.kernel,
        "entry": kernel.entry,
        "op": kernel.op,
        "variant": kernel.variant,
        "outputDtype": kernel.output,
        "requires": list(kernel.requires),
        "features": list(kernel.features),
        **pinned(kernel),
    }


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as aligned columns, the last one as long as it is.

    >>> print(table([("NAME", "SIZE"), ("box", "3")]), end="")
    NAME  SIZE
    box   3
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "".join(line.rstrip() + "\n" for line in lines)
