"""Write an expression as canonical text: `parse(unparse(e)) == e`."""

from __future__ import annotations

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
from kernelpath.language.text_literals import quote

LOOSEST, OR, AND, NOT, COMPARE, FALLBACK, SUM, PRODUCT, MINUS, POSTFIX = range(10)
BINARY = {"??": FALLBACK, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT}


def unparse(expression: Expression) -> str:
    """Return the canonical text of an expression, with no more parentheses than it needs."""
    return _write(expression, LOOSEST)


def _write(node: Expression, needed: int) -> str:
    text, level = _fragment(node)
    return f"({text})" if level < needed else text


def _fragment(node: Expression) -> tuple[str, int]:
    match node:
        case Literal():
            return _literal(node), POSTFIX
        case Name(name=name):
            return name, POSTFIX
        case Convert(operand=operand):
            return _fragment(operand)
        case Member() | Index() | Call() | ListLiteral() | Comprehension():
            return _postfix(node), POSTFIX
        case Unary(operator="not"):
            return f"not {_write(node.operand, NOT)}", NOT
        case Unary():
            return f"-{_write(node.operand, MINUS)}", MINUS
        case Logic(operator=operator):
            level = OR if operator == "or" else AND
            return f" {operator} ".join(_write(operand, level + 1) for operand in node.operands), level
        case Binary():
            return _binary(node)
        case Conditional() | Quantifier():
            return _loosest(node), LOOSEST
    raise TypeError(f"not a node of the language: {node!r}")


def _literal(node: Literal) -> str:
    if isinstance(node.value, str):
        return quote(node.value)
    if node.value is None or isinstance(node.value, bool):
        return {None: "null", True: "true", False: "false"}[node.value]
    return repr(node.value)


def _binary(node: Binary) -> tuple[str, int]:
    level = BINARY.get(node.operator, COMPARE)
    left, right = (level + 1, level) if level == FALLBACK else (level, level + 1)
    left = level + 1 if level == COMPARE else left
    return f"{_write(node.left, left)} {node.operator} {_write(node.right, right)}", level


def _loosest(node: Conditional | Quantifier) -> str:
    if isinstance(node, Quantifier):
        return f"{node.kind} {node.variable} in {_write(node.source, LOOSEST)}: {_write(node.body, LOOSEST)}"
    parts = (_write(part, LOOSEST) for part in (node.test, node.then, node.otherwise))
    return "if {} then {} else {}".format(*parts)


def _postfix(node: Expression) -> str:
    match node:
        case Member():
            return f"{_write(node.object, POSTFIX)}{'?.' if node.safe else '.'}{node.name}"
        case Index():
            return f"{_write(node.object, POSTFIX)}[{_write(node.index, LOOSEST)}]"
        case Call(method=True):
            rest = ", ".join(_write(argument, LOOSEST) for argument in node.arguments[1:])
            return f"{_write(node.arguments[0], POSTFIX)}.{node.function}({rest})"
        case Call():
            return f"{node.function}({', '.join(_write(argument, LOOSEST) for argument in node.arguments)})"
        case ListLiteral():
            return f"[{', '.join(_write(item, LOOSEST) for item in node.items)}]"
        case Comprehension():
            return _comprehension(node)
    raise TypeError(f"not a node of the language: {node!r}")


def _comprehension(node: Comprehension) -> str:
    condition = "" if node.condition is None else f" if {_write(node.condition, LOOSEST)}"
    source = _write(node.source, LOOSEST)
    return f"[{_write(node.value, LOOSEST)} for {node.variable} in {source}{condition}]"
