"""A stage without rules."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each stage that has no rule, in the pack or in one that extends it; bases' rules that are off count."""
    ruled = {rule.stage for model in pack.models for rule in model.rules()}
    ruled |= {file.stage for layer in pack.chain for file in layer.rules}
    for key, _ in pack.section("stages"):
        if key.text not in ruled:
            yield Finding(f"stage `{key.text}` has no rules", key.span, f"write them in the folder `{key.text}`")


LINT = Lint(
    code="idle-stage",
    summary="a stage has rules",
    why="what is `after` a stage without rules waits for nothing; most often its folder has another name",
    bad="""
        # pack.yaml
        stages:
          shelves: {doc: the shelves, each: boxes}
        """,
    good="""
        # pack.yaml
        stages:
          shelves: {doc: the shelves, each: boxes}
        # shelves/lid.yaml
        summary: A box has a lid.
        why: Shelves are dusty.
        check: box.lid
        message: box `{box.id}` has no lid
        """,
    find=find,
)
