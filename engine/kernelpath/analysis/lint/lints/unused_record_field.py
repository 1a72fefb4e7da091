"""A record's field that is read from the input for nobody."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.edits import removal
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.usage import Usage
from kernelpath.packs import documents


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each field with an expression of its own that no expression reads.

    Fields without one are the engine's: they say what it gives, whether it is read or not.
    """
    usage = Usage(pack)
    for key, node in pack.section("records"):
        shape = pack.pack.records[key.text]
        assert isinstance(node, documents.Mapping)
        fields = node["fields"]
        assert isinstance(fields, documents.Mapping)
        if key.text in usage.handed_on:
            continue
        for field in shape.fields:
            if field.value is not None and (key.text, field.name) not in usage.fields_read:
                edits = removal(pack.layer.root, ("records", key.text, "fields", field.name), alone=False)
                message = f"nothing reads field `{field.name}` of record `{key.text}`"
                yield Finding(message, fields.key_span(field.name), edits=edits, fix="take it out")


LINT = Lint(
    code="unused-record-field",
    summary="a field of a record that is read from the input is read by an expression",
    why="the field's expression is evaluated for every item, and it suggests that a rule depends on it",
    bad="""
        # pack.yaml
        records:
          Shelf: {scope: box, fields: {deep: {type: bool, value: box.size > 5}, dark: {type: bool, value: box.lid}}}
        values:
          shelves: {type: list<Shelf>}
        programs:
          look: {run: [{walk: boxes}, {read: Shelf, into: shelves}], value: '[s.deep for s in shelves]'}
        """,
    good="""
        # pack.yaml
        records:
          Shelf: {scope: box, fields: {deep: {type: bool, value: box.size > 5}, dark: {type: bool, value: box.lid}}}
        values:
          shelves: {type: list<Shelf>}
        programs:
          look: {run: [{walk: boxes}, {read: Shelf, into: shelves}], value: '[s.deep and s.dark for s in shelves]'}
        """,
    find=find,
    fixed="takes the field out",
)
