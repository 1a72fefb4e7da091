"""Visit items part by part, one part once for each of its repetitions, slots carried all the way.

What a visit does hangs on the item and on what the slots that it reads hold, and on nothing else. So each item is taken
through the rules once for each content that it ever reads; the walk itself only looks these effects up. A whole
repetition is remembered in the same way by which items apply and what the slots hold on entry, so that equal
repetitions cost next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kernelpath.diagnostics import Diagnostic
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.ranges import ranges_text
from kernelpath.evaluate.report import Report
from kernelpath.evaluate.slots import Slots
from kernelpath.evaluate.walk import Walk
from kernelpath.language import EvaluationError

#: The content of a slot that an earlier fault left open, and of one that nothing wrote.
UNKNOWN = object()
MOST_ROUNDS = 1000
State = frozenset[tuple[str, Any]]


@dataclass(slots=True, eq=False)
class Effect:
    """What one item does where the slots that it reads hold certain values.

    `writes` has the slots that it sets, UNKNOWN for one that a fault leaves open; `repetitions` is filled in where it
    matters: for a finding, and for an item of a repeated part that has several effects.
    """

    position: int
    writes: tuple[tuple[str, Any], ...]
    findings: tuple[tuple[Diagnostic, str, tuple[str, ...], str], ...]
    collected: Mapping[str, Any]
    whole: bool
    repetitions: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Passage:
    """All repetitions in which the same items apply to the same slots: one look at the items serves them all."""

    positions: Sequence[int]
    entry: State
    numbers: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Unrolled:
    """A flow over parts; `parts` are the positions of each part in order, a repeated one as a list of lists.

    Each round begins with the slots that the last one left, but for the `fresh` ones, which begin anew.
    """

    pack: CompiledPack
    data: Mapping[str, Any]
    values: Mapping[str, Any]
    items: Sequence[Any]
    slots: dict[str, Any]
    fresh: Mapping[str, Any]
    pass_name: str = ""
    effects: list[dict[Any, Effect]] = field(default_factory=list)
    order: list[Effect] = field(default_factory=list)
    keys: list[str | tuple[str, ...]] = field(default_factory=list)
    parts: list[tuple[bool, list[list[int]]]] = field(default_factory=list)
    passes: dict[tuple[int, State], State] = field(default_factory=dict)
    quiet: dict[State, set[int]] = field(default_factory=dict)
    known: State | None = None

    def run(self, settle: bool) -> None:
        """Visit everything once, or round and round until the slots on entry are ones that were there before."""
        self.effects = [{} for _ in self.items]
        self._prepare()
        for _ in self._rounds(settle):
            self._round()
        self._attribute(settle)

    def _rounds(self, settle: bool) -> Iterator[None]:
        """Yield once for each round, until the slots on entry were there before."""
        seen: set[State] = set()
        while self._state() not in seen:
            if len(seen) >= MOST_ROUNDS:
                raise EvaluationError(f"the slots do not settle in {MOST_ROUNDS:,} rounds")
            seen.add(self._state())
            yield
            if not settle:
                return
            self.slots.update(self.fresh)
            self.known = None

    def report_to(self, report: Report, stage: str) -> None:
        """Report the findings of all effects, in the order in which the effects first came about."""
        repeated = self.data["flow"]["parts"]["repeated"]
        for effect in self.order:
            for diagnostic, _, tags, pass_ in effect.findings:
                report.add(_placed(diagnostic, effect.repetitions, repeated), stage, tags, pass_)

    def collected(self) -> dict[str, list[Any]]:
        """Return what was collected of the items in their order; an item with several effects gives one of each.

        Such an entry gets the repetitions that it holds for, under the member that the flow names.
        """
        member = self.data["flow"]["parts"]["split"]
        result: dict[str, list[Any]] = {name: [] for name in self.data["collects"]}
        for effects in self.effects:
            several = len(effects) > 1
            for effect in effects.values():
                for name, value in effect.collected.items():
                    split = several and effect.repetitions and member.get(name)
                    result[name].append({**value, split: sorted(effect.repetitions)} if split else value)
        return result

    @property
    def whole(self) -> bool:
        """Whether every visit had a value for what is collected."""
        return all(effect.whole for effect in self.order)

    def _prepare(self) -> None:
        """Sort the items into parts, and find the slots that each reads."""
        reads = [term for _, term in self.data["flow"]["reads"]]
        scope = self.data["scope"]
        parts = self.data["flow"]["parts"]
        places: dict[str, list[int]] = {name: [] for name in parts["order"]}
        for position, item in enumerate(self.items):
            environment = {**self.values, scope["row"][0]: item}
            if item is None or not self._visited(environment):
                self.keys.append(())
                continue
            key = tuple(self.pack.value(term, environment) for term in reads)
            self.keys.append(key[0] if len(key) == 1 else key)
            places.setdefault(self.pack.value(parts["of"], environment), []).append(position)
        for name, positions in places.items():
            repeated = name == parts["repeated"]
            self.parts.append((repeated, self._repetitions(positions) if repeated else [positions]))

    def _visited(self, environment: Mapping[str, Any]) -> bool:
        visits = self.data["flow"]["visits"]
        return not visits or bool(self.pack.value(visits, environment))

    def _repetitions(self, positions: Sequence[int]) -> list[list[int]]:
        """Return the positions that apply in each repetition; equal ones share one list."""
        parts = self.data["flow"]["parts"]
        count: int = self.pack.value(parts["count"], self.values)
        named: dict[int, list[int]] = {}
        everywhere: list[int] = []
        for position in positions:
            where = self.pack.value(parts["on"], {**self.values, self.data["scope"]["row"][0]: self.items[position]})
            if isinstance(where, (list, tuple)):
                for repetition in {int(number) for number in where if number < count}:
                    named.setdefault(repetition, []).append(position)
            else:
                everywhere.append(position)
        made: dict[tuple[int, ...], list[int]] = {}
        result = []
        for repetition in range(count):
            own = tuple(named.get(repetition, ()))
            if own not in made:
                made[own] = sorted([*everywhere, *own]) if own else everywhere
            result.append(made[own])
        return result

    def _round(self) -> None:
        for repeated, lists in self.parts:
            for positions in lists:
                if repeated:
                    self._repetition(positions)
                else:
                    self._visit_all(positions)

    def _repetition(self, positions: list[int]) -> None:
        """Visit one repetition, or take over what the same items made of the same slots before."""
        key = (id(positions), self._state())
        if key not in self.passes:
            self._visit_all(positions)
            self.passes[key] = self._state()
        else:
            self._restore(self.passes[key])

    def _state(self) -> State:
        """Return what all slots hold; the same object until one of them changes."""
        if self.known is None:
            self.known = frozenset(self.slots.items())
        return self.known

    def _restore(self, state: State) -> None:
        """Let the slots hold what they held before."""
        if state is not self.known:
            self.slots.clear()
            self.slots.update(state)
            self.known = state

    def _visit_all(self, positions: Sequence[int]) -> None:
        """Look up what each item does to the slots, but for those that are known to leave these slots as they are."""
        quiet = self.quiet.setdefault(self._state(), set())
        for place, position in enumerate(positions):
            if position not in quiet:
                if self._visit(position):
                    return self._visit_each(positions[place + 1 :])
                quiet.add(position)
        return None

    def _visit(self, position: int) -> bool:
        """Look up what one item does to the slots, and return whether it changes any."""
        held = self._held(position, self.slots)
        effect = self.effects[position].get(held)
        if effect is None:
            effect = self.effects[position][held] = self._effect(position, held)
        changes = [entry for entry in effect.writes if self.slots.get(entry[0]) != entry[1]]
        if changes:
            self.slots.update(changes)
            self.known = None
        return bool(changes)

    def _visit_each(self, positions: Sequence[int]) -> None:
        """Look up what each item does to the slots; a flow that reads one slot needs no tuple of what they hold."""
        slots, effects, keys = self.slots, self.effects, self.keys
        read = slots.get
        for position in positions:
            key = keys[position]
            held = read(key) if type(key) is str else tuple([read(one) for one in key])
            effect = effects[position].get(held)
            if effect is None:
                effect = effects[position][held] = self._effect(position, held)
            for name, value in effect.writes:
                slots[name] = value

    def _effect(self, position: int, held: Any) -> Effect:
        """Take an item through the rules where the slots that it reads hold these values."""
        local = self._holding(position, held)
        before = dict(local.values)
        report = Report()
        names = self.data["collects"]
        collected: dict[str, list[Any]] = {name: [] for name in names}
        item = [self.items[position]]
        walk = Walk(self.pack, self.data, self.values, report, item, local, collected, pass_name=self.pass_name)
        whole = walk.run()
        writes = {key: value for key, value in local.values.items() if key not in before or before[key] != value}
        writes |= dict.fromkeys(local.unknown, UNKNOWN)
        collected = {name: walk.collected[name][0] for name in names} if whole else {}
        effect = Effect(position, tuple(writes.items()), tuple(report.findings()), collected, whole)
        self.order.append(effect)
        return effect

    def _holding(self, position: int, held: Any) -> Slots:
        """Return slots of which those that an item reads hold these values."""
        local = Slots()
        key = self.keys[position]
        for slot, value in [(key, held)] if isinstance(key, str) else zip(key, held, strict=True):
            if value is UNKNOWN:
                local.forget(slot)
            elif value is not None:
                local.write(slot, value)
        return local

    def _attribute(self, settle: bool) -> None:
        """Say of each effect that matters in which repetitions it came about, by going the same way once more."""
        several = {position for position, effects in enumerate(self.effects) if len(effects) > 1}
        blamed = several | {effect.position for effect in self.order if effect.findings}
        if not blamed:
            return
        end = self._state()
        self._restore(self._entry)
        passages: dict[tuple[int, State], Passage] = {}
        for _ in self._rounds(settle):
            self._retrace(passages)
        for passage in passages.values():
            self._attribute_passage(passage, blamed)
        self._restore(end)

    def _retrace(self, passages: dict[tuple[int, State], Passage]) -> None:
        """Go one round again, and note of each passage in which repetitions it was taken."""
        for repeated, lists in self.parts:
            for number, positions in enumerate(lists):
                if repeated:
                    key = (id(positions), self._state())
                    passages.setdefault(key, Passage(positions, key[1])).numbers.add(number)
                    self._repetition(positions)
                else:
                    self._visit_all(positions)

    def _attribute_passage(self, passage: Passage, blamed: set[int]) -> None:
        slots = dict(passage.entry)
        for position in passage.positions:
            effect = self.effects[position][self._held(position, slots)]
            if position in blamed:
                effect.repetitions |= passage.numbers
            slots.update(effect.writes)

    def _held(self, position: int, slots: Mapping[str, Any]) -> Any:
        key = self.keys[position]
        return slots.get(key) if isinstance(key, str) else tuple([slots.get(one) for one in key])

    _entry: State = frozenset()

    def __post_init__(self) -> None:
        self._entry = self._state()


def _placed(diagnostic: Diagnostic, repetitions: set[int], word: str) -> Diagnostic:
    """Return a finding that says in which repetitions it holds."""
    if not repetitions:
        return diagnostic
    numbers = sorted(repetitions)
    where = f"in {word}{'s' if len(numbers) > 1 else ''} {ranges_text(numbers)}"
    return replace(diagnostic, message=f"{diagnostic.message}, {where}", values=(*diagnostic.values, ("where", where)))
