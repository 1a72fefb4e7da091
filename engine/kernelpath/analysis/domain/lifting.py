"""Turn checked expressions into formulas: names written out, loops over literals unrolled, reads made leaves.

What cannot be followed exactly becomes a leaf of its own, whose value is free. A claim that something never happens
then still holds; a claim that something does happen is made only after it was evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import neg
from typing import Any

from kernelpath.analysis.domain.calls import SPECIAL, builtin, vocabulary
from kernelpath.analysis.domain.combining import choice, is_null, negated
from kernelpath.analysis.domain.comparing import compared, order, same
from kernelpath.analysis.domain.formulas import (
    TRUE,
    All,
    Any_,
    Apply,
    Constant,
    Each,
    Formula,
    Gather,
    Leaf,
    Read,
    worked_out,
)
from kernelpath.analysis.domain.members import member_of
from kernelpath.language import Expression, Type, unparse
from kernelpath.language.arithmetic import as_float, as_int
from kernelpath.language.ast import (
    Binary,
    Call,
    Comprehension,
    Conditional,
    Convert,
    Index,
    ListLiteral,
    Literal,
    Logic,
    Member,
    Name,
    Quantifier,
    Unary,
)
from kernelpath.language.builtins import DECLARED
from kernelpath.language.json_values import is_list, item, member
from kernelpath.language.types import (
    FLOAT,
    INT,
    JSON,
    STRING,
    ListOf,
    Record,
    required,
)

_UNROLLED = 24


class NotFollowed(Exception):
    """An expression inside a loop reads something that the domain cannot follow."""


@dataclass(slots=True)
class Names:
    """What names stand for where an expression is read: variables of the stage, the rule's own, loop items.

    `own` has the expressions of the rule's own names, `loops` says which names are loop items.
    """

    formulas: dict[str, Formula] = field(default_factory=dict)
    sources: dict[str, Formula] = field(default_factory=dict)
    own: dict[str, Expression] = field(default_factory=dict)
    loops: frozenset[str] = frozenset()

    def knowing(self, name: str, formula: Formula, expression: Expression) -> Names:
        """Return the names below one of the rule's own."""
        own = {**self.own, name: _closed(expression, self)}
        return replace(self, formulas={**self.formulas, name: formula}, own=own)

    def looping(self, name: str, item: Formula) -> Names:
        """Return the names inside a loop."""
        return replace(self, formulas={**self.formulas, name: item}, loops=self.loops | {name})


class Lifting:
    """Makes formulas; the same leaf is used wherever the same thing is read."""

    def __init__(self, types: Mapping[str, Type], constants: Mapping[str, Any]) -> None:
        self.types = types
        self.constants = constants
        self.roots: dict[str, Leaf] = {}
        self.loops: list[Each] = []

    def variable(self, name: str) -> Formula:
        """Return what a variable of the scope stands for that nothing of the stage gives."""
        if name in self.constants:
            return Constant(self.constants[name])
        return Read(self.root(name, self.types[name]))

    def root(self, name: str, type_: Type, expression: Expression | None = None) -> Leaf:
        """Return the leaf of a name, or of an expression that is not followed."""
        found = self.roots.get(name)
        if found is None:
            found = self.roots[name] = Leaf(name, type_, expression=expression)
        found.widen(type_)
        return found

    def adopt(self, other: Lifting) -> None:
        """Read from the leaves of another lifting whatever is read there too."""
        for name, leaf in self.roots.items():
            known = other.roots.get(name)
            if known is not None and known.allowed is not None and leaf.allowed is not None:
                known.allowed = tuple(dict.fromkeys([*known.allowed, *leaf.allowed]))
        self.roots = {**self.roots, **other.roots}

    def free(self, node: Expression, names: Names) -> Formula:
        """Return a free leaf for an expression; what has the same text, names written out, has the same value."""
        closed = _closed(node, names)
        return Read(self.root(unparse(closed), node.type, closed))

    def lift(self, node: Expression, names: Names) -> Formula:
        """Return the formula of an expression."""
        return _LIFT[type(node)](self, node, names)

    def each(self, node: Quantifier | Comprehension, names: Names) -> Formula:
        """Return a loop: unrolled where its list is known, over a leaf's items where its list is a leaf."""
        source = self.lift(node.source, names)
        if isinstance(source, Constant) and is_list(source.value) and len(source.value) <= _UNROLLED:
            return self._unrolled(node, source.value, names)
        leaf = _list_leaf(source)
        if isinstance(node, Comprehension) or leaf is None:
            return self.free(node, names)
        try:
            return self._over_leaf(node, source, leaf, names)
        except NotFollowed:
            return self.free(node, names)

    def _unrolled(self, node: Quantifier | Comprehension, items: list[Any], names: Names) -> Formula:
        inside = [names.looping(node.variable, Constant(value)) for value in items]
        if isinstance(node, Comprehension):
            condition = node.condition
            tests = [TRUE if condition is None else self.lift(condition, name) for name in inside]
            values = [self.lift(node.value, name) for name in inside]
            return Gather(tuple(zip(tests, values, strict=True)))
        tests = [self.lift(node.body, name) for name in inside]
        if node.kind == "count":
            return Apply("count", lambda *found: sum(found), tuple(tests))
        return Any_(tuple(tests)) if node.kind == "any" else All(tuple(tests))

    def _over_leaf(self, node: Quantifier, source: Formula, leaf: Leaf, names: Names) -> Formula:
        element = leaf.child("*", _element_type(node.source.type))
        element.is_element = True
        if isinstance(required(element.type), Record):
            raise NotFollowed

        def body(item: Formula) -> Formula:
            return self.lift(node.body, names.looping(node.variable, item))

        loop = Each(node.kind, source, element, body(Read(element)), body)
        self.loops.append(loop)
        return loop


