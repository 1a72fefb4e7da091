"""Diagnostics as GitHub workflow commands, which the host turns into annotations on the changed lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernelpath.diagnostics.account import Account
from kernelpath.diagnostics.diagnostic import Diagnostic
from kernelpath.diagnostics.render.paths import shortest
from kernelpath.diagnostics.render.printable import printable
from kernelpath.diagnostics.source import STANDARD_INPUT, Source

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(
    diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source] | None = None, *, account: Account | None = None
) -> str:
    """Return one command a line; user text is escaped, so that it can neither end a command nor start one."""
    lines = [_annotation(diagnostic) for diagnostic in diagnostics]
    lines += [f"::notice title=not-asked::{_data(one.message)}" for one in (account.not_asked if account else ())]
    return "".join(line + "\n" for line in lines)


def _annotation(diagnostic: Diagnostic) -> str:
    properties = [*_place(diagnostic), ("title", diagnostic.rule)]
    listed = ",".join(f"{name}={_property(str(value))}" for name, value in properties)
    return f"::{_COMMANDS.get(diagnostic.severity, 'error')} {listed}::{_data(_message(diagnostic))}"


def _place(diagnostic: Diagnostic) -> list[tuple[str, object]]:
    span = diagnostic.span
    if span is None or span.file == STANDARD_INPUT:
        return []
    place: list[tuple[str, object]] = [("file", shortest(span.file)), ("line", span.line), ("endLine", span.end_line)]
    if span.line == span.end_line:  # the host takes columns only for annotations on one line
        place += [("col", span.column), ("endColumn", span.end_column)]
    return place


def _message(diagnostic: Diagnostic) -> str:
    lines = [diagnostic.message]
    lines += [f"{name} = {value}" for name, value in diagnostic.values]
    if diagnostic.help:
        lines.append(f"help: {diagnostic.help}")
    return "\n".join(lines)


def _data(text: str) -> str:
    shown = "\n".join(printable(line) for line in text.replace("\r\n", "\n").split("\n"))
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
