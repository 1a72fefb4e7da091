"""A message that also says what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.wording import wordings

_ADVICE = re.compile(
    r"\b(?:please|did you mean|you (?:should|must|need to|can|may)|(?:hint|help|tip):)|(?<=[a-z`)}])\. (?=[A-Z])",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[a-z`)}])\. (?=[A-Z])")


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each message that gives advice or goes on with a second sentence."""
    for wording in wordings(pack):
        if wording.what != "message":
            continue
        match = _ADVICE.search(wording.text.text)
        if match and (not match.group().startswith(".") or _SENTENCE.search(wording.text.text)):
            span = wording.part(match.start(), match.end())
            yield Finding("the message gives help as well", span, "say what is wrong here, and what to do in `help`")


LINT = Lint(
    code="help-in-message",
    summary="a message says what is wrong, and help what to do",
    why="tools show the two apart: a list of messages is read at a glance only where each says one thing",
    bad="""
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` has no lid, please add one
        """,
    good="""
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` has no lid
        help: add one
        """,
    find=find,
)
