"""Write the reference page of the files of a pack, out of their annotated schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kernelpath.packs.grammar import PACK, RULE, TEST, schema_of

Schema = Mapping[str, Any]
#: What each kind of file is called, and where it lies.
FILES = {
    PACK: ("pack.yaml", "the pack's folder, once"),
    RULE: ("A rule", "`STAGE/NAME.yaml`, a file for each rule"),
    TEST: ("A rule's tests", "`STAGE/NAME.test.yaml`, beside the rule"),
}
#: How a role is said.
ROLES = {
    "expression": "an expression",
    "message": "a message: text with expressions in braces",
    "type": "a type",
    "data": "plain data",
    "cell": "a value of the declared type",
}
_ARTICLE = {"name": "the name of a", "declares": "a new name: a"}


def grammar_page() -> str:
    """Return the page as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# The files of a pack"
    yield ""
    yield "Every key that a file of a pack may have, from `grammars/*.schema.json`: what the reader, the formatter, the"
    yield "language server and this page say of a key is written once, there. Keys stand in the order in which"
    yield "`pack fmt` puts them. Where a line is indented, its key stands inside the one above it."
    for kind, (title, where) in FILES.items():
        yield from ("", f"## {title}", "", f"Place: {where}.", "")
        for schema in _forms(schema_of(kind)):
            yield from _keys(schema, 0)


def _forms(schema: Schema) -> list[Schema]:
    """Return the forms of a schema, in which what it describes may be written."""
    for word in ("oneOf", "anyOf"):
        if word in schema:
            return [form for inner in schema[word] for form in _forms(inner)]
    return [schema]


def _keys(schema: Schema, depth: int) -> Iterator[str]:
    """Yield one line for each key of a mapping, and below it those inside."""
    required = schema.get("required", ())
    for name, inner in schema.get("properties", {}).items():
        yield from _key(f"`{name}`", inner, depth, name in required)
    others = schema.get("additionalProperties")
    if isinstance(others, Mapping):
        yield from _key("*any name*", others, depth, False)


def _key(name: str, schema: Schema, depth: int, required: bool) -> Iterator[str]:
    said = [_said(schema), "required" if required else ""]
    about = "; ".join(part for part in said if part)
    text = schema.get("description", "")
    yield "  " * depth * 2 + f"- {name}" + (f" ({about})" if about else "") + (f": {text}" if text else "")
    for inner in (schema, schema.get("items", {})):
        for form in _forms(inner):
            yield from _keys(form, depth + 1)


def _said(schema: Schema) -> str:
    """Return what a value is, in words."""
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    kind, _, of = str(schema.get("x-role", "")).partition(":")
    if kind in _ARTICLE and of:
        return f"{_ARTICLE[kind]} {of}"
    if kind == "expression" and of:
        return f"an expression of type {of}"
    if kind in ROLES:
        return ROLES[kind]
    found = schema.get("type")
    return "" if found in (None, "object") else _plain(found)


def _plain(types: str | list[str]) -> str:
    names = {"array": "list", "string": "text"}
    listed = [types] if isinstance(types, str) else types
    return " or ".join(names.get(each, each) for each in listed)
