"""Records as Python: their classes, and the functions that read them item by item out of what a request holds."""

from __future__ import annotations

from kernelpath.language.interpreter import attribute
from kernelpath.packs.model import RecordShape, Scope
from kernelpath.packs.python_text import ExpressionWriter, Lines, local_name


def class_name(record: RecordShape) -> str:
    """Return the name of a record's class, which is never a word of Python or a name of the engine."""
    return f"Record_{record.name}"


def class_lines(record: RecordShape) -> list[str]:
    """Return the class of a record."""
    spelled = ", ".join(repr(attribute(field.name)) for field in record.fields)
    return [f"class {class_name(record)}:", f"    __slots__ = ({spelled},)", "", ""]


def reader_name(record: RecordShape) -> str:
    """Return the name of the function that reads a record."""
    return f"read_{record.name}"


def read_from_workspace(record: RecordShape, scope: Scope) -> set[str]:
    """Return what the fields of a record are made of, its scope's item and index left out."""
    names = {name for field in record.fields if field.value for name in field.value.checked.variables}
    return names - {name for name in (scope.item, scope.index) if name}


def reader_lines(record: RecordShape, scope: Scope, expressions: ExpressionWriter) -> list[str]:
    """Return the function that reads the records of all items; an item that failed before has None."""
    body = Lines()
    item = local_name(scope.item) if scope.item else "_item"
    body.add(f"def {reader_name(record)}(items, failed, ws):")
    with body.indented():
        for name in sorted(read_from_workspace(record, scope)):
            body.add(f"{local_name(name)} = ws[{name!r}]")
        body.add("records = []")
        body.add(f"for position, {item} in enumerate(items):")
        with body.indented():
            body.add("if position in failed:\n    records.append(None)\n    continue")
            if scope.index:
                body.add(f"{local_name(scope.index)} = position")
            body.add(f"_record = {class_name(record)}()")
            for field in record.fields:
                if field.value:
                    body.add(f"_record.{attribute(field.name)} = {expressions.write(field.value.checked, {})}")
            body.add("records.append(_record)")
        body.add("return records")
    return [*body.text, ""]
