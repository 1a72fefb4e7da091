"""Globs of waivers: `*` for any characters, `?` for one; nothing else is special."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=4096)
def _compiled(glob: str, apart: str) -> re.Pattern[str]:
    one, many = (f"[^{re.escape(apart)}]", f"[^{re.escape(apart)}]*") if apart else (".", ".*")
    parts = {"**": ".*", "*": many, "?": one}
    found = re.split(r"(\*\*|\*|\?)", glob)
    return re.compile("".join(parts.get(part, re.escape(part)) for part in found), re.DOTALL)


def matches(glob: str, text: str, apart: str = "") -> bool:
    """Return whether a glob matches a whole text; `*` and `?` do not match `apart`, which `**` does."""
    return _compiled(glob, apart).fullmatch(text) is not None


def matches_rule(glob: str, rule: str) -> bool:
    """Return whether a glob matches a rule's identity: `*` stays within one part of its path, `**` does not."""
    return matches(glob, rule, "/")


def is_everything(glob: str) -> bool:
    """Return whether a glob matches every text."""
    return bool(glob) and not glob.strip("*")
