"""A message that begins with a capital."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.wording import wordings

_CAPITALISED = re.compile(r"\s*([A-Z][a-z]*)(?=[\s,;:']|$)")


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each message and help whose first word has a capital and small letters; names like `KV` have not."""
    for wording in wordings(pack):
        match = _CAPITALISED.match(wording.text.text)
        if match:
            span = wording.part(match.start(1), match.end(1))
            yield Finding(f"the {wording.what} begins with a capital", span, f"write `{match[1].lower()}`")


LINT = Lint(
    code="message-case",
    summary="messages and helps begin in lower case",
    why="a message stands behind the name of its rule and in the middle of other sentences",
    bad="""
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: Box `{box.id}` is red and has no lid
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
