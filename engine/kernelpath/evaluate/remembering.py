"""Ask one question many times about documents of which most stay the same, and compute only what changed.

Each step of a plan is a function of the cells that it reads. A run begins with the cells of an earlier one, and takes
only the steps that read what is different: such a step may have read the same in another run, and a step that gives
what it gave before changes nothing for the others. That holds for as long as a run has found nothing: from its first
finding on, a run goes on as any other.
"""

from __future__ import annotations

from operator import is_

from kernelpath.evaluate.question import QuestionRun
from kernelpath.graph.fresh import fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set
    from typing import Any

    from kernelpath.evaluate.compiled import CompiledPack
    from kernelpath.evaluate.question import Outcome, StepData

    Asked = tuple[int, Set[str]]

#: How many different readings of one step are kept; the oldest goes first.
MOST_KEPT = 16
_ABSENT = object()


class Memory:
    """What the steps of a pack's questions read and gave so far; `computed` counts the steps that were taken."""

    def __init__(self, pack: CompiledPack) -> None:
        self.pack = pack
        self.computed = 0
        self.constants: dict[str, Any] = fresh(pack.meta["constants"])
        self.bases: dict[str, Base] = {}
        self.answers: dict[tuple[str, bool], list[tuple[list[Any], Any]]] = {}
        self._known: dict[str, list[_Step]] = {}

    def ask(self, question: str, given: Mapping[str, Any]) -> Outcome:
        """Ask a question of the pack, as `evaluate.question.ask` does.

        Documents must not be changed between calls, and answers may have parts in common with each other.
        """
        return RememberingRun(self.pack, question, given, self).run()

    def steps(self, question: str) -> list[_Step]:
        """Return what is kept of each step of a question's plan, in its order."""
        if question not in self._known:
            data, fixed = self.pack.meta["questions"][question], self.constants.keys() | self.pack.data.keys()
            steps = [_Step(step, fixed) for step in (*data["gate"], *data["steps"])]
            kept = {name for step in steps for name in step.gives if name != step.input}
            for step in steps:
                step.looks = tuple(name not in kept for name in step.order)
            self._known[question] = steps
        return self._known[question]


class Base:
    """A run that others begin with, as far as it found nothing: what it was given, and what its steps gave.

    `asked` has, for each of its steps, how many items it asked about, and of which stages.
    """

    __slots__ = ("asked", "cells", "given")

    def __init__(self, given: Mapping[str, Any], cells: dict[str, Any], asked: list[Asked]) -> None:
        self.given = given
        self.cells = cells
        self.asked = asked


class _Step:
    """A step of a plan: the cells that it may read and fill, and what it gave for what it read before.

    What it gives depends on the cells alone, unless it `asks` a question, which reads the documents itself. `looks`
    says of each cell in the `order` of reading whether values of it may be the same without being one.
    """

    __slots__ = ("asks", "gives", "input", "kept", "looks", "order", "reads")

    def __init__(self, step: StepData, fixed: Set[str]) -> None:
        self.asks = step["kind"] == "pass" or (step["kind"] == "value" and step["ask"] is not None)
        self.input: str | None = step["name"] if step["kind"] == "value" and step["input"] else None
        read = _read_by(step) - fixed
        self.reads = frozenset(read | {self.input} if self.input else read)
        self.order = tuple(sorted(self.reads))
        self.gives = _given_by(step)
        self.looks: tuple[bool, ...] = ()
        self.kept: list[_Kept] = []

    def find(self, values: Sequence[Any]) -> _Kept | None:
        """Return what the step gave for these values of the cells that it reads."""
        for place, kept in enumerate(self.kept):
            for one, other, looks in zip(kept.read, values, self.looks, strict=True):
                if one is not other and not (looks and same(one, other)):
                    break
            else:
                if place:
                    self.kept.insert(0, self.kept.pop(place))
                return kept
        return None

    def keep(self, kept: _Kept, cells: dict[str, Any]) -> None:
        """Remember what the step gave, in the place of what it gave longest ago.

        What is the same as something that it gave before becomes the very same in the cells, so that the steps that
        read it need not look into it.
        """
        for earlier in self.kept:
            for name, value in kept.gave.items():
                if name in earlier.gave and same(earlier.gave[name], value):
                    kept.gave[name] = cells[name] = earlier.gave[name]
        self.kept.insert(0, kept)
        del self.kept[MOST_KEPT:]


