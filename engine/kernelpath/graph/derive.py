"""Derive the steps of an execution graph from a kernel path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kernelpath.graph.catalog import Kernel
from kernelpath.language.builtins.strings import trim
from kernelpath.language.json_values import plain_text


def derive_steps(settings: Mapping[str, Any], path: Any, catalog: Mapping[str, Kernel]) -> Mapping[str, Any]:
    """Return the `steps` of a path, their distinct kernel `references` in order, and the kernels that are `unpinned`.

    `settings["parts"]` says which lists of the path become steps of which section and phase, in order; `copied` are the
    members that a step takes over, `slots` and `always` those that all steps have.
    """
    steps: list[dict[str, Any]] = []
    unpinned: list[str] = []
    references: dict[str, dict[str, str]] = {}
    for part in settings["parts"]:
        for listed in _listed(path, part):
            kernel = catalog.get(_key(listed))
            if kernel is None:
                unpinned.append(_key(listed))
                continue
            reference = {"id": kernel.reference, "version": kernel.version, "digest": kernel.digest}
            references.setdefault(kernel.digest + kernel.reference, reference)
            steps.append(_step(settings, part, listed, len(steps), reference))
    return {"steps": steps, "references": list(references.values()), "unpinned": list(dict.fromkeys(unpinned))}


def _listed(path: Any, part: Mapping[str, Any]) -> Sequence[Any]:
    for members in (part["from"], part.get("otherwise", part["from"])):
        found = path
        for name in members:
            found = found.get(name) if isinstance(found, dict) else None
        if isinstance(found, str):
            found = list(found)
        if isinstance(found, (list, tuple)) and found:
            return found
    return ()


def _key(listed: Any) -> str:
    step = listed if isinstance(listed, dict) else {}
    entry = step.get("entry")
    name = "" if entry is None else trim(plain_text(entry))
    return f"{trim(plain_text(step.get('kernel')))}#{name or 'main'}"


def _step(
    settings: Mapping[str, Any], part: Mapping[str, Any], listed: Mapping[str, Any], index: int, reference: Any
) -> dict[str, Any]:
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
