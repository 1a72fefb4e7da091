"""Apply a patch to a list of steps: sets, then removes, then adds, each in order.

The rules check a patch before it is applied; what is here only carries it out. Adding is linear in the number of steps
and adds, whatever their anchors: the list is linked, and each anchor remembers where the run of its siblings ends.
"""

from __future__ import annotations

from types import SimpleNamespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Settings = Mapping[str, Any]
    Step = Any


def patch_edits(settings: Settings, steps: Sequence[Step], patch: Any) -> SimpleNamespace:
    """Return how many steps a patch leaves (`kept`), and where each id of the patched list stands first (`known`)."""
    identity = settings["identity"]
    removed = {change.get(identity) for change in _changes(patch, "remove") if isinstance(change, dict)}
    kept = [step[identity] for step in steps if step[identity] not in removed]
    added = [_added_id(change, identity) for change in _changes(patch, "add")]
    ids = kept + added
    known = {ids[place]: place for place in range(len(ids) - 1, -1, -1) if ids[place]}
    return SimpleNamespace(kept=len(kept), known=known)


def _added_id(change: Any, identity: str) -> str:
    step = change.get("step") if isinstance(change, dict) else None
    found = step.get(identity) if isinstance(step, dict) else None
    return found if isinstance(found, str) else ""


def _changes(patch: Any, kind: str) -> Sequence[Any]:
    changes = patch.get(kind) if isinstance(patch, dict) else None
    return changes if isinstance(changes, (list, tuple)) else list(changes) if isinstance(changes, str) else ()


def patch_steps(settings: Settings, steps: Sequence[Step], patch: Any) -> SimpleNamespace:
    """Return the patched `steps`, where each was written (`origins`), and which members a patch gave (`touched`).

    `touched` has, by step id, the members named in `settings["touches"]` with what the patch gave for them; a later
    set of the same member takes the place of an earlier one. With `settings["objects"]` only objects count, and null
    members of added steps do not.
    """
    identity, places = settings["identity"], settings["places"]
    if not any(_changes(patch, kind) for kind in ("set", "remove", "add")):
        origins = [f"{places['step']}/{place}" for place in range(len(steps))]
        return SimpleNamespace(steps=steps, origins=origins, touched={})
    current = _set(settings, steps, _changes(patch, "set"))
    removed = {change[identity] for change in _changes(patch, "remove")}
    listed = [
        (step, f"{places['step']}/{place}") for place, step in enumerate(current) if step[identity] not in removed
    ]
    adds = _changes(patch, "add")
    if adds:
        families = settings.get("families", False)
        listed = _LinkedSteps(listed, identity, families).add(adds, places["added"])
    touched = _touched(settings, patch)
    steps, origins = [step for step, _ in listed], [origin for _, origin in listed]
    return SimpleNamespace(steps=steps, origins=origins, touched=touched)


def _set(settings: Settings, steps: Sequence[Step], changes: Sequence[Any]) -> list[Step]:
    """Return the steps with the members that sets replace; the steps that were given stay as they are.

    A member that `settings["merges"]` names keeps what the set does not mention, if both are objects.
    """
    identity, merges = settings["identity"], settings.get("merges", ())
    edits: dict[str, dict[str, Any]] = {}
    for change in changes:
        members = {key: value for key, value in change.items() if key != identity}
        edits.setdefault(change[identity], {}).update(members)
    return [_edited(step, edits[step[identity]], merges) if step[identity] in edits else step for step in steps]


def _edited(step: Step, members: Mapping[str, Any], merges: Sequence[str]) -> Step:
    kept = {
        name: {**step[name], **members[name]}
        for name in merges
        if isinstance(members.get(name), dict) and isinstance(step.get(name), dict)
    }
    return {**step, **members, **kept}


