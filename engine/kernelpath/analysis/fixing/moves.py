"""The moves that may mend a graph, as a pack declares them under `fixes`, made concrete for the steps of one graph.

A move inserts a step before another, or sets or removes a member of a step. Its members are given as data: a text as
it is, `{from: member}` for the anchor's own member, `{each: vocabulary}` for every value of a vocabulary in turn,
`{normal: true}` for the member's own value trimmed and in lower case, `{removed: true}` for no member, and
`{catalog: [member, member]}` for what the catalogue gives for the kernel that these members name.
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

    `value` REMOVED takes the member away; `name` is the move's in the pack.
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


def moves(
    declared: Mapping[str, Any],
    vocabularies: Mapping[str, Sequence[str]],
    steps: Sequence[Any],
    references: Mapping[str, Any],
) -> list[Move]:
    """Return every move that the pack declares, for every step that has an id of its own."""
    times = Counter(step["id"] for step in steps if _has_id(step))
    return [
        move
        for step in steps
        if _has_id(step) and times[step["id"]] == 1
        for name, form in declared.items()
        for move in _concrete(name, form, vocabularies, step, references)
    ]


def _concrete(
    name: str,
    form: Mapping[str, Any],
    vocabularies: Mapping[str, Sequence[str]],
    step: Step,
    references: Mapping[str, Any],
) -> Iterator[Move]:
    cost = EDIT + int(form.get("cost", 0))
    if not all(step.get(member) == value for member, value in form.get("if", {}).items()):
        return
    if any(step.get(member) == value for member, value in form.get("unless", {}).items()):
        return
    if "insert" in form:
        for added in _members(form["insert"], vocabularies, step):
            yield Move(name, step["id"], cost, add=added)
        return
    path = tuple(form["set"].split("."))
    present = _at(step, path)
    for value in _values(form["to"], vocabularies, step, present, references):
        if value is not present and value != present:
            yield Move(name, step["id"], cost, path, value)


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


def by_id(steps: Sequence[Any]) -> dict[str, Step]:
    """Return the steps by their ids, of several with one id the last; what is no text is no id."""
    return {step["id"]: step for step in steps if _has_id(step)}


def _has_id(step: Any) -> bool:
    return isinstance(step, dict) and isinstance(step.get("id"), str)


def edited(steps: Sequence[Any], chosen: Sequence[Move]) -> list[Any]:
    """Return the steps after the moves, added ones with ids that are new; what was given stays as it is."""
    taken = set(by_id(steps))
    result: list[Any] = []
    for step in steps:
        own = [move for move in chosen if isinstance(step, dict) and move.anchor == step.get("id")]
        for move in own:
            if move.add is not None:
                result.append(_new(move, taken))
        changed = step
        for move in own:
            if move.add is None:
                changed = _changed(changed, move)
        result.append(changed)
    return result


def _new(move: Move, taken: set[Any]) -> Step:
    identity = f"{move.name}_{move.anchor}".replace(" ", "_")
    while identity in taken:
        identity += "_"
    taken.add(identity)
    return {"id": identity, **(move.add or {})}


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
