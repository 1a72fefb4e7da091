"""Bring resolved steps, of which there is one for each of its outcomes, into the order of the graph."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Step = Mapping[str, Any]


def interleave(
    settings: Mapping[str, Any], order: Sequence[str], first: Sequence[Step], second: Sequence[Step]
) -> list[Step]:
    """Return for each id of `order` its steps of the first list, then those of the second.

    Steps that both lists have alike are there once. Where they differ, `settings["member"]` of each is set to the name
    that `settings["names"]` gives its list.
    """
    member, names = settings["member"], settings["names"]
    groups = [_by_id(settings["identity"], steps) for steps in (first, second)]
    steps: list[Step] = []
    for identity in order:
        own, other = (group.get(identity, []) for group in groups)
        if own == other or not own or not other:
            steps += own or other
        else:
            steps += [{**step, member: names[0]} for step in own] + [{**step, member: names[1]} for step in other]
    return steps


def _by_id(identity: str, steps: Sequence[Step]) -> dict[str, list[Step]]:
    groups: dict[str, list[Step]] = {}
    for step in steps:
        groups.setdefault(str(step[identity]), []).append(step)
    return groups


def varying(settings: Mapping[str, Any], steps: Sequence[Step]) -> list[str]:
    """Return the ids of steps with several outcomes at one place: on a common layer, or outside the layers.

    `settings["on"]` is the member with the layers of an outcome; where the outcomes have no list there, they share all.
    """
    outcomes = {name: own for name, own in _by_id(settings["identity"], steps).items() if len(own) > 1}
    return [name for name, own in outcomes.items() if _overlap([step.get(settings["on"]) for step in own])]


def _overlap(places: Sequence[Any]) -> bool:
    if not all(isinstance(place, list) for place in places):
        return True
    numbers = [number for place in places for number in place]
    return len(set(numbers)) < len(numbers)
