"""Put a pack's file into its canonical form."""

from __future__ import annotations

from kernelpath.lsp.symbols.occurrence import Edit
from kernelpath.lsp.workspace import MANIFEST, Document
from kernelpath.packs.documents import DocumentErrors


def formatted(document: Document) -> list[Edit]:
    """Return the edits that bring a pack's file into canonical form; none where it cannot be read as it is.

    Only the lines between the first and the last difference are replaced, so that a cursor elsewhere stays.
    """
    if document.kind == MANIFEST:
        return []
    from kernelpath.analysis.formatting import format_text  # seldom needed, and it loads the formatter whole

    before = document.source.text
    try:
        after = format_text(before, document.kind, document.source.name)
    except DocumentErrors:
        return []
    if after == before:
        return []
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    return [Edit(document.path, start, len(before) - end, after[start : len(after) - end])]


def _common(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their starts."""
    length = min(len(one), len(other))
    return next((at for at in range(length) if one[at] != other[at]), length)
