"""A variable that a stage's rules should give, and none does."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.edits import removal
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.usage import Usage
from kernelpath.packs import documents
from kernelpath.packs.reads import gives


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each name under a stage's `gives` that no rule of the stage gives, in this pack or in one above it."""
    read = Usage(pack).names_read
    for key, node in pack.section("stages"):
        assert isinstance(node, documents.Mapping)
        listed = node.get("gives")
        stages = [model.stages[key.text] for model in pack.models if key.text in model.stages]
        made = {gives(rule) for stage in stages for rule in stage.rules}
        for name, _ in listed.entries if isinstance(listed, documents.Mapping) else ():
            if name.text not in made:
                unread = not any(name.text == each.rpartition(".")[2] for each in read)
                edits = removal(pack.layer.root, ("stages", key.text, "gives", name.text)) if unread else []
                message = f"no rule of stage `{key.text}` gives `{name.text}`"
                yield Finding(message, name.span, edits=edits, fix="take it out of `gives`")


LINT = Lint(
    code="ungiven-variable",
    summary="a variable under `gives` is given by a rule",
    why="a name that no rule gives is a leftover, or a rule was forgotten; nothing may read it",
    bad="""
        # pack.yaml
        stages:
          boxes: {gives: {weight: int}}
        """,
    good="""
        # pack.yaml
        stages:
          boxes: {gives: {weight: int}}
        # boxes/weight.yaml
        summary: A box weighs twice its size.
        why: Boxes are full.
        resolve: weight
        first:
          - {value: box.size * 2}
        """,
    find=find,
    fixed="takes the name out of `gives`",
)
