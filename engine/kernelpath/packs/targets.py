"""Hold what the entries of programs give to the types of the values that take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kernelpath.language import Type
from kernelpath.language.types import ListOf, MapOf, Record, fits
from kernelpath.packs import documents
from kernelpath.packs.documents import Node, Scalar
from kernelpath.packs.model import Flow, Scope
from kernelpath.packs.terms import TermReader

SLOTS = "slots"


@dataclass(slots=True)
class Targets:
    """The values of a pack, which entries set; what does not fit is collected in `terms`."""

    terms: TermReader
    values: Mapping[str, Type]

    def known(self, node: Node, name: str) -> bool:
        """Return whether there is a value of this name; says so where there is none."""
        if name in self.values:
            return True
        self.terms.unknown(node, "value", name, self.values, "declare it under `values` in pack.yaml")
        return False

    def take(self, node: Node | None, given: Type) -> None:
        """Hold the value that a scalar names to what it is given."""
        if isinstance(node, Scalar) and self.known(node, node.text) and not fits(given, self.values[node.text]):
            message = f"this gives `{given}`, but value `{node.text}` is `{self.values[node.text]}`"
            self.terms.fault(node, "pack/value", message)

    def take_all(self, node: Node | None) -> None:
        """Hold the targets of an entry whose results have no types to values that there are."""
        for target in node.entries if isinstance(node, documents.Mapping) else ():
            self.known(target[0], target[0].text)
        if isinstance(node, Scalar):
            self.known(node, node.text)

    def collect(self, node: Node | None, scope: Scope) -> None:
        """Hold values to the lists of what a walk collects, one of each item."""
        for target, source in node.entries if isinstance(node, documents.Mapping) else ():
            given = self._given(source, scope)
            if given:
                self.take(target, ListOf(given))

    def keep(self, node: Node | None, scope: Scope, flow: Flow | None) -> None:
        """Hold values to what a walk keeps: the one item's variables, or the slots of a flow as it leaves them."""
        for target, source in node.entries if isinstance(node, documents.Mapping) else ():
            if flow and isinstance(source, Scalar) and source.text == SLOTS:
                self.take(target, MapOf(flow.type))
            elif flow or scope.item:
                message = "a walk over items keeps no single one of them"
                self.terms.fault(source, "pack/keep", message, "use `collect`, which gives a list")
            elif given := self._given(source, scope):
                self.take(target, given)

    def _given(self, node: Node, scope: Scope) -> Type | None:
        name = node.text if isinstance(node, Scalar) else ""
        if name in scope.given:
            return scope.given[name]
        self.terms.unknown(node, "given variable", name, scope.given, f"scope `{scope.name}` declares it under `given`")
        return None

    def read(self, node: Node, record: str, scope: Scope | None) -> None:
        """Hold a value to the records of a scope's items, or to the one record of a scope without items."""
        one = Record(record)
        self.take(node, ListOf(one) if scope and scope.item else one)
