"""Write calls as Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kernelpath.language.ast import Call, Expression, Literal, Name
from kernelpath.language.builtins import DECLARED, Declaration
from kernelpath.language.python_text import COMPARE, LEVELS, LOOSEST, POSTFIX, Fragment
from kernelpath.language.types import MapOf, Vocabulary, required

if TYPE_CHECKING:
    from kernelpath.language.to_python import PythonWriter

_PLACE = re.compile(r"\{(\d)([.:]?)\}")
_NEEDED = {"": LOOSEST, ":": COMPARE + 1, ".": POSTFIX}


def write_call(writer: PythonWriter, node: Call) -> Fragment:
    """Write a call."""
    if node.function == "source":
        argument = node.arguments[0]
        assert isinstance(argument, Name)
        return Fragment(writer.sources[argument.name])
    declaration = DECLARED.get(node.function)
    if declaration is None:
        return _write_vocabulary(writer, node)
    if declaration.python is not None and _may_stand_inline(declaration, node):
        if node.function == "has" and isinstance(node.arguments[0].type, MapOf):
            return _write_inline(writer, node, "{1:} in {0:}", COMPARE)
        return _write_inline(writer, node, declaration.python, LEVELS[declaration.level])
    arguments = [writer.text(argument) for argument in node.arguments]
    if declaration.metered:
        writer.uses_meter = True
        arguments.insert(0, "meter")
    return Fragment(f"_{node.function}({', '.join(arguments)})")


def _may_stand_inline(declaration: Declaration, node: Call) -> bool:
    """Return whether the template evaluates the arguments as a call would: each once, from left to right."""
    return declaration.level == "postfix" or all(isinstance(rest, (Literal, Name)) for rest in node.arguments[1:])


def _write_inline(writer: PythonWriter, node: Call, template: str, level: int) -> Fragment:
    used = [int(place) for place, _ in _PLACE.findall(template)]
    again: dict[int, str] = {}

    def fill(match: re.Match[str]) -> str:
        place, needed = int(match[1]), _NEEDED[match[2]]
        if place in again:
            return again[place]
        if used.count(place) == 1:
            return writer.text(node.arguments[place], needed)
        first, again[place] = writer.twice(writer.text(node.arguments[place]))
        return first if first == again[place] or needed == LOOSEST else f"({first})"

    return Fragment(_PLACE.sub(fill, template), level)


def _write_vocabulary(writer: PythonWriter, node: Call) -> Fragment:
    vocabulary = required(node.type)
    assert isinstance(vocabulary, Vocabulary)
    argument: Expression = node.arguments[0]
    first, again = writer.tested(argument)
    values = ", ".join(map(repr, vocabulary.values))
    return Fragment(f"{again} if {first} in {{{values}}} else None", LOOSEST)
