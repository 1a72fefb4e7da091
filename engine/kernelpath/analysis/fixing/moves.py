"""The moves that may mend a graph, as a pack declares them under `fixes`, made concrete for the steps of one graph.

A move inserts a step before another, takes a step away, or sets or removes a member of a step. Its members are given as
data: a text as it is, `{from: member}` for the anchor's own member, `{each: vocabulary}` for every value of a
vocabulary in turn, `{normal: true}` for the member's own value trimmed and in lower case, `{removed: true}` for no
member, and `{catalog: [member, member]}` for what the catalogue gives for the kernel that these members name.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Step = dict[str, Any]

#: What every edit costs; a move's own `cost`, below it, decides between fixes of equally many edits.
EDIT = 100


@dataclass(frozen=True, slots=True)
class Move:
    """One edit: `add` is a whole step that goes before the step `anchor`, else `path` of it becomes `value`.

    `value` REMOVED takes the member away, without a path the whole step; `name` is the move's in the pack.
    """

    name: str
    anchor: str
    cost: int
    path: tuple[str, ...] = ()
    value: Any = None
    add: Mapping[str, Any] | None = field(default=None, hash=False)

    @property
    def key(self) -> tuple[object, ...]:
        """What tells the move from others."""
        return (self.name, self.anchor, self.path, repr(self.value), repr(self.add))


REMOVED = object()
#: The member that names a step, unless a pack says another.
IDENTITY = "id"


@dataclass(frozen=True, slots=True)
class Form:
    """How the steps of a pack's documents say what they are and what they work on: the members that do.

    `identity` names a step; `reads` and `writes` have the slots that it reads and writes, one text or a list of them.
    """

    identity: str
    reads: str
    writes: str

    @staticmethod
    def of(declared: Mapping[str, Any]) -> Form:
        """Return the form that a pack declares under `fixes`."""
        slots = declared["slots"]
        return Form(declared.get("identity", IDENTITY), slots["reads"], slots["writes"])

    def name(self, step: Any) -> str | None:
        """Return a step's name; what is not a text is not a name."""
        name = step.get(self.identity) if isinstance(step, dict) else None
        return name if isinstance(name, str) else None

    def by_name(self, steps: Sequence[Any]) -> dict[str, Step]:
        """Return the steps by their names, of several with one name the last."""
        return {name: step for step in steps if (name := self.name(step)) is not None}


def names_in(slot: Any) -> list[str]:
    """Return the slots that a member names, without blanks around them."""
    listed = slot if isinstance(slot, list) else [slot]
    return [name.strip() for name in listed if isinstance(name, str)]


def moves(
    declared: Mapping[str, Any],
    vocabularies: Mapping[str, Sequence[str]],
    steps: Sequence[Any],
    references: Mapping[str, Any],
) -> list[Move]:
    """Return every move that the pack declares, for every step that has a name of its own."""
    form = Form.of(declared)
    times = Counter(form.name(step) for step in steps)
    return [
        move
        for step in steps
        if (name := form.name(step)) is not None and times[name] == 1
        for kind, one in declared["moves"].items()
        for move in _concrete(kind, one, vocabularies, step, name, references)
    ]


def _concrete(
    name: str,
    form: Mapping[str, Any],
    vocabularies: Mapping[str, Sequence[str]],
    step: Step,
    anchor: str,
    references: Mapping[str, Any],
) -> Iterator[Move]:
    cost = EDIT + int(form.get("cost", 0))
    if not all(step.get(member) == value for member, value in form.get("if", {}).items()):
        return
    if any(step.get(member) == value for member, value in form.get("unless", {}).items()):
        return
    if "insert" in form:
        for added in _members(form["insert"], vocabularies, step):
            yield Move(name, anchor, cost, add=added)
        return
    if form.get("remove"):
        yield Move(name, anchor, cost, (), REMOVED)
        return
    path = tuple(form["set"].split("."))
    present = _at(step, path)
    for value in _values(form["to"], vocabularies, step, present, references):
        if value is not present and value != present:
            yield Move(name, anchor, cost, path, value)