class _Kept:
    """What one step read, and what it gave: cells, and how many items it asked about, of which stages."""

    __slots__ = ("asked", "gave", "read")

    def __init__(self, read: Sequence[Any], gave: dict[str, Any], asked: Asked) -> None:
        self.read = read
        self.gave = gave
        self.asked = asked


class RememberingRun(QuestionRun):
    """A run of a question that takes what it can from a memory, and adds to it.

    `changed` are the cells that differ from those of the base, None of a run that goes on as any other.
    """

    def __init__(self, pack: CompiledPack, name: str, given: Mapping[str, Any], memory: Memory) -> None:
        self.memory = memory
        super().__init__(pack, name, given)
        self.known = memory.steps(name)
        self.name = name
        self.base = memory.bases.get(name)
        self.asked: list[Asked] = []
        self.changed: set[str] | None = None
        if self.base is not None and self.is_clean():
            self.changed = self._differing(self.base)
            self.cells.update((cell, value) for cell, value in self.base.cells.items() if cell not in given)

    def _differing(self, base: Base) -> set[str]:
        """Return the documents and inputs that are not those of a base."""
        names = base.given.keys() | self.given.keys()
        return {name for name in names if not same(base.given.get(name, _ABSENT), self.given.get(name, _ABSENT))}

    def _constants(self) -> Mapping[str, Any]:
        return self.memory.constants

    def _asked(self, question: str, given: Mapping[str, Any]) -> Outcome:
        return self.memory.ask(question, given)

    def _ask_all(self) -> Any:
        gate, steps = self.question["gate"], self.question["steps"]
        for place, step in enumerate(gate):
            self._at(place, step)
        applies = self._term(self.question["when"], True)
        if applies:
            for place, step in enumerate(steps, len(gate)):
                self._at(place, step)
        else:
            self._part(len(gate))
        if self.is_clean():
            self._become_base()
        return applies

    def _answer(self, applies: Any) -> Any:
        """Return the answer, the very same where what it is made of is the very same: what asks reads it by that."""
        term = self.question["answer"] if applies else self.question["otherwise"]
        if term is None or not self.is_clean() or any(name not in self.cells for name in term[1]):
            return super()._answer(applies)
        values = [self.cells[name] for name in term[1]]
        answers = self.memory.answers.setdefault((self.name, bool(applies)), [])
        for read, answer in answers:
            if all(map(is_, read, values)):
                return answer
        answer = super()._answer(applies)
        if self.is_clean():
            answers.insert(0, (values, answer))
            del answers[MOST_KEPT:]
        return answer

    def _at(self, place: int, step: StepData) -> None:
        """Take one step, or leave it out if it would read what the base's step read."""
        if self.changed is not None and place == len(self.base.asked):  # type: ignore[union-attr]
            self._part(place)
        if self.changed is None:
            self._take(place, step)
            return
        known = self.known[place]
        if known.reads.isdisjoint(self.changed) and not (known.asks and self.changed):
            asked = self.base.asked[place]  # type: ignore[union-attr]
            self._note(asked)
            self.report.asked += asked[0]
            self.walked |= asked[1]
            return
        for name in known.gives:
            if name not in self.given:
                self.cells.pop(name, None)
        self._take(place, step)
        if self.changed is not None:
            self._compare(known)

    def _take(self, place: int, step: StepData) -> None:
        """Take a step, or take what it gave when it read the same; if something was found, go on as any other run."""
        known, cells = self.known[place], self.cells
        if known.asks or not self.is_clean():
            self._compute_step(place, step)
            return
        values = [cells.get(name, _ABSENT) for name in known.order]
        kept = known.find(values)
        if kept is not None:
            cells.update(kept.gave)
            self._note(kept.asked)
            self.report.asked += kept.asked[0]
            self.walked |= kept.asked[1]
            return
        asked = self._compute_step(place, step)
        if asked is not None:
            gave = {name: cells[name] for name in known.gives if name in cells}
            known.keep(_Kept(values, gave, asked), cells)

    def _compute_step(self, place: int, step: StepData) -> Asked | None:
        """Compute a step; return what it asked about, None if something was found by then."""
        clean, asked, walked = self.is_clean(), self.report.asked, set(self.walked)
        self.memory.computed += 1
        self._step(step)
        if clean and self.is_clean():
            found = (self.report.asked - asked, self.walked - walked)
            self._note(found)
            return found
        if clean:
            self._become_base()
            self._part(place + 1)
        return None

    def _note(self, asked: Asked) -> None:
        self.asked.append(asked)

    def _compare(self, known: _Step) -> None:
        """Note which cells of a step differ from the base's."""
        assert self.base is not None
        assert self.changed is not None
        for name in known.gives:
            if self.base.cells.get(name, _ABSENT) is not self.cells.get(name, _ABSENT):
                self.changed.add(name)

    def _part(self, place: int) -> None:
        """Go on as any other run: without what the base's steps from a place on gave."""
        if self.changed is None:
            return
        self.changed = None
        for known in self.known[place:]:
            for name in known.gives:
                if name not in self.given:
                    self.cells.pop(name, None)

    def _become_base(self) -> None:
        """Let later runs begin with this one, if it came further than the one that they would begin with."""
        count = len(self.asked)
        if count and (self.base is None or count > len(self.base.asked)):
            names = (name for known in self.known[:count] for name in known.gives)
            cells = {name: self.cells[name] for name in names if name in self.cells}
            self.memory.bases[self.name] = Base(self.given, cells, self.asked)


