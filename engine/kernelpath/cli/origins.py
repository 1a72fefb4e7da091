"""Trace values back to where somebody wrote them: a line of the manifest, the overlay, its patch, or the catalogue.

Objects keep their identity on the way from a document into the engine, so that most places are found by looking up
whose member was read. Merged sessions and patched steps are new objects; for those the pack says under `over`, at the
document that is the overlay, what they were made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kernelpath.cli.catalog_lines import catalog_place
from kernelpath.cli.judging import Judge
from kernelpath.diagnostics import Span
from kernelpath.evaluate.explain import Read, Reading, read
from kernelpath.evaluate.observe import Visit
from kernelpath.graph.catalog import Kernel
from kernelpath.graph.documents import Document
from kernelpath.graph.locate import escaped, tokens
from kernelpath.language.ast import Call, Conditional, Expression, Literal, Member, Name
from kernelpath.packs.model import Pack, Term
from kernelpath.packs.row_text import class_name

Place = tuple[Document, str]


class Origins:
    """Finds the places of values in the documents of one request."""

    def __init__(self, pack: Pack, judge: Judge) -> None:
        self.pack = pack
        self.judge = judge
        self.given = judge.given
        self.beside = judge.beside
        self.catalog = judge.catalog
        self.places: dict[int, Place] = {}
        for each in (judge.given, judge.beside):
            if each is not None:
                self._index(each.document)
        self.over = {name: each.over for name, each in pack.documents.items() if each.over}

    def _index(self, document: Document) -> None:
        """Note where every object and list of a document is."""
        waiting: list[tuple[Any, str]] = [(document.value, "")]
        while waiting:
            value, pointer = waiting.pop()
            self.places[id(value)] = (document, pointer)
            members = value.items() if isinstance(value, dict) else enumerate(value)
            waiting += [
                (inner, f"{pointer}/{escaped(key)}") for key, inner in members if isinstance(inner, dict | list)
            ]

    def step_span(self, visit: Visit) -> Span | None:
        """Return where the visited item is written."""
        place = self._item(visit)
        return place[0].locate(place[1]) if place else None

    def told(self, found: Read, visit: Visit) -> str | None:
        """Return where a value was written, as people read it; None where that is not known."""
        kernel = next((owner for owner in found.owners if isinstance(owner, Kernel)), None)
        if kernel is not None:
            return catalog_place(self.catalog, kernel)
        place = self._found(found, visit)
        if place is not None:
            return told_place(*place, written=found.value is not None)
        if found.root.name in self.pack.constants:
            return f"constant `{found.root.name}` of pack {self.pack.name}"
        return "a default of the schema" if self._merge(found) and found.value is not None else None

    def _found(self, found: Read, visit: Visit) -> Place | None:
        if found.root.name == visit.variable:
            place = self._member(found.path, visit)
            if place is not None:
                return place
        return self._by_identity(found.owners, found.path) or self._merged(found, visit)

    def _by_identity(self, owners: tuple[Any, ...], path: tuple[str, ...]) -> Place | None:
        """Return the place below the innermost owner that is in a document."""
        for count in range(len(owners), 0, -1):
            place = self.places.get(id(owners[count - 1]))
            if place is not None:
                return place[0], place[1] + "".join(f"/{escaped(name)}" for name in path[count - 1 :])
        return None

    def _member(self, path: tuple[str, ...], visit: Visit) -> Place | None:
        """Return the place of a record's field that is a member of the item as it was written."""
        inner = self._written_path(path, visit)
        place = self._item(visit)
        if inner is None or place is None:
            return None
        patched = self._patched(inner, visit)
        return patched or (place[0], place[1] + "".join(f"/{escaped(name)}" for name in inner))

    def _written_path(self, path: tuple[str, ...], visit: Visit) -> tuple[str, ...] | None:
        """Return the path of members of the written item that a path from its record means."""
        item = visit.item
        tables = (table for table in self.pack.items.values() if table.record)
        table = next((each for each in tables if class_name(str(each.record)) == type(item).__name__), None)
        column = next((one for one in table.columns if path and one.name == path[0]), None) if table else None
        if column is None:
            return None
        written = _written(column.term.checked.expression)
        return None if written is None else (*written, *path[1:])

    def _item(self, visit: Visit) -> Place | None:
        """Return the place of the visited item itself."""
        at = visit.data["scope"]["at"]
        if not at or not visit.variable:
            return None
        document, _, pointer = str(visit.walk.pack.value(at, visit.walk.environment)).partition("#")
        if document != self.given.name:
            return (self.beside.document, self._held_at(document) + pointer) if self.beside else None
        return self._chosen_path() or (self.given.document, self.given.pointer(pointer))

    def _chosen_path(self) -> Place | None:
        """Return what the document beside brings in the place of the first one's own items."""
        replaced = self.judge.replaced()
        return (self.beside.document, replaced) if self.beside and replaced is not None else None

    def _held_at(self, document: str) -> str:
        """Return the pointer of another document in the one beside, which may hold it."""
        held: Mapping[str, str] = self.judge.pack.meta["documents"][self.beside.name]["holds"] if self.beside else {}
        return held.get(document, "")

    def _patched(self, path: tuple[str, ...], visit: Visit) -> Place | None:
        """Return the last `set` of the patch that gives the member of this step."""
        found = next(((name, over["patch"]) for name, over in self.over.items() if "patch" in over), None)
        if self.beside is None or found is None or not path:
            return None
        name, declared = found
        identity = self.pack.constants[declared["options"]]["identity"]  # type: ignore[index]
        patch = visit.workspace.get(declared["value"])
        changes = patch.get("set") if isinstance(patch, dict) else None
        step = getattr(visit.item, identity, None)
        for index in reversed(range(len(changes) if isinstance(changes, list) else 0)):
            change = changes[index]  # type: ignore[index]
            if isinstance(change, dict) and change.get(identity) == step and path[0] in change:
                base = f"{self._held_at(name)}/{declared['member']}/set/{index}"
                return self.beside.document, base + "".join(f"/{escaped(name)}" for name in path)
        return None

    def _merged(self, found: Read, visit: Visit) -> Place | None:
        """Return the place of a member of a merged value, in the first layer that has it."""
        merge = self._merge(found)
        return self._layered(*merge, found.path, visit) if merge else None

    def _merge(self, found: Read) -> tuple[str, Mapping[str, Any]] | None:
        """Return the document that lies over another in a merged value, and how."""
        named = ((name, over) for name, over in self.over.items() if over["merged"] == found.root.name)
        return next(named, None) if found.path else None

    def _layered(self, name: str, over: Mapping[str, Any], path: tuple[str, ...], visit: Visit) -> Place | None:
        for member, below in over["layers"].items():
            document, _, pointer = below.partition("#")
            for start, way in ((name, [member]), (document, tokens(pointer))):
                value = visit.workspace.get(start)
                for part in way:
                    value = value.get(part) if isinstance(value, dict) else None
                owners = list(_owners(value, path))
                if len(owners) == len(path) + 1:
                    return self._by_identity(tuple(owners[:-1]), path) or self._chosen_path()
        return None

    def behind(self, found: Read, visit: Visit) -> Reading | None:
        """Return the expression that a value is declared by, with what it read."""
        declared = self.pack.values.get(found.root.name)
        term: Term | None = declared.term if declared else None
        return read(term, visit.workspace) if term is not None and not found.path else None


def _owners(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """Yield the value and its members along the path, as far as there are any."""
    yield value
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return
        value = value[name]
        yield value


def _written(node: Expression) -> tuple[str, ...] | None:
    """Return the path of members that an expression is made of: `raw.a.b`, also inside calls such as `trim(...)`.

    Of a choice between a value and a literal it is that of the value.
    """
    if isinstance(node, Call) and len(node.arguments) == 1:
        return _written(node.arguments[0])
    if isinstance(node, Conditional) and isinstance(node.otherwise, Literal):
        return _written(node.then)
    path: list[str] = []
    while isinstance(node, Member):
        path.insert(0, node.name)
        node = node.object
    return tuple(path) if isinstance(node, Name) else None


def told_place(document: Document, pointer: str, written: bool = True) -> str:
    """Return a place in a document as `file:line`; where nothing is written there, the line of what is around it."""
    span = document.locate(pointer)
    return span.short if written else f"not given at {span.short}"


__all__ = ["Origins", "told_place"]
