"""`kernelpath apply`: the runtime config that a manifest makes of another."""

from __future__ import annotations

from kernelpath.cli.check import once_only
from kernelpath.cli.console import Console
from kernelpath.cli.finding_packs import given, given_beside, pack_for, question_of
from kernelpath.cli.inputs import read_document
from kernelpath.cli.judging import Judge
from kernelpath.cli.options import RECOGNISING, add_layers, add_shared

QUESTION = "apply"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments
    from kernelpath.evaluate.compiled import CompiledPack


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("manifest", metavar="MANIFEST", help="a manifest; - for standard input")
    arguments.add("config", metavar="CONFIG", help="a runtime config")
    add_layers(arguments)
    add_shared(arguments, pack=RECOGNISING)


def run(options: Namespace) -> int:
    """Print the runtime config and the compiled graph as JSON, or say why there are none."""
    once_only([options.manifest, options.config])
    console = Console(options)
    judge = _judge(options)
    judged = judge.judge()
    if judged.diagnostics and (not judged.ok or (console.is_text and not console.quiet)):
        console.refuse(judged.diagnostics, judge.sources(), judge.account(judged, judged.diagnostics, console.format))
    if not judged.ok:
        return 1
    from kernelpath.cli.values import json_text

    console.write(json_text(judged.value))
    return 0


def _judge(options: Namespace) -> Judge:
    """Return the judge of a manifest beside a config, which need not look like one: the command says what it is."""
    document, config = read_document(options.manifest), read_document(options.config)
    pack = pack_for(options.pack, document)
    question = question_of(pack, QUESTION)
    first = given(pack, document, options.pack is not None)
    return Judge(options, pack, first, given_beside(pack, first, config, _others(pack, question, first.name)), question)


def _others(pack: CompiledPack, question: str, first: str) -> list[str]:
    """Return what the second file may be: what the question needs beside the first, else what it recognises."""
    asked, documents = pack.meta["questions"][question], pack.meta["documents"]
    needed = [name for name in asked["needed"] if name != first]
    return needed or [name for name in asked["given"] if name != first and documents[name]["recognise"]]
