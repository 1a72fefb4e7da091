"""A message that ends with a full stop."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.wording import wordings

_STOP = re.compile(r"(?<!\.)[.!](?=\s*$)")
_SHORT = re.compile(r"\b(?:etc|e\.g|i\.e)\.\s*$")


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each message and help that ends with a full stop or an exclamation mark."""
    for wording in wordings(pack):
        match = _STOP.search(wording.text.text)
        if match and not _SHORT.search(wording.text.text):
            span = wording.part(match.start(), match.end())
            yield Finding(f"the {wording.what} ends with `{match.group()}`", span, "leave it out")


LINT = Lint(
    code="message-stop",
    summary="messages and helps end without a full stop",
    why="a message is no sentence of its own: places, values and help follow it on the screen",
    bad="""
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` is red and has no lid.
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