def _closed(node: Expression, names: Names) -> Expression:
    """Write a rule's own names and known loop items out; raise NotFollowed where an item is read that is not known."""
    if isinstance(node, Name) and node.name in names.own and node.name not in names.loops:
        return names.own[node.name]
    if isinstance(node, Name) and node.name in names.loops:
        formula = names.formulas[node.name]
        if isinstance(formula, Constant) and isinstance(formula.value, str | int | float | None):
            return Literal(formula.value, type=node.type)
        raise NotFollowed
    changes: dict[str, Any] = {}
    for name in node.__dataclass_fields__:
        value = getattr(node, name)
        if isinstance(value, Expression):
            changes[name] = _closed(value, names)
        elif isinstance(value, tuple) and any(isinstance(inner, Expression) for inner in value):
            changes[name] = tuple(_closed(inner, names) for inner in value)
    return replace(node, **changes) if changes else node


def _list_leaf(source: Formula) -> Leaf | None:
    """Return the leaf whose items a loop goes over."""
    if isinstance(source, Apply) and source.name == "elements":
        source = source.arguments[0]
    return source.leaf if isinstance(source, Read) else None


def _element_type(type_: Type) -> Type:
    type_ = required(type_)
    return type_.element if isinstance(type_, ListOf) else JSON


def _literal(_: Lifting, node: Literal, __: Names) -> Formula:
    return Constant(node.value)


def _name(lifting: Lifting, node: Name, names: Names) -> Formula:
    found = names.formulas.get(node.name)
    return lifting.variable(node.name) if found is None else found


def _member(lifting: Lifting, node: Member, names: Names) -> Formula:
    return member_of(lifting.lift(node.object, names), node.name, node.type) or lifting.free(node, names)


def _index(lifting: Lifting, node: Index, names: Names) -> Formula:
    index = lifting.lift(node.index, names)
    owner = lifting.lift(node.object, names)
    if isinstance(index, Constant):
        return member_of(owner, index.value, node.type) or lifting.free(node, names)
    if isinstance(owner, Constant) and not isinstance(node.type, Record):
        read = item if node.index.type == INT else member
        return Apply("index", lambda key, value=owner.value: read(value, key), (index,), _keys(owner.value))
    return lifting.free(node, names)


def _keys(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, dict) else tuple(range(len(value)))


