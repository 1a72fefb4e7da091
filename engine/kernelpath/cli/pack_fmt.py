"""`kernelpath pack fmt`: canonical expressions, key order and layout of a pack's files."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.inputs import InputErrors
from kernelpath.cli.judging import refused
from kernelpath.cli.options import add_shared
from kernelpath.cli.packs import named_packs
from kernelpath.cli.placing import pack_sources
from kernelpath.cli.saving import rewrite
from kernelpath.diagnostics import ERROR, Diagnostic, Span
from kernelpath.diagnostics.account import Account, RuleText
from kernelpath.packs.documents import DocumentErrors
from kernelpath.packs.files import PackErrors, pack_folder, shown_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.analysis.formatting import Formatted
    from kernelpath.cli.arguments import Arguments


TEXTS = {"fmt/layout": RuleText("a pack's files are in their canonical form", "`kernelpath pack fmt` writes it")}


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    add = arguments.add
    add("paths", nargs="*", metavar="PACK", help="a pack, or a file of one; the working folder, if left out")
    choice = arguments.group().add
    choice("--check", action="store_true", help="write nothing, and fail if a file is not formatted")
    choice("--diff", action="store_true", help="write nothing, show what would change, and fail if anything would")
    add_shared(arguments, pack=None)


def run(options: Namespace) -> int:
    """Format every file, or say which are not formatted."""
    console = Console(options)
    try:
        found = [each for name in named_packs(options.paths, options.pack) for each in _formatted(name)]
    except PackErrors as errors:
        raise refused(errors) from None
    except DocumentErrors as errors:
        raise InputErrors(errors.diagnostics, pack_sources(errors.diagnostics)) from None
    changed = [each for each in found if each.changed]
    if options.diff:
        from kernelpath.analysis.formatting import difference

        console.write("".join(difference(each) for each in changed))
    elif options.check:
        faults = [_unformatted(each) for each in changed]
        account = Account(tuple(each.shown for each in found if not each.changed), rules=TEXTS)
        clean = "" if faults else f"all {len(found)} files are formatted\n"
        console.report(faults, pack_sources(faults), clean, account)
    else:
        _verify(changed)
        for each in changed:
            rewrite(each.path, each.before, each.after, each.shown)
        console.write("" if console.quiet else "".join(f"formatted {each.shown}\n" for each in changed))
    return 1 if changed and (options.diff or options.check) else 0


def _formatted(name: str) -> list[Formatted]:
    from pathlib import Path

    from kernelpath.analysis.formatting import format_pack
    from kernelpath.analysis.formatting.files import format_file

    path = Path(name)
    return [format_file(path.resolve())] if path.is_file() else format_pack(pack_folder(name))


def _verify(changed: list[Formatted]) -> None:
    """Refuse to write what would change what a pack does; raises InputErrors."""
    from kernelpath.analysis.keeping import behaviour
    from kernelpath.packs.folders import is_pack

    for folder in dict.fromkeys(parent for each in changed for parent in each.path.parents[:2] if is_pack(parent)):
        texts = {each.path: each.after for each in changed if each.path.is_relative_to(folder)}
        broken = behaviour(folder).broken_by(behaviour(folder, texts))
        if broken is not None:
            message = f"the files of `{shown_path(folder)}` are not formatted: then {broken}"
            raise InputErrors([Diagnostic("fmt/meaning", (), ERROR, message, help="nothing was written")], {})


def _unformatted(formatted: Formatted) -> Diagnostic:
    """Return the finding that a file is not formatted, at the first line that formatting changes."""
    before, after = formatted.before.splitlines(), formatted.after.splitlines()
    same = next((line for line, pair in enumerate(zip(before, after, strict=False), 1) if pair[0] != pair[1]), None)
    line = same or min(len(before), len(after)) + 1
    line = max(1, min(line, len(before)))
    span = Span(formatted.shown, line, 1, line, 1)
    return Diagnostic("fmt/layout", (), ERROR, "the file is not formatted", span=span, help="run `kernelpath pack fmt`")
