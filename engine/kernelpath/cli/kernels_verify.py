"""`kernelpath kernels verify`: hold the kernels to the lock file, or each of them to its meaning on this device."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.executing import told
from kernelpath.cli.inputs import unusable
from kernelpath.cli.options import add_shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.cli.arguments import Arguments
    from kernelpath.diagnostics import Diagnostic
    from kernelpath.execute.verify import Check


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("kernels", nargs="*", metavar="KERNEL", help="with --device: those whose `file#entry` has it (all)")
    arguments.add("--device", action="store_true", help="run every variant here, and compare with the f64 reference")
    arguments.add("--adapter", metavar="NAME", help="part of the name of the GPU to take")
    add_shared(arguments)


def run(options: Namespace) -> int:
    """Print what does not hold; exit code 1 where something does not."""
    if options.device:
        return _on_device(options)
    if options.kernels or options.adapter:
        raise unusable("cli/usage", "kernels are chosen for a device", help_text="add `--device`")
    return _locked(options)


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

        _refuse_unknown(options.kernels)
        device = open_device(options.adapter)
        checks = list(_watched(verify(device, options.kernels), options))
    if all(check.skipped for check in checks):
        why = checks[0].skipped if checks else "no case fits these kernels"
        raise unusable("cli/nothing", f"no kernel was run: {why}")
    if console.is_text:
        console.write(f"{device.name}\n{table(checks)}\n")
    elif console.format == "json":
        _write_json(console, device.name, checks)
    else:
        console.report(_findings(checks), {})
    return 0 if all(check.holds for check in checks) else 1


def _refuse_unknown(wanted: list[str]) -> None:
    """Refuse a text that is in no kernel's name: what it means was not verified, whatever the others give."""
    from kernelpath.emit.plan.families import load_families
    from kernelpath.execute.verify import checkable

    names = [variant.name for variant in checkable(load_families())]
    for text in wanted:
        if not any(text in name for name in names):
            raise unusable("cli/usage", f"no kernel has `{text}` in its name")


def _watched(checks: Iterable[Check], options: Namespace) -> Iterator[Check]:
    """Yield checks as they are done, and move a bar on with each kernel."""
    from kernelpath.cli.progress import Progress
    from kernelpath.emit.plan.families import load_families
    from kernelpath.execute.verify import checkable

    wanted = [each.name for each in checkable(load_families())]
    if options.kernels:
        wanted = [name for name in wanted if any(text in name for text in options.kernels)]
    progress, current = Progress("kernels", len(set(wanted)), options.quiet), ""
    for check in checks:
        if check.kernel != current:
            progress.add(1 if current else 0)
            current = check.kernel
        yield check
    progress.close()


def _write_json(console: Console, device: str, checks: list[Check]) -> None:
    from kernelpath.cli.values import json_text

    console.write(json_text({"device": device, "checks": [_members(check) for check in checks]}))


def _members(check: Check) -> dict[str, Any]:
    known = ("kernel", "case", "worst", "failures", "note", "skipped")
    return {"holds": check.holds} | {name: getattr(check, name) for name in known}


def _findings(checks: list[Check]) -> list[Diagnostic]:
    from kernelpath.diagnostics import ERROR, Diagnostic

    return [
        Diagnostic(
            "kernels/device/meaning",
            (),
            ERROR,
            f"kernel `{check.kernel}` {check.note or f'has {check.failures} values outside its tolerance'}",
            subject=check.kernel,
            values=(("case", check.case), ("worst", f"{check.worst:.2f} of tolerance")),
        )
        for check in checks
        if not check.holds
    ]
