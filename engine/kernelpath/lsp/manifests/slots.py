"""Which items of a manifest write a slot and which read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kernelpath.lsp.manifests.shape import Items
from kernelpath.packs.documents import Mapping, Node, Scalar, Sequence, node_at


@dataclass(frozen=True, slots=True)
class Use:
    """A place where an item names a slot."""

    index: int
    member: str
    scalar: Scalar
    writes: bool

    @property
    def slot(self) -> str:
        """The slot's name, which does not hang on blanks around it."""
        return self.scalar.text.strip()


def item_nodes(root: Node | None, section: tuple[str, ...], items: Items) -> list[Node]:
    """Return the items of a manifest's tree, in their order."""
    try:
        node = node_at(root, (*section, *items.path)) if root else None
    except LookupError:
        return []
    return list(node) if isinstance(node, Sequence) else []


def uses(nodes: list[Node], items: Items) -> Iterator[Use]:
    """Yield every place where an item names a slot."""
    for index, node in enumerate(nodes):
        for member in dict.fromkeys((*items.reads, *items.writes)):
            scalar = node.get(member) if isinstance(node, Mapping) else None
            if isinstance(scalar, Scalar) and isinstance(scalar.value, str) and scalar.style:
                yield Use(index, member, scalar, member in items.writes)


def producers(all_uses: list[Use], use: Use, meets: dict[int, set[str]]) -> list[Use]:
    """Return the write that a use of a slot gets its content from.

    That is the nearest one before it by an item that is visited in the same pass, else the last one: what a later item
    leaves is there in the next pass. `meets` are the passes of each item, where they are known.
    """
    writes = [other for other in all_uses if other.writes and other.slot == use.slot and other.index != use.index]
    before = [other for other in writes if other.index < use.index and _meet(other, use, meets)]
    near = before or [other for other in writes if other.index < use.index] or writes
    return near[-1:]


def _meet(one: Use, other: Use, meets: dict[int, set[str]]) -> bool:
    return bool(meets.get(one.index, {""}) & meets.get(other.index, {""})) or not meets


def identities(nodes: list[Node], items: Items) -> dict[str, Scalar]:
    """Return the names of the items, with the places where they are written."""
    found: dict[str, Scalar] = {}
    for node in nodes:
        scalar = node.get(items.identity) if isinstance(node, Mapping) and items.identity else None
        if isinstance(scalar, Scalar) and isinstance(scalar.value, str):
            found.setdefault(scalar.text, scalar)
    return found
