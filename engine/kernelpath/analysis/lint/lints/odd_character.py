"""A character that is not what it looks like, or that cannot be seen."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.language.odd_characters import described, odd_characters
from kernelpath.packs.documents import Mapping, Node, Scalar, Sequence

#: Texts that only people read; spaces of other widths stand there for good reasons.
_PROSE = ("summary", "why", "doc")
_SPACES = ("\u00a0", "\u202f", "\u3000")


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each odd character of the values in the pack's own pack.yaml and rule files, once in each text.

    One that is written as an escape is meant.
    """
    for root in (pack.layer.root, *(text.root for text in pack.own_rules)):
        for node, prose in _texts(root, False):
            yield from _found(node, prose)


def _texts(node: Node, prose: bool) -> Iterator[tuple[Scalar, bool]]:
    """Yield the texts in a tree, and whether each is prose."""
    if isinstance(node, Mapping):
        for key, value in node.entries:
            yield from _texts(value, key.text in _PROSE)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _texts(item, prose)
    elif isinstance(node.value, str):
        yield node, prose


def _found(node: Scalar, prose: bool) -> Iterator[Finding]:
    told: set[str] = set()
    for at, character, plain in odd_characters(node.text):
        is_raw = node.source.text.startswith(character, node.source_offset(at))
        if is_raw and character not in told and not (prose and character in _SPACES):
            told.add(character)
            message = f"the text has {described(character)}" + (f", which looks like `{plain}`" if plain else "")
            help_text = f"write `{plain}`" if plain else "leave it out, or write a plain space"
            yield Finding(message, node.text_span(at, at + 1), help_text)


LINT = Lint(
    code="odd-character",
    summary="every character of a text is what it looks like",
    why="a text with a letter of another script, or with a character that is not seen, equals no text that people type",
    bad="""
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: "b\u043ex `{box.id}` is red and has no lid"
        """,
    good="""
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: "box `{box.id}` is red and has no lid"
        """,
    find=find,
)
