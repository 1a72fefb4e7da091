"""What a rule does with one item, and how an expectation is held against it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from kernelpath.analysis.testing.records import plain
from kernelpath.language.json_values import json_equal

_MOST = 160


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a rule does: `kind` is pass, skip, fail, value, slot or error, `parts` what there is to say of it.

    Parts are named as in a test file: `fail`, `subject`, `help`, `at`; `value`, `source`; `slot`, `holds`; `error`.
    `unknown` are parts that hang on what the case does not give, and how it is called.
    """

    kind: str
    parts: Mapping[str, object] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)

    def to_plain(self) -> object:
        """Return the outcome as a test file writes it."""
        return {name: plain(value) for name, value in self.parts.items()} if self.parts else self.kind

    def __str__(self) -> str:
        return shown(self.to_plain())


def shown(value: object) -> str:
    """Return a value of a test file on one line, cut where it is long."""
    if isinstance(value, str):
        return f"`{value}`"
    if isinstance(value, dict) and set(value) & {"fail", "value", "slot", "error"}:
        return _cut(", ".join(f"{name} {_json(item)}" for name, item in value.items()))
    return _cut(_json(value))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


def first_difference(expected: object, actual: object, path: str = "") -> str | None:
    """Return where two JSON values first differ, in words; None where they are equal."""
    if json_equal(expected, actual):
        return None
    if isinstance(expected, dict) and isinstance(actual, dict):
        for name in [*expected, *(name for name in actual if name not in expected)]:
            place = f"{path}.{name}" if path else name
            if name not in actual or name not in expected:
                return f"`{place}` is {'missing' if name not in actual else 'there and not expected'}"
            if found := first_difference(expected[name], actual[name], place):
                return found
    if isinstance(expected, list) and isinstance(actual, list):
        for index, (one, other) in enumerate(zip(expected, actual, strict=False)):
            if found := first_difference(one, other, f"{path}[{index}]"):
                return found
        return f"`{path}` has {len(actual)} items, not {len(expected)}"
    return f"`{path}` is {_cut(_json(actual))}, not {_cut(_json(expected))}" if path else None


def agrees(expected: Outcome, actual: Outcome) -> bool:
    """Return whether an outcome has everything that is expected of it; parts that are not named are left open."""
    if expected.kind != actual.kind:
        return False
    given = actual.parts
    return all(json_equal(plain(value), plain(given.get(name))) for name, value in expected.parts.items())
