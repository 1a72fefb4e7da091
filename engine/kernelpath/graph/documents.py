"""Users' JSON files: read fast, with every fault told at its place, and places found on demand.

What is read is JSON (RFC 8259) in UTF-8, with or without a byte order mark. A number too large for a double, such as
`1e400`, is read as infinity. Lone surrogates in escapes are kept. Of equal keys in one object the last counts, with
a warning.
"""

from __future__ import annotations

import json

from kernelpath.diagnostics.source import BYTE_ORDER_MARK, Source
from kernelpath.files.reading import JSON_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kernelpath.diagnostics import Diagnostic, Span

__all__ = ["MAX_BYTES", "MAX_DEPTH", "Document", "json_kind", "read_json"]

MAX_BYTES = JSON_BYTES
MAX_DEPTH = 200
#: The most characters of a text with a mistake that are read strictly, token by token, to say what was meant.
MAX_SLOW = 20_000_000


class Document:
    """A JSON document: its value, None where it cannot be read, and what there is to say about it."""

    __slots__ = ("_locator", "diagnostics", "source", "value")

    def __init__(self, value: Any, diagnostics: tuple[Diagnostic, ...], source: Source) -> None:
        self.value = value
        self.diagnostics = diagnostics
        self.source = source
        self._locator: list[Any] = []

    @property
    def ok(self) -> bool:
        """Whether the document could be read; it may still have warnings."""
        return all(diagnostic.severity != "error" for diagnostic in self.diagnostics)

    def locate(self, pointer: str) -> Span:
        """Return where a JSON pointer's value is, or the innermost value on the way to it that exists."""
        return self._find("value_span", pointer)

    def key_span(self, pointer: str) -> Span:
        """Return where the key that a pointer ends in is written; a list's item has its value's span."""
        return self._find("key_span", pointer)

    def _find(self, kind: str, pointer: str) -> Span:
        if not self.ok:
            return self.source.span(0, 0)
        if not self._locator:
            from kernelpath.graph.locate import Locator  # a clean document needs no places

            self._locator.append(Locator(self.source))
        span: Span = getattr(self._locator[0], kind)(pointer)
        return span


def read_json(source_name: str, data: bytes | str) -> Document:
    """Return a document read from a file's bytes, or from text; never raises for what is in it."""
    size = len(data)
    if size > MAX_BYTES:
        from kernelpath.graph import json_wording as wording

        empty = Source(source_name, "")
        return _refused(empty, wording.TOO_LARGE.told(empty.span(0, 0), limit=MAX_BYTES // 1_000_000))
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _not_utf8(source_name, error)
    return _read(Source(source_name, text.removeprefix(BYTE_ORDER_MARK)))


def _read(source: Source) -> Document:
    watch = _Watch()
    try:
        value = json.loads(source.text, object_pairs_hook=watch.members, parse_constant=watch.constant)
    except (ValueError, RecursionError) as error:
        if len(source.text) > MAX_SLOW and isinstance(error, json.JSONDecodeError):
            return _long_fault(source, error)
        return _faulty(source)
    if watch.saw_constant or _is_deep(source.text, value):
        return _faulty(source)
    if not watch.saw_duplicate:
        return Document(value, (), source)
    from kernelpath.graph.json_duplicates import duplicates  # seldom needed

    return Document(value, tuple(duplicates(source)), source)


class _Watch:
    """Notes, while the standard reader runs, what it lets pass."""

    def __init__(self) -> None:
        self.saw_constant = False
        self.saw_duplicate = False
        self.members = self._members()

    def _members(self) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
        def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            made = dict(pairs)
            if len(made) != len(pairs):
                self.saw_duplicate = True
            return made

        return members

    def constant(self, name: str) -> None:
        """Note a `NaN` or `Infinity`, which the standard reader takes for numbers."""
        self.saw_constant = True


def _is_deep(text: str, value: Any) -> bool:
    """Whether the value is nested over `MAX_DEPTH` levels deep; most texts have too few brackets to ask."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    level, depth = [value] if isinstance(value, dict | list) else [], 0
    while level and depth <= MAX_DEPTH:
        depth += 1
        members = [item for item in level if type(item) is list] + [i.values() for i in level if type(i) is dict]
        level = [child for held in members for child in held if type(child) is dict or type(child) is list]
    return depth > MAX_DEPTH


def _long_fault(source: Source, error: json.JSONDecodeError) -> Document:
    """Return what is wrong with a text that would take long to read strictly: the place says it, not the words."""
    from kernelpath.diagnostics.render.printable import printable
    from kernelpath.graph import json_wording as wording

    found = printable(source.text[error.pos : error.pos + 1]) or "the end of the file"
    return _refused(source, wording.SYNTAX.told(source.span(error.pos, error.pos + 1), found=found))


def _faulty(source: Source) -> Document:
    from kernelpath.graph.json_faults import first_fault  # only a mistake pays for it

    fault = first_fault(source)
    if fault is None:
        raise AssertionError(f"{source.name}: the two JSON readers disagree")
    return _refused(source, fault)


def _refused(source: Source, diagnostic: Diagnostic) -> Document:
    return Document(None, (diagnostic,), source)


def _not_utf8(name: str, error: UnicodeDecodeError) -> Document:
    from kernelpath.graph import json_wording as wording

    data = bytes(error.object)
    source = Source(name, data.decode("utf-8", "replace").removeprefix(BYTE_ORDER_MARK))
    at = len(data[: error.start].decode("utf-8").removeprefix(BYTE_ORDER_MARK))
    found = f"0x{data[error.start]:02x}"
    return _refused(source, wording.ENCODING.told(source.span(at, at + 1), found=found))


def json_kind(value: Any) -> str:
    """Return what kind of JSON value something is, as one says it.

    >>> json_kind([1]), json_kind(None), json_kind(True)
    ('a list', 'null', 'true')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = ((list, "a list"), (str, "a string"), (dict, "an object"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "a number")
