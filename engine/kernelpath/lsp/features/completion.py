"""What an editor offers at a cursor in a pack's file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kernelpath.language.types import UNKNOWN, Record, required
from kernelpath.lsp.checking.session import Model
from kernelpath.lsp.features.complete_expressions import Writing
from kernelpath.lsp.features.complete_names import names_of, types_of
from kernelpath.lsp.features.describe import describe
from kernelpath.lsp.features.schemas import doc_of, keys_at, values_at
from kernelpath.lsp.features.suggestion import Suggestion, placed
from kernelpath.lsp.symbols.environment import cell_type, environment, tested_environment
from kernelpath.lsp.texts.cursor import Cursor
from kernelpath.lsp.workspace import Document, Workspace
from kernelpath.packs.documents import Mapping, node_at
from kernelpath.packs.grammar import Role, role_at

_HOLE = re.compile(r"(?:^|[^{])(?:\{\{)*\{(?!\{)([^{}]*)\Z", re.S)


def complete(workspace: Workspace, document: Document, offset: int) -> list[Suggestion]:
    """Return what may be written at an offset, the likeliest first."""
    cursor = document.cursor(offset)
    if cursor.quote == "closed":
        return []
    role = role_at(document.kind, cursor.path)
    if cursor.is_key and (role is None or role.kind == "cell" or keys_at(document.kind, cursor.path, document.root)):
        return _keys(document, cursor, offset)
    if role and role.kind in ("expression", "message"):
        return _expression(workspace, document, cursor, role, offset)
    return _with_word(cursor.text, offset, _values(document, cursor, role))


def _with_word(text: str, offset: int, suggestions: Iterable[Suggestion]) -> list[Suggestion]:
    """Place suggestions on the word before the cursor."""
    start = len(text)
    while start and (text[start - 1].isalnum() or text[start - 1] in "_./-"):
        start -= 1
    return placed(suggestions, offset - (len(text) - start), offset)


def _keys(document: Document, cursor: Cursor, offset: int) -> list[Suggestion]:
    """The keys that a mapping may have and has not yet, or the names that stand as keys there."""
    taken = _taken(document, cursor)
    found = [suggestion for suggestion in _key_names(document, cursor) if suggestion.label not in taken]
    return placed(found, cursor.start, offset)


def _taken(document: Document, cursor: Cursor) -> set[str]:
    try:
        node = node_at(document.root, cursor.path) if document.root else None
    except LookupError:
        return set()
    return set(node.keys()) - {cursor.text.strip()} if isinstance(node, Mapping) else set()


def _key_names(document: Document, cursor: Cursor) -> Iterator[Suggestion]:
    for key, schema in keys_at(document.kind, cursor.path, document.root).items():
        kind = schema.get("type", "")
        detail = kind if isinstance(kind, str) else ""
        yield Suggestion(key, "key", detail, doc_of(schema), f"{key}: ", rank=0)
    role = role_at(document.kind, (*cursor.path, ""), is_key=True)
    if role and role.of in ("test-variable", "test-field") and document.model:
        yield from _tested(document.model, document, cursor)
    elif role and role.kind == "name" and document.model:
        for name in names_of(document.model, role.of, document.path, document.root):
            yield Suggestion(name.label, name.kind, name.detail, name.doc, f"{name.label}: ", rank=0)


def _tested(model: Model, document: Document, cursor: Cursor) -> Iterator[Suggestion]:
    """The variables of the tested rule's scope, or the fields of the record that one of them is."""
    known = tested_environment(model, document.path)
    if len(cursor.path) == 3:
        for name, type_ in known.names.variables.items():
            symbol = known.origins.get(name)
            about = describe(model, symbol) if symbol else ""
            rank = 1 if name in model.reader.cells else 0
            yield Suggestion(name, "variable", str(type_), about, f"{name}: ", rank=rank)
        return
    record = required(known.names.variables.get(str(cursor.path[3]), UNKNOWN))
    if isinstance(record, Record):
        for name, type_ in record.fields.items():
            yield Suggestion(
                name, "field", str(type_), describe(model, ("field", record.name, name)), f"{name}: ", rank=0
            )


def _values(document: Document, cursor: Cursor, role: Role | None) -> Iterator[Suggestion]:
    for value in values_at(document.kind, cursor.path, document.root):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        yield Suggestion(text, "value", rank=0)
    model = document.model
    if model is None or role is None:
        return
    if role.kind == "type":
        yield from types_of(model)
    elif role.kind == "name":
        yield from names_of(model, role.of, document.path, document.root)
    elif role.kind == "cell":
        yield from _cell(document, cursor)


def _cell(document: Document, cursor: Cursor) -> Iterator[Suggestion]:
    """The values of the vocabulary of what the cell is held against."""
    assert document.model is not None
    type_ = cell_type(document.model, document.kind, document.path, document.root, cursor.path)
    for value in getattr(type_, "values", ()):
        yield Suggestion(value, "value", str(type_), rank=0)


def _expression(workspace: Workspace, document: Document, cursor: Cursor, role: Role, offset: int) -> list[Suggestion]:
    text = cursor.text
    if role.kind == "message":
        hole = _HOLE.search(text)
        if hole is None:
            return []
        text = hole[1]
    model = document.model
    if model is None:
        return []
    known = environment(model, document.kind, document.path, document.root, cursor.path, role)
    after = document.source.text[offset:].partition("\n")[0]
    texts = _texts(workspace, document)
    length, suggestions = Writing(model, known, text, after, cursor.quote, texts).suggestions()
    return placed(suggestions, offset - length, offset)


def _texts(workspace: Workspace, document: Document) -> list[str]:
    """Return the texts of the pack's files, in which other expressions say what members JSON values have."""
    session = document.session
    return [found.source.text for found in workspace.pack_documents(session, tests=False)] if session else []
