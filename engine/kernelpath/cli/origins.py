"""Trace values back to where somebody wrote them: a line of the manifest, the overlay, its patch, or the catalogue.

Objects keep their identity on the way from a document into the engine, so that most places are found by looking up
whose member was read. Merged sessions and patched steps are new objects; for those the program itself says what they
were made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernelpath.cli.catalog_lines import catalog_place
from kernelpath.cli.inputs import Manifest, Overlay
from kernelpath.diagnostics import Span
from kernelpath.evaluate.explain import Read, Reading, read
from kernelpath.evaluate.observe import Visit
from kernelpath.graph.catalog import Kernel
from kernelpath.graph.documents import Document
from kernelpath.graph.locate import escaped
from kernelpath.language.ast import Call, Expression, Member, Name
from kernelpath.packs.model import Entry, Pack, Term
from kernelpath.packs.record_text import class_name

Place = tuple[Document, str]


class Origins:
    """Finds the places of values in the documents of one request."""

    def __init__(self, pack: Pack, manifest: Manifest, overlay: Overlay | None, catalog: str) -> None:
        self.pack = pack
        self.manifest = manifest
        self.overlay = overlay
        self.catalog = catalog
        self.places: dict[int, Place] = {}
        for document in (manifest.document, overlay.document if overlay else None):
            if document is not None:
                self._index(document)
        entries = [entry for program in pack.programs.values() for entry in program.entries]
        self.sets = {name: term for entry in entries if entry.verb == "set" for name, term in entry.terms.items()}
        self.merges = [entry for entry in entries if entry.verb == "run" and entry.name == "trace"]

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
        if found.root.name == visit.data["scope"]["item"]:
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
        item = visit.walk.environment[visit.data["scope"]["item"]]
        records = self.pack.records.values()
        shape = next((each for each in records if class_name(each) == type(item).__name__), None)
        field = next((f for f in shape.fields if path and f.name == path[0]), None) if shape else None
        if field is None or field.value is None:
            return None
        written = _written(field.value.checked.expression)
        return None if written is None else (*written, *path[1:])

    def _item(self, visit: Visit) -> Place | None:
        """Return the place of the visited item itself."""
        at = visit.data["scope"]["at"]
        if not at or not visit.data["scope"]["item"]:
            return None
        document, _, pointer = str(visit.walk.pack.value(at, visit.walk.environment)).partition("#")
        if document == "runtime":
            return (self.overlay.document, self._section + pointer) if self.overlay else None
        chosen = self._chosen_path()
        return chosen or (self.manifest.document, self.manifest.prefix + pointer)

    def _chosen_path(self) -> Place | None:
        """Return the kernel path of a config that takes the place of the manifest's graph."""
        if self.overlay is None or not self.overlay.is_config:
            return None
        section = self.overlay.document.value.get("inference")
        named = isinstance(section, dict) and bool(section.get("kernelPath"))
        return (self.overlay.document, "/inference/kernelPath") if named else None

    @property
    def _section(self) -> str:
        return "/inference" if self.overlay and self.overlay.is_config else ""

    def _patched(self, path: tuple[str, ...], visit: Visit) -> Place | None:
        """Return the last `set` of the patch that gives the member of this step."""
        if self.overlay is None or not path:
            return None
        patch = visit.workspace.get("patch")
        changes = patch.get("set") if isinstance(patch, dict) else None
        step = visit.walk.environment[visit.data["scope"]["item"]].id
        for index in reversed(range(len(changes) if isinstance(changes, list) else 0)):
            change = changes[index]  # type: ignore[index]
            if isinstance(change, dict) and change.get("id") == step and path[0] in change:
                base = f"{self._section}/executionPatch/set/{index}"
                return self.overlay.document, base + "".join(f"/{escaped(name)}" for name in path)
        return None

    def _merged(self, found: Read, visit: Visit) -> Place | None:
        """Return the place of a member of a merged value, in the first layer that has it."""
        entry = self._merge(found)
        return self._layered(entry, found.path, visit) if entry else None

    def _merge(self, found: Read) -> Entry | None:
        """Return the entry that says of which layers a merged value is made."""
        for entry in self.merges:
            resolved = entry.terms["with resolved"].checked.expression
            if isinstance(resolved, Name) and resolved.name == found.root.name and found.path:
                return entry
        return None

    def _layered(self, entry: Entry, path: tuple[str, ...], visit: Visit) -> Place | None:
        settings: Any = entry.settings["settings"]
        for layer in settings["layers"]:
            owners = list(_owners(read(entry.terms[f"with {layer}"], visit.workspace).value, path))
            if len(owners) == len(path) + 1:
                return self._by_identity(tuple(owners[:-1]), path) or self._chosen_path()
        return None

    def behind(self, found: Read, visit: Visit) -> Reading | None:
        """Return the program's expression that a workspace value was set to, with what it read."""
        term: Term | None = self.sets.get(found.root.name)
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
    """Return the path of members that an expression is made of: `raw.a.b`, also inside calls such as `trim(...)`."""
    if isinstance(node, Call) and len(node.arguments) == 1:
        return _written(node.arguments[0])
    path: list[str] = []
    while isinstance(node, Member):
        path.insert(0, node.name)
        node = node.object
    return tuple(path) if isinstance(node, Name) else None


def told_place(document: Document, pointer: str, written: bool = True) -> str:
    """Return a place in a document as `file:line`; where nothing is written there, the line of what is around it."""
    span = document.locate(pointer)
    return f"{span.file}:{span.line}" if written else f"not given at {span.file}:{span.line}"


__all__ = ["Origins", "told_place"]
