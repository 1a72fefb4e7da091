"""`kernelpath demo`: manifests of two generations, which may run and may not, and what kernelpath says of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path

from kernelpath.cli.inputs import unusable
from kernelpath.cli.options import add_shared
from kernelpath.cli.streams import say
from kernelpath.files.writing import write_new_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments

MANIFESTS = ("passes.json", "fails.json", "graph.json")
TOUR = (
    ("A manifest that may run.", "check passes.json", 0),
    ("Why a dtype is what it is, back to whoever said so.", "explain passes.json widen.inputDtype", 0),
    (
        "What it compiles to; here the part that says which kernels run in each layer of a decode.",
        "compile passes.json --part /runtimeInferencePatch/kernelPath/decode",
        24,
    ),
    ("A manifest that is wrong in three ways: each is told once, where it is.", "check fails.json", 0),
    ("What a rule is for.", "explain flow/read-dtype-mismatch", 0),
)
#: Of a manifest of the generation that is shipped today, judged by the pack that recognises it.
DEVICES = (
    "Where a graph loads, and what stops it elsewhere: the row of the capability table, the kernel, the feature.",
    "matrix graph.json --device apple-m3-max --device adreno-7xx",
)
NEXT = """\
What to try next
  kernelpath demo --copy-to FOLDER         the manifests as files of yours, to change and check
  kernelpath check MANIFEST --runtime F    your own manifest, under an overlay or a runtime config
  kernelpath matrix MANIFEST               on which devices a manifest loads
  kernelpath pack show                     all rules, stage by stage
  kernelpath pack show RULE --python       a rule as the Python that runs
  kernelpath kernels list                  the kernels that manifests may name
"""


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("--copy-to", metavar="FOLDER", help="copy the manifests there, and do nothing else")
    add_shared(arguments, formats=("text",))


def run(options: Namespace) -> int:
    """Show the tour, each command with its real output; one that cannot do its work ends it with its exit code."""
    if options.copy_to is not None:
        return _copy(Path(options.copy_to))
    options.pack, options.catalog = _absolute(options.pack), _absolute(options.catalog)
    _refuse_no_folder()
    with chdir(Path(__file__).parent):
        for about, command, most in TOUR:
            code = _show(about, command, most, ["--pack", options.pack, "--catalog", options.catalog])
            if code not in (0, 1):
                return code
        _show(*DEVICES, 0, [])
    say(NEXT, sys.stdout)
    return 0


def _refuse_no_folder() -> None:
    """Refuse to leave a working folder that cannot be come back to: it was removed meanwhile, or may not be entered."""
    try:
        os.getcwd()
    except OSError as error:
        raise unusable("cli/input", "the working folder cannot be read", error) from None


def _absolute(name: str) -> str:
    """Return a path that means the same in every folder; the name of something shipped stays as it is."""
    return os.path.abspath(name) if os.path.exists(name) else name


def _show(about: str, command: str, most: int, shared: list[str]) -> int:
    """Run a command, show its output, of a long one the first lines, and return its exit code."""
    from kernelpath.cli.running import run as run_command

    say(f"{about}\n\n$ kernelpath {command}\n", sys.stdout)
    words = [*command.split(" "), *shared]
    if not most:
        code = run_command(words)
        say("\n", sys.stdout)
        return code
    with _captured() as output:
        code = run_command(words)
    lines = output.getvalue().splitlines(keepends=True)
    say("".join(lines[:most]), sys.stdout)
    say(f"... ({len(lines) - most} more lines)\n\n" if len(lines) > most else "\n", sys.stdout)
    return code


@contextmanager
def _captured() -> Iterator[StringIO]:
    output = StringIO()
    with redirect_stdout(output):
        yield output


def _copy(folder: Path) -> int:
    """Copy the manifests into a folder, over nothing that is there."""
    contents = {folder / name: (Path(__file__).parent / name).read_bytes() for name in MANIFESTS}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_new_files(contents)
    except FileExistsError as error:
        message = f"`{error.filename}` is there already"
        raise unusable("cli/output", message, help_text="name another folder") from None
    except OSError as error:
        raise unusable("cli/output", f"`{os.fspath(folder)}` cannot be written", error) from None
    say("".join(f"{path}\n" for path in contents), sys.stdout)
    return 0
