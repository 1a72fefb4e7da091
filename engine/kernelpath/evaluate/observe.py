"""Run a program while watching what becomes of chosen items, to say afterwards why they are as they are.

The program runs as always. Beside it, every walk over a list that holds a chosen item is taken once more, rule by rule
and with nothing reported, and what the chosen items had as variables is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.item import ItemWalk
from kernelpath.evaluate.program import Outcome, ProgramRun, program_of
from kernelpath.evaluate.ranges import ranges_text
from kernelpath.evaluate.report import Report
from kernelpath.evaluate.slots import Slots
from kernelpath.evaluate.walk import Walk
from kernelpath.language import EvaluationError

Chosen = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Visit:
    """A chosen item after its way through the stages of one walk.

    `name` is that of the flow, or of the stage that is walked. `given` are the values that a flow's entry gives, such
    as in which pass it is. `writers` has, by slot, the walk of the item that wrote it last before this one came;
    `start` has the slots' values on entry. `workspace` has the values of the program that made the visit.
    `repetitions` are those in which it was made just so, where the item is in a part that is repeated; `among` is how
    many different visits there are of this item in the flow.
    """

    name: str
    data: Mapping[str, Any]
    walk: ItemWalk
    given: Mapping[str, Any]
    writers: Mapping[str, ItemWalk]
    start: Mapping[str, Any]
    workspace: Mapping[str, Any]
    repetitions: tuple[int, ...] = ()
    among: int = 1

    @property
    def rules(self) -> list[Mapping[str, Any]]:
        """The rules that the item went through, in order."""
        return [rule for stage in self.data["stages"] for rule in stage]

    @property
    def repeated(self) -> str:
        """The repetitions in which the visit was made, such as `layers 1 to 3`, where others differ from it."""
        if self.among == 1 or not self.repetitions:
            return ""
        word = self.data["flow"]["parts"]["repeated"]
        return f"{word}{'s' * (len(self.repetitions) > 1)} {ranges_text(self.repetitions)}"


@dataclass(frozen=True, slots=True)
class Observed:
    """What a program gave, and the visits of the chosen items in the order in which they were made.

    `workspaces` are those of the program and of the programs that it called, in the order in which they began.
    """

    outcome: Outcome
    visits: tuple[Visit, ...]
    workspaces: tuple[Mapping[str, Any], ...]


def observe(pack: CompiledPack, program: str, values: Mapping[str, Any], chosen: Chosen) -> Observed:
    """Run the named program, programs that it calls included, and watch the chosen items."""
    seen = _Seen(chosen)
    outcome = _run(pack, program, values, seen)
    return Observed(outcome, tuple(seen.visits), tuple(seen.workspaces))


@dataclass(slots=True)
class _Seen:
    chosen: Chosen
    visits: list[Visit] = field(default_factory=list)
    workspaces: list[Mapping[str, Any]] = field(default_factory=list)


def _run(pack: CompiledPack, program: str, values: Mapping[str, Any], seen: _Seen) -> Outcome:
    found = program_of(pack, program, values)
    run = _WatchedRun(pack, found, {**pack.meta["constants"], **values}, dict(values))
    run.seen = seen
    seen.workspaces.append(run.workspace)
    return run.run()


class _WatchedRun(ProgramRun):
    """A run that takes walks over chosen items once more."""

    seen: _Seen

    def _walk(self, entry: Mapping[str, Any]) -> None:
        over = entry["walk"]["scope"]["over"]
        if over:
            self._watch(entry, {}, self.pack.value(over, self.workspace), None)
        super()._walk(entry)

    def _flow(self, entry: Mapping[str, Any]) -> None:
        given = {name: self.pack.value(term, self.workspace) for name, term in entry["with"]}
        if entry["walk"]["flow"]["parts"]:
            self._watch_parts(entry, given, self._start(entry))
        else:
            self._watch(entry, given, self.workspace[entry["over"]], self._start(entry))
        super()._flow(entry)

    def _watch_parts(self, entry: Mapping[str, Any], given: Mapping[str, Any], slots: Slots) -> None:
        from kernelpath.evaluate.observe_parts import WatchedParts  # packs whose flows are listed never need it

        items = self.workspace[entry["over"]]
        chosen = [position for position, item in enumerate(items) if self.seen.chosen(item)]
        if not chosen:
            return
        walk = WatchedParts(self.pack, entry["walk"], {**self.workspace, **given}, items, slots, self._fresh(entry))
        name, data, start = entry["label"], entry["walk"], dict(slots.values)
        for found in walk.watch(frozenset(chosen), entry["settle"]):
            visit = Visit(name, data, found.walk, given, found.writers, start, self.workspace)
            self.seen.visits.append(replace(visit, repetitions=tuple(sorted(found.repetitions)), among=found.among))

    def _watch(self, entry: Mapping[str, Any], given: Mapping[str, Any], items: Any, slots: Slots | None) -> None:
        if any(self.seen.chosen(item) for item in items):
            values = {**self.workspace, **given}
            walk = _WatchedWalk(self.pack, entry["walk"], values, Report(), items, slots)
            start = dict(slots.values) if slots else {}
            walk.watch = _Watch(self.seen, entry["label"], given, start, self.workspace)
            walk.run()

    def _program(self, name: str, values: Mapping[str, Any]) -> Outcome:
        return _run(self.pack, name, values, self.seen)


@dataclass(slots=True)
class _Watch:
    seen: _Seen
    name: str
    given: Mapping[str, Any]
    start: Mapping[str, Any]
    workspace: Mapping[str, Any]
    writers: dict[str, ItemWalk] = field(default_factory=dict)


class _WatchedWalk(Walk):
    """A walk that takes every item rule by rule, and keeps those that are chosen."""

    watch: _Watch

    def run(self, position: int | None = None) -> bool:
        """Take every item through the stages."""
        for place, item in enumerate(self.items):
            self._careful(place, item)
        return self.whole

    def _through(self, walk: ItemWalk, position: int) -> None:
        watch = self.watch
        before = dict(watch.writers) if watch.seen.chosen(self.items[position]) else None
        super()._through(walk, position)
        if before is not None:
            visit = Visit(watch.name, self.data, walk, watch.given, before, watch.start, watch.workspace)
            watch.seen.visits.append(visit)
        for slot in written(self.data, walk):
            watch.writers[slot] = walk


def written(data: Mapping[str, Any], walk: ItemWalk) -> list[str]:
    """Return the slots that an item wrote, but for those of which a fault keeps that from being known."""
    slots = []
    for rule in (rule for stage in data["stages"] for rule in stage if rule["kind"] == "transition"):
        try:
            if not rule["when"] or walk.pack.value(rule["when"], walk.environment):
                slots.append(str(walk.pack.value(rule["slot"], walk.environment)))
        except (EvaluationError, KeyError):
            continue
    return slots