def _call(lifting: Lifting, node: Call, names: Names) -> Formula:
    if node.function == "source":
        argument = node.arguments[0]
        assert isinstance(argument, Name)
        known = names.sources.get(argument.name)
        return Read(lifting.root(f"source({argument.name})", STRING)) if known is None else known
    arguments = [lifting.lift(argument, names) for argument in node.arguments]
    special = SPECIAL.get(node.function)
    if special is not None:
        return special(node, arguments) or lifting.free(node, names)
    if node.function not in DECLARED:
        return vocabulary(node, arguments)
    return builtin(node, arguments) or lifting.free(node, names)


def _unary(lifting: Lifting, node: Unary, names: Names) -> Formula:
    operand = lifting.lift(node.operand, names)
    if node.operator == "not":
        return negated(operand)
    return Constant(worked_out(neg, [operand.value])) if isinstance(operand, Constant) else lifting.free(node, names)


def _binary(lifting: Lifting, node: Binary, names: Names) -> Formula:
    left = lifting.lift(node.left, names)
    if node.operator == "in" or node.operator == "not in":
        return _membership(lifting, node, left, names)
    right = lifting.lift(node.right, names)
    if node.operator == "??":
        return choice(is_null(left), right, left)
    if node.operator in ("==", "!="):
        found = compared(left, right, node.left.type, node.right.type)
        if found is None:
            equal = replace(node, operator="==")
            found = lifting.free(equal, names)
        return found if node.operator == "==" else negated(found)
    found = order(node, left, right) if node.operator in ("<", "<=", ">", ">=") else _shifted(node, left, right)
    return found or lifting.free(node, names)


def _membership(lifting: Lifting, node: Binary, left: Formula, names: Names) -> Formula:
    if isinstance(node.right, ListLiteral):
        tests = [compared(left, lifting.lift(one, names), node.left.type, one.type) for one in node.right.items]
    else:
        right = lifting.lift(node.right, names)
        values = right.value if isinstance(right, Constant) else None
        tests = [same(left, Constant(value)) for value in values] if values is not None else [None]
    if any(test is None for test in tests):
        found = lifting.free(replace(node, operator="in"), names)
    else:
        found = Any_(tuple(test for test in tests if test))
    return found if node.operator == "in" else negated(found)


def _shifted(node: Binary, left: Formula, right: Formula) -> Formula | None:
    """Return a sum or difference of one number and a literal."""
    sides = (left, right)
    constants = [side.value for side in sides if isinstance(side, Constant)]
    if node.operator not in ("+", "-") or node.type not in (INT, FLOAT) or not constants:
        return None
    plus = node.operator == "+"
    function: Callable[[Any, Any], Any] = (lambda a, b: a + b) if plus else (lambda a, b: a - b)
    if len(constants) == 2:
        return Constant(worked_out(function, constants))
    return Apply("shift", function, sides, tuple(constants))


def _logic(lifting: Lifting, node: Logic, names: Names) -> Formula:
    parts = tuple(lifting.lift(operand, names) for operand in node.operands)
    return All(parts) if node.operator == "and" else Any_(parts)


def _conditional(lifting: Lifting, node: Conditional, names: Names) -> Formula:
    test = lifting.lift(node.test, names)
    return choice(test, lifting.lift(node.then, names), lifting.lift(node.otherwise, names))


def _list(lifting: Lifting, node: ListLiteral, names: Names) -> Formula:
    items = [lifting.lift(one, names) for one in node.items]
    if all(isinstance(one, Constant) for one in items):
        return Constant([one.value for one in items if isinstance(one, Constant)])
    return lifting.free(node, names)


def _loop(lifting: Lifting, node: Quantifier | Comprehension, names: Names) -> Formula:
    return lifting.each(node, names)


def _convert(lifting: Lifting, node: Convert, names: Names) -> Formula:
    operand = lifting.lift(node.operand, names)
    function = as_float if node.type == FLOAT else as_int
    return (
        Constant(worked_out(function, [operand.value]))
        if isinstance(operand, Constant)
        else Apply("convert", function, (operand,))
    )


_LIFT: dict[type[Expression], Callable[[Lifting, Any, Names], Formula]] = {
    Literal: _literal,
    Name: _name,
    Member: _member,
    Index: _index,
    Call: _call,
    Unary: _unary,
    Binary: _binary,
    Logic: _logic,
    Conditional: _conditional,
    Quantifier: _loop,
    ListLiteral: _list,
    Comprehension: _loop,
    Convert: _convert,
}
