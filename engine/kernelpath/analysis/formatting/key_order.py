"""In which order the keys of pack files stand: what it is about first, then when it applies, then what it says.

A path is a tuple of keys; `*` stands for any key or index. Mappings whose own order has a meaning, such as `let`, and
mappings of names that the author chose, are in no table, and keep their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Path = tuple[str | int, ...]
Pattern = tuple[str, ...]

_RULE = (
    "summary why decisions severity each order resolve table hit base inputs transition verdicts when let first check "
    "rows stop message subject at help fix"
)
_ENTRY = (
    "include set walk flow read return call run judge over of when needs gaps with start carry settle settings collect "
    "keep into decision prefix"
)
_ORDERS: Mapping[str, Mapping[Pattern, str]] = {
    "rule": {
        (): _RULE,
        ("first", "*"): "when value source",
        ("rows", "*"): "path match when value",
        ("transition",): "slot holds",
    },
    "pack": {
        (): "summary extends disable vocabularies constants records functions values scopes stages flows fragments "
        "programs decisions",
        ("vocabularies", "*"): "doc open values",
        ("constants", "*"): "type doc value",
        ("records", "*"): "doc scope after fields",
        ("records", "*", "fields", "*"): "type value doc",
        ("functions", "*"): "parameters doc value",
        ("values", "*"): "type doc",
        ("scopes", "*"): "doc uses over item index locals given subject at",
        ("stages", "*"): "scope after doc",
        ("flows", "*"): "doc stage order slots reads visits parts",
        ("flows", "*", "parts"): "of order repeated on count split",
        ("fragments", "*", "*"): _ENTRY,
        ("programs", "*"): "doc inputs always run value",
        ("programs", "*", "run", "*"): _ENTRY,
    },
    "test": {("cases", "*"): "name run given expect"},
}


def matches(path: Path, pattern: Pattern) -> bool:
    """Return whether a path is one of those that a pattern stands for."""
    return len(path) == len(pattern) and all(wanted in ("*", step) for step, wanted in zip(path, pattern, strict=True))


def ordered_keys(kind: str, path: Path, keys: Sequence[str]) -> list[str]:
    """Return a mapping's keys in their canonical order; keys that have no place come last, as they were written.

    >>> ordered_keys("rule", ("first", 0), ["source", "value", "when"])
    ['when', 'value', 'source']
    """
    words: Iterable[str] = next((text.split() for pattern, text in _ORDERS[kind].items() if matches(path, pattern)), ())
    places = {key: place for place, key in enumerate(words)}
    return sorted(keys, key=lambda key: places.get(key, len(places)))
