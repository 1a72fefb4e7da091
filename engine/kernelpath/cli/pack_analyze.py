"""`kernelpath pack analyze`: dead, shadowed, contradictory and incomplete rules, each with a witness."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.options import PACKS_HELP, add_shared
from kernelpath.cli.packs import named_packs, pack_with_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments

FORMATS = ("text", "json", "markdown")


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("packs", nargs="*", metavar="PACK", help=PACKS_HELP)
    arguments.add("--switches", action="store_true", help="also list the settings that switch a rule off")
    add_shared(arguments, formats=FORMATS, pack=None)


def run(options: Namespace) -> int:
    """Print what the analysis of each pack finds; exit code 1 where one finds something."""
    from kernelpath.analysis.analyze import analyze
    from kernelpath.analysis.analyze.render import render_json, render_markdown, render_text

    console = Console(options)
    clean = True
    for name in named_packs(options.packs, options.pack):
        analysis = analyze(pack_with_rules(name))
        clean = clean and analysis.ok
        if options.format == "json":
            console.write(render_json(analysis))
        elif options.format == "markdown":
            console.write(render_markdown(analysis))
        else:
            console.write(render_text(analysis, switches=options.switches))
    return 0 if clean else 1
