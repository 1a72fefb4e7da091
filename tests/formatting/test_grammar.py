"""Roles and the order of keys are what the schemas say, wherever a value stands, in its short or its long form."""

from __future__ import annotations

import pytest

from kernelpath.packs.grammar import PACK, RULE, TEST, Path, Role, ordered_keys, role_at

EXPRESSION, CONDITION, MESSAGE = Role("expression"), Role("expression", "bool"), Role("message")

VALUES: list[tuple[str, Path, Role | None]] = [
    (RULE, ("check",), CONDITION),
    (RULE, ("first", 1, "value"), Role("expression", "given")),
    (RULE, ("rows", 0, "match", "colour"), Role("cell")),
    (RULE, ("rows", 0, "match", "colour", 1), Role("cell")),
    (RULE, ("transition", "slot"), Role("expression", "string")),
    (RULE, ("message",), MESSAGE),
    (RULE, ("why",), None),
    (PACK, ("extends",), Role("name", "pack")),
    (PACK, ("extends", 0), Role("name", "pack")),
    (PACK, ("values", "limit"), EXPRESSION),
    (PACK, ("values", "limit", "is"), EXPRESSION),
    (PACK, ("values", "limit", "fields", "low"), EXPRESSION),
    (PACK, ("values", "is", "is"), EXPRESSION),
    (PACK, ("items", "steps", "fields", "op", "type"), Role("type")),
    (PACK, ("constants", "limits", "value", "is"), None),
    (PACK, ("replace", "values.limit"), EXPRESSION),
    (PACK, ("replace", "values.limit", "when"), CONDITION),
    (PACK, ("replace", "values.limit.when"), CONDITION),
    (PACK, ("replace",), None),
    (TEST, ("cases", 0, "run"), Role("name", "question")),
    (TEST, ("cases", 0, "given", "step", "op"), Role("cell")),
    (TEST, ("cases", 0, "expect", "value"), Role("cell")),
    (TEST, ("unknown", 0), None),
]
KEYS: list[tuple[str, Path, Role | None]] = [
    (RULE, ("let", "own"), Role("declares", "let")),
    (RULE, ("let",), None),
    (PACK, ("values", "limit"), Role("declares", "value")),
    (PACK, ("values", "limit", "is"), None),
    (PACK, ("stages", "boxes", "gives", "grade"), Role("declares", "variable")),
    (TEST, ("cases", 0, "given", "step"), Role("name", "test-variable")),
]


@pytest.mark.parametrize(("kind", "path", "role"), VALUES, ids=str)
def test_role_of_a_value(kind: str, path: Path, role: Role | None) -> None:
    """A value has the role of its place; what replaces something has the role of what it replaces."""
    assert role_at(kind, path) == role


@pytest.mark.parametrize(("kind", "path", "role"), KEYS, ids=str)
def test_role_of_a_key(kind: str, path: Path, role: Role | None) -> None:
    """A key that the author chose declares or names something, and one of the schema does not."""
    assert role_at(kind, path, is_key=True) == role


@pytest.mark.parametrize(
    ("kind", "path", "keys"),
    [
        (RULE, (), ["summary", "tags", "when", "check", "guards", "message", "help"]),
        (RULE, (), ["summary", "table", "hit", "inputs", "when", "rows", "own"]),
        (PACK, (), ["summary", "documents", "values", "items", "stages", "questions", "replace"]),
        (PACK, ("values", "is"), ["doc", "type", "is"]),
        (PACK, ("replace", "items.steps.fields.op"), ["type", "is", "doc"]),
    ],
    ids=str,
)
def test_order_of_keys(kind: str, path: Path, keys: list[str]) -> None:
    """Keys stand in the order of the schema's properties, those of no schema last."""
    assert ordered_keys(kind, path, [*reversed(keys)]) == keys


def test_names_keep_their_order() -> None:
    """Names that the author chose stand as they were written."""
    assert ordered_keys(PACK, ("values",), ["is", "doc", "another"]) == ["is", "doc", "another"]
