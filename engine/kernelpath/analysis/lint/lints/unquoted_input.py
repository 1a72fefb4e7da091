"""A message that shows the user's own text without back-ticks."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.origin import Origins
from kernelpath.analysis.lint.wording import Wording, alternatives, plain_pieces, wordings
from kernelpath.language import Expression


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each expression in a message or help that shows text from the input outside back-ticks."""
    origins = Origins(pack)
    for wording in wordings(pack):
        for node in _open(wording, origins):
            message = f"the {wording.what} shows input without back-ticks"
            yield Finding(message, wording.part(node.start, node.end), "put back-ticks around it")


def _open(wording: Wording, origins: Origins) -> Iterator[Expression]:
    """Yield the holes that may show input while no back-tick is open; which are open may depend on the branch taken."""
    scope = origins.linted.pack.scopes[wording.rule.rule.scope]
    lets = {name: term.checked.expression for name, term in wording.rule.rule.lets}
    states = {0}
    for piece in plain_pieces(wording.text):
        if isinstance(piece, str):
            states = {(state + piece.count("`")) % 2 for state in states}
            continue
        after, bare_input = set(), False
        for way in alternatives(piece, lets):
            for state in states:
                for part in way:
                    if isinstance(part, str):
                        state = (state + part.count("`")) % 2
                    elif state == 0 and origins.shows_text(part, scope, lets):
                        bare_input = True
                after.add(state)
        states = after
        if bare_input:
            yield piece


LINT = Lint(
    code="unquoted-input",
    summary="text from the input stands in back-ticks",
    why="text that a user wrote may be empty or read as a part of the sentence; back-ticks show where it ends",
    bad="""
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: box {box.id} is red and has no lid
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
