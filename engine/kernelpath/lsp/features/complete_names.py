"""The names of things that a pack's files may name: tables, stages, questions, rules, decisions, types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from kernelpath.lsp.checking.session import Model
from kernelpath.lsp.features.describe import describe
from kernelpath.lsp.features.suggestion import Suggestion
from kernelpath.packs.cells import REQUEST
from kernelpath.packs.decisions import carriers
from kernelpath.packs.documents import Mapping as MappingNode
from kernelpath.packs.documents import Node
from kernelpath.packs.files import PACK_FILE
from kernelpath.packs.libraries import known_libraries
from kernelpath.resources import resource

_PRIMITIVES = ("bool", "int", "float", "string", "json", "object")
_CONTAINERS = ("list", "map")
_SECTIONS = {
    "document": "documents",
    "flow": "flows",
    "question": "questions",
    "record": "records",
    "stage": "stages",
    "table": "items",
}


def names_of(model: Model, kind: str, path: Path, root: Node | None) -> Iterator[Suggestion]:
    """Yield the names of a kind that a file may use."""
    if kind in _SECTIONS:
        symbol = "value" if kind == "document" else kind
        for name in model.reader.sections.get(_SECTIONS[kind], {}):
            yield Suggestion(name, "value", kind, describe(model, (symbol, name)), rank=0)
    else:
        yield from _OTHERS[kind](model, path, root) if kind in _OTHERS else ()


def _given(model: Model, path: Path, _: Node | None) -> Iterator[Suggestion]:
    """The variables that the rule's stage lets rules give."""
    stage = model.pack.stages.get(path.parent.name)
    for name, type_ in stage.gives.items() if stage else ():
        yield Suggestion(name, "variable", str(type_), describe(model, ("given", path.parent.name, name)), rank=0)


def _each(model: Model, path: Path, root: Node | None) -> Iterator[Suggestion]:
    """What a stage may be asked for: the request, the rows of a table, or the visits of a flow."""
    yield Suggestion(REQUEST, "value", "the request as a whole", rank=0)
    yield from names_of(model, "table", path, root)
    yield from names_of(model, "flow", path, root)


def _slots(model: Model, _: Path, __: Node | None) -> Iterator[Suggestion]:
    for name, type_ in model.reader.cells.items():
        if name.endswith(".slots"):
            yield Suggestion(name, "variable", str(type_), describe(model, model.origins[name]), rank=0)


def _libraries(_: Model, __: Path, ___: Node | None) -> Iterator[Suggestion]:
    yield from (Suggestion(name, "value", "library", rank=0) for name in known_libraries())


def _lets(_: Model, __: Path, root: Node | None) -> Iterator[Suggestion]:
    node = root.get("inputs") if isinstance(root, MappingNode) else None
    yield from (Suggestion(name, "variable", "input", rank=0) for name in _keys(node))


def _keys(node: Node | None) -> Iterable[str]:
    return node.keys() if isinstance(node, MappingNode) else ()


def _decisions(model: Model, _: Path, __: Node | None) -> Iterator[Suggestion]:
    """The decisions that rules and declarations carry."""
    for name in sorted(carriers(model.pack)):
        yield Suggestion(name, "value", "decision", describe(model, ("decision", name)), rank=0)


def _rules(model: Model, _: Path, __: Node | None) -> Iterator[Suggestion]:
    for layer in model.reader.chain:
        for file in layer.rules:
            name = file.identity
            yield Suggestion(name, "value", file.pack, describe(model, ("rule", name)), rank=0)


def _packs(_: Model, path: Path, __: Node | None) -> Iterator[Suggestion]:
    for base in (path.parent.parent, resource("rules")):
        for found in base.glob(f"*/{PACK_FILE}"):
            if found != path:
                yield Suggestion(found.parent.name, "file", "pack", rank=0)


def types_of(model: Model) -> Iterator[Suggestion]:
    """Yield the types that may be spelled."""
    for name, type_ in model.reader.terms.types.items():
        kind = "vocabulary" if name in model.reader.terms.vocabularies else "record"
        yield Suggestion(name, "type", kind, describe(model, (kind, name), type_), rank=0)
    yield from (Suggestion(name, "type", rank=1) for name in _PRIMITIVES)
    yield from (Suggestion(name, "type", f"{name}<...>", text=f"{name}<", rank=1) for name in _CONTAINERS)


_OTHERS = {
    "given": _given,
    "each": _each,
    "slots": _slots,
    "library": _libraries,
    "let": _lets,
    "decision": _decisions,
    "rule": _rules,
    "pack": _packs,
}
