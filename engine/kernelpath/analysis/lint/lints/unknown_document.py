"""A scope whose items are in a document that nothing gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.diagnostics import did_you_mean
from kernelpath.packs.documents import Mapping, Scalar

#: The documents that commands put findings into, and the program with which they judge them.
DOCUMENTS = ("manifest", "runtime")
PROGRAM = "compile"


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each place of a scope in a document that commands do not read, or that is one slip from another one.

    A pack without a program that commands run is judged by its callers, who may have documents of any name.
    """
    places = [found for _, node in pack.section("scopes") if isinstance(node, Mapping) for found in _document(node)]
    counted = Counter(name for _, name in places)
    judged = PROGRAM in pack.pack.programs
    for node, name in places:
        others = DOCUMENTS if judged else [other for other, count in counted.items() if count > counted[name]]
        near = did_you_mean(name, others)
        if name not in others and (judged or near):
            help_text = f"did you mean `{near}`?" if near else f"documents are {', '.join(others)}"
            yield Finding(f"no command reads a document `{name}`", node.text_span(0, len(name)), help_text)


def _document(scope: Mapping) -> Iterator[tuple[Scalar, str]]:
    """Yield a scope's place with the document that it names, where this is written out."""
    node = scope.get("at")
    if isinstance(node, Scalar) and "#" in node.text.partition("{")[0]:
        yield node, node.text.partition("#")[0]


LINT = Lint(
    code="unknown-document",
    summary="a scope's items are in a document that commands read",
    why="a finding in another document is shown at the wrong line, or at none",
    bad="""
        # pack.yaml
        values: {crates: {type: list<Box>}}
        scopes:
          crate: {over: {box: crates}, at: 'boxs#/boxes'}
          lid: {over: {box: crates}, at: 'boxes#/boxes'}
        """,
    good="""
        # pack.yaml
        values: {crates: {type: list<Box>}}
        scopes:
          crate: {over: {box: crates}, at: 'boxes#/boxes'}
          lid: {over: {box: crates}, at: 'boxes#/boxes'}
        """,
    find=find,
)
