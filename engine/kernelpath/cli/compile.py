"""`kernelpath compile`: what a manifest compiles to."""

from __future__ import annotations

from kernelpath.cli.check import once_only
from kernelpath.cli.console import Console
from kernelpath.cli.inputs import InputErrors, read_beside, unusable
from kernelpath.cli.judging import Judge
from kernelpath.cli.options import DOCUMENT_HELP, RECOGNISING, add_request, add_shared, whole_number
from kernelpath.execution_graph.answers import compiled_graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.cli.arguments import Arguments
    from kernelpath.cli.judging import Judged
    from kernelpath.cli.settings import Setting
    from kernelpath.diagnostics import Diagnostic


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("file", metavar="FILE", help=DOCUMENT_HELP)
    add_request(arguments)
    arguments.add("--part", metavar="POINTER", help="print only what a JSON pointer leads to")
    add_plan(arguments)
    add_shared(arguments, pack=RECOGNISING)


def run(options: Namespace) -> int:
    """Print the compiled graph as JSON; where there is none, say why on standard error.

    Under several settings the graph of each is an item of a list, null where there is none.
    """
    once_only([options.file, options.runtime])
    console = Console(options)
    judged = [judge.judge() for judge in Judge.each(options, options.file, read_beside(options.runtime))]
    values = [_value(options, one) for one in judged]
    found = [(each, one.setting) for one, (_, more) in zip(judged, values, strict=True) for each in more]
    ok = all(value is not None for value, _ in values)
    if found and (not ok or (console.is_text and not console.quiet)):
        _tell(console, judged, found)
    if not ok and len(judged) == 1:
        return 1
    from kernelpath.cli.values import json_text

    parts = [value if options.part is None or value is None else _part(value, options.part) for value, _ in values]
    listed = [{"with": one.setting.labels, "value": part} for one, part in zip(judged, parts, strict=True)]
    console.write(json_text(listed if len(judged) > 1 else parts[0]))
    return 0 if ok else 1


def _value(options: Namespace, judged: Judged) -> tuple[Any, list[Diagnostic]]:
    """Return what is printed of a judged manifest, None if there is nothing, and what there is to say about it."""
    if not judged.ok or not options.plan:
        return compiled_graph(judged.value) if judged.ok else None, judged.diagnostics
    from kernelpath.cli.planning import planned

    plans, found = planned(options, judged)
    return None if found else plans, [*judged.diagnostics, *found]


def _tell(console: Console, judged: list[Judged], found: list[tuple[Diagnostic, Setting]]) -> None:
    diagnostics = [each for each, _ in found]
    if len(judged) > 1:
        from kernelpath.cli.settings import told_apart

        diagnostics = told_apart(found)
    sources = {name: source for one in judged for name, source in one.judge.sources().items()}
    account = None
    if not all(one.ok for one in judged):
        from kernelpath.cli.accounts import account_of

        account = account_of(judged, diagnostics if console.format == "sarif" else ())
    console.refuse(diagnostics, sources, account)


def add_plan(arguments: Arguments) -> None:
    """Add the options that lower the kernel path to a dispatch plan."""
    add = arguments.group("dispatch plan").add
    add("--plan", action="store_true", help="print what a device is given: buffers, bindings, uniforms, workgroups")
    add("--model", metavar="MODEL", help="take the architecture from this model; else the manifest describes it")
    limits_help = (
        "hold the plan to a device of `devices list`, to `webgpu`, the least, `gpu`, an ordinary one, or a file (gpu)"
    )
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
