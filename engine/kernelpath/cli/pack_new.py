"""`kernelpath pack new`: begin a rule, with a test that fails until both are written."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.inputs import unusable
from kernelpath.cli.judging import refused
from kernelpath.cli.options import add_shared
from kernelpath.packs.files import PackErrors, pack_folder, shown_path
from kernelpath.resources import installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments

_KINDS = ("check", "resolve", "table", "transition")


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    add = arguments.add
    add("rule", metavar="PACK/STAGE/RULE", help="the new rule; STAGE/RULE is one of the pack that --pack says")
    add("--kind", default="check", choices=_KINDS, help="what the rule is (check)")
    add(
        "--gives", metavar="VARIABLE", help="what a resolve or a table gives; the first that no rule gives, if left out"
    )
    add_shared(arguments, formats=("text",))


def run(options: Namespace) -> int:
    """Write the files of a new rule, and say where they are."""
    from kernelpath.analysis.scaffold import scaffold, write_files

    console = Console(options)
    parts = options.rule.rsplit("/", 2)
    pack = parts[0] if len(parts) > 2 else options.pack
    try:
        folder = pack_folder(pack)
        _refuse_installed(folder)
        files = scaffold(folder, "/".join(parts[-2:]), options.kind, options.gives)
    except PackErrors as errors:
        raise refused(errors) from None
    try:
        write_files(files)
    except OSError as error:
        raise unusable("cli/output", f"`{shown_path(files[0].path)}` cannot be written", error) from None
    told = "".join(f"wrote {shown_path(file.path)}\n" for file in files)
    console.write(
        "" if console.quiet else f"{told}now write them: `kernelpath pack test {pack} -k {parts[-1]}` fails\n"
    )
    return 0


def _refuse_installed(folder: Path) -> None:
    """Refuse to write into a pack that came with an installed kernelpath: the next installation would lose the rule."""
    data = installed()
    if data is not None and folder.is_relative_to(data):
        name = folder.name
        help_text = f"begin a pack of your own: a folder with a `pack.yaml` that says `extends: {name}`"
        raise unusable("cli/usage", f"pack `{name}` belongs to the installed kernelpath", help_text=help_text)
