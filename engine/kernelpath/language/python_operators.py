"""Write operators with two operands as Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelpath.language.ast import Binary, Expression, ListLiteral, Literal
from kernelpath.language.python_text import COMPARE, LOOSEST, OR, PRODUCT, SUM, Fragment
from kernelpath.language.types import BOOL, FLOAT, INT, STRING, ListOf, is_open, is_plain, is_text, required
from kernelpath.language.work import grows, is_searched, is_unlimited

if TYPE_CHECKING:
    from kernelpath.language.to_python import PythonWriter

_CHECKED = {"+": "checked_add", "-": "checked_subtract", "*": "checked_multiply"}
_LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT}
_HELPERS = {"/": "checked_divide", "//": "checked_floor_divide", "%": "checked_remainder"}


def write_binary(writer: PythonWriter, node: Binary) -> Fragment:
    """Write an operator with two operands."""
    if node.operator == "??":
        return _write_default(writer, node)
    if node.operator in ("==", "!="):
        return _write_equality(writer, node)
    if node.operator in ("in", "not in"):
        return _write_membership(writer, node)
    if node.operator in ("<", "<=", ">", ">="):
        return _compare(writer, node, node.operator)
    return _write_arithmetic(writer, node)


def _write_default(writer: PythonWriter, node: Binary) -> Fragment:
    first, again = writer.tested(node.left)
    return Fragment(f"{again} if {first} is not None else {writer.text(node.right)}", LOOSEST)


def _compare(writer: PythonWriter, node: Binary, operator: str) -> Fragment:
    left, right = writer.text(node.left, COMPARE + 1), writer.text(node.right, COMPARE + 1)
    return Fragment(f"{left} {operator} {right}", COMPARE)


def _call(writer: PythonWriter, node: Binary, function: str) -> str:
    return f"{function}({writer.text(node.left)}, {writer.text(node.right)})"


def _negated(text: str, negative: bool) -> Fragment:
    return Fragment(f"not {text}", OR + 2) if negative else Fragment(text)


def _write_equality(writer: PythonWriter, node: Binary) -> Fragment:
    negative = node.operator == "!="
    for side in (node.left, node.right):
        if isinstance(side, Literal) and (side.value is None or isinstance(side.value, bool)):
            return _compare(writer, node, "is not" if negative else "is")
    if is_plainly_equal(node.left, node.right):
        return _compare(writer, node, node.operator)
    return _negated(_call(writer, node, "json_equal"), negative)


def is_plainly_equal(left: Expression, right: Expression) -> bool:
    """Return whether Python's `==` is the language's: it takes 1 for true, and knows only its own sequences."""
    for one, other in ((left, right), (right, left)):
        if is_text(required(one.type)) and one.type == required(one.type):
            return True
        number = isinstance(one, Literal) and type(one.value) in (int, float) and one.value not in (0, 1)
        if number and is_open(required(other.type)):
            return True
    return is_plain(left.type) and is_plain(right.type)


def _write_membership(writer: PythonWriter, node: Binary) -> Fragment:
    container = node.right
    if writer.loops and is_searched(node):
        return _negated(_call(writer, node, "meter.found_in"), node.operator == "not in")
    if isinstance(container, ListLiteral) and all(isinstance(item, Literal) for item in container.items):
        return _write_literal_membership(writer, node, container)
    assert isinstance(container.type, ListOf)
    texts = is_text(node.left.type) and (is_text(required(container.type.element)) or is_open(container.type.element))
    ints = required(node.left.type) in (INT, BOOL) and required(container.type.element) in (INT, BOOL)
    if texts or ints:
        return _compare(writer, node, node.operator)
    return _negated(_call(writer, node, "json_in"), node.operator == "not in")


def _write_literal_membership(writer: PythonWriter, node: Binary, container: ListLiteral) -> Fragment:
    items = [repr(item.value) for item in container.items if isinstance(item, Literal)]
    left = writer.text(node.left, COMPARE + 1)
    if is_plain(node.left.type) and items:
        return Fragment(f"{left} {node.operator} {{{', '.join(items)}}}", COMPARE)
    if all(is_plainly_equal(node.left, item) or _is_null(item) for item in container.items):
        inside = ", ".join(items) + ("," if len(items) == 1 else "")
        return Fragment(f"{left} {node.operator} ({inside})", COMPARE)
    return _negated(_call(writer, node, "json_in"), node.operator == "not in")


def _is_null(node: Expression) -> bool:
    return isinstance(node, Literal) and node.value is None


def _write_arithmetic(writer: PythonWriter, node: Binary) -> Fragment:
    if isinstance(node.type, ListOf):
        if is_unlimited(node):
            return Fragment(_call(writer, node, "joined_lists"))
        return Fragment(f"[*{writer.text(node.left, OR)}, *{writer.text(node.right, OR)}]")
    if node.type == STRING and grows(node):
        return Fragment(_call(writer, node, "joined_texts"))
    if node.operator in _CHECKED:
        if node.type == INT:
            return Fragment(_call(writer, node, _CHECKED[node.operator]))
        return _infix(writer, node, _LEVELS[node.operator])
    if node.operator == "/" and node.type == FLOAT and _divides(node.right):
        return _infix(writer, node, PRODUCT)
    if node.operator == "%" and isinstance(node.right, Literal) and node.right.value:
        return _infix(writer, node, PRODUCT)
    return Fragment(_call(writer, node, _HELPERS[node.operator]))


def _divides(node: Expression) -> bool:
    inner = getattr(node, "operand", node)
    return isinstance(inner, Literal) and bool(inner.value)


def _infix(writer: PythonWriter, node: Binary, level: int) -> Fragment:
    return Fragment(f"{writer.text(node.left, level)} {node.operator} {writer.text(node.right, level + 1)}", level)
