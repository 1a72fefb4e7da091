"""Which items of a manifest write a slot and which read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kernelpath.packs.documents import Mapping, Node, Scalar, Sequence, node_at
from kernelpath.packs.listed import Items


@dataclass(frozen=True, slots=True)
class Use:
    """A place where an item names a slot."""

    index: int
    member: str
    scalar: Scalar
    writes: bool

    @property
    def slot(self) -> str:
        """The slot's name, without blanks around it."""
        return self.scalar.text.strip()


def item_nodes(root: Node | None, path: tuple[str, ...]) -> list[Node]:
    """Return the items of the list at a path of a manifest's tree, in their order."""
    try:
        node = node_at(root, path) if root else None
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
    """Return the writes that a use of a slot gets its content from, one for each pass that the item is visited in.

    That is the nearest one before it by an item that is visited in the same pass, else the last one: what a later item
    leaves is there in the next pass. `meets` are the passes of each item, where they are known.
    """
    writes = [other for other in all_uses if other.writes and other.slot == use.slot and other.index != use.index]
    found: dict[int, Use] = {}
    for name in sorted(meets.get(use.index, {""})):
        same = [other for other in writes if name in meets.get(other.index, {name} if not meets else set())]
        near = [other for other in same if other.index < use.index] or same or writes
        found |= {other.index: other for other in near[-1:]}
    return [found[index] for index in sorted(found)]


def identities(nodes: list[Node], items: Items) -> dict[str, Scalar]:
    """Return the names of the items, with the places where they are written."""
    found: dict[str, Scalar] = {}
    for node in nodes:
        scalar = node.get(items.identity) if isinstance(node, Mapping) and items.identity else None
        if isinstance(scalar, Scalar) and isinstance(scalar.value, str):
            found.setdefault(scalar.text, scalar)
    return found
