"""Render the reference of the language as Markdown, from the declarations of its types, operators and built-ins."""

from __future__ import annotations

from collections.abc import Iterable

from kernelpath.language.ast import MAX_NESTING
from kernelpath.language.builtins import DECLARED, Declaration, Failure
from kernelpath.language.json_values import MAX_DEPTH, canonical_text
from kernelpath.language.meter import BUDGET, CHARACTERS
from kernelpath.language.parser import MAX_TEXT

TYPES = (
    ("`bool`", "`true` or `false`. Nothing else stands for one: there is no truthiness."),
    ("`int`", "A whole number within ±2**63."),
    ("`float`", "An IEEE 754 double, infinities and NaN included. An int may stand where a float is needed."),
    ("`string`", "Text. Its length and order go by code points."),
    ("`null`", "The type of `null`."),
    ("`json`", "Any JSON value as a user gave it. Reading it is lenient: what is not there is null."),
    ("`object`", "The same as `map<json>`."),
    ("a vocabulary", "A named set of strings, such as `colour`. A literal that is none of its values is an error."),
    ("an open vocabulary", "The same for literals, but a value may be any JSON value at run time."),
    ("`list<T>`, `list<T, 64>`", "A list, perhaps with a bound on its length."),
    ("`map<T>`", 'A map from strings. `m.name` and `m["name"]` give `T?`.'),
    ("a record", "A value with named fields of fixed types."),
    ("`T?`", "A `T` or null. It must be tested or given a default before it can be used as a `T`."),
)
"""Each type and what its values are."""

OPERATORS = (
    ("`if a then b else c`, `any x in xs: p`, `all x in xs: p`, `count x in xs: p`", "reach as far right as they can"),
    ("`or`", "evaluates its right side only if the left is false"),
    ("`and`", "evaluates its right side only if the left is true"),
    ("`not`", ""),
    ("`==` `!=` `<` `<=` `>` `>=` `in` `not in`", "do not chain; JSON compares as JSON: 1 is 1.0, and true is not 1"),
    ("`??`", "gives its right side if the left is null"),
    ("`+` `-`", "`+` also joins strings and lists"),
    ("`*` `/` `//` `%`", "`/` gives a float, `//` rounds down, `%` has the sign of its right side"),
    ("`-x`", ""),
    ("`.name` `?.name` `[i]` `f(x)` `x.f(y)`", "`x.f(y)` is `f(x, y)`; `?.` gives null for null"),
)
"""The operators from the loosest to the tightest, each line of one strength, and what is particular about them."""

_GROUPS = {
    "strings": "Strings",
    "json": "JSON values",
    "lists": "Lists",
    "numbers": "Numbers",
    "conversions": "Conversions",
    "structures": "Taking apart and putting together",
}


def render_reference() -> str:
    """Return the reference as Markdown, ending in a newline."""
    parts = [
        "# The expression language",
        "",
        "Expressions are total, pure, deterministic and statically typed. White space and newlines mean nothing. "
        f"An expression has at most {MAX_TEXT:,} characters and {MAX_NESTING} levels, "
        f"and one evaluation takes at most {BUDGET:,} steps: a loop costs its length, and in a loop "
        f"an operation costs the items that it looks through, and one step for {CHARACTERS} characters.",
        *_section("Types", ("Type", "Values"), TYPES),
        *_section("Operators", ("From the loosest to the tightest", "Note"), OPERATORS),
        *_narrowing(),
    ]
    for module, title in _GROUPS.items():
        inside = [declared for declared in DECLARED.values() if declared.implementation.__module__.endswith(module)]
        parts += ["", f"## {title}", *(line for declared in inside for line in _builtin(declared))]
    return "\n".join(parts) + "\n"


def _section(title: str, head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> list[str]:
    lines = ["", f"## {title}", "", f"| {head[0]} | {head[1]} |", "|---|---|"]
    return [*lines, *(f"| {one} | {other} |" for one, other in rows)]


def _narrowing() -> list[str]:
    return [
        "",
        "## Tests that narrow",
        "",
        "`x != null`, `x == value`, `x in [values]`, and for JSON "
        + ", ".join(f"`{declared.name}(x)`" for declared in DECLARED.values() if declared.narrows)
        + " prove a type of a path: a variable with members and literal indexes. "
        "What they prove holds to the right of `and` and `or`, in the branches of `if`, and in what a comprehension "
        "with that condition gives. JSON values nested deeper than "
        f"{MAX_DEPTH} levels are refused by what has to walk through them.",
        "",
        "Every vocabulary is a function too, from a string to its value, or null where the string is none. "
        "`source(x)` is the text that says where the value of a resolved variable came from.",
    ]


def _builtin(declared: Declaration) -> list[str]:
    signatures = [f"    {signature}" for signature in declared.signatures]
    examples = [f"    {text}  →  {_outcome(expected)}" for text, expected in declared.examples]
    return ["", f"### `{declared.name}`", "", *signatures, "", declared.doc, "", *examples]


def _outcome(expected: object) -> str:
    return f"error: {expected.message}" if isinstance(expected, Failure) else canonical_text(expected)
