"""Run one command, and turn whatever happens into an exit code: 0 clean, 1 findings, 2 bad input, 3 our fault."""

from __future__ import annotations

import sys
from types import SimpleNamespace

from kernelpath.cli.commands import COMMANDS, groups, split
from kernelpath.cli.streams import finish, say, tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelpath.cli.inputs import InputErrors

CLEAN, FINDINGS, BAD_INPUT, OUR_FAULT = 0, 1, 2, 3
_PLAIN = {"format": "text", "output": None, "quiet": False, "verbose": False}  # where a command has no such options
INTERRUPTED = 130  # what shells report for a program that Ctrl-C ended


def run(words: list[str]) -> int:
    """Run the command that the words name and return its exit code."""
    return finish(_ended(words))


def _ended(words: list[str]) -> int:
    try:
        return _run(words)
    except SystemExit as ended:  # the parser's: help, or wrong usage that it has told
        return ended.code if isinstance(ended.code, int) else BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has had enough of it
        return CLEAN
    except Exception as error:
        return _fault(error, "-v" in words or "--verbose" in words)


def _run(words: list[str]) -> int:
    name, rest = split(words)
    if name is None:
        return _answered(words)
    from importlib import import_module

    from kernelpath.cli.arguments import Arguments

    module, summary = COMMANDS[name]
    command = import_module(f"kernelpath.cli.{module}")
    arguments = Arguments(name, summary)
    command.declare(arguments)
    from kernelpath.cli.inputs import InputErrors
    from kernelpath.packs.folders import PackErrors

    options = SimpleNamespace()
    try:
        options = arguments.parse(rest)
        return int(command.run(options))
    except InputErrors as errors:
        return _refused(options, errors)
    except PackErrors as errors:  # a pack that has not what the command asks for
        from kernelpath.cli.judging import refused

        return _refused(options, refused(errors))


def _refused(options: SimpleNamespace, errors: InputErrors) -> int:
    """Tell what kept the command from its work."""
    from contextlib import suppress

    from kernelpath.cli.console import Console
    from kernelpath.cli.inputs import InputErrors

    console = Console(SimpleNamespace(**{**_PLAIN, **vars(options)}))
    try:
        console.refuse(errors.diagnostics, errors.sources)
    except InputErrors as unwritable:
        console.format = "text"  # the file that tools would look into cannot be written: people are told of both
        with suppress(InputErrors):  # the exit code says the rest
            console.refuse([*errors.diagnostics, *unwritable.diagnostics], errors.sources)
    return BAD_INPUT


def _answered(words: list[str]) -> int:
    """Answer what names no command, and return the exit code; an answer that cannot be written is told."""
    from kernelpath.cli.inputs import InputErrors

    try:
        return _no_command(words)
    except InputErrors as errors:
        return _refused(SimpleNamespace(), errors)


def _no_command(words: list[str]) -> int:
    """Answer what names no command: a wish for help, for the version, or a mistake."""
    from kernelpath.cli import usage

    if words[:1] in (["-V"], ["--version"]):
        say(usage.version() + "\n", sys.stdout)
        return CLEAN
    if not words or words[0] in ("-h", "--help", "help"):
        say(usage.overview(), sys.stdout)
        return CLEAN if words else BAD_INPUT
    if words[0] in groups() and words[1:2] in ([], ["-h"], ["--help"]):
        say(usage.overview(words[0]), sys.stdout)
        return CLEAN if words[1:] else BAD_INPUT
    say(usage.unknown(words), sys.stderr)
    return BAD_INPUT


def _fault(error: Exception, verbose: bool) -> int:
    """Tell of a bug of ours: in one line, or with all that a report of it needs."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "an unknown place"
    what = f"{type(error).__name__}: {error}".split("\n")[0][:200]
    told = f"kernelpath: this is a bug of kernelpath, not of your files: {what} (at {place}); -v shows more\n"
    tell(told + ("".join(traceback.format_exception(error)) if verbose else ""))
    return OUR_FAULT
