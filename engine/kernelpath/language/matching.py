"""Run patterns: kept apart from checking them, so that generated code loads fast."""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


@cache
def matcher(pattern: str) -> Callable[[str], Any]:
    """Return the function that matches a whole string against a pattern, which was checked before."""
    import re

    return re.compile(pattern, re.ASCII | re.DOTALL).fullmatch
