"""Write a checked expression as a Python expression; the interpreter says what it must mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from keyword import iskeyword
from typing import Any

from kernelpath.language.ast import (
    Binary,
    Call,
    Comprehension,
    Conditional,
    Convert,
    Expression,
    Index,
    ListLiteral,
    Literal,
    Logic,
    Member,
    Name,
    Quantifier,
    Unary,
)
from kernelpath.language.checker import Checked
from kernelpath.language.python_access import write_index, write_member
from kernelpath.language.python_calls import write_call
from kernelpath.language.python_operators import write_binary
from kernelpath.language.python_text import AND, LOOSEST, MINUS, NOT, OR, POSTFIX, Fragment, is_simple, loop_name
from kernelpath.language.runtime import namespace
from kernelpath.language.types import FLOAT, INT
from kernelpath.language.work import operand_work, result_work


class PythonWriter:
    """Writes expressions for the body of one generated function.

    `names` maps each variable to a Python expression that reads it, `sources` each resolved variable to one that reads
    its provenance text. `uses_meter` says that the function must bind `meter = Meter()` first. `constants` are further
    globals that the code needs; the code relies on `RUNTIME` too. Temporary names are `_1`, `_2`, ...
    """

    def __init__(self, names: Mapping[str, str], sources: Mapping[str, str] | None = None) -> None:
        self.names = dict(names)
        self.sources = dict(sources or {})
        self.constants: dict[str, object] = {}
        self.uses_meter = False
        self.loops = 0
        self._charged: dict[int, str] = {}
        self._temporaries = 0

    def expression(self, checked: Checked) -> str:
        """Return the Python text of an expression; it may stand wherever Python takes a conditional expression."""
        return self.write(checked.expression).text

    def write(self, node: Expression) -> Fragment:
        """Return the Python of a node; in a loop, what it looks through is charged."""
        work = self._charged.get(id(node))
        if self.loops and isinstance(node, Call | Binary):
            fragment = self._write_in_loop(node)
        else:
            fragment = _WRITE[type(node)](self, node)
        return Fragment(f"meter.{work}({fragment.text})") if work else fragment

    def _write_in_loop(self, node: Call | Binary) -> Fragment:
        """Write an operation, its operands and its result charged where they count; one operand may stand twice."""
        if isinstance(node, Call):
            node = replace(node, arguments=tuple(replace(argument) for argument in node.arguments))
            operands: tuple[Expression, ...] = node.arguments
        else:
            node = replace(node, left=replace(node.left), right=replace(node.right))
            operands = (node.left, node.right)
        marked = {id(operands[place]): kind for place, kind in operand_work(node).items()}
        self._charged |= marked
        fragment = _WRITE[type(node)](self, node)
        for mark in marked:
            del self._charged[mark]
        result = result_work(node)
        return Fragment(f"meter.{result}({fragment.text})") if result else fragment

    def text(self, node: Expression, needed: int = LOOSEST) -> str:
        """Return the Python text of a node for a place that needs `needed`."""
        return self.write(node).at(needed)

    def temporary(self) -> str:
        """Return a name that is not used yet."""
        self._temporaries += 1
        return f"_{self._temporaries}"

    def twice(self, text: str) -> tuple[str, str]:
        """Return the text for the first and for every further use of a value that is used more than once.

        The first must be a function argument or be put in parentheses.
        """
        if is_simple(text):
            return text, text
        name = self.temporary()
        return f"{name} := {text}", name

    def tested(self, node: Expression) -> tuple[str, str]:
        """Return the text for a test, which comes first, and for what follows."""
        first, again = self.twice(self.text(node))
        return (first, again) if first == again else (f"({first})", again)


def _write_literal(writer: PythonWriter, node: Literal) -> Fragment:
    return Fragment(repr(node.value))


def _write_name(writer: PythonWriter, node: Name) -> Fragment:
    text = writer.names[node.name]
    return Fragment(text, POSTFIX if is_simple(text) else LOOSEST)


def _write_unary(writer: PythonWriter, node: Unary) -> Fragment:
    if node.operator == "not":
        return Fragment(f"not {writer.text(node.operand, NOT)}", NOT)
    if isinstance(node.operand, Literal) or node.type != INT:
        return Fragment(f"-{writer.text(node.operand, MINUS)}", MINUS)
    return Fragment(f"checked_negate({writer.text(node.operand)})")


def _write_logic(writer: PythonWriter, node: Logic) -> Fragment:
    level = OR if node.operator == "or" else AND
    return Fragment(f" {node.operator} ".join(writer.text(operand, level + 1) for operand in node.operands), level)


def _write_conditional(writer: PythonWriter, node: Conditional) -> Fragment:
    test, then = writer.text(node.test, OR), writer.text(node.then, OR)
    return Fragment(f"{then} if {test} else {writer.text(node.otherwise)}", LOOSEST)


def _write_quantifier(writer: PythonWriter, node: Quantifier) -> Fragment:
    def loop(variable: str, source: str) -> str:
        if node.kind == "count":
            return f"sum(1 for {variable} in {source} if {writer.text(node.body, OR)})"
        return f"{node.kind}({writer.text(node.body)} for {variable} in {source})"

    return _write_loop(writer, node, loop)


#: How many comprehensions are nested as such: CPython 3.12 and 3.13 write them into one block each, and crash at 21.
MOST_INLINED = 8


def _write_comprehension(writer: PythonWriter, node: Comprehension) -> Fragment:
    def loop(variable: str, source: str) -> str:
        condition = "" if node.condition is None else f" if {writer.text(node.condition, OR)}"
        text = f"{writer.text(node.value)} for {variable} in {source}{condition}"
        return f"[*({text})]" if writer.loops > MOST_INLINED else f"[{text}]"

    return _write_loop(writer, node, loop)


def _write_loop(writer: PythonWriter, node: Quantifier | Comprehension, loop: Callable[[str, str], str]) -> Fragment:
    """Write a loop; Python has no assignment expressions in the list of a loop, so such a list is made before."""
    writer.uses_meter = True
    source = writer.text(node.source)
    hidden = writer.names.get(node.variable)
    variable = loop_name(node.variable, writer.names.values())
    writer.names[node.variable] = variable
    before = writer.temporary() if ":=" in source else None
    writer.loops += 1
    text = loop(variable, f"meter.over({before or source})")
    writer.loops -= 1
    del writer.names[node.variable]
    if hidden is not None:
        writer.names[node.variable] = hidden
    return Fragment(text if before is None else f"({before} := {source}, {text})[1]")


def _write_list(writer: PythonWriter, node: ListLiteral) -> Fragment:
    return Fragment(f"[{', '.join(writer.text(item) for item in node.items)}]")


def _write_convert(writer: PythonWriter, node: Convert) -> Fragment:
    if isinstance(node.operand, Literal) and node.type == FLOAT:
        return Fragment(repr(float(node.operand.value or 0)))
    if node.type == FLOAT:
        return Fragment(f"{'float' if node.operand.type == INT else 'json_float'}({writer.text(node.operand)})")
    return Fragment(f"int({writer.text(node.operand)})")


_WRITE: dict[type[Expression], Callable[[PythonWriter, Any], Fragment]] = {
    Literal: _write_literal,
    Name: _write_name,
    Member: write_member,
    Index: write_index,
    Call: write_call,
    Unary: _write_unary,
    Binary: write_binary,
    Logic: _write_logic,
    Conditional: _write_conditional,
    Quantifier: _write_quantifier,
    ListLiteral: _write_list,
    Comprehension: _write_comprehension,
    Convert: _write_convert,
}


def compile_function(checked: Checked, parameters: Sequence[str]) -> Callable[..., Any]:
    """Return a Python function of the parameters, which are variables of the expression.

    Where the expression reads sources, the function has the further parameter `sources`, a mapping.
    """
    spelled = {name: f"{name}_" if iskeyword(name) or name in ("sources", "meter") else name for name in parameters}
    writer = PythonWriter(spelled, {name: f"sources[{name!r}]" for name in checked.sources})
    body = writer.expression(checked)
    head = [*spelled.values(), *(["sources"] if checked.sources else [])]
    lines = [f"def evaluate({', '.join(head)}):", *(["    meter = Meter()"] if writer.uses_meter else [])]
    text = "\n".join([*lines, f"    return {body}"])
    space: dict[str, Any] = {**namespace(), **writer.constants}
    exec(compile(text, "<expression>", "exec"), space)
    function: Callable[..., Any] = space["evaluate"]
    return function
