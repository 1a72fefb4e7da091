"""The names of things that a pack's files may name: scopes, stages, values, rules, decisions, types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from kernelpath.evaluate.operations import OPERATIONS
from kernelpath.lsp.checking.session import Model
from kernelpath.lsp.features.describe import describe
from kernelpath.lsp.features.suggestion import Suggestion
from kernelpath.packs.documents import Mapping as MappingNode
from kernelpath.packs.documents import Node, Scalar
from kernelpath.packs.files import PACK_FILE
from kernelpath.resources import resource

_PRIMITIVES = ("bool", "int", "float", "string", "json", "object")
_CONTAINERS = ("list", "map")
_SECTIONS = {
    "scope": "scopes",
    "stage": "stages",
    "flow": "flows",
    "record": "records",
    "program": "programs",
    "fragment": "fragments",
}


def names_of(model: Model, kind: str, path: Path, root: Node | None) -> Iterator[Suggestion]:
    """Yield the names of a kind that a file may use."""
    if kind in _SECTIONS:
        for name in model.reader.sections.get(_SECTIONS[kind], {}):
            yield Suggestion(name, "value", kind, describe(model, (kind, name)), rank=0)
    elif kind == "value":
        for name, type_ in model.reader.values.items():
            yield Suggestion(name, "variable", str(type_), describe(model, ("value", name)), rank=0)
    else:
        yield from _OTHERS[kind](model, path, root) if kind in _OTHERS else ()


def _text(root: Node | None, key: str) -> str:
    node = root.get(key) if isinstance(root, MappingNode) else None
    return node.text if isinstance(node, Scalar) else ""


def _given(model: Model, _: Path, root: Node | None) -> Iterator[Suggestion]:
    """The variables that the rule's scope lets rules resolve; in pack.yaml those of all scopes."""
    own = model.reader.scopes.get(_text(root, "each"))
    for scope in [own] if own else model.reader.scopes.values():
        for name, type_ in scope.given.items():
            yield Suggestion(name, "variable", str(type_), describe(model, ("variable", scope.name, name)), rank=0)


def _local(model: Model, _: Path, __: Node | None) -> Iterator[Suggestion]:
    for scope in model.reader.scopes.values():
        for name, type_ in scope.locals.items():
            yield Suggestion(name, "variable", str(type_), describe(model, ("variable", scope.name, name)), rank=0)


def _lets(_: Model, __: Path, root: Node | None) -> Iterator[Suggestion]:
    node = root.get("inputs") if isinstance(root, MappingNode) else None
    yield from (Suggestion(name, "variable", "input", rank=0) for name in _keys(node))


def _keys(node: Node | None) -> Iterable[str]:
    return node.keys() if isinstance(node, MappingNode) else ()


def _decisions(model: Model, _: Path, __: Node | None) -> Iterator[Suggestion]:
    """The decisions that pack.yaml declares and those that other rules carry."""
    known: Mapping[str, str] = model.pack.decisions
    carried = {name for rule in model.pack.rules() for name in rule.decisions}
    for name in sorted(carried | set(known)):
        yield Suggestion(name, "value", "decision", describe(model, ("decision", name)), rank=0)


def _rules(model: Model, _: Path, __: Node | None) -> Iterator[Suggestion]:
    for layer in model.reader.chain:
        for file in layer.rules:
            name = f"{file.stage}/{file.name}"
            yield Suggestion(name, "value", file.pack, describe(model, ("rule", name)), rank=0)


def _packs(_: Model, path: Path, __: Node | None) -> Iterator[Suggestion]:
    for base in (path.parent.parent, resource("rules")):
        for found in base.glob(f"*/{PACK_FILE}"):
            if found != path:
                yield Suggestion(found.parent.name, "file", "pack", rank=0)


def _operations(_: Model, __: Path, ___: Node | None) -> Iterator[Suggestion]:
    for name, operation in OPERATIONS.items():
        yield Suggestion(name, "function", "operation", (operation.__doc__ or "").partition("\n")[0], rank=0)


def types_of(model: Model) -> Iterator[Suggestion]:
    """Yield the types that may be spelled."""
    for name, type_ in model.reader.terms.types.items():
        kind = "vocabulary" if name in model.reader.terms.vocabularies else "record"
        yield Suggestion(name, "type", kind, describe(model, (kind, name), type_), rank=0)
    yield from (Suggestion(name, "type", rank=1) for name in _PRIMITIVES)
    yield from (Suggestion(name, "type", f"{name}<...>", text=f"{name}<", rank=1) for name in _CONTAINERS)


_OTHERS = {
    "given": _given,
    "local": _local,
    "let": _lets,
    "decision": _decisions,
    "rule": _rules,
    "pack": _packs,
    "operation": _operations,
}
