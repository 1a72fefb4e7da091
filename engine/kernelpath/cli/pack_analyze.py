"""`kernelpath pack analyze`: dead, shadowed, contradictory and incomplete rules, each with a witness."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.options import PACKS_HELP, add_shared
from kernelpath.cli.packs import named_packs, pack_with_rules
from kernelpath.cli.placing import pack_sources
from kernelpath.diagnostics.account import Account, RuleText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.analysis.analyze.analysis import Analysis
    from kernelpath.cli.arguments import Arguments

FORMATS = ("text", "json", "markdown", "sarif", "junit", "github")


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("packs", nargs="*", metavar="PACK", help=PACKS_HELP)
    arguments.add("--switches", action="store_true", help="also list the settings that switch a rule off")
    add_shared(arguments, formats=FORMATS, pack=None)


def run(options: Namespace) -> int:
    """Print what the analysis of each pack finds; exit code 1 where one finds something."""
    from kernelpath.analysis.analyze import analyze

    console = Console(options)
    analyses = [analyze(pack_with_rules(name)) for name in named_packs(options.packs, options.pack)]
    if console.format in ("sarif", "junit", "github"):
        _report(console, analyses)
    else:
        console.write(_text(analyses, console.format, options.switches))
    return 0 if all(analysis.ok for analysis in analyses) else 1


def _text(analyses: list[Analysis], format: str, switches: bool) -> str:
    """Return analyses one below the other; as JSON, several of them are a list."""
    from kernelpath.analysis.analyze.render import render_json, render_markdown, render_text, to_dict
    from kernelpath.cli.values import json_text

    if format == "json":
        return render_json(analyses[0]) if len(analyses) == 1 else json_text([to_dict(each) for each in analyses])
    if format == "markdown":
        return "".join(render_markdown(each) for each in analyses)
    return "".join(render_text(each, switches=switches) for each in analyses)


def _report(console: Console, analyses: list[Analysis]) -> None:
    """Write the findings as diagnostics, at the places of their rules."""
    from kernelpath.analysis.analyze.findings import KINDS
    from kernelpath.analysis.analyze.render import diagnostics

    found = [each for analysis in analyses for each in diagnostics(analysis)]
    texts = {f"analyze/{kind}": RuleText(meaning) for kind, meaning in KINDS.items()}
    account = Account(tuple(analysis.pack for analysis in analyses if analysis.ok), rules=texts)
    console.report(found, pack_sources(found), account=account)
