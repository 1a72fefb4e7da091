"""JSON pointers (RFC 6901) and their reference tokens."""

from __future__ import annotations


def escaped(key: object) -> str:
    """Return a member's name or an item's place as a reference token of a JSON pointer (RFC 6901).

    >>> escaped("a/b")
    'a~1b'
    """
    return str(key).replace("~", "~0").replace("/", "~1")


def tokens(pointer: str) -> list[str]:
    """Return the reference tokens of a JSON pointer (RFC 6901).

    >>> tokens("/a~1b/0")
    ['a/b', '0']
    """
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]
