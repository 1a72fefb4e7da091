"""Changes of a text as an editor sends them."""

from __future__ import annotations

from kernelpath.diagnostics import Source
from kernelpath.lsp.texts.places import UTF16, Places

#: Line and character of a change's start and of its end, from 0.
Stretch = tuple[tuple[int, int], tuple[int, int]]


def changed(text: str, stretch: Stretch | None, new: str, encoding: str = UTF16) -> str:
    """Return a text with a stretch of it replaced, or the whole of it where no stretch is given.

    >>> changed("box: red", ((0, 5), (0, 8)), "blue")
    'box: blue'
    """
    if stretch is None:
        return new
    places = Places(Source("", text), encoding)
    start, end = (places.offset(*place) for place in stretch)
    return text[:start] + new + text[max(start, end) :]
