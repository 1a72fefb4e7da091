"""Ask a question while watching what becomes of chosen items, to say afterwards why they are as they are.

The question is answered as always. Beside it, the stages of every table that has a chosen item are asked once more,
rule by rule and with nothing reported, and what the chosen items had as variables is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.item import ItemWalk
from kernelpath.evaluate.question import Outcome, QuestionRun
from kernelpath.evaluate.ranges import ranges_text
from kernelpath.evaluate.report import Report
from kernelpath.evaluate.slots import Slots
from kernelpath.evaluate.walk import Walk
from kernelpath.language import EvaluationError

Chosen = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Visit:
    """A chosen item after its way through the stages of one walk.

    `name` is that of the flow, or of the table whose rows are asked about. `given` are the variables that a flow sets,
    such as in which pass it is. `writers` has, by slot, the walk of the item that wrote it last before this one came;
    `start` has the slots' values at the start. `workspace` has the cells of the question that made the visit.
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
    def variable(self) -> str | None:
        """The variable that holds the item, None for what is made of several."""
        row: tuple[str, ...] = self.data["scope"]["row"]
        return row[0] if row else None

    @property
    def item(self) -> Any:
        """The item itself."""
        return self.walk.environment[self.variable] if self.variable else None

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
    """What a question gave, and the visits of the chosen items in the order in which they were made.

    `workspaces` are the cells of the question and of those that it asked, in the order in which they began.
    """

    outcome: Outcome
    visits: tuple[Visit, ...]
    workspaces: tuple[Mapping[str, Any], ...]


def observe(pack: CompiledPack, question: str, values: Mapping[str, Any], chosen: Chosen) -> Observed:
    """Ask a question, those that it asks included, and watch the chosen items."""
    seen = _Seen(chosen)
    outcome = _run(pack, question, values, seen)
    return Observed(outcome, tuple(seen.visits), tuple(seen.workspaces))


@dataclass(slots=True)
class _Seen:
    chosen: Chosen
    visits: list[Visit] = field(default_factory=list)
    workspaces: list[Mapping[str, Any]] = field(default_factory=list)


def _run(pack: CompiledPack, question: str, values: Mapping[str, Any], seen: _Seen) -> Outcome:
    run = _WatchedRun(pack, question, values)
    run.seen = seen
    seen.workspaces.append(run.cells)
    return run.run()


class _WatchedRun(QuestionRun):
    """A run that asks the stages of chosen items once more."""

    seen: _Seen

    def _ask(self, step: Mapping[str, Any], items: Any, table: str | None) -> None:
        if table is not None:
            self._watch(step, {}, items, None)
        super()._ask(step, items, table)

    def _visit(self, step: Mapping[str, Any], values: Mapping[str, Any], slots: Slots) -> None:
        self._watch(step, self._given(step), self._rows_of(step["over"]), self.start(step))
        super()._visit(step, values, slots)

    def _unroll(self, step: Mapping[str, Any], values: Mapping[str, Any], slots: Slots) -> Slots:
        self._watch_parts(step, self._given(step), self.start(step))
        return super()._unroll(step, values, slots)

    def _given(self, step: Mapping[str, Any]) -> dict[str, Any]:
        return {step["word"]: step["pass"]} if step["word"] else {}

    def _watch_parts(self, step: Mapping[str, Any], given: Mapping[str, Any], slots: Slots) -> None:
        from kernelpath.evaluate.observe_parts import WatchedParts  # packs whose flows are listed never need it

        items = self._rows_of(step["over"])
        chosen = [position for position, item in enumerate(items) if self.seen.chosen(item)]
        if not chosen:
            return
        values = {**self._with_whole(step["walk"]["scope"], step["over"]), **given}
        walk = WatchedParts(self.pack, step["walk"], values, items, slots, self._fresh(step))
        name, data, start = step["flow"], step["walk"], dict(slots.values)
        for found in walk.watch(frozenset(chosen), step["settles"]):
            visit = Visit(name, data, found.walk, given, found.writers, start, self.cells)
            self.seen.visits.append(replace(visit, repetitions=tuple(sorted(found.repetitions)), among=found.among))

    def _watch(self, step: Mapping[str, Any], given: Mapping[str, Any], items: Any, slots: Slots | None) -> None:
        if any(self.seen.chosen(item) for item in items):
            table = step["over"] if "flow" in step else step["table"]
            values = {**self._with_whole(step["walk"]["scope"], table), **given}
            walk = _WatchedWalk(self.pack, step["walk"], values, Report(), items, slots)
            walk.skipped = self._missing(table) if table else {}
            start = dict(slots.values) if slots else {}
            walk.watch = _Watch(self.seen, step.get("flow") or step["name"], given, start, self.cells)
            walk.run()

    def _asked(self, question: str, given: Mapping[str, Any]) -> Outcome:
        return _run(self.pack, question, given, self.seen)


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
