"""The fewest edits that make a manifest pass, offered where one of its faults is, in the layout that the file has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kernelpath.analysis.fixing.fix import Fix, shown
from kernelpath.diagnostics import ERROR, Diagnostic
from kernelpath.lsp.features.actions import Action
from kernelpath.lsp.manifests.view import View
from kernelpath.lsp.symbols.occurrence import Edit
from kernelpath.lsp.texts.places import Places
from kernelpath.packs.documents import Mapping as MappingNode
from kernelpath.packs.documents import Node, Scalar, to_plain


def manifest_actions(view: View, findings: Sequence[Diagnostic], start: int, end: int) -> list[Action]:
    """Return the proven fix of a manifest's graph, where an error touches a stretch of it."""
    places = Places(view.document.source)
    touched = []
    for finding in findings:
        first, last = places.bounds(finding.span) if finding.span else (0, 0)
        if finding.severity == ERROR and first <= end and start <= last:
            touched.append(finding)
    found = view.judge.fix(view.document.source) if touched and view.nodes else None
    if found is None or not found.proven or not found.found.moves:
        return []
    left = len(found.found.open)
    aim = f"mend all but {left} error{'s' if left > 1 else ''}" if left else "make the graph pass"
    title = f"{aim}: " + "; ".join(shown(move) for move in found.found.moves)
    return [Action(title, tuple(_edits(view, found)), touched[0], preferred=True)]


def _edits(view: View, found: Fix) -> Iterator[Edit]:
    """Yield the edits that turn the items into those of the fixed graph: member by member, and whole added items."""
    identity = view.items.identity if view.items else None
    nodes = {name: node for node in view.nodes if (name := _name(node, identity)) is not None}
    waiting: list[Any] = []
    for step in found.graph:
        name = step.get(identity) if isinstance(step, dict) else None
        node = nodes.get(name) if isinstance(name, str) else None
        if node is None and isinstance(name, str):
            waiting.append(step)
        elif node is not None:
            yield from _added(view, waiting, node)
            yield from _members(view, node, step)
            waiting = []


def _name(node: Node, identity: str | None) -> str | None:
    scalar = node.get(identity) if isinstance(node, MappingNode) and identity else None
    return scalar.text if isinstance(scalar, Scalar) else None


def _added(view: View, steps: list[Any], before: Node) -> Iterator[Edit]:
    """Yield the edit that puts items before another one, set off as that one is."""
    text = view.document.source.text
    gap = text[len(text[: before.start].rstrip()) : before.start] or " "
    if steps:
        new = "".join(f"{json.dumps(step, ensure_ascii=False)},{gap}" for step in steps)
        yield Edit(view.document.path, before.start, before.start, new)


def _members(view: View, node: Node, step: Mapping[str, Any]) -> Iterator[Edit]:
    """Yield the edits that change, remove and add the members of an item."""
    assert isinstance(node, MappingNode)
    path, text = view.document.path, view.document.source.text
    for key, value in node.entries:
        if key.text not in step:
            yield Edit(path, *_stretch(text, key.start, value.end), "")
        elif to_plain(value) != step[key.text]:
            yield Edit(path, value.start, value.end, json.dumps(step[key.text], ensure_ascii=False))
    start = node.start + 1
    gap = text[start : start + len(text[start:]) - len(text[start:].lstrip())]
    for name, value in step.items():
        if name not in node:
            yield Edit(path, start, start, f"{gap}{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},")


def _stretch(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a member with the comma behind it and what follows that, or with the comma before it."""
    after = end + len(text[end:]) - len(text[end:].lstrip())
    if text[after : after + 1] == ",":
        after += 1
        return start, after + len(text[after:]) - len(text[after:].lstrip())
    before = len(text[:start].rstrip())
    return (before - 1 if text[before - 1 : before] == "," else before), end
