"""Read recorded requests: lines of JSON in which equal parts are written once.

A line `{"part": n, "value": ...}` is a part, and `{"$part": n}` in a later line or part stands for its value. Every
other line is a request. What is wrong with a line is a `Fault`, and the other lines are read all the same.
"""

from __future__ import annotations

import gzip
import zlib
from functools import cached_property
from io import BytesIO

from kernelpath.graph.documents import MAX_DEPTH, read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernelpath.diagnostics import Diagnostic

#: The finding at a line that is not a request.
LINE = "replay/line"
#: The most bytes of a file of requests, and of what a compressed one unpacks to.
FILE_BYTES = 512_000_000
UNPACKED_BYTES = 2_000_000_000
#: The most parts and members of one request once its parts are put back: parts that hold parts grow without end.
MOST_PARTS = 5_000_000
_GZIP = b"\x1f\x8b"
_MARK = '"part"'


class Fault(Exception):
    """Why a line cannot be asked; `identity` is its id, or its number if it has none."""

    def __init__(self, identity: str, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.identity = identity
        self.diagnostic = diagnostic


class Request:
    """One request: its id, the question, and the members that it is asked with."""

    __slots__ = ("expect", "fn", "identity", "options")

    def __init__(self, identity: str, fn: str, options: dict[str, Any], expect: Any = None) -> None:
        self.identity = identity
        self.fn = fn
        self.options = options
        self.expect = expect


def content_of(data: bytes) -> bytes:
    """Return what a file has, unpacked if it is compressed by gzip; raises ValueError for one that is damaged."""
    if not data.startswith(_GZIP):
        return data
    try:
        with gzip.open(BytesIO(data)) as stream:
            unpacked = stream.read(UNPACKED_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"it is not whole as a gzip file: {str(error).lower()}") from None
    if len(unpacked) > UNPACKED_BYTES:
        raise ValueError(f"it unpacks to more than {UNPACKED_BYTES:,} bytes, the most that is read")
    return unpacked


class Requests:
    """The requests of a file's content, by their place among its lines that are not parts."""

    def __init__(self, content: bytes) -> None:
        self._lines = [(number, line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip()]

    @cached_property
    def _parts(self) -> dict[int, _Part]:
        """The parts by number: of lines that hold the text `"part"`, those that are parts."""
        mark = _MARK.encode()
        found: dict[int, _Part] = {}
        for number, line in self._lines:
            value = _part_of(line) if mark in line else None
            if value is not None:
                found.setdefault(value["part"], _Part(number, value.get("value")))
        return found

    @cached_property
    def _asked(self) -> list[tuple[int, bytes]]:
        numbers = {part.line for part in self._parts.values()}
        return [(number, line) for number, line in self._lines if number not in numbers]

    def __len__(self) -> int:
        return len(self._asked)

    def __getitem__(self, place: int) -> Request:
        """Return the request at a place; raises Fault for a line that holds none."""
        number, line = self._asked[place]
        named = f"line {number}"
        document = read_json(named, line)
        if not document.ok:
            raise _fault(named, f"line {number} cannot be read: {document.diagnostics[0].message}")
        value = document.value
        if not isinstance(value, dict):
            raise _fault(named, f"line {number} is not an object", "write an object with `id`, `fn` and `options`")
        identity = value["id"] if isinstance(value.get("id"), str) else named
        return self._request(number, identity, value)

    def _request(self, number: int, identity: str, value: dict[str, Any]) -> Request:
        for member, kind, words in (("id", str, "text"), ("fn", str, "text"), ("options", dict, "an object")):
            if not isinstance(value.get(member), kind):
                wrong = "is not " + words if member in value else "is missing"
                raise _fault(identity, f"`{member}` of line {number} {wrong}")
        options = self._put_back(number, identity, value["options"])
        if not isinstance(options, dict):
            raise _fault(identity, f"`options` of line {number} is not an object")
        expect = self._put_back(number, identity, value["expect"]) if "expect" in value else None
        return Request(identity, value["fn"], options, expect)

    def _put_back(self, number: int, identity: str, value: Any) -> Any:
        return _PuttingBack(self._parts, number, identity).value(value)


class _Part:
    """A part as it is written, and the line that it is on."""

    __slots__ = ("line", "written")

    def __init__(self, line: int, written: Any) -> None:
        self.line = line
        self.written = written


def _part_of(line: bytes) -> dict[str, Any] | None:
    """Return the object of a line that is a part, None for any other line."""
    value = read_json("part", line).value
    is_part = isinstance(value, dict) and type(value.get("part")) is int and "value" in value and "fn" not in value
    return value if is_part else None


class _PuttingBack:
    """Puts parts back where they stand for something; each place gets a value of its own."""

    def __init__(self, parts: dict[int, _Part], line: int, identity: str) -> None:
        self.parts = parts
        self.line = line
        self.identity = identity
        self.made = 0

    def value(self, written: Any, before: int | None = None, depth: int = 0) -> Any:
        """Return a value with its parts; a part may stand only for what a line before `before` has."""
        line = self.line if before is None else before
        if isinstance(written, list):
            self._grow(len(written), depth)
            return [self.value(item, line, depth + 1) for item in written]
        if not isinstance(written, dict):
            return written
        if len(written) == 1 and "$part" in written:
            part = self._part(written["$part"], line)
            return self.value(part.written, part.line, depth)
        self._grow(len(written), depth)
        return {key: self.value(item, line, depth + 1) for key, item in written.items()}

    def _part(self, number: Any, before: int) -> _Part:
        part = self.parts.get(number) if type(number) is int else None
        if part is None or part.line >= before:
            raise _fault(self.identity, f"line {self.line} needs part `{number}`, which no line before it has")
        return part

    def _grow(self, count: int, depth: int) -> None:
        self.made += count
        if self.made > MOST_PARTS:
            raise _fault(self.identity, f"line {self.line} has over {MOST_PARTS:,} members once its parts are put back")
        if depth >= MAX_DEPTH:
            raise _fault(self.identity, f"line {self.line} is nested over {MAX_DEPTH} levels deep")


def _fault(identity: str, message: str, help_text: str | None = None) -> Fault:
    from kernelpath.diagnostics import ERROR, Diagnostic

    return Fault(identity, Diagnostic(LINE, (), ERROR, message, help=help_text))
