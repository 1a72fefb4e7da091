"""`kernelpath compile`: what a manifest compiles to."""

from __future__ import annotations

from kernelpath.cli.check import once_only
from kernelpath.cli.console import Console
from kernelpath.cli.inputs import InputErrors, unusable
from kernelpath.cli.judging import Judge
from kernelpath.cli.options import MANIFEST_HELP, add_request, add_shared, whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.cli.arguments import Arguments


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("file", metavar="FILE", help=MANIFEST_HELP)
    add_request(arguments)
    arguments.add("--part", metavar="POINTER", help="print only what a JSON pointer leads to")
    add_plan(arguments)
    add_shared(arguments)


def run(options: Namespace) -> int:
    """Print the compiled graph as JSON; where there is none, say why on standard error."""
    once_only([options.file, options.runtime])
    console = Console(options)
    judge = Judge.of(options)
    judged = judge.judge(options.file)
    sources = judge.sources([judged.manifest])
    if not judged.ok:
        console.refuse(judged.diagnostics, sources, judge.account([judged], judged.diagnostics, console.format))
        return 1
    if judged.diagnostics and console.is_text and not console.quiet:
        console.refuse(judged.diagnostics, sources)
    value = judged.value
    if options.plan:
        from kernelpath.cli.planning import planned

        value, found = planned(options, judged)
        if found:
            console.refuse(found, sources)
            return 1
    from kernelpath.cli.values import json_text

    console.write(json_text(value if options.part is None else _part(value, options.part)))
    return 0


def add_plan(arguments: Arguments) -> None:
    """Add the options that lower the kernel path to a dispatch plan."""
    add = arguments.group("dispatch plan").add
    add("--plan", action="store_true", help="print what a device is given: buffers, bindings, uniforms, workgroups")
    add("--model", metavar="MODEL", help="take the architecture from this model; else the manifest describes it")
    limits_help = "hold the plan to these limits: `gpu`, an ordinary device, `webgpu`, the least, or a JSON file (gpu)"
    add("--limits", metavar="LIMITS", help=limits_help)
    add("--capacity", type=whole_number, default=0, metavar="N", help="positions that the cache has room for (context)")


def _part(value: Any, pointer: str) -> Any:
    """Return what a JSON pointer leads to; raises InputErrors where it leads nowhere."""
    from kernelpath.graph.locate import tokens

    if pointer and not pointer.startswith("/"):
        raise unusable("cli/usage", f"`{pointer}` is no JSON pointer", help_text="it begins with `/`: `/policies`")
    for token in tokens(pointer):
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, (list, tuple)) and token.isdecimal() and int(token) < len(value):
            value = value[int(token)]
        else:
            raise _leads_nowhere(value, token)
    return value


def _leads_nowhere(value: Any, token: str) -> InputErrors:
    from kernelpath.diagnostics import did_you_mean

    known = list(value) if isinstance(value, dict) else []
    near = did_you_mean(token, known)
    names = f"members there are {', '.join(known)}" if known else None
    return unusable("cli/usage", f"there is no `{token}`", help_text=f"did you mean `{near}`?" if near else names)
