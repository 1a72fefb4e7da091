"""Record the values of an evaluation, to say afterwards what decided."""

from __future__ import annotations

from kernelpath.language.ast import Call, Expression, Index, Member, Name
from kernelpath.language.showing import shown
from kernelpath.language.types import is_json_like
from kernelpath.language.unparser import unparse


class Trace:
    """A recorder for `interpret`: it keeps every node with its value, in the order of evaluation."""

    def __init__(self) -> None:
        self.nodes: list[tuple[Expression, object]] = []

    def __call__(self, node: Expression, value: object) -> None:
        """Record one value."""
        self.nodes.append((node, value))

    def values(self) -> tuple[tuple[str, str], ...]:
        """Return text and value of the distinct reads and calls; of one that was evaluated repeatedly, the last value.

        Values that have no text, such as records, are left out, and so are owners of members that were read.
        """
        owners = {id(node.object) for node, _ in self.nodes if isinstance(node, (Member, Index))}
        found: dict[str, str] = {}
        for node, value in self.nodes:
            reads = isinstance(node, (Name, Member, Index, Call)) and id(node) not in owners
            if reads and is_json_like(node.type):
                found[unparse(node)] = shown(value)
        return tuple(found.items())

    def lines(self) -> tuple[str, ...]:
        """Return lines such as `box.size = 3`."""
        return tuple(f"{text} = {value}" for text, value in self.values())
