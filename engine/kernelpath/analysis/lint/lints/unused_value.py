"""A workspace value or a constant that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.edits import removal
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.usage import Usage


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each value and constant that no expression, scope, flow or operation reads and no caller gives.

    A value that a program still sets is not taken out: the entry that sets it goes with it.
    """
    read = Usage(pack).values_read
    for key, _ in pack.section("constants"):
        if key.text not in read:
            edits = removal(pack.layer.root, ("constants", key.text))
            yield Finding(f"nothing reads constant `{key.text}`", key.span, edits=edits, fix="take it out")
    entries = [entry for program in pack.pack.programs.values() for entry in program.entries]
    written = {name for entry in entries for name in _names(entry.settings)}
    for key, _ in pack.section("values"):
        if key.text not in read:
            edits = [] if key.text in written else removal(pack.layer.root, ("values", key.text))
            help_text = "take it out together with the entry that sets it" if key.text in written else None
            yield Finding(f"nothing reads value `{key.text}`", key.span, help_text, edits=edits, fix="take it out")


def _names(settings: object) -> Iterator[str]:
    """Yield every name in an entry's settings: more than it sets, and never less."""
    if isinstance(settings, dict):
        for key, value in settings.items():
            yield str(key)
            yield from _names(value)
    elif isinstance(settings, list):
        for value in settings:
            yield from _names(value)
    elif isinstance(settings, str):
        yield settings


LINT = Lint(
    code="unused-value",
    summary="a workspace value or a constant is read",
    why="a value that nothing reads is work for nothing, or a rule that was forgotten",
    bad="""
        # pack.yaml
        constants:
          most_boxes: {type: int, doc: how many boxes there may be, value: 12}
        """,
    good="""
        # pack.yaml
        constants:
          most_boxes: {type: int, doc: how many boxes there may be, value: 12}
        programs:
          look: {value: length(boxes) <= most_boxes}
        """,
    find=find,
    fixed="takes the constant out, and a value that no program sets",
)
