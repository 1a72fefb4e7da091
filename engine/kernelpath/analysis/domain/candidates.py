"""Values that reach every outcome of what rules ask of a leaf: the literals, what lies beside them, and others.

Candidates that no rule tells apart are merged afterwards; here it only matters that none is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Any

from kernelpath.analysis.domain.atoms import Group
from kernelpath.analysis.domain.formulas import ABSENT, MARK, PRESENT, Leaf
from kernelpath.analysis.domain.samples import pattern_samples
from kernelpath.language import Type
from kernelpath.language.types import BOOL, FLOAT, INT, JSON, NULL, STRING, ListOf, MapOf, Optional, Record, Vocabulary

OTHERS = ("other", "another", "a third")
_MOST_PARTS = 4
_LONGEST = 1_000_000
_LONGEST_OF_JSON = 100


def candidates(leaf: Leaf, group: Group, elements: list[Any] | None, times: int = 1) -> list[Any]:
    """Return the candidates of a leaf, the plainest first.

    `elements` are those of its items if a loop asks them, `times` how often one may be in the list if it is counted.
    """
    if leaf.allowed is not None:
        return list(leaf.allowed)
    found = list(_of_type(leaf.type, leaf, group, elements))
    found += [[item] * count for item in elements or () for count in range(2, times + 1)]
    missing = [ABSENT] if _may_be_absent(leaf) else []
    return _distinct([*missing, *found])


def _may_be_absent(leaf: Leaf) -> bool:
    return (
        isinstance(leaf.step, str) and leaf.parent is not None and not _is_record(leaf.parent) and not leaf.is_element
    )


def _is_record(leaf: Leaf) -> bool:
    type_ = leaf.type.inner if isinstance(leaf.type, Optional) else leaf.type
    return isinstance(type_, Record)


def _distinct(values: Iterable[Any]) -> list[Any]:
    from kernelpath.analysis.domain.diagrams import identity

    return list({identity(value): value for value in reversed(list(values))}.values())[::-1]


def _of_type(type_: Type, leaf: Leaf, group: Group, elements: list[Any] | None) -> Iterator[Any]:
    if isinstance(type_, Optional):
        yield None
        yield from _of_type(type_.inner, leaf, group, elements)
    elif isinstance(type_, Vocabulary):
        yield from type_.values
        if type_.open:
            yield from json_values(leaf, group, elements)
    elif type_ == JSON:
        yield from json_values(leaf, group, elements)
    elif isinstance(type_, ListOf):
        yield from lists(leaf, group, elements)
    else:
        yield from _plain(type_, leaf, group)


def _plain(type_: Type, leaf: Leaf, group: Group) -> Iterator[Any]:
    if type_ == BOOL:
        yield from (False, True)
    elif type_ == NULL:
        yield None
    elif type_ == INT:
        yield from whole_numbers(leaf, group)
    elif type_ == FLOAT:
        yield from numbers(group)
        yield float("nan")
    elif type_ == STRING:
        yield from strings(group)
    elif isinstance(type_, MapOf):
        yield {MARK: leaf.name}
    else:
        yield PRESENT


def whole_numbers(leaf: Leaf, group: Group) -> list[int]:
    """Return 0, 1, the literals and what lies beside them, as far as leaves are compared with one another."""
    reach = max(1, len(group.leaves)) if group.linked else 1
    steps = [int(value) for value in group.functions.get("shift", ())]
    near = {0, 1, *(int(value) + by for value in group.numbers() for by in range(-reach, reach + 1))}
    near |= {value + sign * step for value in near for step in steps for sign in (1, -1)}
    near |= set(range(reach + 1)) if group.linked else set()
    return sorted((value for value in near if leaf.least is None or value >= leaf.least), key=_size)


def _size(value: float) -> tuple[float, bool]:
    return abs(value), value < 0


def numbers(group: Group) -> list[int | float]:
    """Return numbers on, between and beside the literals, whole ones and others."""
    steps = [*group.functions.get("shift", ()), 0]
    near = {value + sign * step for value in [0, 1, *group.numbers()] for step in steps for sign in (1, -1)}
    beside = {value + by for value in near for by in (-1, -0.5, 0, 0.5, 1)}
    return sorted({int(value) if float(value).is_integer() else value for value in beside}, key=_size)


def strings(group: Group, longest: int = _LONGEST) -> list[str]:
    """Return texts: the literals, others, and what the functions of the group make of them."""
    functions = group.functions
    base = [*group.strings(), *OTHERS[: 3 if group.linked else 1], ""]
    base += _pieced(functions)
    for pattern in functions.get("matches", ()):
        base += pattern_samples(str(pattern))
    if "length" in functions:
        base += ["x" * length for length in _lengths(group) if length <= longest]
    if "number" in functions:
        base += [str(value) for value in numbers(group)]
    return [*base, *_variants(base, functions)]


def _variants(base: list[str], functions: Iterable[str]) -> list[str]:
    names = set(functions)
    found: list[str] = []
    if "lower" in names:
        found += [text.upper() for text in base]
    if "upper" in names:
        found += [text.lower() for text in base]
    if names & {"trim", "blank"}:
        found += [" " + text for text in [*base, *found]]
    return found


def _pieced(functions: dict[str, dict[Any, None]]) -> list[str]:
    """Return texts for every way to begin, contain and end with literals; the filler is in none of them."""
    starts, parts, ends = (
        [str(text) for text in functions.get(name, ())] for name in ("starts_with", "contains", "ends_with")
    )
    if not (starts or parts or ends):
        return []
    filler = next(mark for mark in "~^|¬" if all(mark not in text for text in [*starts, *parts, *ends]))
    most = _MOST_PARTS if len(parts) <= _MOST_PARTS else 2
    chosen = [subset for size in range(min(most, len(parts)) + 1) for subset in combinations(parts, size)]
    found = []
    for start, subset, end in product(["", *starts], chosen, ["", *ends]):
        pieces = [start, *subset, end]
        found += ["".join(pieces), filler.join(pieces)]
    return found


def json_values(leaf: Leaf, group: Group, elements: list[Any] | None) -> list[Any]:
    """Return JSON values of every kind."""
    texts = strings(group, _LONGEST_OF_JSON)  # lists reach the longer lengths
    scalars: list[Any] = [None, *texts, True, False, *numbers(group)]
    as_text = [[text] for text in group.strings()] if "text" in group.functions else []
    if "text" in group.functions:
        scalars += [int(text) for text in group.strings() if text.isascii() and text.isdigit()]
    an_object = {MARK: leaf.name}  # what its members are is told by their own leaves
    return [*scalars, an_object, *as_text, *lists(leaf, group, elements)]


def lists(leaf: Leaf, group: Group, elements: list[Any] | None) -> list[list[Any]]:
    """Return lists: of every set of items that a loop tells apart, and as long as the literals ask."""
    some = elements if elements is not None else _items(leaf.type, group)
    most = len(some) if len(some) <= _MOST_PARTS else 2
    found = [list(subset) for size in range(most + 1) for subset in combinations(some, size)]
    if "length" in group.functions and some:
        found += [[some[0]] * length for length in [*_lengths(group), 2]]
    return found


def _lengths(group: Group) -> list[int]:
    beside = [value + by for value in group.numbers() for by in (-1, 0, 1)]
    return [int(value) for value in beside if 0 <= value <= _LONGEST]


def _items(type_: Type, group: Group) -> list[Any]:
    type_ = type_.inner if isinstance(type_, Optional) else type_
    element = type_.element if isinstance(type_, ListOf) else JSON
    if element == INT:
        return [0]
    if element == BOOL:
        return [False, True]
    if isinstance(element, Vocabulary) and not element.open:
        return list(element.values)
    if isinstance(element, Record):
        return [PRESENT]
    texts = group.strings() if element in (STRING, JSON) and group.functions.keys() & {"first", "last"} else []
    return [{}] if isinstance(element, MapOf | Record) else [*texts, "other"]
