"""The rows of tables as Python: their records' classes, and the functions that make them.

A row with one part is that part; one with several is a tuple: the item, its key, the parts of the row that it stands
within, and its index there.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernelpath.language.interpreter import attribute
from kernelpath.packs.cells import RAW
from kernelpath.packs.model import Items, RecordShape, Scope, Value
from kernelpath.packs.python_text import ExpressionWriter, Lines, local_name


def class_name(record: str) -> str:
    """Return the name of a record's class, which is never a word of Python or a name of the engine."""
    return f"Record_{record}"


def class_lines(record: RecordShape) -> list[str]:
    """Return the class of a record."""
    spelled = ", ".join(repr(attribute(name)) for name in record.fields)
    return [f"class {class_name(record.name)}:", f"    __slots__ = ({spelled},)", "", ""]


def record_lines(name: str, value: Value, reads: Sequence[str], expressions: ExpressionWriter) -> list[str]:
    """Return the function that makes the record of a value with fields."""
    body = Lines()
    body.add(f"def {name}({', '.join(map(local_name, reads))}):")
    with body.indented():
        body.add(f"_record = {class_name(str(value.type))}()")
        for column in value.fields:
            body.add(f"_record.{attribute(column.name)} = {expressions.write(column.term.checked, {})}")
        body.add("return _record")
    return body.text


def target(scope: Scope, position: str = "position") -> str:
    """Return the target of a loop over the rows of a table that binds its variables."""
    parts = [local_name(name) for name in scope.row]
    row = parts[0] if len(parts) == 1 else f"({', '.join(parts)})" if parts else "_item"
    return f"{position}, {row}"


class RowsWriter:
    """Writes the functions that make a table's rows."""

    def __init__(self, table: Items, source: Items | None, outer: Items | None, expressions: ExpressionWriter) -> None:
        self.table = table
        self.source = source
        self.outer = outer
        self.expressions = expressions

    def listed(self, name: str) -> list[str]:
        """Return the function that lists the rows of a table as they are read: of a list, a map, or another's rows."""
        assert self.table.over is not None
        body = Lines()
        body.add(f"def {name}(outer, ws):")
        with body.indented():
            for variable in sorted(self.list_reads()):
                body.add(f"{local_name(variable)} = ws[{variable!r}]")
            if self.outer is None and len(self.table.scope.row) == 1:
                body.add(f"return listed({self.expressions.write(self.table.over.checked, {})})")  # the very list
                return [*body.text, ""]
            body.add("rows = []")
            if self.outer is None:
                self._rows(body)
            else:
                body.add(f"for {target(self.outer.scope)} in enumerate(outer):")
                with body.indented():
                    if self.outer.scope.index and not self.outer.scope.nested:
                        body.add(f"{local_name(self.outer.scope.index)} = position")
                    self._rows(body)
            body.add("return rows")
        return [*body.text, ""]

    def list_reads(self) -> set[str]:
        """Return the names outside the table that its list is made of."""
        assert self.table.over is not None
        own = self.outer.scope.own if self.outer else frozenset[str]()
        return set(self.table.over.checked.variables) - own

    def _rows(self, body: Lines) -> None:
        assert self.table.over is not None
        scope = self.table.scope
        listed = self.expressions.write(self.table.over.checked, {})
        rest = [local_name(name) for name in scope.row[1:]]
        keyed = self._keyed()
        index = local_name(scope.index) if scope.nested and scope.index else "__at"
        if keyed:
            body.add(f"for {index}, ({rest[0]}, __row) in enumerate(listed_entries({listed})):")
        else:
            body.add(f"for {index}, __row in enumerate(listed({listed})):")
        parts = ", ".join(["__row", *rest])
        body.add(f"    rows.append({parts if not rest else f'({parts})'})")

    def _keyed(self) -> bool:
        outer = len(self.outer.scope.own) if self.outer else 0
        return len(self.table.scope.row) > 1 + outer + (1 if self.table.scope.nested else 0)

    def column_reads(self) -> set[str]:
        """Return the names outside the table that its columns are made of."""
        names = {name for column in self.table.columns for name in column.term.checked.variables}
        return names - self._own()

    def _own(self) -> set[str]:
        if self.source is not None:
            return set(self.source.scope.own)
        return {RAW, *self.table.scope.row[1:], *([self.table.scope.index] if self.table.scope.index else [])}

    def made(self, name: str) -> list[str]:
        """Return the function that makes a record of each row; a row that failed before has None."""
        record = self.table.record
        assert record is not None
        body = Lines()
        body.add(f"def {name}(rows, failed, ws):")
        with body.indented():
            for variable in sorted(self.column_reads()):
                body.add(f"{local_name(variable)} = ws[{variable!r}]")
            body.add("records = []")
            body.add(f"for {self._target()} in enumerate(rows):")
            with body.indented():
                body.add("if position in failed:\n    records.append(None)\n    continue")
                self._index(body)
                body.add(f"_record = {class_name(record)}()")
                for column in self.table.columns:
                    text = self.expressions.write(column.term.checked, {})
                    body.add(f"_record.{attribute(column.name)} = {text}")
                body.add(f"records.append({self._result()})")
            body.add("return records")
        return [*body.text, ""]

    def _target(self) -> str:
        if self.source is not None:
            return target(self.source.scope)
        parts = [RAW, *map(local_name, self.table.scope.row[1:])]
        return f"position, {parts[0] if len(parts) == 1 else '(' + ', '.join(parts) + ')'}"

    def _index(self, body: Lines) -> None:
        scope = self.source.scope if self.source else self.table.scope
        if scope.index and not scope.nested:
            body.add(f"{local_name(scope.index)} = position")

    def _result(self) -> str:
        if self.source is not None or len(self.table.scope.row) == 1:
            return "_record"
        return f"(_record, {', '.join(map(local_name, self.table.scope.row[1:]))})"
