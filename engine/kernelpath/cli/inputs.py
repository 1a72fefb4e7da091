"""Read the files that a user names. Every way in which that can fail is one diagnostic, and exit code 2."""

from __future__ import annotations

import os
import sys

from kernelpath.files.reading import JSON_BYTES, YAML_BYTES, read_named
from kernelpath.graph.documents import Document, read_json
from kernelpath.graph.pointers import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from kernelpath.diagnostics import Diagnostic, Source, Span
    from kernelpath.evaluate.recognising import Recognised

STANDARD_INPUT = "-"
NO_FILE = "<stdin>"  # as `diagnostics.source` has it, which a clean run does not load


class InputErrors(Exception):
    """What was given cannot be worked with; `diagnostics` say why, `sources` are the texts that they point into."""

    def __init__(self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source] | None = None) -> None:
        super().__init__("; ".join(diagnostic.message for diagnostic in diagnostics))
        self.diagnostics = tuple(diagnostics)
        self.sources = dict(sources or {})


class Given:
    """A file as a document of a pack: what was read, which document it is, and the value that is judged.

    `named` is the member that identifies the document, None if the pack names none.
    """

    def __init__(self, document: Document, what: Recognised, named: str | None = None) -> None:
        self.document = document
        self.what = what
        self.name = what.name
        self.value = what.value
        self.named = named

    def pointer(self, pointer: str) -> str:
        """Return a pointer into the whole document as one into the file, whose top stands for all that is not in it."""
        return self.what.inside(pointer) or ""

    def locate(self, pointer: str) -> Span:
        """Return where in the file a place of the whole document is."""
        return self.document.locate(self.pointer(pointer))

    def written(self, pointer: str) -> Any:
        """Return what the file has at a place of the whole document, None if it has nothing there."""
        value = self.document.value
        for name in tokens(self.pointer(pointer)):
            if isinstance(value, list):
                value = value[int(name)] if name.isdecimal() and int(name) < len(value) else None
            else:
                value = value.get(name) if isinstance(value, dict) else None
        return value

    def identity(self) -> str:
        """Return what the document is called: by the member that identifies it, else by its file."""
        name = self.document.value.get(self.named) if self.named and isinstance(self.document.value, dict) else None
        return name if isinstance(name, str) else self.document.source.name


def shown_name(name: str) -> str:
    """Return what messages call a file, so that standard input is told from a file that goes by its name."""
    if name == STANDARD_INPUT:
        return NO_FILE
    return f"./{name}" if name == NO_FILE else name


def read_document(name: str) -> Document:
    """Return the document in a file, or the JSON on standard input for `-`; raises InputErrors if there is none.

    A file whose name ends as a reader says is read by that, any other as JSON.
    """
    shown = shown_name(name)
    document = _by_reader(name, shown) or read_json(shown, read_bytes(name, JSON_BYTES))
    if not document.ok:
        raise InputErrors(document.diagnostics, {shown: document.source} if document.source.text else {})
    return document


def _by_reader(name: str, shown: str) -> Document | None:
    if name == STANDARD_INPUT or name.endswith(".json"):
        return None
    from kernelpath.graph.readers import MAX_BYTES, read_with, reader_of  # most files are JSON

    reader = reader_of(name)
    return read_with(reader, shown, read_bytes(name, MAX_BYTES)) if reader else None


def read_beside(name: str | None) -> Document | None:
    """Return the document in a file that is given beside another one, None for no name; raises InputErrors."""
    return None if name is None else read_document(name)


def read_text(name: str) -> Source:
    """Return the text in a file, or on standard input for `-`; raises InputErrors where it is none."""
    from kernelpath.diagnostics import Source

    shown = shown_name(name)
    try:
        return Source(shown, read_bytes(name, YAML_BYTES).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise unusable("cli/input", f"`{name}` is not text in UTF-8", error) from None


def read_bytes(name: str, limit: int) -> bytes:
    """Return the content of a file that a user names, or of standard input for `-`; raises InputErrors."""
    if name == STANDARD_INPUT:
        return standard_input(limit)
    try:
        return read_named(name, limit)
    except FileNotFoundError:
        raise _missing(name) from None
    except OSError as error:
        raise unusable("cli/input", f"`{name}` cannot be read", error) from None


def standard_input(limit: int) -> bytes:
    """Return what standard input has, at most `limit` bytes; raises InputErrors where it has more or cannot be read."""
    if sys.stdin is None:
        raise unusable("cli/input", "standard input is closed")
    try:
        content = sys.stdin.buffer.read(limit + 1)
    except OSError as error:
        raise unusable("cli/input", "standard input cannot be read", error) from None
    if len(content) > limit:
        raise unusable("cli/input", f"standard input has more than {limit:,} bytes, the most that is read")
    return content


def _missing(name: str) -> InputErrors:
    from kernelpath.diagnostics import did_you_mean

    folder = os.path.dirname(name) or "."
    try:
        beside = os.listdir(folder)[:1000]
    except OSError:
        return unusable("cli/input", f"there is no file `{name}`")
    near = did_you_mean(os.path.basename(name), beside)
    meant = os.path.join(os.path.dirname(name), near) if near else None
    return unusable("cli/input", f"there is no file `{name}`", help_text=f"did you mean `{meant}`?" if meant else None)


def unusable(rule: str, message: str, error: Exception | None = None, help_text: str | None = None) -> InputErrors:
    """Return the error for something that cannot be used, with what the system says about it."""
    from kernelpath.diagnostics import ERROR, Diagnostic

    if error is not None:
        message += f": {(getattr(error, 'strerror', None) or str(error)).lower()}"
    return InputErrors([Diagnostic(rule, (), ERROR, message, help=help_text)])


def misfit(document: Document, message: str, help_text: str | None = None, pointer: str = "") -> InputErrors:
    """Return the error for a document that is not what was expected, at a place in it."""
    from kernelpath.diagnostics import ERROR, Diagnostic

    span = document.locate(pointer)
    found = Diagnostic("cli/document", (), ERROR, message, pointer=pointer, span=span, help=help_text)
    return InputErrors([found], {document.source.name: document.source} if document.source.text else {})
