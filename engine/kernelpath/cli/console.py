"""Where a command's output goes: standard output or a file, in the format that was asked for."""

from __future__ import annotations

import sys

from kernelpath.cli.streams import harmless, put, say, takes_colour

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import SimpleNamespace as Namespace
    from typing import TextIO

    from kernelpath.diagnostics import Diagnostic, Source
    from kernelpath.diagnostics.account import Account


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

    @property
    def is_for_people(self) -> bool:
        """Whether findings are for people: they are in text, and where a format has no place for findings."""
        return self.format in ("text", "csv")

    def write(self, text: str) -> None:
        """Write text to where output goes; raises InputErrors where that cannot be written."""
        self._put(harmless(text, self.format))

    def _put(self, text: str) -> None:
        if self.output is None:
            put(text, sys.stdout)
            return
        from kernelpath.cli.saving import save

        save(self.output, text.encode("utf-8", "backslashreplace"))

    def pass_on(self, text: str) -> None:
        """Write a JSON document to standard output, byte for byte as it would be in a file; raises InputErrors.

        On a terminal it has JSON's escapes for what a terminal would act on.
        """
        if sys.stdout is None:
            from kernelpath.cli.inputs import unusable

            raise unusable("cli/output", "standard output is closed")
        put(harmless(text, "json") if sys.stdout.isatty() else text, sys.stdout, exactly=True)

    def error(self, text: str) -> None:
        """Write text to standard error."""
        say(text, sys.stderr)

    def report(
        self,
        diagnostics: Sequence[Diagnostic],
        sources: Mapping[str, Source],
        clean: str = "",
        account: Account | None = None,
    ) -> None:
        """Write findings; where there is nothing to show, people read `clean`."""
        shown = self._shown(diagnostics, sources, sys.stdout, account)
        self._put(shown + ("" if self.quiet or not self.is_text else harmless(clean)))

    def _shown(
        self,
        diagnostics: Sequence[Diagnostic],
        sources: Mapping[str, Source],
        stream: TextIO | None,
        account: Account | None = None,
    ) -> str:
        """Return findings, and what there is to say besides them; of all that is shown they alone may have colours."""
        if self.is_for_people and not diagnostics:
            return ""
        if self.is_for_people and self.quiet:
            return "".join(_line(diagnostic) for diagnostic in diagnostics)
        if not self.is_for_people:
            return harmless(self._rendered(diagnostics, sources, account), self.format)
        from kernelpath.diagnostics.render import render

        colour = self.output is None and takes_colour(stream)
        return render("text", diagnostics, sources, colour=colour, account=account)

    def _rendered(
        self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source], account: Account | None
    ) -> str:
        """Return findings as tools read them."""
        from kernelpath.diagnostics.render import render

        settings: dict[str, object] = {"account": account}
        if self.format == "sarif":
            from importlib.metadata import version

            settings["tool_version"] = version("kernelpath")
        return render(self.format, diagnostics, sources, **settings)

    def refuse(
        self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source], account: Account | None = None
    ) -> None:
        """Tell what kept the command from its work: people read it on standard error, tools where they look for it."""
        if self.is_for_people:
            put(self._shown(diagnostics, sources, sys.stderr, account), sys.stderr)
        else:
            self._put(self._shown(diagnostics, sources, sys.stdout, account))

    def warn(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Write on standard error what people should know besides the command's result."""
        if not diagnostics:
            return
        if self.quiet or not self.is_text:
            self.error("".join(_line(diagnostic) for diagnostic in diagnostics))
        else:
            put(self._shown(diagnostics, {}, sys.stderr), sys.stderr)


def _line(diagnostic: Diagnostic) -> str:
    """Return a finding in one line, as editors and grep like it."""
    from kernelpath.diagnostics.render.printable import printable

    place = str(diagnostic.span) if diagnostic.span else diagnostic.document or "-"
    return printable(f"{place}: {diagnostic.severity}[{diagnostic.rule}]: {diagnostic.message}") + "\n"
