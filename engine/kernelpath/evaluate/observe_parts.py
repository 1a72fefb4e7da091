"""Go through a flow that is unrolled over parts, and keep how chosen items were visited in which repetitions.

Items are taken through the rules once for each content of the slots that they read, as in `unrolled`; but every
repetition is gone through, so that it is known which item wrote a slot last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.item import ItemWalk
from kernelpath.evaluate.observe import written
from kernelpath.evaluate.report import Report
from kernelpath.evaluate.slots import Slots
from kernelpath.evaluate.unrolled import UNKNOWN, Effect, Unrolled
from kernelpath.evaluate.walk import Walk


@dataclass(slots=True)
class Found:
    """One way in which a chosen item was visited: the slots' writers then, and in which repetitions."""

    walk: ItemWalk
    writers: Mapping[str, ItemWalk]
    repetitions: set[int] = field(default_factory=set)
    among: int = 1


class _KeptWalk(Walk):
    """A walk over one item, which is kept."""

    kept: ItemWalk

    def run(self, position: int | None = None) -> bool:
        """Take the item through the rules, one by one."""
        self._careful(0, self.items[0])
        return self.whole

    def _through(self, walk: ItemWalk, position: int) -> None:
        self.kept = walk
        super()._through(walk, position)


class WatchedParts(Unrolled):
    """A flow over parts, gone through with an eye on the writers of slots."""

    def __init__(
        self,
        pack: CompiledPack,
        data: Mapping[str, Any],
        values: Mapping[str, Any],
        items: Sequence[Any],
        slots: Slots,
        fresh: Mapping[str, Any],
    ) -> None:
        start = {**slots.values, **dict.fromkeys(slots.unknown, UNKNOWN)}
        super().__init__(pack, data, values, items, start, fresh)
        self.walks: dict[tuple[int, Any], ItemWalk] = {}
        self.writers: dict[str, ItemWalk] = {}
        self.chosen: frozenset[int] = frozenset()
        self.found: dict[tuple[Any, ...], Found] = {}

    def watch(self, chosen: frozenset[int], settle: bool) -> Iterator[Found]:
        """Yield the ways in which the items at the chosen positions were visited, in the order of their first time."""
        self.chosen = chosen
        self.effects = [{} for _ in self.items]
        self._prepare()
        for _ in self._rounds(settle):
            for repeated, lists in self.parts:
                for number, positions in enumerate(lists):
                    self._go(positions, number if repeated else None)
        for key, found in self.found.items():
            found.among = sum(other[0] == key[0] for other in self.found)
            yield found

    def _go(self, positions: Sequence[int], repetition: int | None) -> None:
        for position in positions:
            held = self._held(position, self.slots)
            effect = self.effects[position].get(held)
            if effect is None:
                effect = self.effects[position][held] = self._effect(position, held)
            walk = self.walks[position, held]
            if position in self.chosen:
                self._note(position, held, walk, repetition)
            self.slots.update(effect.writes)
            self.writers.update(dict.fromkeys(written(self.data, walk), walk))

    def _note(self, position: int, held: Any, walk: ItemWalk, repetition: int | None) -> None:
        key = self.keys[position]
        read = (key,) if isinstance(key, str) else key
        seen = (position, held, *(id(self.writers.get(slot)) for slot in read))
        found = self.found.setdefault(seen, Found(walk, dict(self.writers)))
        if repetition is not None:
            found.repetitions.add(repetition)

    def _effect(self, position: int, held: Any) -> Effect:
        """Take an item through the rules where the slots that it reads hold these values, and keep its walk."""
        local = self._holding(position, held)
        walk = _KeptWalk(self.pack, self.data, self.values, Report(), [self.items[position]], local)
        whole = walk.run()
        self.walks[position, held] = walk.kept
        writes = {**local.values, **dict.fromkeys(local.unknown, UNKNOWN)}
        return Effect(position, tuple(writes.items()), (), {}, whole)
