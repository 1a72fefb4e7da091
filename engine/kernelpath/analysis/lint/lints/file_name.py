"""A rule's file or a stage's folder that is not in kebab case."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.diagnostics import Span

_KEBAB = re.compile("[a-z0-9]+(?:-[a-z0-9]+)*")


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each rule and each stage whose name, which is part of an id, is not made of lower-case words and dashes."""
    for text in pack.own_rules:
        if not _KEBAB.fullmatch(text.file.name):
            better = f"{_kebab(text.file.name)}.yaml"
            yield _finding(f"rule file `{text.file.path.name}`", better, text.key_span("summary"))
    for key, _ in pack.section("stages"):
        if not _KEBAB.fullmatch(key.text):
            yield _finding(f"stage `{key.text}`", _kebab(key.text), key.span)


def _finding(what: str, better: str, span: Span) -> Finding:
    return Finding(f"{what} is not in kebab case", span, f"name it `{better}`")


def _kebab(name: str) -> str:
    spaced = re.sub("(?<=[a-z0-9])(?=[A-Z])", "-", name)
    return "-".join(re.findall("[a-z0-9]+", spaced.lower())) or "rule"


LINT = Lint(
    code="file-name",
    summary="rule files and stages are named in kebab case",
    why="the path is the rule's id, which people type and links carry; one spelling for all needs no looking up",
    bad="""
        # boxes/redLid.yaml
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` is red and has no lid
        """,
    good="""
        # boxes/red-lid.yaml
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` is red and has no lid
        """,
    find=find,
)
