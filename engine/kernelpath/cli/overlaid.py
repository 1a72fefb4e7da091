"""Find the member of an overlay that a finding about the manifest is really about.

Rules point into the manifest where they judge what manifest and overlay come to together. How the two come together
the pack says itself, in the settings of its operations: `trace` for the session, `patch_steps` for the graph.
"""

from __future__ import annotations

from functools import cached_property

from kernelpath.api import compile
from kernelpath.graph.locate import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kernelpath.cli.inputs import Manifest, Overlay
    from kernelpath.diagnostics import Diagnostic
    from kernelpath.evaluate.compiled import CompiledPack

    Told = tuple[str, str, str]


class Overlaid:
    """Knows what of a manifest an overlay replaces; pointers are relative to the inference section of either."""

    def __init__(self, pack: CompiledPack, manifest: Manifest, overlay: Overlay) -> None:
        self.pack = pack
        self.inference = manifest.inference
        value = overlay.document.value
        section = value.get("inference") if overlay.is_config else value
        self.changes: dict[str, Any] = section if isinstance(section, dict) else {}
        self._told: dict[str, set[Told]] = {}

    def pointer(self, found: Diagnostic, pointer: str) -> str | None:
        """Return where the overlay gives what a finding blames at a pointer; None where the manifest gives it."""
        rule = self._rules.get(found.rule)
        if rule is None:
            return None
        if "patch_steps" in self._runs and _reads(rule.get("holds")) == self._given("patch_steps", "patch"):
            return self._change_list(found)
        if self._given("trace", "manifest") & _reads(rule):
            return None  # the rule judges the manifest's own session, whatever the overlay says
        return self._in_session(pointer) or self._in_step(found, pointer)

    def _change_list(self, found: Diagnostic) -> str:
        """Return the first list of the patch that is none, of those that a rule looked at."""
        patch = self.changes.get(self._patch)
        members = [name.partition(".")[2] for name, _ in found.values]
        wrong = [m for m in members if isinstance(patch, dict) and not isinstance(patch.get(m), list | str | None)]
        return f"/{self._patch}" + "".join(f"/{member}" for member in wrong[:1])

    def _in_session(self, pointer: str) -> str | None:
        """Return the overlay's place of a member of the session, if that is where its value comes from."""
        settings = self._settings("trace")
        if not settings or not _below(pointer, prefix := f"/{settings['prefix']}"):
            return None
        name = settings["layers"]["overlay"].rpartition(".")[2]
        rest = pointer.removeprefix(prefix)
        session = self.changes.get(name)
        return f"/{name}{rest}" if session is not None and _gives(session, tokens(rest)) else None

    def _in_step(self, found: Diagnostic, pointer: str) -> str | None:
        """Return the `set` that gives a step's member, or what of the session stands in for one that nothing gives."""
        settings = self._settings("patch_steps")
        steps = settings["places"]["step"].partition("#")[2] if settings else ""
        if not settings or not _below(pointer, f"{steps}/"):
            return None
        index, *path = tokens(pointer.removeprefix(steps))
        step = _at(self.inference, [*tokens(steps), index])
        if not path or not isinstance(step, dict):
            return None
        change = self._set(settings, step, path)
        if change is not None:
            early = self._rules[found.rule]["stage"] in self._early
            own = early and _told(found, pointer) in self._findings("", {})
            return None if own else f"/{self._patch}/set/{change}{pointer.removeprefix(f'{steps}/{index}')}"
        return None if path[0] in step else self._standing_in(_told(found, pointer))

    def _set(self, settings: Mapping[str, Any], step: dict[str, Any], path: list[str]) -> int | None:
        """Return which `set` of the patch gives a step's member: the last one that has it."""
        identity, member = settings["identity"], path[0]
        patch = self.changes.get(self._patch)
        sets = patch.get("set") if isinstance(patch, dict) else None
        for index, change in reversed(list(enumerate(sets if isinstance(sets, list) else ()))):
            if isinstance(change, dict) and member in change and change.get(identity) == step.get(identity):
                merged = member in settings.get("merges", ()) and isinstance(step.get(member), dict)
                given = not merged or _gives(change[member], path[1:])
                return index if member != identity and given else None
        return None

    def _standing_in(self, told: Told) -> str | None:
        """Return the overlay's member of the session without which there would be no such finding."""
        for path in self._settings("pick_sources").get("paths", {}).values():
            pointer = self._in_session("/" + path.replace(".", "/"))
            if pointer and told in self._findings("all", self.changes):
                rest = _without(self.changes, tokens(pointer))
                if told not in self._findings(pointer, rest):
                    return pointer
        return None

    def _findings(self, key: str, changes: Mapping[str, Any]) -> set[Told]:
        """Return what the pack says of the manifest under other changes."""
        if key not in self._told:
            names = [self._patch, self._settings("trace").get("layers", {}).get("overlay", "").rpartition(".")[2]]
            runtime = {name: changes[name] for name in names if name in changes} or None
            result = compile(self.inference, pack=self.pack, runtime=runtime)
            self._told[key] = {_told(found, found.pointer or "") for found in result.diagnostics}
        return self._told[key]

    @cached_property
    def _patch(self) -> str:
        """The name of the overlay's patch."""
        added = self._settings("patch_steps").get("places", {}).get("added", "")
        return next(iter(tokens(added.partition("#")[2])), "")

    @cached_property
    def _early(self) -> set[str]:
        """The stages that look at the steps before the patch is applied, and maybe again after that."""
        for program in self.pack.meta["programs"].values():
            operations = [entry.get("operation") for entry in program["entries"]]
            if "patch_steps" in operations:
                before = program["entries"][: operations.index("patch_steps")]
                return {stage for entry in before for stage in entry["stages"]}
        return set()

    @cached_property
    def _runs(self) -> dict[str, Mapping[str, Any]]:
        """The program entry of each operation."""
        entries = [entry for program in self.pack.meta["programs"].values() for entry in program["entries"]]
        return {entry["operation"]: entry for entry in entries if entry["verb"] == "run"}

    def _settings(self, operation: str) -> Mapping[str, Any]:
        entry = self._runs.get(operation)
        return entry["settings"] if entry else {}

    def _given(self, operation: str, parameter: str) -> set[str]:
        """Return the names of the values that an operation's parameter is made of."""
        entry = self._runs.get(operation)
        return _reads(dict(entry["with"]).get(parameter)) if entry else set()

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
