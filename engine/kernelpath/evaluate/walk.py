"""Walk a scope's items through stages: the fused function while all is well, rule by rule where it is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.item import ItemWalk, Slots
from kernelpath.evaluate.report import Report

#: The one item of a scope that has no items of its own.
ONE = (None,)


@dataclass(slots=True)
class Walk:
    """One walk: which stages, over which items, and what it collects of each item.

    `whole` turns false where an item has no value for what is collected, since it or an earlier one is at fault.
    """

    pack: CompiledPack
    data: Mapping[str, Any]
    workspace: dict[str, Any]
    report: Report
    items: Sequence[Any]
    given: Mapping[str, Any] = field(default_factory=dict)
    slots: Slots | None = None
    failed_items: set[int] = field(default_factory=set)
    collected: dict[str, list[Any]] = field(default_factory=dict)
    whole: bool = True

    def run(self) -> None:
        """Take every item through the stages in turn; what is found goes to the report."""
        sweep = self.pack.function(self.data["function"])
        values = self.workspace | self.given if self.given else self.workspace
        slots = self.slots.values if self.slots else {}
        self.collected = {name: [] for name in self.data["collects"]}
        position, count = 0, len(self.items)
        while position < count:
            if not (self.slots and self.slots.doubtful):
                position = sweep(self.items, position, values, slots, self.collected)
            if position < count:
                self._careful(position, self.items[position], values)
                slots = self.slots.values if self.slots else {}
                position += 1

    def _careful(self, position: int, item: Any, values: Mapping[str, Any]) -> None:
        """Take one item through the stages rule by rule."""
        if item is None and self.slots is not None:
            self.slots.poison()
            self.whole = False
            return
        scope = self.data["scope"]
        environment = dict(values)
        if scope["item"]:
            environment[scope["item"]] = item
        if scope["index"]:
            environment[scope["index"]] = position
        walk = ItemWalk(self.pack, scope, environment, set(), self.report, self.slots)
        if self._visited(walk):
            self._through(walk, position)

    def _visited(self, walk: ItemWalk) -> bool:
        """Read the slots that the flow declares, and return whether the flow visits the item at all."""
        flow = self.data["flow"]
        if not flow or self.slots is None:
            return True
        if flow["visits"] and not self.pack.value(flow["visits"], walk.environment):
            return False
        for name, term in flow["reads"]:
            key = self.pack.value(term, walk.environment)
            walk.environment[name] = self.slots.values.get(key)
            if self.slots.is_unknown(key):
                walk.tainted.add(name)
        return True

    def _through(self, walk: ItemWalk, position: int) -> None:
        for rules in self.data["stages"]:
            walk.walk(rules)
            if walk.failed and self.data["flow"] is None:
                walk.stopped = True
        if walk.failed:
            self.failed_items.add(position)
        for name, values in self.collected.items():
            values.append(walk.environment.get(name))
        if walk.failed or walk.stopped or not walk.tainted.isdisjoint(self.collected):
            self.whole = False
