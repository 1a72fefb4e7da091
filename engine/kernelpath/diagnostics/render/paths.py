"""Names of files as tools compare them: letter by letter, with the paths of a checkout."""

from __future__ import annotations

import os


def shortest(name: str) -> str:
    """Return a path without `.` and `..` on the way, unless they lead through a link."""
    if not name or "\0" in name:
        return name
    short = os.path.normpath(name)
    if ".." not in name.split("/"):
        return short
    try:
        return short if os.path.realpath(short) == os.path.realpath(name) else name
    except (OSError, ValueError):  # a name that no file has
        return short
