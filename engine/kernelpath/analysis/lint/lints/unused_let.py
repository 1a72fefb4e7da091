"""A `let` that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.edits import removal
from kernelpath.analysis.lint.linted import LintedPack, LintedRule
from kernelpath.packs import documents
from kernelpath.packs.reads import terms_in


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each name of a rule's own that none of its expressions and messages reads."""
    return (found for text in pack.own_rules for found in unread(text, "let", "`let`"))


def unread(text: LintedRule, section: str, what: str) -> Iterator[Finding]:
    """Yield the names of a section of a rule that nothing in the rule reads."""
    entries = text.root.get(section)
    read = {name for term in terms_in(text.rule) for name in term.checked.variables}
    for key, _ in entries.entries if isinstance(entries, documents.Mapping) else ():
        if key.text not in read:
            edits = removal(text.root, (section, key.text))
            yield Finding(f"nothing reads {what} `{key.text}`", key.span, "take it out", edits=edits, fix="take it out")


LINT = Lint(
    code="unused-let",
    summary="a `let` is read",
    why="a name that nothing reads is a leftover, or a sign that a condition reads something else than was meant",
    bad="""
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        let: {closed: box.lid}
        check: box.lid
        message: box `{box.id}` is red and has no lid
        """,
    good="""
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        let: {closed: box.lid}
        check: closed
        message: box `{box.id}` is red and has no lid
        """,
    find=find,
    fixed="takes the name out",
)
