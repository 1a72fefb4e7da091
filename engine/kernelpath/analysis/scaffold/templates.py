"""The texts of a new rule and its tests, before they are formatted."""

from __future__ import annotations

import json
from collections.abc import Mapping

from kernelpath.analysis.formatting.scalars import quoted
from kernelpath.language.types import BOOL, FLOAT, INT, JSON, STRING, ListOf, MapOf, Record, Type, Vocabulary
from kernelpath.packs.model import Scope

_PLAINEST: Mapping[Type, str] = {STRING: '""', INT: "0", FLOAT: "0.0", BOOL: "false"}
KINDS = ("check", "resolve", "table", "transition")

_HEAD = """\
summary: "TODO: say in one sentence what holds"
why: |
  TODO: say what goes wrong where it does not.
"""
_CASES = {
    "check": [
        ("an item of which it holds", "pass"),
        ("an item of which it does not hold", "{fail: 'TODO: the exact message'}"),
        ("an item to which it does not apply", "skip"),
    ],
    "transition": [("an item that leaves something in its slot", "{slot: TODO, holds: TODO}")],
}
_VALUE_CASES = [("an item for each candidate or row", "{value: 'TODO'}")]


def rule_text(kind: str, scope: Scope, variable: str, type_: Type) -> str:
    """Return a rule that can be read, decides nothing, and says `TODO` where its author has to.

    `type_` is that of the variable that the rule gives, or of what the slots of its stage hold.
    """
    return _HEAD + _own(kind, scope, variable, type_)


def _own(kind: str, scope: Scope, variable: str, type_: Type) -> str:
    if kind == "check":
        return f'check: true\nmessage: "TODO: say what is wrong with {_shown(scope)}"\n'
    if kind == "transition":
        return f"transition: {{slot: '\"TODO\"', holds: {quoted(_value(type_, scope))}}}\n"
    if kind == "resolve":
        return f"resolve: {variable}\nfirst:\n  - {{value: {quoted(_value(type_, scope))}}}\n"
    if type_ == MapOf(JSON):
        return f"table: {variable}\nhit: build\nrows:\n  - {{path: TODO, value: 'null'}}\n"
    return f"table: {variable}\nhit: first\nrows:\n  - {{value: {quoted(_value(type_, scope))}}}\n"


def _shown(scope: Scope) -> str:
    """Return how a message shows an item: by what the scope says is blamed."""
    if scope.subject:
        return f"`{scope.subject.text}`".replace('"', '\\"')
    return f"`{{{scope.index}}}`" if scope.index else "it"


def _value(type_: Type, scope: Scope) -> str:
    """Return the text of an expression of a type: the plainest value that it has, or a variable that has one."""
    match type_:
        case Vocabulary(values=values):
            return json.dumps(values[0])
        case ListOf():
            return "[]"
        case MapOf(value=inner):
            return "object(null)" if inner == JSON else "mapping([], [])"
        case Record():
            there = (name for name, other in scope.variables.items() if other == type_ and name not in scope.given)
            return next(there, "null")
    return _PLAINEST.get(type_, "null")


def test_text(kind: str) -> str:
    """Return tests that fail until rule and cases are written."""
    cases = _CASES.get(kind, _VALUE_CASES)
    return "cases:\n" + "\n".join(_case(name, expect) for name, expect in cases)


def _case(name: str, expect: str) -> str:
    return f'  - name: "TODO: {name}"\n    given: {{}}\n    expect: {expect}\n'
