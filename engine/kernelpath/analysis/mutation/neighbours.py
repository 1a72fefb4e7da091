"""Givens near those that a rule's tests have: one value changed, taken away, or put in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from kernelpath.analysis.coverage.examples import Plain, without_one
from kernelpath.analysis.testing.parts import terms_of
from kernelpath.language.ast import Literal, Member, walk
from kernelpath.packs.model import Rule

_MOST = 600


def neighbours(givens: Iterable[Plain], rule: Rule) -> Iterator[Plain]:
    """Yield what lies beside some givens, as far as the rule's own words and numbers say what may matter."""
    values, names = _words(rule)
    return islice(_beside(list(givens), values, names), _MOST)


def _beside(givens: list[Plain], values: list[Any], names: list[str]) -> Iterator[Plain]:
    yield from givens
    for given in givens:
        yield from without_one(given)
    for given in givens:
        yield from _changed(given, values, names)


def _words(rule: Rule) -> tuple[list[Any], list[str]]:
    """Return the values that a rule's text suggests, and the members that it reads."""
    plain: list[Any] = [None, True, False, "other", "", 0, 1, {}, [], ["other"]]
    values = {repr(value): value for value in plain}
    names: dict[str, None] = {}
    for term in terms_of(rule).values():
        for node in walk(term.checked.expression):
            if isinstance(node, Literal):
                near = [node.value]
                if isinstance(node.value, int | float) and not isinstance(node.value, bool):
                    near += [node.value - 1, node.value + 1]
                if isinstance(node.value, str):
                    near += [node.value.upper(), f" {node.value} "]
                values |= {repr(value): value for value in near}
                names |= {node.value: None} if isinstance(node.value, str) else {}
            elif isinstance(node, Member):
                names[node.name] = None
    return list(values.values()), list(names)


def _changed(value: Any, values: list[Any], names: list[str]) -> Iterator[Any]:
    """Yield a nested value with one part replaced, or with a member more."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from ({**value, name: other} for other in values)
            yield from ({**value, name: other} for other in _changed(inner, values, names))
        for name in names:
            if name not in value:
                yield from ({**value, name: other} for other in values)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            changed = [*values, *_changed(inner, values, names)]
            yield from ([*value[:place], other, *value[place + 1 :]] for other in changed)
        yield from ([*value, other] for other in values)
