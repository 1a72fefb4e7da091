"""Find steps that read a slot which no step before them in the same list has written."""

from __future__ import annotations

from kernelpath.language.builtins.strings import trim
from kernelpath.language.json_values import plain_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any


def unwritten(settings: Mapping[str, Any], layers: Sequence[Any]) -> list[dict[str, str]]:
    """Return each slot that some list of a layer reads before it writes it, with the step's `op`, once.

    `always` are the slots that are there from the start. `reads`
    and `writes` name the members that hold slots: an entry `{member: a, op: add, otherwise: left}` counts for the op
    `add` alone, and where the step has no such member its slot is `left`.
    """
    found: dict[tuple[str, str], None] = {}
    lists = {id(steps): steps for layer in layers for steps in [layer.decode]}
    for steps in lists.values():
        found |= dict.fromkeys(_unwritten(settings, steps))
    return [{"op": op, "slot": slot} for op, slot in found]


def _unwritten(settings: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    written = set(settings["always"])
    for step in steps:
        for slot in _slots(settings["reads"], step):
            if slot not in written:
                yield str(step["op"]), slot
        written.update(_slots(settings["writes"], step))


def _slots(entries: Sequence[Mapping[str, str]], step: Mapping[str, Any]) -> Iterable[str]:
    for entry in entries:
        if entry.get("op", step["op"]) == step["op"]:
            value = step.get(entry["member"])
            slot = entry.get("otherwise", "") if value is None else trim(plain_text(value))
            if slot:
                yield slot
