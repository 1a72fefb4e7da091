"""Hold a document to a JSON Schema (draft 2020-12) and say in words, at the place, what is wrong with its shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from kernelpath.diagnostics import ERROR, Diagnostic, Span, did_you_mean
from kernelpath.diagnostics.render.printable import printable
from kernelpath.packs import nodes
from kernelpath.packs.nodes import Node, node_at, to_plain

_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}
_NAME_HELP = {
    "^[a-z][A-Za-z0-9_]*$": "a name starts with a small letter; letters, digits and `_` may follow",
    "^[A-Z][A-Za-z0-9]*$": "a record's name starts with a capital letter; letters and digits may follow",
}
_SCALARS = {"string", "boolean", "integer", "number", "null"}
#: Keys that stand in every shape and are near to a name of one.
_COMMON = ("why", "each", "when", "needs")
_SHOWN = 40
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
MAX_FAULTS = 1_000
Error = Any  # jsonschema.ValidationError, whose stubs call every member perhaps unset


class Fault(NamedTuple):
    """One fault; `mapping` is where its mapping starts and `key` the key, if it is one of keys (else -1)."""

    rule: str
    span: Span
    message: str
    help: str | None
    mapping: int = -1
    key: str = ""


def validate(node: Node, schema: Mapping[str, Any]) -> list[Diagnostic]:
    """Return what is wrong with a document's shape: one diagnostic for each fault, in the order of the file.

    Where a value may have one of several shapes, it is held to the one it comes nearest to. Of over `MAX_FAULTS`
    errors the first are taken.
    """
    errors = _validator()(schema).iter_errors(to_plain(node))
    found = set(islice((fault for error in errors for fault in _faults(node, error)), MAX_FAULTS))
    return [_diagnostic(fault) for fault in sorted(_paired(found), key=_order)]


def control_characters(root: Node) -> Iterator[Diagnostic]:
    """Yield a mistake for each scalar that an escape gave a control character, which no text is written with."""
    for scalar in nodes.scalars(root):
        found = _CONTROL.search(scalar.text)
        if found:
            message = f"a text has no control character such as `{printable(found.group())}`"
            span = scalar.text_span(found.start(), found.end())
            yield Diagnostic("shape/character", (), ERROR, message, span=span, help="leave it out")


@cache
def _validator() -> Any:
    """Return the class that validates: as jsonschema does, but for two keywords.

    `$` in a pattern is the end of the text, and no line break may follow; equal items are looked for in linear time.
    """
    from jsonschema import Draft202012Validator, ValidationError, validators  # heavy; a cached pack needs none of it

    def pattern(validator: Any, wanted: str, instance: object, schema: object) -> Iterator[Error]:
        if isinstance(instance, str) and not _compiled(wanted).search(instance):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    def unique(validator: Any, wanted: bool, instance: object, schema: object) -> Iterator[Error]:
        if wanted and isinstance(instance, list):
            spelled = {json.dumps(item, sort_keys=True) for item in instance}
            if len(spelled) < len(instance):
                yield ValidationError("items are there twice")

    return validators.extend(Draft202012Validator, {"pattern": pattern, "uniqueItems": unique})  # type: ignore[no-untyped-call]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"(?<!\\)\$$", r"\\Z", pattern), re.ASCII)


def _paired(faults: Iterable[Fault]) -> Iterator[Fault]:
    """Say once that a key is misspelt, not twice that one is unknown and another is missing."""
    by_mapping: dict[int, list[Fault]] = {}
    for fault in faults:
        by_mapping.setdefault(fault.mapping, []).append(fault)
    for start, found in by_mapping.items():
        missing = {fault.key: fault for fault in found if fault.rule == "missing-key"}
        for fault in found:
            if fault.rule != "missing-key":
                yield _meant(fault, missing) if start >= 0 else fault
        yield from missing.values()


def _meant(fault: Fault, missing: dict[str, Fault]) -> Fault:
    """Return the fault of an unknown key with the missing key that it stands for, which is no longer missing."""
    if fault.rule != "unknown-key" or not missing:
        return fault
    meant = did_you_mean(fault.key, missing)
    if meant is None:
        return fault
    del missing[meant]
    return fault._replace(help=f"did you mean `{meant}`?")


def _order(fault: Fault) -> tuple[int, int, str, str]:
    return fault.span.line, fault.span.column, fault.rule, fault.message


def _diagnostic(fault: Fault) -> Diagnostic:
    return Diagnostic(f"shape/{fault.rule}", (), ERROR, fault.message, span=fault.span, help=fault.help)


def _faults(root: Node, error: Error) -> Iterator[Fault]:
    kind = str(error.validator)
    if kind in ("anyOf", "oneOf"):
        yield from _choice(root, error)
    elif kind in ("additionalProperties", "unevaluatedProperties", "dependentRequired", "required"):
        yield from _keys(root, error, kind)
    elif "propertyNames" in error.relative_schema_path and isinstance(_at(root, error), nodes.Mapping):
        message = f"the key `{_shown(error.instance)}` has no valid name"
        yield Fault("key-name", _name_span(root, error), message, _NAME_HELP.get(str(error.validator_value)))
    else:
        name, message = _value_fault(error, kind)
        yield Fault(name, _at(root, error).span, message, _suggestion(error, kind))


def _at(root: Node, error: Error) -> Node:
    return node_at(root, error.absolute_path)


def _name_span(root: Node, error: Error) -> Span:
    mapping = _at(root, error)
    return mapping.key_span(str(error.instance)) if isinstance(mapping, nodes.Mapping) else mapping.span


def _choice(root: Node, error: Error) -> Iterator[Fault]:
    """The faults of the nearest of several shapes, or the types to choose from where none is near."""
    branches: dict[int, list[Error]] = {}
    for inner in error.context or ():
        branches.setdefault(int(inner.relative_schema_path[0]), []).append(inner)
    if not branches:  # `oneOf` of which several fit
        message = "this fits several of the shapes that exclude each other"
        yield Fault("several-shapes", _at(root, error).span, message, None)
        return
    if error.validator == "oneOf" and isinstance(error.instance, dict):
        named = _named_branch(root, error)
        if isinstance(named, Fault):
            yield named
            return
        branches = {named: branches.get(named, [])} if named is not None else branches
    nearest = min(sorted(branches), key=lambda index: _distance(branches[index]))
    if _distance(branches[nearest])[0]:
        wanted = _words(_wanted(inner) for index in sorted(branches) for inner in branches[index] if _is_root(inner))
        yield Fault("type", _at(root, error).span, f"expected {wanted}, but this is {_kind(error.instance)}", None)
        return
    for inner in branches[nearest]:
        yield from _faults(root, inner)


def _named_branch(root: Node, error: Error) -> int | Fault | None:
    """Return which shape a mapping has by the key that names it, or what is wrong with that key.

    A shape is named by a key where its `title` is a key that it requires; None where the shapes are told otherwise.
    """
    parts = error.validator_value
    titles = [part.get("title") for part in parts]
    mapping = _at(root, error)
    if any(title not in part.get("required", ()) for title, part in zip(titles, parts, strict=True)):
        return None
    if not isinstance(mapping, nodes.Mapping) or not mapping.entries:
        return None
    present = [key for key in mapping if key in titles]
    return titles.index(present[0]) if len(present) == 1 else _unclear(mapping, present, titles)


def _unclear(mapping: nodes.Mapping, present: list[str], titles: list[str]) -> Fault:
    """Say of a mapping that has none of the keys that name a shape, or several, which key is to blame."""
    if present:
        message = f"of the keys {', '.join(present)} only one may be here"
        return Fault("several-shapes", mapping.key_span(present[1]), message, "make two of it")
    for key in mapping:
        near = did_you_mean(key, titles) if key not in _COMMON else None
        if near:
            help_text = f"did you mean `{near}`?"
            return Fault("unknown-key", mapping.key_span(key), f"unknown key `{_shown(key)}`", help_text)
    message = f"one of the keys {_words(titles)} is missing"
    return Fault("missing-key", mapping.entries[0][0].span, message, None)


def _distance(errors: list[Error]) -> tuple[bool, int]:
    """How far a value is from a shape: of another kind altogether, then by how many faults it has."""
    return any(_is_root(error) for error in errors), sum(map(_weight, errors))


def _weight(error: Error) -> int:
    if error.validator in ("additionalProperties", "unevaluatedProperties"):
        return len(_extra(error))
    return 2 if error.validator == "required" else 1


def _is_root(error: Error) -> bool:
    return not error.relative_path and error.validator in ("type", "const", "enum")


def _wanted(error: Error) -> str:
    if error.validator == "type":
        return _type_words(error.validator_value)
    values = error.validator_value if error.validator == "enum" else [error.validator_value]
    return _words(f"`{_shown(value)}`" for value in values)


def _keys(root: Node, error: Error, kind: str) -> Iterator[Fault]:
    mapping = _at(root, error)
    if not isinstance(mapping, nodes.Mapping):
        return
    if kind in ("required", "dependentRequired"):
        for key in _missing(error, kind):
            message = f"the key `{key}` is missing"
            yield Fault("missing-key", _opening(root, error, mapping), message, None, mapping.start, key)
        return
    known = sorted(_known_keys(error))
    for key in _extra(error):
        help_text = _unknown_key_help(mapping, key, [name for name in known if name not in mapping], known)
        yield Fault("unknown-key", mapping.key_span(key), f"unknown key `{_shown(key)}`", help_text, mapping.start, key)


def _unknown_key_help(mapping: nodes.Mapping, key: str, free: list[str], known: list[str]) -> str | None:
    near = did_you_mean(key, free)
    if near:
        return f"did you mean `{near}`?"
    value = mapping.get(key)
    if isinstance(value, nodes.Scalar) and value.start == value.end and mapping.source.text[mapping.start] == "{":
        return "a `,` ends a value inside `{...}`: put the whole value in quotes"
    return f"known keys: {', '.join(known)}" if known else None


def _known_keys(error: Error) -> Iterable[str]:
    schema = error.schema
    known: Mapping[str, object] = schema.get("properties", {}) if isinstance(schema, dict) else {}
    return known


def _extra(error: Error) -> list[str]:
    """The keys that a schema does not know; an `unevaluated` one names them in its message only."""
    if error.validator == "unevaluatedProperties":
        return [key for key in islice(error.instance, MAX_FAULTS) if repr(key) in error.message]
    patterns = error.schema.get("patternProperties", {}) if isinstance(error.schema, dict) else {}
    unknown = [key for key in error.instance if key not in _known_keys(error)]
    return [key for key in unknown if not any(re.search(pattern, key) for pattern in patterns)]


def _missing(error: Error, kind: str) -> list[str]:
    """The key that one error is about: there is an error for each."""
    if kind == "required":
        return [key for key in error.validator_value if error.message.startswith(repr(key))]
    groups = error.validator_value.items()
    wanted = [key for present, others in groups if present in error.instance for key in others]
    return [key for key in wanted if key not in error.instance and error.message.startswith(repr(key))]


def _opening(root: Node, error: Error, mapping: nodes.Mapping) -> Span:
    """Where a mapping is named: the key it stands under, else its own first key."""
    path = list(error.absolute_path)
    if path and isinstance(path[-1], str):
        parent = node_at(root, path[:-1])
        if isinstance(parent, nodes.Mapping):
            return parent.key_span(path[-1])
    return mapping.entries[0][0].span if mapping.entries else mapping.span


def _value_fault(error: Error, kind: str) -> tuple[str, str]:
    limit, value = error.validator_value, error.instance
    if kind == "type":
        return "type", f"expected {_wanted_type(error)}, but this is {_kind(value)}"
    if kind in ("enum", "const"):
        return "value", f"expected {_wanted(error)}, but this is {_kind(value)}"
    sizes = {
        "minItems": f"a list of at least {limit} is expected, but this has {_size(value)}",
        "maxItems": f"a list of at most {limit} is expected, but this has {_size(value)}",
        "minProperties": f"at least {limit} keys are expected, but this has {_size(value)}",
        "maxProperties": f"at most {limit} keys are expected, but this has {_size(value)}",
        "minLength": "the text is empty" if not value else f"the text is shorter than {limit} characters",
        "maxLength": f"the text is longer than {limit} characters",
        "minimum": f"`{_shown(value)}` is less than {limit}",
        "maximum": f"`{_shown(value)}` is more than {limit}",
        "exclusiveMinimum": f"`{_shown(value)}` is not more than {limit}",
        "exclusiveMaximum": f"`{_shown(value)}` is not less than {limit}",
        "pattern": f"`{_shown(value)}` does not match `{limit}`",
        "uniqueItems": "an item of the list is there twice",
        "not": "this shape is not allowed here",
    }
    return "value", sizes.get(kind, f"`{_shown(value)}` breaks `{kind}`")


def _wanted_type(error: Error) -> str:
    """Return what a value should be: what takes any scalar takes an expression, which YAML may read as a number."""
    types = error.validator_value
    return "an expression" if isinstance(types, list) and set(types) == _SCALARS else _type_words(types)


def _suggestion(error: Error, kind: str) -> str | None:
    if kind == "type" and _wanted_type(error) == "an expression":
        return "put the whole expression in quotes"
    if kind == "type" and error.validator_value == "array" and isinstance(error.instance, str):
        return f"write `[{_shown(error.instance)}]`"
    if kind == "type" and error.validator_value == "string" and isinstance(error.instance, bool | int | float):
        return f'write it in quotes: "{_shown(error.instance)}"'
    if kind != "enum" or not isinstance(error.instance, str):
        return None
    near = did_you_mean(error.instance, [value for value in error.validator_value if isinstance(value, str)])
    return f"did you mean `{near}`?" if near else None


def _type_words(types: str | list[str]) -> str:
    return _words(_TYPES[name] for name in ([types] if isinstance(types, str) else types))


def _words(words: Iterable[str]) -> str:
    """Join alternatives: `a`, `a or b`, `a, b or c`."""
    *most, last = dict.fromkeys(words)
    return f"{', '.join(most)} or {last}" if most else last


def _kind(value: object) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool | int | float):
        return f"`{_shown(value)}`"
    if isinstance(value, str):
        return f"the string `{_shown(value)}`"
    return "a mapping" if isinstance(value, dict) else "a list"


def _size(value: object) -> int:
    return len(value) if isinstance(value, list | dict) else 0


def _shown(value: object) -> str:
    if isinstance(value, bool | None):
        return "null" if value is None else str(value).lower()
    text = printable(str(value))
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
