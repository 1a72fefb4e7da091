"""`kernelpath pack lint`: what reads badly in a pack, is for nothing, or has no test."""

from __future__ import annotations

from pathlib import Path

from kernelpath.cli.console import Console
from kernelpath.cli.inputs import unusable
from kernelpath.cli.judging import refused
from kernelpath.cli.options import PACKS_HELP, add_shared
from kernelpath.cli.packs import named_packs, pack_with_rules
from kernelpath.cli.placing import pack_sources
from kernelpath.diagnostics.account import Account, RuleText
from kernelpath.packs.files import PackErrors, pack_folder, shown_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments
    from kernelpath.diagnostics import Diagnostic


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    add = arguments.add
    add("packs", nargs="*", metavar="PACK", help=PACKS_HELP)
    add("--fix", action="store_true", help="put right what can be put right without changing what rules do")
    add_shared(arguments, pack=None)


def run(options: Namespace) -> int:
    """Lint every pack, and return 1 where one has findings."""
    console = Console(options)
    names = named_packs(options.packs, options.pack)
    try:
        by_name = {name: _lint(pack_folder(name), options.fix, console) for name in names}
    except PackErrors as errors:
        raise refused(errors) from None
    found = [finding for each in by_name.values() for finding in each]
    clean = [name for name, each in by_name.items() if not each]
    for name in clean:
        pack_with_rules(name)  # a pack without rules has nothing to be clean of
    account = None if console.is_text else Account(tuple(clean), rules=_texts())
    console.report(found, pack_sources(found), "" if found else "".join(f"{name}: clean\n" for name in clean), account)
    return 1 if found else 0


def _texts() -> dict[str, RuleText]:
    """Return what the lints say of themselves."""
    from kernelpath.analysis.lint.catalogue import LINTS

    return {lint.rule: RuleText(lint.summary, lint.why) for lint in LINTS}


def _lint(folder: Path, fix: bool, console: Console) -> list[Diagnostic]:
    from kernelpath.analysis.lint import fix_pack, lint

    if not fix:
        return lint(folder)
    try:
        found, changed = fix_pack(folder)
    except OSError as error:
        raise unusable("cli/output", f"`{shown_path(Path(error.filename))}` cannot be written", error) from None
    if not console.quiet:
        console.error("".join(f"fixed {shown_path(path)}\n" for path in changed))
    return found
