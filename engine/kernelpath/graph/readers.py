"""Readers turn other files than JSON into documents, with an origin for each place: what a person calls it.

A reader is found by the end of a file's name. Other projects add theirs by an entry point `kernelpath.readers`, whose
name is that end without the dot and whose value is a function from the file's bytes to `Read`.
"""

from __future__ import annotations

from importlib import import_module

from kernelpath.diagnostics.source import Source, Span
from kernelpath.graph.documents import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from kernelpath.diagnostics import Diagnostic

    Reader = Callable[[bytes], "Read"]

ENTRY_POINTS = "kernelpath.readers"
#: The readers of this package by the ends of names, and the function of each.
SHIPPED: dict[str, str] = {"onnx": "kernelpath.readers.onnx_models:read"}
#: The most bytes of a file that a reader is given.
MAX_BYTES = 2_000_000_000
FAULT = "document/unreadable"


class ReaderError(Exception):
    """A file that a reader cannot turn into a document, for a reason in words; `help` says how it could."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.help = help


class Read:
    """What a reader makes of a file: a document's value, and origins: what a person calls the place of a pointer.

    A place without an origin of its own has that of the innermost place around it.
    """

    __slots__ = ("origins", "value")

    def __init__(self, value: Any, origins: Mapping[str, str]) -> None:
        self.value = value
        self.origins = origins


class Origin(Span):
    """A place in a file that has no lines, by what a person calls it."""

    __slots__ = ("name",)

    def __init__(self, file: str, name: str) -> None:
        super().__init__(file, 1, 1, 1, 1)
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Origin) and (self.file, self.name) == (other.file, other.name)

    def __hash__(self) -> int:
        return hash((self.file, self.name))

    @property
    def short(self) -> str:
        """The place as people read it in a line."""
        return f"{self.file}: {self.name}" if self.name else self.file

    def to_dict(self) -> dict[str, object]:
        """Return the place as plain JSON: it has an origin beside the file."""
        return {**super().to_dict(), "origin": self.name}

    def __str__(self) -> str:
        return self.short


class ReadDocument(Document):
    """A document that a reader made, whose places are origins; `data` is what the file has."""

    __slots__ = ("data", "origins", "reader")

    def __init__(
        self, name: str, read: Read, reader: str, data: bytes, diagnostics: tuple[Diagnostic, ...] = ()
    ) -> None:
        super().__init__(read.value, diagnostics, Source(name, ""))
        self.origins = read.origins
        self.reader = reader
        self.data = data

    def written(self, value: Any) -> bytes:
        """Return the file with another value of the document; raises ReaderError if the reader cannot write it.

        A reader that can has a function `write(data, value)` beside its own.
        """
        write = getattr(import_module(self.reader.partition(":")[0]), "write", None)
        if write is None:
            raise ReaderError("the reader of this file does not write it")
        content: bytes = write(self.data, value)
        return content

    def locate(self, pointer: str) -> Span:
        """Return the origin of a pointer's value, or of the innermost value on the way to it that has one."""
        while pointer and pointer not in self.origins:
            pointer = pointer.rpartition("/")[0]
        return Origin(self.source.name, self.origins.get(pointer, ""))

    def key_span(self, pointer: str) -> Span:
        """Return the origin of a pointer's value: what has no text has no keys."""
        return self.locate(pointer)


def reader_of(name: str) -> str | None:
    """Return the function, as `module:name`, that reads files whose name ends as this one; None for JSON and others."""
    end = name.rpartition(".")[2].lower()
    if "." not in name or end == "json":
        return None
    if end in SHIPPED:
        return SHIPPED[end]
    from importlib.metadata import entry_points  # slow: only files of other kinds need it

    return next((point.value for point in entry_points(group=ENTRY_POINTS) if point.name.lower() == end), None)


def read_with(reader: str, name: str, data: bytes) -> Document:
    """Return the document that a reader makes of a file; what it cannot read is a diagnostic at the file."""
    module, _, function = reader.partition(":")
    try:
        made: Read = getattr(import_module(module), function)(data)
    except ReaderError as error:
        return _unreadable(name, reader, error.message, error.help)
    except ImportError as error:
        missing = (error.name or str(error)).partition(".")[0]
        help_text = f"pip install 'kernelpath[{missing}]' brings it"
        message = f"this file is read by the package `{missing}`, which is not installed"
        return _unreadable(name, reader, message, help_text)
    return ReadDocument(name, made, reader, data)


def _unreadable(name: str, reader: str, message: str, help_text: str | None) -> Document:
    from kernelpath.diagnostics import ERROR, Diagnostic

    found = Diagnostic(FAULT, (), ERROR, message, span=Origin(name, ""), help=help_text)
    return ReadDocument(name, Read(None, {}), reader, b"", (found,))