def _read_by(step: StepData) -> set[str]:
    """Return the cells that a step may read."""
    if step["kind"] == "input":
        return set(step["term"][1])
    read = set(step["reads"])
    for term in (step.get("when"), step.get("otherwise")):
        read |= set(term[1]) if term else set()
    if step["kind"] == "value" and step["ask"]:
        read |= {name for _, term in step["ask"][1] for name in term[1]}
    read |= {step[name] for name in ("table", "source", "within", "like", "over") if step.get(name)}
    if step["kind"] in ("stages", "pass"):
        read |= set(step["walk"]["scope"]["whole"].values())
    if step["kind"] == "stages" and step["like"]:
        read |= {f"{step['like']}.{name}" for name in step["keeps"]}
    return read | {f"{name} rows" for name in read} | {f"{name}?" for name in read if step["kind"] == "pass"}


def _given_by(step: StepData) -> tuple[str, ...]:
    """Return the cells that a step may fill."""
    kind, name, table = step["kind"], step["name"], step.get("table")
    if kind == "stages":
        given = dict.fromkeys((*step["keeps"], *step["nulls"]))
        return tuple(f"{table}.{each}" if table else each for each in given)
    if kind == "pass":
        return (*(f"{name}.{each}" for each in step["keeps"]), f"{name}.slots", f"{name}.slots?")
    return (name, f"{name} rows") if kind == "table" else (name,)


def same(one: Any, other: Any) -> bool:
    """Return whether two values are the same to every expression: types, numbers' signs and members' order count.

    >>> same([1, {"a": None}], [1, {"a": None}]), same(1, True), same(0.0, -0.0)
    (True, False, False)
    >>> same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    False
    """
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is dict:
        return len(one) == len(other) and all(map(same, one, other)) and all(map(same, one.values(), other.values()))
    if kind is list or kind is tuple:
        return len(one) == len(other) and all(map(same, one, other))
    if kind is float:
        return repr(one) == repr(other) and one == other
    return kind in (str, int, bool) and bool(one == other)


__all__ = ["Memory", "RememberingRun", "same"]
