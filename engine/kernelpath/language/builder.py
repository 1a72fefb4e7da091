"""Build syntax nodes from Lark's parse tree, one method per rule of the grammar."""

from __future__ import annotations

from typing import Any

from lark import Token, Transformer_NonRecursive, v_args

from kernelpath.language import ast, wording
from kernelpath.language.errors import Problem
from kernelpath.language.odd_characters import odd_characters
from kernelpath.language.text_literals import unquote

_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_LONGEST_INTEGER = 40


@v_args(meta=True)
class Builder(Transformer_NonRecursive[Token, Any]):
    """Makes the nodes, their spans moved by `offset`; `problems` holds what is wrong inside string literals."""

    def __init__(self, offset: int = 0) -> None:
        super().__init__()
        self.offset = offset
        self.problems: list[Problem] = []

    def _span(self, meta: Any) -> dict[str, Any]:
        return {"start": meta.start_pos + self.offset, "end": meta.end_pos + self.offset}

    def group(self, meta: Any, parts: list[Any]) -> Any:
        return parts[0]

    def arguments(self, meta: Any, parts: list[Any]) -> Any:
        return tuple(parts)

    def conditional(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Conditional(*parts, **self._span(meta))

    def quantifier(self, meta: Any, parts: list[Any]) -> Any:
        kind, variable, source, body = parts
        return ast.Quantifier(str(kind), str(variable), source, body, **self._span(meta))

    def _logic(self, meta: Any, operator: str, parts: list[Any]) -> ast.Logic:
        operands: list[ast.Expression] = []
        for part in parts:
            same = isinstance(part, ast.Logic) and part.operator == operator
            operands.extend(part.operands if same else [part])
        return ast.Logic(operator, tuple(operands), **self._span(meta))

    def disjoin(self, meta: Any, parts: list[Any]) -> Any:
        return self._logic(meta, "or", parts)

    def conjoin(self, meta: Any, parts: list[Any]) -> Any:
        return self._logic(meta, "and", parts)

    def negate(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Unary("not", parts[0], **self._span(meta))

    def minus(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Unary("-", parts[1], **self._span(meta))

    def binary(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Binary(str(parts[1]), parts[0], parts[2], **self._span(meta))

    def contained(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Binary("in", *parts, **self._span(meta))

    def not_in(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Binary("not in", *parts, **self._span(meta))

    def member(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Member(parts[0], str(parts[1]), **self._span(meta))

    def safe_member(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Member(parts[0], str(parts[2]), True, **self._span(meta))

    def method(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Call(str(parts[1]), (parts[0], *(parts[2] or ())), True, **self._span(meta))

    def call(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Call(str(parts[0]), parts[1] or (), **self._span(meta))

    def index(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Index(*parts, **self._span(meta))

    def list_literal(self, meta: Any, parts: list[Any]) -> Any:
        return ast.ListLiteral(parts[0] or (), **self._span(meta))

    def comprehension(self, meta: Any, parts: list[Any]) -> Any:
        value, variable, source, condition = parts
        return ast.Comprehension(value, str(variable), source, condition, **self._span(meta))

    def name(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Name(str(parts[0]), **self._span(meta))

    def integer(self, meta: Any, parts: list[Any]) -> Any:
        digits = str(parts[0]).lstrip("0") or "0"
        # Longer ones are refused by their value later; Python would refuse to read thousands of digits.
        value = int(digits) if len(digits) < _LONGEST_INTEGER else 10**_LONGEST_INTEGER
        return ast.Literal(value, **self._span(meta))

    def floating(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Literal(float(parts[0]), **self._span(meta))

    def constant(self, meta: Any, parts: list[Any]) -> Any:
        return ast.Literal(_CONSTANTS[str(parts[0])], **self._span(meta))

    def string(self, meta: Any, parts: list[Any]) -> Any:
        value, bad = unquote(str(parts[0]))
        for at, character, plain in odd_characters(str(parts[0])):
            message, help_ = wording.odd_in_text(character, plain)
            self.problems.append(Problem(message, meta.start_pos + at, meta.start_pos + at + 1, help_))
        for start, end in bad:
            message, help_ = wording.bad_escape(str(parts[0])[start:end])
            self.problems.append(Problem(message, meta.start_pos + start, meta.start_pos + end, help_))
        return ast.Literal(value, **self._span(meta))
