"""Which values decide a condition: what a finding shows beside its message."""

from __future__ import annotations

from typing import Any

from kernelpath.language import Checked
from kernelpath.language.ast import Index, Literal, Member, Name, children, walk
from kernelpath.language.types import BOOL, is_json_like
from kernelpath.language.unparser import unparse


def deciding(checked: Checked) -> dict[str, Checked]:
    """Return the largest parts of a condition that are values, not conditions, by their text; literals left out."""
    found: dict[str, Checked] = {}
    waiting = [checked.expression]
    while waiting:
        node = waiting.pop(0)
        path = isinstance(node, Name | Member | Index)
        if path and is_json_like(node.type) and _of_scope(node, checked):
            names = frozenset(n.name for n in _names(node))
            found.setdefault(unparse(node), Checked(node, node.type, 1, names, frozenset()))
        elif not isinstance(node, Literal) and (node.type == BOOL or not path):
            waiting.extend(children(node))
    return found


def _of_scope(node: Any, checked: Checked) -> bool:
    """Return whether the part reads variables of the scope alone, not those of a loop around it."""
    return all(name.name in checked.variables for name in _names(node))


def _names(node: Any) -> list[Name]:
    return [inner for inner in walk(node) if isinstance(inner, Name)]
