"""A decision that no list of decisions has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack, LintedRule
from kernelpath.diagnostics import did_you_mean
from kernelpath.packs import documents
from kernelpath.packs.contents import read_content
from kernelpath.packs.documents import Node

LIST_FILE = "DECISIONS.md"
_LISTED = re.compile(r"^(?:\|\s*|#+\s*|[-*]\s*)`?\**\[?([A-Za-z]+-?[0-9]+)\b", re.MULTILINE)


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each decision of a rule that neither `decisions` in pack.yaml nor DECISIONS.md beside it has.

    A pack that lists less than two thirds of its rules' decisions has its list elsewhere, and is left alone.
    """
    known = decisions_known(pack)
    carried = [(item, str(documents.to_plain(item))) for text in pack.own_rules for item in _decisions(text)]
    names = {name for _, name in carried}
    if 3 * len(names & known) < 2 * len(names):
        return
    for item, name in carried:
        if name not in known:
            near = did_you_mean(name, known)
            yield Finding(f"there is no decision `{name}`", item.span, f"did you mean `{near}`?" if near else None)


def _decisions(text: LintedRule) -> tuple[Node, ...]:
    decisions = text.root.get("decisions")
    return decisions.items if isinstance(decisions, documents.Sequence) else ()


def decisions_known(pack: LintedPack) -> set[str]:
    """Return the decisions that the pack and those that it extends declare or list."""
    known = set(pack.pack.decisions)
    for layer in pack.chain:
        listed = read_content(layer.folder / LIST_FILE, layer.folder).content  # none if there is no list
        known |= set(_LISTED.findall(listed.decode("utf-8", "replace")))
    return known


LINT = Lint(
    code="unknown-decision",
    summary="a rule's decisions are in the list of decisions",
    why="a diagnostic carries its decisions on, and whoever looks one up that does not exist finds nothing",
    bad="""
        # pack.yaml
        decisions: {A1: boxes are stored, A2: boxes are labelled}
        # boxes/red-lid.yaml
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        decisions: [A1, A2, A3]
        severity: error
        each: box
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` is red and has no lid
        """,
    good="""
        # pack.yaml
        decisions: {A1: boxes are stored, A2: boxes are labelled}
        # boxes/red-lid.yaml
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        decisions: [A1, A2]
        severity: error
        each: box
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` is red and has no lid
        """,
    find=find,
)
