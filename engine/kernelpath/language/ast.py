"""The syntax tree of expressions: frozen nodes whose spans and types play no part in equality."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kernelpath.language.types import UNKNOWN, Type

MAX_NESTING = 100
"""How deep an expression may be nested, with pack functions written out: what goes through it calls itself."""


@dataclass(frozen=True, kw_only=True)
class Expression:
    """A node: its half-open span in code points of the text, and its type once it is checked."""

    start: int = field(default=0, compare=False, repr=False)
    end: int = field(default=0, compare=False, repr=False)
    type: Type = field(default=UNKNOWN, compare=False, repr=False)


def is_written_out(node: Expression, part: Expression) -> bool:
    """Return whether a node is of the body of a function that was written out where it is called.

    All nodes of a body stand where the call stands, so a part may have its node's own span, as no part of a text has.
    What is true of every call of such a body is no fault of one.
    """
    return node.start < node.end and (node.start, node.end) == (part.start, part.end)


@dataclass(frozen=True)
class Literal(Expression):
    """A constant: null, a bool, an int, a float or a string."""

    value: bool | int | float | str | None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash(repr(self.value))


@dataclass(frozen=True)
class Name(Expression):
    """A variable of the scope or of a loop."""

    name: str


@dataclass(frozen=True)
class Member(Expression):
    """`object.name`, or `object?.name` where `safe`."""

    object: Expression
    name: str
    safe: bool = False


@dataclass(frozen=True)
class Index(Expression):
    """`object[index]`."""

    object: Expression
    index: Expression


@dataclass(frozen=True)
class Call(Expression):
    """`function(arguments)`; `method` remembers that it was written `x.f(y)`, which is the same call."""

    function: str
    arguments: tuple[Expression, ...]
    method: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Unary(Expression):
    """`not operand` or `-operand`."""

    operator: str
    operand: Expression


@dataclass(frozen=True)
class Binary(Expression):
    """An arithmetic operator, a comparison, `in`, `not in` or `??`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Logic(Expression):
    """`and` or `or` over two or more operands; no operand is of the same operator."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True)
class Conditional(Expression):
    """`if test then then else otherwise`."""

    test: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Quantifier(Expression):
    """`any`, `all` or `count` of a condition over a list."""

    kind: str
    variable: str
    source: Expression
    body: Expression


@dataclass(frozen=True)
class ListLiteral(Expression):
    """`[a, b]`."""

    items: tuple[Expression, ...]


@dataclass(frozen=True)
class Comprehension(Expression):
    """`[value for variable in source if condition]`."""

    value: Expression
    variable: str
    source: Expression
    condition: Expression | None = None


@dataclass(frozen=True)
class Convert(Expression):
    """A number read as `type`, which the checker puts where an int stands for a float or JSON is known to be one."""

    operand: Expression


def children(node: Expression) -> tuple[Expression, ...]:
    """Return the direct sub-expressions, in the order of evaluation."""
    match node:
        case Member(object=inner) | Unary(operand=inner) | Convert(operand=inner):
            return (inner,)
        case Index():
            return (node.object, node.index)
        case Binary():
            return (node.left, node.right)
        case Call(arguments=inside) | Logic(operands=inside) | ListLiteral(items=inside):
            return inside
        case Conditional():
            return (node.test, node.then, node.otherwise)
        case Quantifier():
            return (node.source, node.body)
        case Comprehension():
            condition = () if node.condition is None else (node.condition,)
            return (node.source, *condition, node.value)
    return ()


def part_below(node: Expression, levels: int) -> Expression | None:
    """Return a part of a node that is nested in it deeper than some levels, None where there is none."""
    level: tuple[Expression, ...] = (node,)
    for _ in range(levels):
        level = tuple(inner for outer in level for inner in children(outer))
        if not level:
            return None
    return level[0]


def walk(node: Expression) -> Iterator[Expression]:
    """Yield the node and everything inside it, parents first, without recursion."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(children(current)))
