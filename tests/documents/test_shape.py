"""A document of the wrong shape is told so at the place, in words, once for each fault."""

from __future__ import annotations

import pytest

from kernelpath.diagnostics import Source
from kernelpath.packs.documents import read_yaml
from kernelpath.packs.shape import validate

SCHEMA = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "colour": {"enum": ["red", "green"]},
        "size": {"type": "integer", "minimum": 1, "maximum": 9},
        "tags": {
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": {"type": "string", "pattern": "^[a-z]+$"},
        },
        "lid": {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "required": ["width"],
                    "additionalProperties": False,
                    "properties": {"width": {"type": "number"}, "depth": {"type": "number"}},
                },
            ]
        },
        "parts": {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}},
    },
}


def faults(text: str) -> list[tuple[str, int, int, str, str | None]]:
    """Return rule, line, column, message and help of what `SCHEMA` finds wrong."""
    found = validate(read_yaml(Source("box.yaml", text)), SCHEMA)
    return [(d.rule, d.span.line, d.span.column, d.message, d.help) for d in found if d.span]


def test_a_good_document_has_no_faults() -> None:
    """What the schema allows is silent."""
    assert faults("name: box\ncolour: red\nsize: 3\ntags: [a, b]\nlid: {width: 1.5}\nparts: {a: 1}\n") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: b\ncolor: red\n", ("shape/unknown-key", 2, 1, "unknown key `color`", "did you mean `colour`?")),
        (
            "name: b\nzzz: 1\n",
            ("shape/unknown-key", 2, 1, "unknown key `zzz`", "known keys: colour, lid, name, parts, size, tags"),
        ),
        ("colour: red\n", ("shape/missing-key", 1, 1, "the key `name` is missing", None)),
        ("name: [b]\n", ("shape/type", 1, 7, "expected a string, but this is a list", None)),
        ("name: 12\n", ("shape/type", 1, 7, "expected a string, but this is `12`", 'write it in quotes: "12"')),
        ("name:\n", ("shape/type", 1, 6, "expected a string, but this is empty", None)),
        ("name: ''\n", ("shape/value", 1, 7, "the text is empty", None)),
        ("name: b\nsize: true\n", ("shape/type", 2, 7, "expected a whole number, but this is `true`", None)),
        ("name: b\nsize: 0\n", ("shape/value", 2, 7, "`0` is less than 1", None)),
        ("name: b\nsize: 10\n", ("shape/value", 2, 7, "`10` is more than 9", None)),
        (
            "name: b\ncolour: rad\n",
            ("shape/value", 2, 9, "expected `red` or `green`, but this is the string `rad`", "did you mean `red`?"),
        ),
        (
            "name: b\ntags: []\n",
            ("shape/value", 2, 7, "a list of at least 1 is expected, but this has 0", None),
        ),
        ("name: b\ntags: [a, a]\n", ("shape/value", 2, 7, "an item of the list is there twice", None)),
        ("name: b\ntags:\n  - a\n  - B\n", ("shape/value", 4, 5, "`B` does not match `^[a-z]+$`", None)),
        ("name: b\nlid: {depth: 1}\n", ("shape/missing-key", 2, 1, "the key `width` is missing", None)),
        ("name: b\nlid: {width: x}\n", ("shape/type", 2, 14, "expected a number, but this is the string `x`", None)),
        ("name: b\nlid: 3\n", ("shape/type", 2, 6, "expected a string or a mapping, but this is `3`", None)),
        ("name: b\nparts: {A: 1}\n", ("shape/key-name", 2, 9, "the key `A` has no valid name", None)),
        ("- name\n", ("shape/type", 1, 1, "expected a mapping, but this is a list", None)),
    ],
)
def test_one_fault_gives_one_message(text: str, expected: tuple[str, int, int, str, str | None]) -> None:
    """Each fault is told once, where it is."""
    assert faults(text) == [expected]


def test_faults_come_in_the_order_of_the_file() -> None:
    """Several faults are all told, from the top of the file to its end."""
    text = "size: 0\nzzz: 1\ncolour: blue\n"
    assert [(rule, line) for rule, line, *_ in faults(text)] == [
        ("shape/missing-key", 1),
        ("shape/value", 1),
        ("shape/unknown-key", 2),
        ("shape/value", 3),
    ]