def _members(
    members: Mapping[str, Any], vocabularies: Mapping[str, Sequence[str]], step: Step
) -> Iterator[Mapping[str, Any]]:
    """Yield the steps that a form stands for: one for each value of its `each`."""
    loops = [name for name, value in members.items() if isinstance(value, Mapping) and "each" in value]
    values = vocabularies[members[loops[0]]["each"]] if loops else (None,)
    for value in values:
        added = {name: _member(given, step) for name, given in members.items() if name not in loops}
        yield {**added, **dict.fromkeys(loops, value)}


def _member(given: Any, step: Step) -> Any:
    if isinstance(given, Mapping) and "from" in given:
        return copy.deepcopy(step.get(given["from"]))
    return given


def _values(
    to: Any, vocabularies: Mapping[str, Sequence[str]], step: Step, present: Any, references: Mapping[str, Any]
) -> Sequence[Any]:
    if isinstance(to, Mapping) and "catalog" in to:
        first, second = (step.get(member) for member in to["catalog"])
        key = f"{first}{to['between']}{second or to['otherwise']}"
        return (references[key],) if key in references else ()
    if isinstance(to, Mapping) and "each" in to:
        return vocabularies[to["each"]]
    if isinstance(to, Mapping) and to.get("normal"):
        return [present.strip().lower()] if isinstance(present, str) else ()
    if isinstance(to, Mapping) and to.get("removed"):
        return () if present is None else (REMOVED,)
    return (to,)


def _at(step: Step, path: Sequence[str]) -> Any:
    value: Any = step
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def edited(steps: Sequence[Any], chosen: Sequence[Move], form: Form) -> list[Any]:
    """Return the steps after the moves, added ones with names that are new; what was given stays as it is.

    What read a slot that a step which is taken away wrote reads what that step read.
    """
    taken = set(form.by_name(steps))
    result: list[Any] = []
    joined: dict[str, str] = {}
    for step in steps:
        own = [move for move in chosen if isinstance(step, dict) and move.anchor == step.get(form.identity)]
        result += [_new(move, taken, form) for move in own if move.add is not None]
        changed = _joined(step, joined, form) if joined else step
        for move in own:
            if move.add is None and move.path:
                changed = _changed(changed, move)
        if any(move.add is None and not move.path for move in own):
            joined |= _short_cut(changed, form)
            continue
        joined = {slot: source for slot, source in joined.items() if slot not in _slots(changed, form.writes)}
        result.append(changed)
    return result


def _slots(step: Any, member: str) -> list[str]:
    return names_in(step.get(member)) if isinstance(step, dict) else []


def _short_cut(step: Any, form: Form) -> dict[str, str]:
    """Return, for each slot that a step writes, the one that it reads."""
    reads = _slots(step, form.reads)
    return dict.fromkeys(_slots(step, form.writes), reads[0]) if reads else {}


def _joined(step: Any, joined: Mapping[str, str], form: Form) -> Any:
    """Return a step that reads other slots in the place of those that nothing writes any more."""
    slots = step.get(form.reads) if isinstance(step, dict) else None
    if isinstance(slots, list) and any(slot in joined for slot in slots if isinstance(slot, str)):
        return {**step, form.reads: [joined.get(slot, slot) if isinstance(slot, str) else slot for slot in slots]}
    if isinstance(slots, str) and slots.strip() in joined:
        return {**step, form.reads: joined[slots.strip()]}
    return step


def _new(move: Move, taken: set[str], form: Form) -> Step:
    name = f"{move.name}_{move.anchor}".replace(" ", "_")
    while name in taken:
        name += "_"
    taken.add(name)
    return {form.identity: name, **(move.add or {})}


def _changed(step: Step, move: Move) -> Step:
    *parents, last = move.path
    result = copy.copy(step)
    holder = result
    for name in parents:
        inner = holder.get(name)
        holder[name] = dict(inner) if isinstance(inner, dict) else {}
        holder = holder[name]
    if move.value is REMOVED:
        holder.pop(last, None)
    else:
        holder[last] = move.value
    return result
