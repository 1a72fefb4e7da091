"""A rule that does not say why it is there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack

_PLACEHOLDER = re.compile(r"\W*(?:todo|tbd|fixme|xxx|why)?\b.{0,2}|(?:todo|tbd|fixme)\b.*", re.IGNORECASE | re.DOTALL)


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each rule whose `why` is blank, a placeholder, or its summary once more."""
    for text in pack.own_rules:
        why = _plain(text.rule.why)
        if _PLACEHOLDER.fullmatch(why) or why == _plain(text.rule.summary):
            told = "says nothing" if why != _plain(text.rule.summary) else "only repeats the summary"
            yield Finding(f"`why` {told}", text.root["why"].span, "say what goes wrong where the rule does not hold")


def _plain(text: str) -> str:
    return " ".join(text.split()).rstrip(".").casefold()


LINT = Lint(
    code="missing-why",
    summary="a rule says why it is there",
    why="who changes a rule, or is stopped by it, must know what it protects",
    bad="""
        summary: A red box has a lid.
        why: TODO
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` is red and has no lid
        """,
    good="""
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` is red and has no lid
        """,
    find=find,
)
