"""A decision that no list of decisions has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.diagnostics import did_you_mean
from kernelpath.packs import documents
from kernelpath.packs.contents import read_content
from kernelpath.packs.documents import Node

LIST_FILE = "DECISIONS.md"
#: The sections of pack.yaml whose entries carry out decisions.
ENTRIES = ("values", "items", "flows", "stages", "questions")
_LISTED = re.compile(r"^(?:\|\s*|#+\s*|[-*]\s*)`?\**\[?([A-Za-z]+-?[0-9]+)\b", re.MULTILINE)


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each decision of a rule, or of an entry of pack.yaml, that DECISIONS.md beside it does not have.

    A pack whose list has less than two thirds of its decisions has its list elsewhere, and is left alone.
    """
    known = decisions_listed(pack)
    roots = [text.root for text in pack.own_rules]
    carried = [item for root in roots for item in _decisions(root)]
    for section in ENTRIES:
        carried += [item for _, node in pack.section(section) for item in _decisions(node)]
    names = {str(documents.to_plain(item)) for item in carried}
    if 3 * len(names & known) < 2 * len(names):
        return
    for item in carried:
        name = str(documents.to_plain(item))
        if name not in known:
            near = did_you_mean(name, known)
            yield Finding(f"unknown decision `{name}`", item.span, f"did you mean `{near}`?" if near else None)


def _decisions(node: Node) -> tuple[Node, ...]:
    decisions = node.get("decisions") if isinstance(node, documents.Mapping) else None
    return decisions.items if isinstance(decisions, documents.Sequence) else ()


def decisions_listed(pack: LintedPack) -> set[str]:
    """Return the decisions that the pack and those that it extends list."""
    known: set[str] = set()
    for layer in pack.chain:
        listed = read_content(layer.folder / LIST_FILE, layer.folder).content  # none if there is no list
        known |= set(_LISTED.findall(listed.decode("utf-8", "replace")))
    return known


LINT = Lint(
    code="unknown-decision",
    summary="a rule's decisions are in the list of decisions",
    why="a diagnostic carries its decisions on, and whoever looks one up that does not exist finds nothing",
    bad="""
        # DECISIONS.md
        - A1: boxes are stored
        - A2: boxes are labelled
        # boxes/red-lid.yaml
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        decisions: [A1, A2, A3]
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` is red and has no lid
        """,
    good="""
        # DECISIONS.md
        - A1: boxes are stored
        - A2: boxes are labelled
        # boxes/red-lid.yaml
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        decisions: [A1, A2]
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` is red and has no lid
        """,
    find=find,
)
