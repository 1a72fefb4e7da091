"""Which expressions give the user's own text: what programs take as inputs, read and passed on unchanged.

Anything else that the pack or the engine makes on the way is not counted: it may well be one of a few known words.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from kernelpath.analysis.lint.knowledge import bare
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.language import Expression
from kernelpath.language.ast import Binary, Call, Conditional, Index, Member, Name
from kernelpath.language.types import JSON, STRING, Record, Type, Vocabulary, required
from kernelpath.packs.model import Scope

PASSING = frozenset({"text", "trim", "lower", "upper", "elements", "object"})
_TEXTS = frozenset({"text", "trim", "lower", "upper"})


@dataclass(frozen=True)
class Origins:
    """Follows inputs through a pack's values, scopes and records."""

    linted: LintedPack

    @cached_property
    def values(self) -> frozenset[str]:
        """The workspace values that are inputs, or are set to a part of one."""
        programs = self.linted.pack.programs.values()
        found = {name for program in programs for name in program.inputs}
        entries = [entry for program in programs for entry in program.entries if entry.verb == "set"]
        sets = [(name, term.checked.expression) for entry in entries for name, term in entry.terms.items()]
        for _ in sets:  # each round follows one more value
            more = {name for name, node in sets if self._passes(node, found, {}, {})}
            if more <= found:
                break
            found |= more
        return frozenset(found)

    def in_scope(self, scope: Scope) -> frozenset[str]:
        """Return the variables of a scope that hold input."""
        over = scope.over.checked.expression if scope.over else None
        item = {scope.item} if scope.item and over is not None and self._passes(over, self.values, {}, {}) else set()
        return frozenset(self.values & scope.variables.keys() | item)

    @cached_property
    def fields(self) -> Mapping[tuple[str, str], bool]:
        """Whether each field that is read from a scope's items is input."""
        found: dict[tuple[str, str], bool] = {}
        for record in self.linted.pack.records.values():
            scope = self.linted.pack.scopes.get(record.scope or "")
            for each in record.fields if scope else ():
                node = each.value.checked.expression if each.value else None
                names = self.in_scope(scope) if scope else frozenset()
                found[record.name, each.name] = node is not None and self._passes(node, names, {}, {})
        return found

    def shows_text(self, node: Expression, scope: Scope, lets: Mapping[str, Expression]) -> bool:
        """Return whether an expression in a message shows input that may be any text."""
        node = bare(node)
        shown = node.arguments[0] if isinstance(node, Call) and node.function in _TEXTS else None
        free = _is_free(shown.type) if shown is not None else _is_text(node.type)
        return free and self._passes(node, self.in_scope(scope), lets, self.fields)

    def _passes(
        self, node: Expression, names: Set[str], lets: Mapping[str, Expression], fields: Mapping[tuple[str, str], bool]
    ) -> bool:
        node = bare(node)
        match node:
            case Name(name=name):
                return self._passes(lets[name], names, lets, fields) if name in lets else name in names
            case Member(object=inner):
                owner = required(inner.type)
                if isinstance(owner, Record) and (owner.name, node.name) in fields:
                    return fields[owner.name, node.name]
                return self._passes(inner, names, lets, fields)
            case Index(object=inner):
                return self._passes(inner, names, lets, fields)
            case Call(function=function, arguments=(inner,)) if function in PASSING:
                return self._passes(inner, names, lets, fields)
            case Binary(operator="??"):
                return any(self._passes(side, names, lets, fields) for side in (node.left, node.right))
            case Conditional():
                return any(self._passes(side, names, lets, fields) for side in (node.then, node.otherwise))
        return False


def _is_free(type_: Type) -> bool:
    inner = required(type_)
    return inner in (STRING, JSON) or (isinstance(inner, Vocabulary) and inner.open)


def _is_text(type_: Type) -> bool:
    """Whether a value is shown as text: bare JSON may as well be a number, which needs no back-ticks."""
    inner = required(type_)
    return inner == STRING or (isinstance(inner, Vocabulary) and inner.open)


