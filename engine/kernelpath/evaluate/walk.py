"""Walk a scope's items through stages: the fused function while all is well, rule by rule where it is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelpath.diagnostics import Diagnostic
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.item import ItemWalk
from kernelpath.evaluate.report import Report
from kernelpath.evaluate.slots import Slots
from kernelpath.evaluate.unasked import Unasked

#: How many items may be at fault before a walk ends.
MOST_FAULTS = 10_000

#: What findings about an item blame, and the rules that found an error in it.
Blame = tuple[str | None, tuple[str, ...]]


@dataclass(slots=True)
class Walk:
    """One walk: which stages, over which items, and what it collects of each item."""

    pack: CompiledPack
    data: Mapping[str, Any]
    values: Mapping[str, Any]
    report: Report
    items: Sequence[Any]
    slots: Slots | None = None
    collected: dict[str, list[Any]] = field(default_factory=dict)
    failed_items: dict[int, Blame] = field(default_factory=dict)
    whole: bool = True

    def run(self, position: int | None = None) -> bool:
        """Take every item through the stages in turn, from `position` on where the fused function stopped there.

        Returns whether every item has a value for what is collected: none is at fault, nor hangs on one that is.
        """
        sweep = self.pack.function(self.data["function"])
        count = len(self.items)
        stopped = position is not None
        position = position or 0
        while position < count and len(self.failed_items) < MOST_FAULTS:
            if not stopped and not (self.slots and self.slots.doubtful):
                values = self.slots.values if self.slots else {}
                position = sweep(self.items, position, self.values, values, self.collected)
            stopped = False
            if position < count:
                if not self._alone(sweep, self.items[position]):
                    self._careful(position, self.items[position])
                position += 1
        if position < count:
            self._give_up(position)
        return self.whole

    def _alone(self, sweep: Callable[..., int], item: Any) -> bool:
        """Take one item through the fused function where some slots are unknown, but none that it reads.

        Returns whether it passed; where it did not, nothing has changed.
        """
        slots, flow = self.slots, self.data["flow"]
        if item is None or slots is None or not slots.doubtful or self.data["scope"]["index"]:
            return False
        environment = {**self.values, self.data["scope"]["item"]: item}
        if any(slots.is_unknown(self.pack.value(term, environment)) for _, term in flow["reads"]):
            return False
        passed = sweep((item,), 0, self.values, slots.values, self.collected) == 1
        slots.unknown -= slots.values.keys()
        return passed

    def _give_up(self, position: int) -> None:
        """Say that the rest of the items is not looked at: more findings than this help nobody."""
        stage = self.data["names"][-1]
        rest = len(self.items) - position
        rule = f"{self.pack.meta['name']}/{stage}"
        self.failed_items.update((place, (None, (rule,))) for place in range(position, len(self.items)))
        message = f"{MOST_FAULTS:,} items are at fault, which is the limit: the other {rest:,} are not looked at"
        self.report.add(Diagnostic(rule, (), "error", message), stage)
        self.whole = False
        if self.slots is not None:
            self.slots.poison()

    def _careful(self, position: int, item: Any) -> None:
        """Take one item through the stages rule by rule."""
        if item is None and self.slots is not None:
            self.slots.poison()
            self.whole = False
            return
        scope = self.data["scope"]
        environment = dict(self.values)
        if scope["item"]:
            environment[scope["item"]] = item
        if scope["index"]:
            environment[scope["index"]] = position
        walk = ItemWalk(self.pack, scope, environment, set(), self.report, self.slots)
        if self._visited(walk):
            self._through(walk, position)

    def _hold_back(self, walk: ItemWalk) -> None:
        """Note the checks that were not asked about an item, because of others."""
        subject = walk.subject()
        subjects = (subject,) if subject else ()
        self.report.unasked.append(Unasked(tuple(walk.unasked), tuple(dict.fromkeys(walk.errors)), subjects))

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
            self.failed_items[position] = (walk.subject(), tuple(dict.fromkeys(walk.errors)))
        if walk.unasked:
            self._hold_back(walk)
        for name, values in self.collected.items():
            values.append(walk.environment.get(name))
        if walk.failed or walk.stopped or not walk.tainted.isdisjoint(self.collected):
            self.whole = False
