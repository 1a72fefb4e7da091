"""A difference as text, JSON and Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kernelpath.analysis.difference.changes import CellChange, Declared, Difference, DocumentChange, RuleChange

_MOST_SHOWN = 5
_MOST_VALUES = 8


def render_json(difference: Difference) -> str:
    """Return a difference as a JSON document."""
    return json.dumps(difference.to_dict(), ensure_ascii=False, indent=2) + "\n"


def render_text(difference: Difference) -> str:
    """Return a difference for a terminal."""
    lines = [line for change in difference.rules for line in _rule(change)]
    lines += [line for change in difference.declared for line in _declared(change)]
    lines += [line for change in difference.changed_documents for line in _document(change)]
    return "\n".join([*lines, *([""] if lines else []), *summary(difference)]) + "\n"


def summary(difference: Difference) -> list[str]:
    """Return what changes, in one line each."""
    names = {status: _names(difference, status) for status in ("added", "removed", "changed")}
    counts = ", ".join(f"{len(found)} {status}" for status, found in names.items())
    cells = sum(change.changed_cells for change in difference.rules)
    lines = [f"{difference.old} -> {difference.new}: rules {counts}; {_cells(cells)} with another outcome"]
    if difference.documents:
        lines.append(f"{len(difference.changed_documents)} of {difference.documents} documents fare otherwise")
    return lines


def _names(difference: Difference, status: str) -> list[str]:
    return list(dict.fromkeys(f"{c.stage}/{c.name}" for c in difference.rules if c.status == status))


def _title(change: RuleChange) -> str:
    member = f", member `{change.member}`" if change.member else ""
    return f"{change.status} {change.kind} {change.stage}/{change.name}{member}"


def _rule(change: RuleChange) -> Iterator[str]:
    counted = f": {change.changed_cells:,} of {change.cells:,} cells" if change.cells is not None else ""
    yield f"{_title(change)}{counted}"
    if change.severity:
        yield f"  severity: {change.severity[0]} -> {change.severity[1]}"
    for cell in change.changes[:_MOST_SHOWN]:
        yield f"  {_cell(cell)}"
        if cell.witness is not None:
            yield f"    such as {shown(cell.witness)}"
    if len(change.changes) > _MOST_SHOWN:
        rest = change.changes[_MOST_SHOWN:]
        yield f"  and {_cells(sum(cell.count for cell in rest))} in {len(rest)} more ways"
    if change.texts:
        yield f"  written otherwise: {', '.join(change.texts)}"
    yield from (f"  note: {note}" for note in change.notes)


def _cell(change: CellChange) -> str:
    return f"{_cells(change.count)}: {change.before} -> {change.after}"


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count:,} cells"


def shown(value: Any) -> str:
    """Return a value on one line."""
    return json.dumps(value, ensure_ascii=False)


def _declared(change: Declared) -> Iterator[str]:
    yield f"{change.status} in {change.section}: {change.name}"
    yield from (f"  {detail}" for detail in change.details)


def _document(change: DocumentChange) -> Iterator[str]:
    verdict = f"{change.before} -> {change.after}" if change.before != change.after else f"still {change.after}"
    yield f"{change.document}: {verdict}"
    yield from (f"  {rule} reports" for rule in change.reported)
    yield from (f"  {rule} reports no longer" for rule in change.cleared)
    yield from (f"  {pointer}: {shown(one)} -> {shown(two)}" for pointer, one, two in change.values[:_MOST_VALUES])
    if len(change.values) > _MOST_VALUES:
        yield f"  and {len(change.values) - _MOST_VALUES} more values"


def render_markdown(difference: Difference) -> str:
    """Return a difference for a pull request."""
    first, *rest = summary(difference)
    lines = [f"### {first}", "", *rest, *([""] if rest else [])]
    if difference.rules:
        lines += ["| rule | what | cells | such as |", "| --- | --- | --- | --- |"]
        lines += [row for change in difference.rules for row in _rows(change)]
        lines.append("")
    if difference.declared:
        lines += [f"- `{c.name}` in {c.section}: {c.status}" for c in difference.declared]
        lines.append("")
    if difference.changed_documents:
        lines += ["| document | verdict | values | rules |", "| --- | --- | --- | --- |"]
        lines += [_document_row(change) for change in difference.changed_documents]
        lines.append("")
    return "\n".join(lines)


def _rows(change: RuleChange) -> Iterator[str]:
    """Yield the rows of a rule: one for each way in which it changes, or one that says what else is new."""
    name = f"`{change.stage}/{change.name}`" + (f" `{change.member}`" if change.member else "")
    severity = [f"severity {change.severity[0]} -> {change.severity[1]}"] if change.severity else []
    other = "; ".join([change.status, *severity, *change.texts, *change.notes])
    if not change.changes:
        yield f"| {name} | {_escaped(other)} | | |"
    for cell in change.changes:
        witness = f"`{shown(cell.witness)}`" if cell.witness is not None else ""
        what = f"{other}: {cell.before} -> {cell.after}"
        yield f"| {name} | {_escaped(what)} | {cell.count:,} of {change.cells:,} | {_escaped(witness)} |"


def _document_row(change: DocumentChange) -> str:
    rules = ", ".join([*(f"+`{rule}`" for rule in change.reported), *(f"-`{rule}`" for rule in change.cleared)])
    verdict = f"{change.before} -> {change.after}" if change.before != change.after else change.after
    return f"| `{change.document}` | {verdict} | {len(change.values)} | {rules} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
