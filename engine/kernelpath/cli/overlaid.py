"""Find the member of an overlay that a finding about the manifest is really about.

Rules point into the manifest where they judge what manifest and overlay come to together. How the two come together
the pack says itself, at the document that is the overlay, under `over`.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice, takewhile

from kernelpath.api import ask
from kernelpath.graph.locate import escaped, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from kernelpath.diagnostics import Diagnostic
    from kernelpath.evaluate.compiled import CompiledPack

    Told = tuple[str, str, str]

#: How many members of an overlay are left out in turn, at most, to see which of them a finding hangs on.
MOST_TRIED = 64


class Overlaid:
    """Knows what of a manifest an overlay replaces.

    Pointers are relative to the manifest, or to the overlay; `request` is what `question` was asked with.
    """

    def __init__(self, pack: CompiledPack, question: str, request: Mapping[str, Any], overlay: str) -> None:
        self.pack = pack
        self.question = question
        self.request = request
        self.overlay = overlay
        self.over: Mapping[str, Any] = pack.meta["documents"][overlay]["over"] or {"layers": {}, "merged": ""}
        value = request[overlay]
        self.changes: dict[str, Any] = value if isinstance(value, dict) else {}
        self._told: dict[str, set[Told]] = {}

    def pointer(self, found: Diagnostic, pointer: str) -> str | None:
        """Return where the overlay gives what a finding blames at a pointer; None where the manifest gives it."""
        rule = self._rules.get(found.rule)
        if rule is None:
            return None
        if _reads(rule.get("holds")) == {self._patch.get("value")}:
            return self._change_list(found)
        if set(self.over.get("own", ())) & _reads(rule):
            return None  # the rule judges what is the manifest's own, whatever the overlay says
        return self._in_layer(pointer) or self._in_step(found, pointer)

    def _change_list(self, found: Diagnostic) -> str:
        """Return the first list of the patch that is none, of those that a rule looked at."""
        name = self._patch["member"]
        patch = self.changes.get(name)
        members = [shown.partition(".")[2] for shown, _ in found.values]
        wrong = [m for m in members if isinstance(patch, dict) and not isinstance(patch.get(m), list | str | None)]
        return f"/{name}" + "".join(f"/{member}" for member in wrong[:1])

    def _in_layer(self, pointer: str) -> str | None:
        """Return the overlay's place of a member that lies over the manifest's, if its value comes from there."""
        for name, below in self.over["layers"].items():
            prefix = below.partition("#")[2]
            if _below(pointer, prefix):
                rest = pointer.removeprefix(prefix)
                layer = self.changes.get(name)
                return f"/{name}{rest}" if layer is not None and _gives(layer, tokens(rest)) else None
        return None

    def _in_step(self, found: Diagnostic, pointer: str) -> str | None:
        """Return the `set` that gives a step's member, or what of the overlay stands in for one that nothing gives."""
        document, _, steps = self._options.get("places", {}).get("step", "").partition("#")
        if not steps or not _below(pointer, f"{steps}/"):
            return None
        index, *path = tokens(pointer.removeprefix(steps))
        step = _at(self.request[document], [*tokens(steps), index])
        if not path or not isinstance(step, dict):
            return None
        change = self._set(step, path)
        if change is not None:
            early = self._rules[found.rule]["stage"] in self._early
            own = early and _told(found, pointer) in self._findings("", {})
            rest = pointer.removeprefix(f"{steps}/{index}")
            return None if own else f"/{self._patch['member']}/set/{change}{rest}"
        return None if path[0] in step else self._standing_in(_told(found, pointer))

    def _set(self, step: dict[str, Any], path: list[str]) -> int | None:
        """Return which `set` of the patch gives a step's member: the last one that has it."""
        identity, member = self._options["identity"], path[0]
        patch = self.changes.get(self._patch["member"])
        sets = patch.get("set") if isinstance(patch, dict) else None
        for index, change in reversed(list(enumerate(sets if isinstance(sets, list) else ()))):
            if isinstance(change, dict) and member in change and change.get(identity) == step.get(identity):
                merged = member in self._options.get("merges", ()) and isinstance(step.get(member), dict)
                given = not merged or _gives(change[member], path[1:])
                return index if member != identity and given else None
        return None

    def _standing_in(self, told: Told) -> str | None:
        """Return the overlay's member without which there would be no such finding."""
        if told not in self._findings("all", self.changes):
            return None
        layers = {name: self.changes[name] for name in self.over["layers"] if name in self.changes}
        for path in islice(_leaves(layers, ()), MOST_TRIED):
            pointer = "".join(f"/{escaped(name)}" for name in path)
            if told not in self._findings(pointer, _without(self.changes, list(path))):
                return pointer
        return None

    def _findings(self, key: str, changes: Mapping[str, Any]) -> set[Told]:
        """Return what the pack says of the manifest under other changes."""
        if key not in self._told:
            names = [*self.over["layers"], self._patch.get("member")]
            overlay = {name: changes[name] for name in names if name in changes} or None
            result = ask(self.question, pack=self.pack, **{**self.request, self.overlay: overlay})
            self._told[key] = {_told(found, found.pointer or "") for found in result.diagnostics}
        return self._told[key]

    @property
    def _patch(self) -> Mapping[str, Any]:
        patch: Mapping[str, Any] = self.over.get("patch", {})
        return patch

    @cached_property
    def _options(self) -> dict[str, Any]:
        return dict(self.pack.meta["constants"].get(self._patch.get("options"), {}))

    @cached_property
    def _early(self) -> set[str]:
        """The stages that look at the steps before the patch is applied, and maybe again after that."""
        steps = self.pack.meta["questions"][self.question]["steps"]
        before = takewhile(lambda step: step["name"] != self._patch.get("result"), steps)
        return {stage for step in before for stage in step["stages"]}

    @cached_property
    def _rules(self) -> dict[str, Mapping[str, Any]]:
        return {rule["id"]: rule for stage in self.pack.meta["stages"].values() for rule in stage}


def _told(found: Diagnostic, pointer: str) -> Told:
    return found.rule, pointer, found.message


def _reads(data: Any) -> set[str]:
    """Return the parameters of all terms in a rule's data."""
    if isinstance(data, dict):
        return _reads(list(data.values()))
    if not isinstance(data, list | tuple):
        return set()
    match data:
        case (str(), tuple(names)) if all(isinstance(name, str) for name in names):
            return set(names)
    return {name for part in data for name in _reads(part)}


def _gives(value: Any, path: list[str]) -> bool:
    """Whether a layer decides what is at a path: by something there, or by no object on the way to it."""
    for name in path:
        if isinstance(value, list):
            return not name.isdecimal() or int(name) < len(value)
        if not isinstance(value, dict):
            return True
        if name not in value:
            return False
        value = value[name]
    return not isinstance(value, dict)


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of members that are no objects."""
    for name, member in value.items():
        if isinstance(member, dict):
            yield from _leaves(member, (*path, name))
        else:
            yield (*path, name)


def _without(value: Any, path: list[str]) -> Any:
    """Return a value without the member at a path, or without what is in its place on the way there."""
    name, *rest = path
    if rest and isinstance(value[name], dict):
        return {**value, name: _without(value[name], rest)}
    return {key: member for key, member in value.items() if key != name}


def _at(value: Any, path: list[str]) -> Any:
    for name in path:
        if isinstance(value, list):
            value = value[int(name)] if name.isdecimal() and int(name) < len(value) else None
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def _below(pointer: str, prefix: str) -> bool:
    return pointer == prefix or pointer.startswith(f"{prefix.removesuffix('/')}/")


__all__ = ["Overlaid"]
