"""YAML for rule authors: a tree in which every key and value knows its place in the file.

What is read is the part of YAML that has one meaning: JSON's values, block and flow style, all five scalar styles,
comments. Anchors, aliases, merge keys, tags, directives and second documents are refused, each in words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.diagnostics.render.printable import escape
from kernelpath.diagnostics.source import BYTE_ORDER_MARK
from kernelpath.files.reading import YAML_BYTES
from kernelpath.packs import yaml_wording as wording
from kernelpath.packs.composing import MAX_DEPTH, MAX_NODES, Composer, Stopped
from kernelpath.packs.nodes import Mapping, Node, Scalar, Sequence, node_at, to_plain
from kernelpath.packs.parser_errors import parser_error, stumbled
from kernelpath.packs.shortening import Shortened, shortened, whole

if TYPE_CHECKING:
    from yaml import MarkedYAMLError

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_NODES",
    "DocumentErrors",
    "Mapping",
    "Node",
    "Scalar",
    "Sequence",
    "node_at",
    "read_yaml",
    "to_plain",
]

MAX_BYTES = YAML_BYTES
#: The most characters of a text with a mistake that the slow parser reads as they are; it takes minutes for megabytes.
MAX_SLOW = 20_000

# YAML 1.1 takes some for line breaks and 1.2 does not, so that columns would depend on the reader. Others show nothing,
# or turn round what stands after them, so that a file would not be what it looks like; emoji need their joiner.
_BREAKS = "\x85\u2028\u2029\ufeff"
_UNSEEN = "\xad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufff9-\ufffb"
_FORBIDDEN = re.compile(f"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[{_BREAKS}{_UNSEEN}]")


class DocumentErrors(Exception):
    """A file that cannot be read, with the diagnostics that say why, in the order of the file."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("; ".join(f"{d.span}: {d.message}" for d in diagnostics))
        self.diagnostics = diagnostics


def read_yaml(source: Source, sharing: bool = False) -> Node:
    """Return the tree of a YAML document; raises DocumentErrors with everything that is wrong with it.

    A byte order mark at the start is passed over, and columns are counted without it. In a file that is `sharing`,
    anchors, aliases and merge keys are read.
    """
    if source.text.startswith(BYTE_ORDER_MARK):
        source = Source(source.name, source.text.removeprefix(BYTE_ORDER_MARK))
    _check_text(source)
    composer = _compose(source, sharing)
    if composer.mistakes:
        raise DocumentErrors(sorted(composer.mistakes, key=_place))
    if composer.root is None:
        raise DocumentErrors([wording.EMPTY.told(source.span(0, 0))])
    return composer.root


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    return (diagnostic.span.line, diagnostic.span.column) if diagnostic.span else (0, 0)


def _check_text(source: Source) -> None:
    size = len(source.text)
    if size > MAX_BYTES or (size * 4 > MAX_BYTES and len(source.text.encode("utf-8", "surrogatepass")) > MAX_BYTES):
        raise DocumentErrors([wording.TOO_LARGE.told(source.span(0, 0), limit=f"{MAX_BYTES:,}")])
    strange = _FORBIDDEN.search(source.text)
    if strange:
        span = source.span(strange.start(), strange.end())
        raise DocumentErrors([wording.CHARACTER.told(span, found=_escaped(strange.group()))])


def _escaped(character: str) -> str:
    shown = escape(character)
    return shown if shown != character else f"\\u{ord(character):04x}"


def _compose(source: Source, sharing: bool) -> Composer:
    """Read with the C parser where there is one; the pure-Python one has the last word on what is wrong."""
    import yaml  # a cached pack needs neither parser

    fast = getattr(yaml, "CSafeLoader", None)
    if fast is not None:
        composer = Composer(source, sharing)
        try:
            return _composed(composer, source.text, fast)
        except yaml.YAMLError as error:  # its messages differ from version to version: the other parser tells
            if len(source.text) > MAX_SLOW and not sharing and isinstance(error, yaml.MarkedYAMLError):
                composer.mistakes.extend(_long_errors(composer, error))
                return composer
    composer = Composer(source, sharing)
    try:
        _composed(composer, source.text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        composer.mistakes.append(parser_error(source, error, whole(source.text)))
    return composer


def _long_errors(composer: Composer, error: MarkedYAMLError) -> list[Diagnostic]:
    """Return what else is wrong with a long text, which the slow parser reads without what is whole.

    If it has no complaint either, the place is where the fast one stopped.
    """
    import yaml

    source = composer.source
    stopped = error.problem_mark.index if error.problem_mark else 0
    at_end = error.context == "while scanning a quoted scalar" and stopped >= len(source.text)
    unclosed = (error.context_mark.index + 1, stopped) if at_end and error.context_mark else None
    read = shortened(source.text, composer.open, unclosed)
    again = Composer(_Part(source, read))
    try:
        _composed(again, read.text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as slow:
        return [parser_error(source, slow, read)]
    known = {(found.rule, found.span) for found in composer.mistakes}
    return [found for found in again.mistakes if (found.rule, found.span) not in known] or [stumbled(source, stopped)]


class _Part(Source):
    """A text without some stretches, whose places are those of the whole."""

    __slots__ = ("read", "whole")

    def __init__(self, source: Source, read: Shortened) -> None:
        super().__init__(source.name, read.text)
        self.whole, self.read = source, read

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column in the whole text of an offset in the part."""
        return self.whole.position(self.read.origin(offset))


def _composed(composer: Composer, text: str, loader: Callable[[str], Any]) -> Composer:
    parser = loader(text)
    more, take, following = parser.check_event, composer.take, parser.get_event
    try:
        while more():
            take(following())
    except Stopped:
        pass  # why is among the mistakes
    finally:
        parser.dispose()
    return composer
