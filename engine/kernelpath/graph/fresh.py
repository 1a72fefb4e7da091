"""Copy data of packs and presets before it becomes part of an answer, which is the caller's to change."""

from __future__ import annotations

from marshal import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Plain = TypeVar("Plain")


def fresh(value: Plain) -> Plain:
    """Return a copy of plain data that shares no object and no list with it.

    >>> known = {"sizes": [1]}
    >>> fresh(known)["sizes"].append(2)
    >>> known
    {'sizes': [1]}
    """
    return loads(dumps(value))  # type: ignore[arg-type, no-any-return]
