"""A stage that no program walks."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.packs.model import Pack


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each stage that no program walks and no flow of a program visits."""
    walked = {stage for model in pack.models for stage in _walked(model)}
    for key, _ in pack.section("stages") if pack.pack.programs else ():
        if key.text not in walked:
            yield Finding(f"no program walks stage `{key.text}`", key.span, "add `walk` or a flow to a program")


def _walked(model: Pack) -> Iterator[object]:
    for entry in (entry for program in model.programs.values() for entry in program.entries):
        stages = entry.settings.get("walk")
        yield from stages if isinstance(stages, list) else [stages]
        flow = model.flows.get(str(entry.settings.get("flow")))
        if flow:
            yield flow.stage


LINT = Lint(
    code="idle-stage",
    summary="a stage is walked by a program",
    why="the rules of a stage that is never walked are never evaluated, and nothing says so",
    bad="""
        # pack.yaml
        stages:
          shelves: {scope: box, doc: the shelves}
        """,
    good="""
        # pack.yaml
        stages:
          shelves: {scope: box, doc: the shelves}
        programs:
          look: {run: [{walk: boxes}, {walk: shelves}]}
        """,
    find=find,
)
