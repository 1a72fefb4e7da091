"""A constant, a document, a value or a table that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.edits import removal
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.usage import Usage
from kernelpath.packs.documents import Mapping, Node, Scalar

_SECTIONS = {"constants": "constant", "documents": "document", "values": "value", "items": "table"}


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each name that no expression reads; a table may also be gone over by a stage, a flow or another table.

    What another entry names, such as a document in `given`, is not taken out: the other entry has to change too.
    """
    usage = Usage(pack)
    for section, what in _SECTIONS.items():
        used = usage.tables_used if section == "items" else usage.names_read
        for key, _ in pack.section(section):
            if key.text not in used:
                yield _finding(pack, (section, key.text), what, key)
    for table, node in pack.section("items"):
        for key in _whole(node):
            if f"{table.text}.{key.text}" not in usage.names_read:
                yield _finding(pack, ("items", table.text, "with", key.text), "value", key)


def _whole(node: Node) -> Iterator[Scalar]:
    """Yield the keys of a table's values as a whole."""
    entries = node.get("with") if isinstance(node, Mapping) else None
    yield from (key for key, _ in entries.entries) if isinstance(entries, Mapping) else ()


def _finding(pack: LintedPack, path: tuple[str, ...], what: str, key: Scalar) -> Finding:
    named = what in ("document", "table") or key.text in _named_elsewhere(pack)
    edits = [] if named else removal(pack.layer.root, path)
    return Finding(f"nothing reads {what} `{key.text}`", key.span, edits=edits, fix="take it out")


def _named_elsewhere(pack: LintedPack) -> set[str]:
    """Return the inputs that questions and asked questions are given by name, and what is replaced."""
    found = {name for model in pack.models for question in model.questions.values() for name in question.inputs}
    found |= {name for model in pack.models for value in model.values.values() if value.ask for name in value.ask.given}
    return found | {part for key, _ in pack.section("replace") for part in key.text.split(".")}


LINT = Lint(
    code="unused-value",
    summary="a constant, a document, a value or a table is read",
    why="what nothing reads is work for nothing, or a rule that was forgotten",
    bad="""
        # pack.yaml
        constants:
          most_boxes: {doc: how many boxes there may be, type: int, value: 12}
        """,
    good="""
        # pack.yaml
        constants:
          most_boxes: {doc: how many boxes there may be, type: int, value: 12}
        questions:
          look: {answer: length(boxes) <= most_boxes}
        """,
    find=find,
    fixed="takes a constant or a value out",
)
