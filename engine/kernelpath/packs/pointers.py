"""Where the rows of a table stand in their document, read off the expression of the table's list."""

from __future__ import annotations

from collections.abc import Mapping

from kernelpath.language.ast import Call, Expression, Member, Name
from kernelpath.packs import documents
from kernelpath.packs.documents import to_plain
from kernelpath.packs.model import Document, Items, Value

#: Built-ins that give the parts of what they are given, in place.
_PARTS = frozenset(("elements", "list", "object"))


def default_place(
    expression: Expression,
    node: documents.Mapping,
    values: Mapping[str, Value],
    tables: Mapping[str, Items],
    known: Mapping[str, Document],
) -> str | None:
    """Return the message template of a row's place, None if its list is not a part of a document.

    The list is one if it is a path from a document, from a value that is such a path, or from an outer table's row.
    """
    base = pointer_of(expression, values, tables, known)
    if base is None:
        return None
    last = node.get("key") or node.get("index")
    return f"{base}/{{{to_plain(last)}}}" if last is not None else base


def pointer_of(
    expression: Expression, values: Mapping[str, Value], tables: Mapping[str, Items], known: Mapping[str, Document]
) -> str | None:
    """Return `document#/pointer` of a path that leads into a document, None of any other expression."""
    if isinstance(expression, Member):
        owner = pointer_of(expression.object, values, tables, known)
        return None if owner is None else f"{owner}/{expression.name}"
    if isinstance(expression, Call) and expression.function in _PARTS:
        return pointer_of(expression.arguments[0], values, tables, known)
    if not isinstance(expression, Name):
        return None
    if expression.name in known:
        return f"{expression.name}#"
    value = values.get(expression.name)
    if value is not None and value.term is not None and value.when is None:
        return pointer_of(value.term.checked.expression, values, tables, known)
    row = next((table.scope.at for table in tables.values() if table.scope.item == expression.name), None)
    return row.text if row else None
