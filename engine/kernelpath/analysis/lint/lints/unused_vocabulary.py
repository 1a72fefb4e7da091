"""A vocabulary that nothing has as its type."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.edits import removal
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.usage import Usage


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each vocabulary that is no type of anything and that no expression converts to."""
    used = Usage(pack).words_of_types
    for key, _ in pack.section("vocabularies"):
        if key.text not in used:
            edits = removal(pack.layer.root, ("vocabularies", key.text))
            yield Finding(f"nothing uses vocabulary `{key.text}`", key.span, edits=edits, fix="take it out")


LINT = Lint(
    code="unused-vocabulary",
    summary="a vocabulary is the type of something",
    why="a vocabulary that is the type of nothing checks nothing; most often a field was left `string` or `json`",
    bad="""
        # pack.yaml
        vocabularies:
          material: {doc: what a box is made of, values: [wood, tin]}
        records:
          Box: {fields: {material: string}}
        """,
    good="""
        # pack.yaml
        vocabularies:
          material: {doc: what a box is made of, values: [wood, tin]}
        records:
          Box: {fields: {material: material}}
        """,
    find=find,
    fixed="takes the vocabulary out",
)
