"""Rename what a rule names itself: its lets, a table's inputs, and the variables of loops."""

from __future__ import annotations

import re

from kernelpath.lsp.symbols.environment import environment
from kernelpath.lsp.symbols.occurrence import Edit, Occurrence
from kernelpath.lsp.workspace import Document, Workspace

_NAME = re.compile(r"[a-z][A-Za-z0-9_]*")
_KEYWORDS = frozenset(
    ["if", "then", "else", "any", "all", "count", "for", "in", "and", "or", "not", "true", "false", "null"]
)


class RenameRefused(Exception):
    """Why a name cannot be changed, in words for the author."""


def renamable(workspace: Workspace, document: Document, offset: int) -> Occurrence:
    """Return the name at an offset; raises RenameRefused where it is not the rule's own."""
    found = workspace.index(document).at(offset)
    if found is None or found.symbol is None:
        raise RenameRefused("there is no name here")
    if found.symbol[0] not in ("let", "loop"):
        raise RenameRefused(f"`{found.symbol[-1]}` is not this rule's own: only names under `let` and `inputs` are")
    return found


def rename(workspace: Workspace, document: Document, offset: int, new: str) -> list[Edit]:
    """Return the edits that rename the name at an offset; raises RenameRefused where the new name is no good."""
    found = renamable(workspace, document, offset)
    if not _NAME.fullmatch(new) or new in _KEYWORDS:
        raise RenameRefused(f"`{new}` is no name: one is a small letter, then letters, digits and `_`")
    if new in names_in(workspace, document):
        raise RenameRefused(f"`{new}` is already a name here")
    assert found.symbol is not None
    places = workspace.index(document).of(found.symbol)
    return [Edit(document.path, place.start, place.end, new) for place in places]


def names_in(workspace: Workspace, document: Document) -> set[str]:
    """Return all names that a rule file may use or binds itself."""
    model = document.model
    if model is None:
        return set()
    known = environment(model, document.kind, document.path, document.root, ("message",), None)
    symbols = [found.symbol for found in workspace.index(document).occurrences if found.symbol]
    cells = {name.partition(".")[0] for name in known.names.variables}
    return cells | {symbol[2] for symbol in symbols if symbol[0] == "loop"}
