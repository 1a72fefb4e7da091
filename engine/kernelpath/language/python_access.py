"""Write member reads and indexes as Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelpath.language.ast import Expression, Index, Literal, Member
from kernelpath.language.interpreter import attribute
from kernelpath.language.python_text import LOOSEST, POSTFIX, Fragment, is_simple
from kernelpath.language.types import JSON, NULL, ListOf, MapOf, Optional, Record, is_text, required

if TYPE_CHECKING:
    from kernelpath.language.to_python import PythonWriter

_LONGEST_INLINE = 120


def is_narrowed(node: Expression) -> bool:
    """Return whether a member of a map or list is known to be there."""
    return not isinstance(node.type, Optional) and node.type not in (JSON, NULL)


def write_member(writer: PythonWriter, node: Member) -> Fragment:
    """Write `x.name` or `x?.name`."""
    owner = node.object
    if owner.type == JSON:
        return _write_lenient(writer, owner, repr(node.name))
    inner = required(owner.type)
    step = f".{attribute(node.name)}" if isinstance(inner, Record) else _map_step(node, repr(node.name))
    return _write_step(writer, owner, step)


def _map_step(node: Expression, key: str) -> str:
    return f"[{key}]" if is_narrowed(node) else f".get({key})"


def _write_step(writer: PythonWriter, owner: Expression, step: str) -> Fragment:
    if not isinstance(owner.type, Optional):
        return Fragment(f"{writer.text(owner, POSTFIX)}{step}")
    first, again = writer.tested(owner)
    return Fragment(f"{again}{step} if {first} is not None else None", LOOSEST)


def _write_lenient(writer: PythonWriter, owner: Expression, key: str) -> Fragment:
    text = writer.text(owner)
    if len(text) > _LONGEST_INLINE:
        return Fragment(f"json_member({text}, {key})")
    first, again = writer.twice(text)
    return Fragment(f"{again}.get({key}) if type({first}) is dict else None", LOOSEST)


def write_index(writer: PythonWriter, node: Index) -> Fragment:
    """Write `x[i]`."""
    owner, index = node.object, node.index
    if isinstance(owner.type, MapOf):
        return Fragment(f"{writer.text(owner, POSTFIX)}{_map_step(node, writer.text(index))}")
    if is_text(index.type):
        if isinstance(index, Literal):
            return _write_lenient(writer, owner, repr(index.value))
        return Fragment(f"json_member({writer.text(owner)}, {writer.text(index)})")
    items = writer.write(owner)
    if isinstance(owner.type, ListOf) and isinstance(index, Literal):
        if is_narrowed(node):
            return Fragment(f"{items.at(POSTFIX)}[{index.value}]")
        if is_simple(items.text):
            return Fragment(f"{items.text}[{index.value}] if len({items.text}) > {index.value} else None", LOOSEST)
    return Fragment(f"json_item({items.text}, {writer.text(index)})")
