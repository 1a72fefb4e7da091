"""Write moves into the text of a manifest, and nothing else of it: its layout stays as its author has it."""

from __future__ import annotations

import json

from kernelpath.analysis.fixing.moves import REMOVED, edited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kernelpath.analysis.fixing.moves import Move
    from kernelpath.cli.inputs import Manifest
    from kernelpath.diagnostics import Span

Edit = tuple[int, int, str]


def written(manifest: Manifest, moves: Sequence[Move]) -> str:
    """Return the manifest's text after the moves."""
    text = manifest.document.source.text
    for start, end, new in sorted(_edits(manifest, moves), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def difference(manifest: Manifest, moves: Sequence[Move]) -> str:
    """Return what the moves change in the manifest's text, as a unified diff."""
    from difflib import unified_diff

    source = manifest.document.source
    lines = unified_diff(
        source.text.splitlines(), written(manifest, moves).splitlines(), source.name, source.name, lineterm=""
    )
    return "".join(f"{line}\n" for line in lines)


def _edits(manifest: Manifest, moves: Sequence[Move]) -> list[Edit]:
    steps = manifest.inference["execution"]["steps"]
    places = {step["id"]: place for place, step in enumerate(steps) if isinstance(step, dict) and "id" in step}
    after = {step["id"]: step for step in edited(steps, moves) if isinstance(step, dict) and "id" in step}
    edits: list[Edit] = []
    members: set[tuple[str, str]] = set()
    for move in moves:
        pointer = f"{manifest.prefix}/execution/steps/{places[move.anchor]}"
        if move.add is not None:
            continue
        if (move.anchor, move.path[0]) not in members:  # several moves may meet in one member, which is written once
            members.add((move.anchor, move.path[0]))
            edits.append(_member(manifest, pointer, move, after[move.anchor]))
    return edits + _added(manifest, places, edited(steps, moves))


def _literal(value: Any) -> str:
    """Return a value as JSON in which only what no text in UTF-8 can have is escaped: half of a surrogate pair."""
    return "".join(
        f"\\u{ord(character):04x}" if "\ud800" <= character <= "\udfff" else character
        for character in json.dumps(value, ensure_ascii=False)
    )


def _offsets(manifest: Manifest, span: Span) -> tuple[int, int]:
    source = manifest.document.source
    return source.offset(span.line, span.column), source.offset(span.end_line, span.end_column)


def _member(manifest: Manifest, pointer: str, move: Move, step: Any) -> Edit:
    """Return the edit that gives a step's member its new value, adds it, or takes it away."""
    name = move.path[0]
    start, end = _offsets(manifest, manifest.document.locate(pointer))
    text = manifest.document.source.text
    if name not in json.loads(text[start:end]):
        return start + 1, start + 1, f"{_gap(text, start + 1)}{_literal(name)}: {_literal(step[name])},"
    value_start, value_end = _offsets(manifest, manifest.document.locate(f"{pointer}/{name}"))
    if name in step and not (len(move.path) == 1 and move.value is REMOVED):
        return value_start, value_end, _literal(step[name])
    return _without(text, _offsets(manifest, manifest.document.key_span(f"{pointer}/{name}"))[0], value_end)


def _without(text: str, start: int, end: int) -> Edit:
    """Return the edit that takes a member away, and one of the commas beside it."""
    following = end + len(text[end:]) - len(text[end:].lstrip())
    if text[following : following + 1] == ",":
        after = following + 1
        return start, after + len(text[after:]) - len(text[after:].lstrip()), ""
    before = len(text[:start].rstrip())
    return (before - 1 if text[before - 1 : before] == "," else before), end, ""


def _gap(text: str, start: int) -> str:
    """Return the white space that follows a brace, to set a new member off as its neighbours are."""
    rest = text[start:]
    return rest[: len(rest) - len(rest.lstrip())]


def _added(manifest: Manifest, places: dict[str, int], graph: Sequence[Any]) -> list[Edit]:
    """Return an edit for each added step, set before the step that follows it, indented as that one is."""
    edits: list[Edit] = []
    waiting: list[Any] = []
    text = manifest.document.source.text
    for step in graph:
        identity = step.get("id") if isinstance(step, dict) else None
        if isinstance(step, dict) and identity not in places:
            waiting.append(step)
            continue
        if waiting and identity is not None:
            start, _ = _offsets(
                manifest, manifest.document.locate(f"{manifest.prefix}/execution/steps/{places[identity]}")
            )
            gap = text[len(text[:start].rstrip()) : start]
            new = "".join(f"{_literal(one)},{gap or ' '}" for one in waiting)
            edits.append((start, start, new))
            waiting = []
    return edits
