"""Bring two lists of steps, one for each phase, into one list in the order of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Step = Mapping[str, Any]


def interleave(
    settings: Mapping[str, Any], order: Sequence[str], first: Sequence[Step], second: Sequence[Step]
) -> Mapping[str, Any]:
    """Return `steps`: for each id of `order` its steps of the first list, then those of the second.

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
    return {"steps": steps}


def _by_id(identity: str, steps: Sequence[Step]) -> dict[str, list[Step]]:
    groups: dict[str, list[Step]] = {}
    for step in steps:
        groups.setdefault(str(step[identity]), []).append(step)
    return groups
