"""Take the rows of a table through stages: by the fused function while all is well, rule by rule where it is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelpath.diagnostics import Diagnostic
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.item import ItemWalk
from kernelpath.evaluate.report import Report
from kernelpath.evaluate.slots import Slots
from kernelpath.evaluate.unasked import Unasked, checks_of

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
    not_passed: dict[int, set[int]] = field(default_factory=dict)
    failed_guards: set[str] = field(default_factory=set)
    skipped: Mapping[int, Blame] = field(default_factory=dict)
    held: Sequence[Mapping[int, Blame]] = ()
    pass_name: str = ""
    counted: bool = True
    lost: set[str] = field(default_factory=set)

    def skip(self, missing: Mapping[int, Blame], held: Sequence[Mapping[int, Blame]]) -> None:
        """Keep items out that earlier faults left nothing of, and from each stage those that are held back from it."""
        everywhere = set(held[0]).intersection(*held[1:]) if held else set()
        self.skipped = {**missing, **{position: held[0][position] for position in everywhere}}
        self.held = held if any(held) else ()

    @property
    def whole(self) -> bool:
        """Whether every item has a value for all that is collected."""
        return not self.lost and self.counted

    def run(self, position: int | None = None) -> bool:
        """Take every item through the stages in turn, from `position` on where the fused function stopped there.

        Returns whether every item has a value for what is collected: none is at fault, nor hangs on one that is.
        """
        fused = self.pack.function(self.data["function"])
        count = len(self.items)
        stopped = position is not None
        position = position or 0
        while position < count and len(self.failed_items) < MOST_FAULTS:
            if not (stopped or self.skipped or self.held or (self.slots and self.slots.doubtful)):
                values = self.slots.values if self.slots else {}
                position = fused(self.items, position, self.values, values, self.collected)
            stopped = False
            if position < count:
                if not self._alone(fused, self.items[position]):
                    self._careful(position, self.items[position])
                position += 1
        if position < count:
            self._give_up(position)
        return self.whole

    def _alone(self, fused: Callable[..., int], item: Any) -> bool:
        """Take one item through the fused function where some slots are unknown, but none that it reads.

        Returns whether it passed; where it did not, nothing has changed.
        """
        slots, flow = self.slots, self.data["flow"]
        if item is None or slots is None or not slots.doubtful or self.data["scope"]["index"]:
            return False
        environment = {**self.values, **bound(self.data["scope"], item, 0)}
        if any(slots.is_unknown(self.pack.value(term, environment)) for _, term in flow["reads"]):
            return False
        passed = fused((item,), 0, self.values, slots.values, self.collected) == 1
        slots.unknown -= slots.values.keys()
        return passed

    def _give_up(self, position: int) -> None:
        """Say that the rest of the items is not looked at: more findings than this help nobody."""
        stage = self.data["names"][-1]
        rest = len(self.items) - position
        rule = f"{self.pack.meta['name']}/{stage}"
        self.failed_items.update((place, (None, (rule,))) for place in range(position, len(self.items)))
        everywhere = set(range(len(self.data["stages"])))
        self.not_passed.update((place, everywhere) for place in range(position, len(self.items)))
        message = f"{MOST_FAULTS:,} items are at fault, which is the limit: the other {rest:,} are not looked at"
        self.report.add(Diagnostic(rule, (), "error", message), stage)
        self._lose_all()
        if self.slots is not None:
            self.slots.poison()

    def _lose_all(self) -> None:
        self.counted = False
        self.lost.update(self.collected)

    def failed_rows(self, stage: int) -> dict[int, Blame]:
        """Return the items that did not pass a stage, be it that they failed one before it, by their places."""
        items = {**self.skipped, **(self.held[stage] if self.held else {}), **self.failed_items}
        return {place: blame for place, blame in items.items() if stage in self.not_passed.get(place, ())}

    def _careful(self, position: int, item: Any) -> None:
        """Take one item through the stages rule by rule."""
        scope = self.data["scope"]
        if position in self.skipped or (item is None and self.slots is not None):
            self._lose_all()
            if self.slots is not None:
                self.slots.poison()
            else:
                self.not_passed[position] = set(range(len(self.data["stages"])))
                self._pass_over(position)
            return
        environment = {**self.values, **bound(scope, item, position)}
        walk = ItemWalk(self.pack, scope, environment, set(), self.report, self.slots, self.pass_name)
        if self._visited(walk):
            self._through(walk, position)

    def _pass_over(self, position: int) -> None:
        """Note the checks that were not asked about a row, because it failed others before."""
        subject, because = self.skipped[position]
        checks = checks_of(self.data["stages"])
        if checks:
            self.report.unasked.append(Unasked(checks, because, (subject,) if subject else ()))

    def _hold_back(self, walk: ItemWalk, position: int) -> None:
        """Note the checks that were not asked about an item, because of others."""
        subject = walk.subject()
        subjects = (subject,) if subject else ()
        before = [rule for rows in self.held if position in rows for rule in rows[position][1]]
        because = tuple(dict.fromkeys([*before, *walk.errors]))
        self.report.unasked.append(Unasked(tuple(walk.unasked), because, subjects))

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
        not_passed: set[int] = set()
        for place, rules in enumerate(self.data["stages"]):
            is_held = bool(self.held) and position in self.held[place]
            walk.stopped = is_held or not not_passed.isdisjoint(self.data["before"][place])
            if not self._passes(walk, rules):
                not_passed.add(place)
        if not_passed:
            self._fail(position, not_passed)
        if walk.failed:
            self.failed_items[position] = (walk.subject(), tuple(dict.fromkeys(walk.errors)))
        if walk.unasked:
            self._hold_back(walk, position)
        for name, values in self.collected.items():
            values.append(walk.environment.get(name))

    def _passes(self, walk: ItemWalk, rules: Sequence[Mapping[str, Any]]) -> bool:
        """Take an item through a stage, and return whether it passed; other stages see of a fault what it gives."""
        errors, tainted, walk.failed_guards = len(walk.errors), set(walk.tainted), set()
        walk.walk(list(rules))
        self.failed_guards |= walk.failed_guards
        self.lost |= walk.tainted & self.collected.keys()
        failed = walk.stopped or len(walk.errors) > errors
        if failed:
            walk.tainted = tainted | (walk.tainted & {rule.get("variable") for rule in rules})
        return not failed

    def _fail(self, position: int, stages: set[int]) -> None:
        """Note which of the stages an item did not pass: what these give is missing then."""
        self.not_passed[position] = stages
        self.counted = False
        given = {rule.get("variable") for stage in stages for rule in self.data["stages"][stage]}
        self.lost |= self.collected.keys() & given


def bound(scope: Mapping[str, Any], row: Any, position: int) -> dict[str, Any]:
    """Return the variables that a row binds, by name: its parts, and its index."""
    names = scope["row"]
    parts = dict(zip(names, row, strict=True)) if len(names) > 1 else {names[0]: row} if names else {}
    index = scope["index"]
    return {**parts, index: position} if index and index not in parts else parts
