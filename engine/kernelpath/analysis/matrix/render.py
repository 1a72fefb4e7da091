"""A matrix as text for people, as JSON, and as CSV with a line for each cell."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field
from typing import Any

from kernelpath.analysis.matrix.judging import FAILS, PASSES, UNJUDGED, Cell, Matrix
from kernelpath.diagnostics import Diagnostic
from kernelpath.diagnostics.render.printable import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

OK = "ok"
_NAMED = 8  # cells that a reason names
#: What CSV says of each cell beside its documents and what the question shows.
COLUMNS = ("verdict", "stage", "rule", "message", "place", "errors")


def as_json(matrix: Matrix) -> dict[str, Any]:
    """Return a matrix as plain JSON: its axes, its cells, and how many there are of each verdict."""
    return {
        "version": 1,
        "pack": matrix.pack,
        "question": matrix.question,
        "axes": {axis.name: [entry.label for entry in axis.entries] for axis in matrix.axes},
        "cells": [_members(cell) for cell in matrix.cells],
        "summary": _summary(matrix),
    }


def _members(cell: Cell) -> dict[str, Any]:
    members: dict[str, Any] = {"documents": dict(cell.labels), "verdict": cell.verdict.says}
    if cell.stopped is not None:
        members |= {"stage": stage_of(cell.stopped), "errors": [found.to_dict() for found in cell.verdict.errors]}
    shown = {name: value for name, value in cell.verdict.shown.items() if value is not None}
    return members | ({"shows": shown} if shown else {})


def _summary(matrix: Matrix) -> dict[str, int]:
    counts = {"passes": PASSES, "fails": FAILS, "notJudged": UNJUDGED}
    counted = {name: matrix.count(says) for name, says in counts.items()}
    return {"cells": len(matrix.cells), **counted, "asked": matrix.asked}


def as_csv(matrix: Matrix) -> str:
    """Return a line for each cell, below a line of headings; what stops a cell is its first error."""
    shown = _shown_names(matrix)
    names = [axis.name for axis in matrix.axes]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*names, *COLUMNS, *shown])
    for cell in matrix.cells:
        found = cell.stopped
        told = (stage_of(found), found.rule, found.message, place_of(found)) if found else ("", "", "", "")
        values = [shown_text(cell.verdict.shown.get(name)) for name in shown]
        labels = [cell.labels[name] for name in names]
        writer.writerow([*labels, cell.verdict.says, *told, len(cell.verdict.errors), *values])
    return text.getvalue()


def as_text(matrix: Matrix, quiet: bool = False) -> str:
    """Return a grid of the cells, with the last axis across, and below it each reason for which cells do not pass."""
    across = matrix.axes[-1]
    wide = len(across.entries) > 1 and len(matrix.axes) > 1
    reasons = _reasons(matrix)
    lines: list[str] = []
    if not quiet:
        lines += _grid(matrix, reasons, wide)
        if wide:
            lines += ["", *(f"{number}  {entry.label}" for number, entry in enumerate(across.entries, 1))]
    for reason in reasons.values():
        lines += ["", *_told(reason, matrix)]
    lines += ["", _counted(matrix)] if lines else [_counted(matrix)]
    return "".join(printable(line) + "\n" for line in lines)


@dataclass(slots=True)
class _Reason:
    """Why some cells do not pass: one error, and what the question shows beside it."""

    sign: str
    found: Diagnostic
    shown: tuple[tuple[str, str], ...]
    cells: list[Cell] = field(default_factory=list)


def _reasons(matrix: Matrix) -> dict[tuple[object, ...], _Reason]:
    reasons: dict[tuple[object, ...], _Reason] = {}
    for cell in matrix.cells:
        if cell.stopped is not None:
            key = _reason_key(cell)
            if key not in reasons:
                reasons[key] = _Reason(sign(len(reasons)), cell.stopped, _shown(cell))
            reasons[key].cells.append(cell)
    return reasons


def _reason_key(cell: Cell) -> tuple[object, ...]:
    found = cell.stopped
    assert found is not None
    return (found.rule, found.message, str(found.span or ""), _shown(cell))


def _shown(cell: Cell) -> tuple[tuple[str, str], ...]:
    shown = cell.verdict.shown.items()
    return tuple((name, text) for name, value in shown if (text := shown_text(value)))


def sign(number: int) -> str:
    """Return the letters that stand for a reason in the grid.

    >>> sign(0), sign(25), sign(26)
    ('a', 'z', 'aa')
    """
    letters = chr(ord("a") + number % 26)
    return letters if number < 26 else sign(number // 26 - 1) + letters


def _grid(matrix: Matrix, reasons: dict[tuple[object, ...], _Reason], wide: bool) -> Iterator[str]:
    width = len(matrix.axes[-1].entries) if wide else 1
    signs = [OK if cell.stopped is None else reasons[_reason_key(cell)].sign for cell in matrix.cells]
    head = [str(number) for number in range(1, width + 1)] if wide else []
    told = [axis.name for axis in matrix.axes[: len(matrix.axes) - wide]]
    told = [name for name in told if name == matrix.axes[0].name or _varies(matrix, name)]
    rows = [
        [" ".join(matrix.cells[start].labels[name] for name in told), *signs[start : start + width]]
        for start in range(0, len(signs), width)
    ]
    yield from _aligned([["", *head], *rows] if wide else rows)


def _varies(matrix: Matrix, name: str) -> bool:
    return any(axis.name == name and len(axis.entries) > 1 for axis in matrix.axes)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _told(reason: _Reason, matrix: Matrix) -> Iterator[str]:
    found = reason.found
    yield f"{reason.sign}  {found.rule}: {found.message}"
    place = place_of(found)
    if place:
        yield f"   at {place}"
    if found.help:
        yield f"   help: {found.help}"
    yield from (f"   {name}: {value}" for name, value in reason.shown)
    yield f"   {_counted_cells(reason.cells)}: {_named(reason.cells, matrix)}"


def _counted_cells(cells: Sequence[Cell]) -> str:
    return f"{len(cells)} cell{'' if len(cells) == 1 else 's'}"


def _named(cells: Sequence[Cell], matrix: Matrix) -> str:
    """Return the cells in words, those that differ in the last axis alone together."""
    grouped: dict[str, list[str]] = {}
    varied = [axis.name for axis in matrix.axes[1:-1] if len(axis.entries) > 1]
    for cell in cells:
        first, last = matrix.axes[0].name, matrix.axes[-1].name
        words = " ".join(cell.labels[name] for name in (first, *varied))
        grouped.setdefault(words, []).append(cell.labels[last] if last != first else "")
    told = [f"{words} on {', '.join(labels)}" if labels[0] else words for words, labels in grouped.items()]
    more = len(told) - _NAMED
    return "; ".join(told[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _counted(matrix: Matrix) -> str:
    counts = ((PASSES, "pass"), (FAILS, "fail"), (UNJUDGED, UNJUDGED))
    parts = [f"{matrix.count(says)} {word}" for says, word in counts if matrix.count(says) or says != UNJUDGED]
    return f"{_counted_cells(matrix.cells)} of question `{matrix.question}`: {', '.join(parts)}"


def stage_of(found: Diagnostic) -> str:
    """Return the stage of the rule that found something: what stands before its name."""
    parts = found.rule.split("/")
    return parts[-2] if len(parts) > 1 else ""


def place_of(found: Diagnostic) -> str:
    """Return where something was found: a place in a file, else a pointer into a document, empty for neither."""
    if found.span is not None:
        return str(found.span)
    return f"{found.document or ''}#{found.pointer}" if found.pointer is not None else ""


def shown_text(value: Any) -> str:
    """Return a value that a question shows as text: a list of texts with commas, anything else than text as JSON.

    >>> shown_text(["a", "b"]), shown_text({"a": 1}), shown_text(None)
    ('a, b', '{"a": 1}', '')
    """
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return value if isinstance(value, str) else json.dumps(value)


def _shown_names(matrix: Matrix) -> list[str]:
    return list(dict.fromkeys(_names(cell.verdict.shown for cell in matrix.cells)))


def _names(shown: Iterable[Any]) -> Iterator[str]:
    for each in shown:
        yield from each
