"""Where a command's output goes: standard output or a file, in the format that was asked for."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import SimpleNamespace as Namespace
    from typing import TextIO

    from kernelpath.diagnostics import Diagnostic, Source


class Console:
    """Writes what a command has to say, as its options ask."""

    def __init__(self, options: Namespace) -> None:
        self.format: str = options.format
        self.output: str | None = options.output
        self.quiet: bool = options.quiet
        self.verbose: bool = options.verbose

    @property
    def is_text(self) -> bool:
        """Whether the output is for people."""
        return self.format == "text"

    def write(self, text: str) -> None:
        """Write text to where output goes; raises InputErrors where that cannot be written."""
        if self.output is None:
            _print(text, sys.stdout)
            return
        from kernelpath.cli.saving import save

        save(self.output, text.encode("utf-8", "backslashreplace"))

    def pass_on(self, text: str) -> None:
        """Write a document to standard output, byte for byte as it would be in a file; raises InputErrors."""
        if sys.stdout is None:
            from kernelpath.cli.inputs import unusable

            raise unusable("cli/output", "standard output is closed")
        _print(text, sys.stdout, exactly=True)

    def error(self, text: str) -> None:
        """Write text to standard error."""
        _print(text, sys.stderr)

    def report(self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source], clean: str = "") -> None:
        """Write findings; where there is nothing to show, people read `clean`."""
        self.write(self.shown(diagnostics, sources, sys.stdout) + ("" if self.quiet or not self.is_text else clean))

    def shown(self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source], stream: TextIO | None) -> str:
        """Return findings in the format that was asked for."""
        if self.is_text and not diagnostics:
            return ""
        if self.is_text and self.quiet:
            return "".join(_line(diagnostic) for diagnostic in diagnostics)
        from kernelpath.diagnostics.render import render

        settings: dict[str, object] = {}
        if self.is_text:
            settings["colour"] = self.output is None and _takes_colour(stream)
        elif self.format == "sarif":
            from importlib.metadata import version

            settings["tool_version"] = version("kernelpath")
        return render(self.format, diagnostics, sources, **settings)

    def refuse(self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source]) -> None:
        """Tell what kept the command from its work: people read it on standard error, tools where they look for it."""
        if self.is_text:
            self.error(self.shown(diagnostics, sources, sys.stderr))
        else:
            self.write(self.shown(diagnostics, sources, sys.stdout))


    def warn(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Write on standard error what people should know besides the command's result."""
        if not diagnostics:
            return
        if self.quiet or not self.is_text:
            self.error("".join(_line(diagnostic) for diagnostic in diagnostics))
        else:
            self.error(self.shown(diagnostics, {}, sys.stderr))


def _line(diagnostic: Diagnostic) -> str:
    """Return a finding in one line, as editors and grep like it."""
    from kernelpath.diagnostics.render.printable import printable

    place = str(diagnostic.span) if diagnostic.span else diagnostic.document or "-"
    return printable(f"{place}: {diagnostic.severity}[{diagnostic.rule}]: {diagnostic.message}") + "\n"


def _print(text: str, stream: TextIO | None, exactly: bool = False) -> None:
    """Write to a stream that may be closed, may not take every character, or may have lost its reader."""
    if stream is None or not text:
        return
    try:
        if exactly and hasattr(stream, "buffer"):
            stream.flush()
            stream.buffer.write(text.encode())
        else:
            _write(text, stream)
        stream.flush()
    except BrokenPipeError:
        _abandon(stream)  # the reader has had enough
    except OSError as error:
        _abandon(stream)
        from kernelpath.cli.inputs import unusable

        raise unusable("cli/output", "the output cannot be written", error) from None


def _write(text: str, stream: TextIO) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def _abandon(stream: TextIO) -> None:
    """Let what is left in a stream's buffer go nowhere, so that the process ends quietly."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _takes_colour(stream: TextIO | None) -> bool:
    return (
        stream is not None and stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
