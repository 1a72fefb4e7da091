"""One manifest as an editor sees it: its tree, the form that the pack gives it, and what became of its items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kernelpath.evaluate.observe import Visit
from kernelpath.evaluate.recognising import Recognised
from kernelpath.lsp.checking.session import Model
from kernelpath.lsp.manifests.judging import Judge, place_of
from kernelpath.lsp.manifests.slots import Use, identities, item_nodes, uses
from kernelpath.lsp.texts.cursor import Step
from kernelpath.lsp.workspace import Document, Workspace
from kernelpath.packs.documents import Mapping, Node, Scalar, Sequence
from kernelpath.packs.listed import Items, items_of


@dataclass
class View:
    """A manifest, the judge that decides it, and the pack's model, None where the pack cannot be read."""

    document: Document
    judge: Judge
    model: Model | None

    @cached_property
    def what(self) -> Recognised | None:
        """Which document of the pack the file is; None of a file that the pack does not know."""
        return self.judge.recognised(self.document.root)

    @cached_property
    def items(self) -> Items | None:
        """The form of the items."""
        return items_of(self.model.pack, self.what.name) if self.model and self.what else None

    @cached_property
    def list_path(self) -> tuple[str, ...] | None:
        """Where the list of items is in the file, None if the file has none."""
        if self.items is None or self.what is None:
            return None
        at = self.what.at
        return self.items.path[len(at) :] if self.items.path[: len(at)] == at else None

    @cached_property
    def nodes(self) -> list[Node]:
        """The items, in their order."""
        return item_nodes(self.document.root, self.list_path) if self.list_path is not None else []

    @cached_property
    def uses(self) -> list[Use]:
        """The places where items name slots."""
        return list(uses(self.nodes, self.items)) if self.items else []

    @cached_property
    def names(self) -> dict[str, Scalar]:
        """The items' names."""
        return identities(self.nodes, self.items) if self.items else {}

    @cached_property
    def visits(self) -> dict[int, list[Visit]]:
        """The visits of each item, by its place in the list."""
        pack, items, found = self.judge.loaded(), self.items, dict[int, list[Visit]]()
        if pack is None or items is None:
            return found
        path = "/" + "/".join(items.path) + "/"
        for visit in self.judge.visits(self.document.source):
            document, pointer = place_of(pack, visit)
            index = pointer.removeprefix(path)
            if document == items.document and pointer.startswith(path) and index.isdigit():
                found.setdefault(int(index), []).append(visit)
        return found

    def passes(self) -> dict[int, set[str]]:
        """Return in which passes each item is visited."""
        return {index: {pass_name(visit) for visit in visits} for index, visits in self.visits.items()}

    def item_at(self, offset: int) -> int | None:
        """Return the place of the item that an offset is in."""
        inside = (index for index, node in enumerate(self.nodes) if node.start <= offset <= node.end)
        return next(inside, None)

    def use_at(self, offset: int) -> Use | None:
        """Return the slot's name that an offset touches."""
        return next((use for use in self.uses if use.scalar.start <= offset <= use.scalar.end), None)

    def inside_item(self, path: tuple[Step, ...]) -> tuple[str, ...] | None:
        """Return the members that lead from an item to a path, None for a path outside the items."""
        start = self.list_path
        if start is None or path[: len(start)] != start or len(path) <= len(start):
            return None
        return tuple(step for step in path[len(start) + 1 :] if isinstance(step, str))


def view(workspace: Workspace, document: Document) -> View:
    """Return a manifest with the pack that decides it."""
    folder = workspace.judge.folder()
    return View(document, workspace.judge, workspace.session(folder).model if folder else None)


def pass_name(visit: Visit) -> str:
    """Return what the entry of a flow gave its visits, such as the name of the pass."""
    return ", ".join(str(value) for value in visit.given.values())


def heading(visit: Visit) -> str:
    """Return how a visit differs from others of its item in the same flow, such as `decode (layers 1 to 3)`."""
    return f"{pass_name(visit)} ({visit.repeated})".lstrip() if visit.repeated else pass_name(visit)


def scalars_of(node: Node | None) -> Iterator[Scalar]:
    """Yield the scalars of a tree, keys left out."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Mapping):
        for _, value in node.entries:
            yield from scalars_of(value)
    elif isinstance(node, Sequence):
        for item in node:
            yield from scalars_of(item)
