"""A column of a table, or a field of a value, that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.edits import removal
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.usage import Usage
from kernelpath.packs import documents


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each column and each field of a value that no expression reads, unless its record is used as a whole."""
    usage = Usage(pack)
    for section, what in (("items", "table"), ("values", "value")):
        for key, node in pack.section(section):
            fields = node.get("fields") if isinstance(node, documents.Mapping) else None
            record = _record(pack, section, key.text)
            if not isinstance(fields, documents.Mapping) or record is None or record in usage.handed_on:
                continue
            for field, _ in fields.entries:
                if (record, field.text) not in usage.fields_read:
                    edits = removal(pack.layer.root, (section, key.text, "fields", field.text), alone=False)
                    message = f"nothing reads column `{field.text}` of {what} `{key.text}`"
                    yield Finding(message, field.span, edits=edits, fix="take it out")


def _record(pack: LintedPack, section: str, name: str) -> str | None:
    """Return the record type that the columns make."""
    if section == "items":
        return pack.pack.items[name].record
    return str(pack.pack.values[name].type)


LINT = Lint(
    code="unused-column",
    summary="a column of a table, or a field of a value, is read by an expression",
    why="a column is computed for every row, and it suggests that a rule depends on it",
    bad="""
        # pack.yaml
        items:
          shelves: {of: boxes, as: shelf, fields: {deep: box.size > 5, dark: box.lid}}
        questions:
          look: {answer: '[s.deep for s in shelves]'}
        """,
    good="""
        # pack.yaml
        items:
          shelves: {of: boxes, as: shelf, fields: {deep: box.size > 5, dark: box.lid}}
        questions:
          look: {answer: '[s.deep and s.dark for s in shelves]'}
        """,
    find=find,
    fixed="takes the column out",
)
