"""Where a name is declared, and everywhere that it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from kernelpath.files.reading import YAML_BYTES, read_file
from kernelpath.lsp.symbols.occurrence import Location, Symbol
from kernelpath.lsp.workspace import Document, Workspace
from kernelpath.packs.declarations import row_type
from kernelpath.packs.files import PACK_FILE, PackErrors, pack_folder

_LOCAL = ("let", "loop")
DECISIONS = "DECISIONS.md"
_LEVELS = 4


def definition(workspace: Workspace, document: Document, offset: int) -> list[Location]:
    """Return where the name at an offset is declared; the rules that carry a decision which no page explains."""
    found = workspace.index(document).at(offset)
    return [] if found is None or found.symbol is None else declarations(workspace, document, found.symbol)


def declarations(workspace: Workspace, document: Document, symbol: Symbol) -> list[Location]:
    """Return where a symbol is declared, as a document sees it."""
    if symbol[0] == "decision":
        return decision_places(workspace, document, symbol[1])
    if symbol[0] in ("rule", "pack"):
        return _files(workspace, document, symbol)
    for other in _searched(workspace, document, symbol):
        own = [place for place in workspace.index(other).of(symbol) if place.declares]
        if own:
            return [Location(other.path, place.start, place.end) for place in own]
    maker = _maker(document, symbol)
    return declarations(workspace, document, maker) if maker else []


def _maker(document: Document, symbol: Symbol) -> Symbol | None:
    """Return the table or the value whose columns make a record type that is declared nowhere else."""
    reader = document.model.reader if document.model and symbol[0] == "record" else None
    for section, kind in (("items", "table"), ("values", "value")) if reader else ():
        for name, (_, node) in reader.sections[section].items() if reader else ():
            if row_type(node) == symbol[1]:
                return (kind, name)
    return None


def _searched(workspace: Workspace, document: Document, symbol: Symbol) -> Iterator[Document]:
    """Yield the files that may declare a symbol: a rule's own names are in its file, all others in a pack.yaml."""
    if symbol[0] in _LOCAL:
        yield document
        return
    for folder in reversed(document.session.folders() if document.session else []):
        found = workspace.document(folder / PACK_FILE)
        if found is not None:
            yield found


def references(workspace: Workspace, document: Document, offset: int, *, declared: bool = True) -> list[Location]:
    """Return everywhere that the name at an offset stands, in the order of the files."""
    found = workspace.index(document).at(offset)
    if found is None or found.symbol is None or document.session is None:
        return []
    local = found.symbol[0] in _LOCAL
    places = [document] if local else workspace.pack_documents(document.session)
    return list(_named(workspace, places, found.symbol, declared))


def _named(workspace: Workspace, documents: list[Document], symbol: Symbol, declared: bool) -> Iterator[Location]:
    for document in documents:
        for place in workspace.index(document).of(symbol):
            if declared or not place.declares:
                yield Location(document.path, place.start, place.end)


def decision_places(workspace: Workspace, document: Document, decision: str) -> list[Location]:
    """Return a decision's row in the page of decisions or in pack.yaml, else the rules that carry it."""
    row = decision_row(document, decision)
    if row is not None:
        return [row[0]]
    session = document.session
    documents = workspace.pack_documents(session, tests=False) if session else []
    places = [(found, place) for found in documents for place in workspace.index(found).of(("decision", decision))]
    declared = [pair for pair in places if pair[1].declares]
    return [Location(found.path, place.start, place.end) for found, place in declared or places]


def decision_row(document: Document, decision: str) -> tuple[Location, str] | None:
    """Return where the page of decisions near a pack has a decision's row, and the row; None where there is none."""
    folder = document.session.folder if document.session else document.path.parent
    for base in (folder, *list(folder.parents)[:_LEVELS]):
        for path in (base / DECISIONS, base / "docs" / DECISIONS):
            row = _row(path, decision)
            if row is not None:
                return row
    return None


def _row(path: Path, decision: str) -> tuple[Location, str] | None:
    try:
        text = read_file(path, YAML_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    found = re.search(rf"^[^\w\n]*{re.escape(decision)}\b[^\n]*", text, re.M)
    return (Location(path, found.start(), found.end()), found[0].strip()) if found else None


def _files(workspace: Workspace, document: Document, symbol: Symbol) -> list[Location]:
    """Return the file of a rule that is named by its id, or of a pack that is named."""
    folders = document.session.folders() if document.session else []
    if symbol[0] == "rule":
        pack, _, inside = symbol[1].partition("/")
        paths = [folder / f"{inside}.yaml" for folder in folders if folder.name == pack]
    else:
        paths = [document.path.parent.parent / symbol[1] / PACK_FILE, *_shipped(symbol[1])]
    return [Location(path, 0, 0) for path in paths if workspace.files.exists(path)][:1]


def _shipped(name: str) -> list[Path]:
    try:
        return [pack_folder(name) / PACK_FILE]
    except PackErrors:
        return []
