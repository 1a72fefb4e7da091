"""What is told about the text under the pointer."""

from __future__ import annotations

from dataclasses import dataclass

from kernelpath.language import Type
from kernelpath.lsp.features.definition import decision_row
from kernelpath.lsp.features.describe import code, describe
from kernelpath.lsp.features.schemas import doc_of, keys_at
from kernelpath.lsp.symbols.environment import environment, type_of
from kernelpath.lsp.symbols.index import bounds, scalars
from kernelpath.lsp.symbols.occurrence import Occurrence
from kernelpath.lsp.workspace import Document, Workspace
from kernelpath.packs.documents import Mapping, Scalar


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown about a stretch of a file."""

    start: int
    end: int
    text: str


def hover(workspace: Workspace, document: Document, offset: int) -> Hover | None:
    """Return what there is to say of the text at an offset: of a name, of an expression's part, or of a key."""
    found = workspace.index(document).at(offset)
    if found is not None and document.model is not None:
        text = _told(document, found)
        if text:
            return Hover(found.start, found.end, text)
    return _key(document, offset)


def _told(document: Document, found: Occurrence) -> str:
    assert document.model is not None
    if found.symbol is None:
        return code(f"{found.text}: {found.type}") if found.type else ""
    type_ = found.type
    if found.symbol[0] == "let" and type_ is None:
        type_ = _let_type(document, found)
    text = describe(document.model, found.symbol, type_)
    row = decision_row(document, found.symbol[1]) if found.symbol[0] == "decision" else None
    return f"{text}\n\n{row[1]}" if row else text


def _let_type(document: Document, found: Occurrence) -> Type | None:
    model = document.model
    assert model is not None
    for section in ("let", "inputs"):
        node = document.root.get(section) if isinstance(document.root, Mapping) else None
        value = node.get(found.text) if isinstance(node, Mapping) else None
        if isinstance(value, Scalar):
            known = environment(model, document.kind, document.path, document.root, (section, found.text), None)
            return type_of(model, value.text, known.names, known.given)
    return None


def _key(document: Document, offset: int) -> Hover | None:
    """A key of the file's own form: its schema says what it is for."""
    for path, scalar, is_key in scalars(document.root) if document.root else ():
        if is_key and scalar.start <= offset <= scalar.end:
            schema = keys_at(document.kind, path[:-1], document.root).get(str(path[-1]))
            text = doc_of(schema) if schema else ""
            return Hover(*bounds(scalar), f"**{path[-1]}**: {text}") if text else None
    return None
