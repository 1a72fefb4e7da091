"""A pack function that nothing calls."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.edits import removal
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.usage import Usage


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each function that no expression, message or other function calls."""
    called = Usage(pack).called
    for key, _ in pack.section("functions"):
        if key.text not in called:
            edits = removal(pack.layer.root, ("functions", key.text))
            yield Finding(f"nothing calls function `{key.text}`", key.span, edits=edits, fix="take it out")


LINT = Lint(
    code="unused-function",
    summary="a pack function is called",
    why="a function that nothing calls is kept up to date for nobody, and its tests, if any, test nothing",
    bad="""
        # pack.yaml
        functions:
          is_tiny: {parameters: {size: int}, doc: whether a size is tiny, is: size < 2}
        """,
    good="""
        # pack.yaml
        functions:
          is_tiny: {parameters: {size: int}, doc: whether a size is tiny, is: size < 2}
        questions:
          look: {answer: 'count b in boxes: is_tiny(b.size)'}
        """,
    find=find,
    fixed="takes the function out",
)
