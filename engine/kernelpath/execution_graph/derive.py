"""Derive the steps of an execution graph from a kernel path."""

from __future__ import annotations

from types import SimpleNamespace

from kernelpath.language.builtins.strings import trim
from kernelpath.language.json_values import plain_text, taken_apart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Part = Mapping[str, Any]

    from kernelpath.graph.catalog import Kernel

    Settings = Mapping[str, Any]


def derive_steps(settings: Settings, path: Any, catalog: Mapping[str, Kernel], layers: int = 0) -> SimpleNamespace:
    """Return the `steps` of a path, their distinct kernel `references` in order, and the kernels that are `unpinned`.

    `settings["parts"]` says which lists of the path become steps of which section and phase, in order; `copied` are the
    members that a step takes over, `slots` and `always` those that all steps have. With `settings["overrides"]`, the
    member with the lists that some layers have instead of the common ones, the common steps run on the other of the
    `layers` (0: unknown, so up to one layer beyond the highest that is named), and an empty list stands for no steps.
    """
    steps: list[dict[str, Any]] = []
    unpinned: list[str] = []
    references: dict[str, dict[str, str]] = {}
    for part, listed, where in _all_listed(settings, path, layers):
        kernel = catalog.get(_key(listed))
        if kernel is None:
            unpinned.append(_key(listed))
            continue
        reference = {"id": kernel.reference, "version": kernel.version, "digest": kernel.digest}
        references.setdefault(kernel.digest + kernel.reference, reference)
        steps.append(_step(settings, part, listed, len(steps), reference) | where)
    missing = list(dict.fromkeys(unpinned))
    return SimpleNamespace(steps=steps, references=list(references.values()), unpinned=missing)


def _all_listed(settings: Settings, path: Any, layers: int) -> Iterator[tuple[Part, Any, dict[str, Any]]]:
    """Yield every step that a path lists, with its part and the members that say on which layers it runs."""
    overrides = _overrides(settings, path)
    named = {layer for where, _ in overrides for layer in where}
    count = layers or max(named, default=-1) + 2
    common = {"layers": [layer for layer in range(count) if layer not in named]} if named else {}
    for part in settings["parts"]:
        inside = part["section"] == settings.get("overridden")
        for listed in _listed(path, part, "overrides" in settings):
            if not inside or not named or common["layers"]:
                yield part, listed, common if inside else {}
        for where, override in overrides if inside else ():
            for listed in _overriding(override, part):
                yield part, listed, {"layers": where}


def _overrides(settings: Settings, path: Any) -> list[tuple[list[int], Any]]:
    found = path.get(settings["overrides"]) if "overrides" in settings and isinstance(path, dict) else None
    return [([int(layer) for layer in override["layers"]], override) for override in found or ()]


def _overriding(override: Mapping[str, Any], part: Part) -> Sequence[Any]:
    """Return an override's steps for a part: those of its phase, where it tells phases apart."""
    lists = override if "steps" in override else override.get(part["phase"]) or {}
    return lists.get("steps") or ()


def _listed(path: Any, part: Part, empty_counts: bool) -> Sequence[Any]:
    """Return the steps of a part; where the path has none there, those of the list that stands in for it."""
    for members in (part["from"], part.get("otherwise", part["from"])):
        found = path
        for name in members:
            found = found.get(name) if isinstance(found, dict) else None
        if isinstance(found, str):
            found = taken_apart(found)
        if isinstance(found, (list, tuple)) and (found or empty_counts):
            return found
    return ()


def _key(listed: Any) -> str:
    step = listed if isinstance(listed, dict) else {}
    entry = step.get("entry")
    name = "" if entry is None else trim(plain_text(entry))
    return f"{trim(plain_text(step.get('kernel')))}#{name or 'main'}"


def _step(settings: Settings, part: Part, listed: Mapping[str, Any], index: int, reference: Any) -> dict[str, Any]:
    step = {
        "id": f"{part['section']}_{part['phase']}_{index}_{plain_text(listed.get('op'))}",
        "phase": part["phase"],
        "section": part["section"],
        "op": listed.get("op"),
        **settings["slots"],
        "kernelRef": reference,
        "kernel": listed["kernel"],
    }
    return step | {name: listed[name] for name in settings["copied"] if name in listed} | dict(settings["always"])
