"""`kernelpath kernels verify`: hold the kernels to the lock file, or each of them to its meaning on this device."""

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
    arguments.add("kernels", nargs="*", metavar="KERNEL", help="with --device: only these, by file (all)")
    arguments.add("--device", action="store_true", help="run every variant here, and compare with the f64 reference")
    arguments.add("--adapter", metavar="NAME", help="part of the name of the GPU to take")
    add_shared(arguments)


def run(options: Namespace) -> int:
    """Print what does not hold; exit code 1 where something does not."""
    return _on_device(options) if options.device else _locked(options)


def _locked(options: Namespace) -> int:
    with told():
        from kernelpath.execute.lock import digests, verify_lock

        found, count = verify_lock(), len(digests())
    Console(options).report(found, {}, f"{count} kernels are as the lock file pins them\n")
    return 1 if found else 0


def _on_device(options: Namespace) -> int:
    console = Console(options)
    with told():
        from kernelpath.execute.device import open_device
        from kernelpath.execute.verify import table, verify

        checks = list(verify(open_device(options.adapter), options.kernels))
    console.write(table(checks))
    return 0 if checks and all(check.holds for check in checks) else 1
