"""A variable that a scope's rules should give, and none does."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.edits import removal
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.usage import Usage
from kernelpath.packs import documents
from kernelpath.packs.reads import gives


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each name under a scope's `given` that no rule of the scope gives."""
    usage = Usage(pack)
    for key, node in pack.section("scopes"):
        assert isinstance(node, documents.Mapping)
        given = node.get("given")
        made = {gives(rule) for model in pack.models for rule in model.rules() if rule.scope == key.text}
        for name, _ in given.entries if isinstance(given, documents.Mapping) else ():
            if name.text not in made:
                unread = name.text not in usage.read_in_scope(key.text) | usage.values_read
                edits = removal(pack.layer.root, ("scopes", key.text, "given", name.text)) if unread else []
                message = f"no rule of scope `{key.text}` gives `{name.text}`"
                yield Finding(message, name.span, edits=edits, fix="take it out of `given`")


LINT = Lint(
    code="ungiven-variable",
    summary="a variable under `given` is given by a rule",
    why="a rule that reads a variable which no rule gives can never be evaluated",
    bad="""
        # pack.yaml
        scopes:
          box: {given: {weight: int}}
        """,
    good="""
        # pack.yaml
        scopes:
          box: {given: {weight: int}}
        # boxes/weight.yaml
        summary: A box weighs twice its size.
        why: Boxes are full.
        each: box
        resolve: weight
        first:
          - {value: box.size * 2}
        """,
    find=find,
    fixed="takes the name out of `given` where nothing reads it",
)
