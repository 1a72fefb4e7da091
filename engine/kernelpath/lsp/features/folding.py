"""Which lines of a file can be folded away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kernelpath.diagnostics import Source
from kernelpath.lsp.workspace import MANIFEST, Document
from kernelpath.packs.documents import Mapping, Node, Scalar, Sequence


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines from 0: the first stays to be seen, the others up to the last are folded under it."""

    first: int
    last: int
    is_comment: bool = False


def folds(document: Document) -> list[Fold]:
    """Return the foldable stretches of a file: values over several lines under their keys, and blocks of comments."""
    found: dict[int, Fold] = {}
    closing = document.kind == MANIFEST
    for first, last in _stretches(document.root, document.source, closing) if document.root else ():
        if last > first:
            known = found.get(first)
            found[first] = Fold(first, max(last, known.last if known else 0))
    comments = _comments(document.source) if not closing else ()
    return sorted([*found.values(), *comments], key=lambda fold: (fold.first, fold.last))


def _stretches(node: Node, source: Source, closing: bool) -> Iterator[tuple[int, int]]:
    """Yield first and last lines of the values below a node; a closing bracket's own line is left to be seen."""
    children: list[tuple[int, Node]] = []
    if isinstance(node, Mapping):
        children = [(key.start, value) for key, value in node.entries]
    elif isinstance(node, Sequence):
        children = [(item.start, item) for item in node]
    for start, child in children:
        last = source.position(max(child.end, start))[0] - 1
        bracketed = not isinstance(child, Scalar) and source.text[child.end - 1 : child.end] in ("}", "]")
        yield source.position(start)[0] - 1, last - 1 if closing and bracketed else last
        yield from _stretches(child, source, closing)


def _comments(source: Source) -> Iterator[Fold]:
    """Yield stretches of at least two lines that are comments alone."""
    first = None
    for number in range(source.line_count() + 1):
        is_comment = number < source.line_count() and source.line(number + 1).lstrip().startswith("#")
        if is_comment and first is None:
            first = number
        elif not is_comment and first is not None:
            if number - first > 1:
                yield Fold(first, number - 1, is_comment=True)
            first = None
