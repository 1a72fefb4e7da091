"""Text edits that take an entry out of a YAML file, and the applying of edits.

An edit is the members of a span and the `text` that takes its place. Where an edit would lose a comment, or leave text
that is no YAML, there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kernelpath.diagnostics import Source
from kernelpath.packs import documents
from kernelpath.packs.documents import Node, Scalar

Edit = Mapping[str, object]


def replacement(node: Node, start: int, end: int, text: str = "") -> Edit:
    """Return the edit that puts a text in place of a stretch of a node's file."""
    return {**node.source.span(start, end).to_dict(), "text": text}


def removal(root: Node, path: Sequence[str | int], *, alone: bool = True) -> list[Edit]:
    """Return the edit that takes the entry at a path out, none where that is not safe.

    An entry that is alone takes the mapping or list that holds it along, unless not `alone`.
    """
    parents = [root]
    for step in path:
        parents.append(_child(parents[-1], step))
    parent = parents[-2]
    assert not isinstance(parent, Scalar)
    if len(parent) == 1:
        return removal(root, path[:-1]) if alone and len(path) > 1 else []
    stretch = _stretch(parent, _place(parent, path[-1]))
    return [replacement(root, *stretch)] if stretch else []


def _child(node: Node, step: str | int) -> Node:
    return documents.node_at(node, [step])


def _place(parent: documents.Mapping | documents.Sequence, step: str | int) -> int:
    return parent.keys().index(str(step)) if isinstance(parent, documents.Mapping) else int(step)


def _stretch(parent: documents.Mapping | documents.Sequence, place: int) -> tuple[int, int] | None:
    bounds = _bounds(parent)
    text = parent.source.text
    if text[parent.start : parent.start + 1] in ("{", "["):
        start = bounds[place][0] if place + 1 < len(bounds) else bounds[place - 1][1]
        end = bounds[place + 1][0] if place + 1 < len(bounds) else bounds[place][1]
    else:
        start, end = bounds[place]
        first, after = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        after = len(text) if after < 0 else after
        if text[first:start].strip(" ") or text[end:after].strip(" \r") or _comment_above(text, first):
            return None
        start, end = first, min(after + 1, len(text))
    return None if "#" in text[start:end] else (start, end)


def _bounds(parent: documents.Mapping | documents.Sequence) -> list[tuple[int, int]]:
    """Return where each entry starts and ends; an item of a block starts at its dash."""
    if isinstance(parent, documents.Mapping):
        return [(key.start, value.end) for key, value in parent.entries]
    if parent.source.text[parent.start] == "[":
        return [(item.start, item.end) for item in parent.items]
    return [(parent.source.text.rfind("-", 0, item.start), item.end) for item in parent.items]


def _comment_above(text: str, line_start: int) -> bool:
    above = text[:line_start].rstrip("\r\n")
    return above[above.rfind("\n") + 1 :].lstrip().startswith("#")


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits made that do not overlap."""
    source = Source("", text)
    for start, end, new in sorted((_offsets(source, edit) for edit in edits), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _offsets(source: Source, edit: Mapping[str, Any]) -> tuple[int, int, str]:
    start = source.offset(edit["line"], edit["column"])
    return start, source.offset(edit["endLine"], edit["endColumn"]), str(edit["text"])
