"""Decisions E37 to E45: what an overlay's patch sets, removes and adds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .facts import Facts
from .javascript import UNDEFINED, coalesce, elements, get, is_object, keys, nullish, strictly_equal, truthy
from .steps import check_steps
from .verdict import reject

SET_KEYS = ("id", "precision", "kvIO", "constants", "entry")


@dataclass(frozen=True)
class PatchTrace:
    """Decision E45: precision members that the patch gives, by step id, and ids of steps whose kvIO it gives."""

    precision: dict[str, frozenset[str]] = field(default_factory=dict)
    key_value: frozenset[str] = frozenset()


def apply_patch(steps: list[Any], patch: Any, facts: Facts) -> list[Any]:
    """Decisions E37 to E43: return the patched list, checked again."""
    if not truthy(patch):
        return steps
    sets, removes, adds = (elements(coalesce(get(patch, key), [])) for key in ("set", "remove", "add"))
    _check_sets(steps, sets)
    _check_removes(steps, removes)
    current = _remove(_apply_sets(steps, sets), removes)
    current = _add_all(current, adds)
    check_steps(current, facts)
    return current


def _check_sets(steps: list[Any], sets: list[Any]) -> None:
    for change in sets:
        identifier = _known_id(steps, change, "E38")
        if any(key not in SET_KEYS for key in keys(change)):
            reject("E38", identifier)


def _check_removes(steps: list[Any], removes: list[Any]) -> None:
    for change in removes:
        _known_id(steps, change, "E39")


def _known_id(steps: list[Any], change: Any, decision: str) -> str:
    identifier = get(change, "id") if is_object(change) else UNDEFINED
    if not isinstance(identifier, str) or not identifier:
        reject(decision)
    if all(step["id"] != identifier for step in steps):
        reject(decision, identifier)
    return identifier


def _apply_sets(steps: list[Any], sets: list[Any]) -> list[Any]:
    current = list(steps)
    for change in sets:
        fields = {key: value for key, value in change.items() if key != "id" and value is not UNDEFINED}
        current = [{**step, **fields} if step["id"] == change["id"] else step for step in current]
    return current


def _remove(steps: list[Any], removes: list[Any]) -> list[Any]:
    gone = {change["id"] for change in removes}
    return [step for step in steps if step["id"] not in gone]


def _add_all(steps: list[Any], adds: list[Any]) -> list[Any]:
    current = list(steps)
    inserted: dict[int, str] = {}
    for change in adds:
        step, before, after = _read_add(change)
        if any(strictly_equal(_id(other), _id(step)) for other in current):
            reject("E41")
        anchor = _find(current, before if before is not None else after)
        position = anchor if before is not None else _past_siblings(current, anchor, after, inserted)
        current.insert(position, step)
        if after is not None:
            inserted[id(step)] = after
    return current


def _id(step: Any) -> Any:
    return get(step, "id")


def _read_add(change: Any) -> tuple[Any, str | None, str | None]:
    if not is_object(change) or not is_object(get(change, "step")):
        reject("E41")
    before, after = (_anchor(get(change, key)) for key in ("insertBefore", "insertAfter"))
    if (before is None) == (after is None):
        reject("E41")
    return get(change, "step"), before, after


def _anchor(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _find(steps: list[Any], anchor: str | None) -> int:
    found = [index for index, step in enumerate(steps) if _id(step) == anchor]
    if not found:
        reject("E41")
    return found[0]


def _past_siblings(steps: list[Any], anchor: int, after: str | None, inserted: dict[int, str]) -> int:
    position = anchor + 1
    while position < len(steps) and inserted.get(id(steps[position])) == after:
        position += 1
    return position


def trace_patch(patch: Any) -> PatchTrace:
    """Decision E45: remember what an accepted patch touched; a later set of a member forgets the earlier.

    What is not an object touches nothing, and leaves what an earlier set touched; null members of an added step are
    not given.
    """
    if not truthy(patch):
        return PatchTrace()
    precision: dict[str, frozenset[str]] = {}
    key_value: set[str] = set()
    sets, adds = (elements(coalesce(get(patch, key), [])) for key in ("set", "add"))
    for change in sets:
        if is_object(get(change, "precision")):
            precision[change["id"]] = frozenset(keys(change["precision"]))
    for step in (added["step"] for added in adds):
        if is_object(get(step, "precision")):
            given = step["precision"]
            precision[step["id"]] = frozenset(name for name in keys(given) if not nullish(get(given, name)))
    for change in [*sets, *(added["step"] for added in adds)]:
        if is_object(get(change, "kvIO")):
            key_value.add(change["id"])
    return PatchTrace(precision, frozenset(key_value))
