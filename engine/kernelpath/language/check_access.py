"""Check names, members and indexes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernelpath.language import wording
from kernelpath.language.ast import Expression, Index, Member, Name, is_written_out
from kernelpath.language.builtins import DECLARED
from kernelpath.language.narrowing import Scope, apply_fact
from kernelpath.language.types import (
    INT,
    JSON,
    STRING,
    UNKNOWN,
    ListOf,
    MapOf,
    Optional,
    Record,
    Type,
    is_text,
    optional,
    required,
)
from kernelpath.language.unparser import unparse

if TYPE_CHECKING:
    from kernelpath.language.checker import Checker


def check_name(checker: Checker, node: Name, scope: Scope) -> Expression:
    """Check a variable."""
    type_ = scope.variables.get(node.name)
    if type_ is not None:
        return apply_fact(replace(node, type=type_), scope)
    if node.name in DECLARED or node.name in checker.names.vocabularies:
        return checker.failed(node, wording.function_as_value(node.name))
    return checker.failed(node, wording.unknown_variable(node.name, list(scope.variables)))


def check_member(checker: Checker, node: Member, scope: Scope) -> Expression:
    """Check `x.name` and `x?.name`."""
    owner = checker.check(node.object, scope)
    node = replace(node, object=owner)
    if owner.type == UNKNOWN:
        return node
    if isinstance(owner.type, Optional) and not node.safe:
        return checker.failed(node, wording.maybe_null_member(unparse(owner), str(owner.type), node.name))
    if node.safe and not isinstance(owner.type, Optional) and owner.type != JSON:
        if is_written_out(node, owner) or owner.start > node.start:
            return apply_fact(replace(node, safe=False, type=_member_type(checker, node, owner.type)), scope)
        return checker.failed(node, wording.needless_safe(unparse(owner)))
    type_ = _member_type(checker, node, required(owner.type))
    if isinstance(owner.type, Optional):
        type_ = optional(type_)
    return apply_fact(replace(node, type=type_), scope)


def _member_type(checker: Checker, node: Member, owner: Type) -> Type:
    if isinstance(owner, Record):
        if node.name in owner.fields:
            return owner.fields[node.name]
        place = replace(node, start=node.end - len(node.name))
        checker.problem(place, wording.unknown_field(owner.name, node.name, list(owner.fields)))
        return UNKNOWN
    if owner == JSON:
        return JSON
    if isinstance(owner, MapOf):
        return optional(owner.value)
    checker.problem(node, wording.no_members(str(owner), node.name))
    return UNKNOWN


def check_index(checker: Checker, node: Index, scope: Scope) -> Expression:
    """Check `x[i]`."""
    owner, index = checker.check(node.object, scope), checker.check(node.index, scope)
    node = replace(node, object=owner, index=index)
    if UNKNOWN in (owner.type, index.type):
        return node
    if isinstance(owner.type, Optional):
        return checker.failed(node, wording.maybe_null(unparse(owner), str(owner.type)))
    wanted = _index_type(owner.type)
    if wanted is None:
        return checker.failed(node, wording.not_indexable(str(owner.type)))
    if not (index.type in wanted or (STRING in wanted and is_text(index.type))):
        spelled = "` or `".join(map(str, wanted))
        checker.problem(index, wording.wrong_index(str(index.type), spelled))
        return node
    return apply_fact(replace(node, type=_item_type(owner.type)), scope)


def _index_type(owner: Type) -> tuple[Type, ...] | None:
    if isinstance(owner, ListOf):
        return (INT,)
    if isinstance(owner, MapOf):
        return (STRING,)
    return (INT, STRING) if owner == JSON else None


def _item_type(owner: Type) -> Type:
    if isinstance(owner, ListOf):
        return optional(owner.element)
    return optional(owner.value) if isinstance(owner, MapOf) else JSON