def _touched(settings: Settings, patch: Any) -> dict[str, dict[str, Any]]:
    counted = _objects if settings.get("objects") else dict
    touched: dict[str, dict[str, Any]] = {}
    for change in _changes(patch, "set"):
        _touch(touched, settings, change, counted(change))
    for change in _changes(patch, "add"):
        step = change["step"]
        if isinstance(step, dict):
            given = _given(step) if settings.get("objects") else step
            _touch(touched, settings, step, given)
    return touched


def _touch(touched: dict[str, dict[str, Any]], settings: Settings, change: Any, given: Mapping[str, Any]) -> None:
    members = {name: given[name] for name in settings["touches"] if name in given}
    if members:
        touched.setdefault(str(change.get(settings["identity"])), {}).update(members)


def _objects(change: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that are objects or lists; anything else that a set gives leaves an earlier one's account."""
    return {name: value for name, value in change.items() if isinstance(value, (dict, list))}


def _given(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return the objects of an added step with what they give, which null is not."""
    found = _objects(step)
    return {
        name: {key: inner for key, inner in value.items() if inner is not None} if isinstance(value, dict) else value
        for name, value in found.items()
    }


class _Node:
    __slots__ = ("anchor", "end", "in_run", "item", "next", "previous")

    def __init__(self, item: tuple[Step, str]) -> None:
        self.item = item
        self.previous: _Node | None = None
        self.next: _Node | None = None
        self.anchor: _Node | None = None  # the step after which this one was added
        self.in_run = False  # whether it is in its anchor's run of siblings
        self.end: _Node | None = None  # the last sibling of the run that follows this step


class _LinkedSteps:
    """Steps as a linked list, so that adding next to an anchor costs the same wherever it is.

    With `families`, a step that is added after an anchor also passes what was added after the anchor's earlier
    siblings, so that a run of siblings keeps each with its own.

    INVARIANT: the run of an anchor is the unbroken row of its siblings right after it, and `end` is its last one. An
    add in the middle of a row breaks it there: what follows never comes back to the run, so breaking is linear in all.
    """

    def __init__(self, items: Sequence[tuple[Step, str]], identity: str, families: bool = False) -> None:
        self.identity = identity
        self.families = families
        self.head = _Node((None, ""))
        self.by_id: dict[str, _Node] = {}
        last = self.head
        for item in items:
            last = self._insert(_Node(item), last)

    def add(self, adds: Sequence[Any], place: str) -> list[tuple[Step, str]]:
        """Carry out the adds and return all steps in their order."""
        for position, change in enumerate(adds):
            node = _Node((change["step"], f"{place}/{position}/step"))
            before = change.get("insertBefore")
            if isinstance(before, str) and before:
                previous = self.by_id[before].previous
                assert previous is not None  # the head precedes every step
                self._split(previous)
                self._insert(node, previous)
            else:
                self._add_after(node, self.by_id[change["insertAfter"]])
        return list(self._items())

    def _add_after(self, node: _Node, anchor: _Node) -> None:
        previous = anchor.end or anchor
        while self.families and previous.end is not None:
            previous = previous.end
        self._split(previous, anchor)
        self._insert(node, previous)
        node.anchor, node.in_run, anchor.end = anchor, True, node

    def _split(self, previous: _Node, own: _Node | None = None) -> None:
        """Break the run that goes on after `previous`, if it is another anchor's than `own`."""
        following = previous.next
        if self.families or following is None or not following.in_run or following.anchor is own:
            return
        anchor = following.anchor
        assert anchor is not None
        anchor.end = previous if previous is not anchor else None
        node: _Node | None = following
        while node is not None and node.in_run and node.anchor is anchor:
            node.in_run = False
            node = node.next

    def _insert(self, node: _Node, previous: _Node) -> _Node:
        node.previous, node.next = previous, previous.next
        if previous.next is not None:
            previous.next.previous = node
        previous.next = node
        step = node.item[0]
        identity = step.get(self.identity) if isinstance(step, dict) else None
        if isinstance(identity, str):
            self.by_id[identity] = node
        return node

    def _items(self) -> list[tuple[Step, str]]:
        items = []
        node = self.head.next
        while node is not None:
            items.append(node.item)
            node = node.next
        return items
