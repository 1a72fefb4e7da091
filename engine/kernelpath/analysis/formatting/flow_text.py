"""A plain value as YAML on one line."""

from __future__ import annotations

import json
from collections.abc import Mapping

from kernelpath.analysis.formatting.scalars import inline


def flow(value: object) -> str:
    """Return a value as YAML on one line.

    >>> flow({"box": {"size": 3, "note": None}, "names": ["red", "no"]})
    "{box: {size: 3, note: null}, names: [red, 'no']}"
    """
    return _flow(value, True)


def _flow(value: object, inside: bool) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{inline(str(name), True)}: {_flow(item, True)}" for name, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(item, True) for item in value) + "]"
    return inline(value, inside) if isinstance(value, str) else json.dumps(value, default=str)
