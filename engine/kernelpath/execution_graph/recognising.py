"""Say of a section that no rule judged what it was taken for, and what would have been judged."""

from __future__ import annotations

from kernelpath.diagnostics import did_you_mean
from kernelpath.graph.documents import json_kind
from kernelpath.graph.locate import escaped
from kernelpath.packs.libraries import Unjudged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

GRAPH = "an execution graph, which is a list of steps under `execution.steps`"
_SHOWN = 60  # characters of a name or a text that a message quotes
_LISTED = 6  # members that a message lists


def unjudged(manifest: Any, constants: Mapping[str, Any]) -> Unjudged:
    """Return what a manifest has in the place of a graph, and what would have been judged.

    If it has a graph, no more is known than that no rule looked at it.
    """
    section = manifest.get("inference") if isinstance(manifest, dict) else manifest
    schema = constants.get("schema_name")
    found = recognise(section, schema)
    listed = GRAPH if _has_steps(schema) else "an execution graph"
    wanted = f"{listed}, of schema `{schema}`" if isinstance(schema, str) else listed
    if found is None:
        return Unjudged(None, "/inference", judges=wanted)
    return Unjudged(found.message, f"/inference{found.pointer}", found.at_key, found.meant, wanted)


def recognise(section: Any, schema: Any) -> Unjudged | None:
    """Return what a section has in the place of a graph, None if it has one with steps.

    `schema` is the one that the pack judges, if it says so.
    """
    if not isinstance(section, dict):
        return Unjudged(f"the section is {json_kind(section)}, not an object")
    given = section.get("schema")
    if isinstance(schema, str) and given not in (None, schema):
        shown = f"`{given[:_SHOWN]}`" if isinstance(given, str) else json_kind(given)
        return Unjudged(f"its schema is {shown}, not `{schema}`", "/schema")
    missing = _member(section, "execution", "")
    return missing or (_graph(section["execution"]) if _has_steps(schema) else None)


def _has_steps(schema: Any) -> bool:
    """Return whether graphs of a schema are lists of steps: those of the first generation are."""
    return not isinstance(schema, str) or schema.endswith("/v0")


def _graph(execution: Any) -> Unjudged | None:
    if not isinstance(execution, dict):
        return Unjudged(f"`execution` is {json_kind(execution)}, not an object", "/execution")
    missing = _member(execution, "steps", "/execution")
    if missing is not None:
        return missing
    steps = execution["steps"]
    if not isinstance(steps, list):
        return Unjudged(f"`execution.steps` is {json_kind(steps)}, not a list", "/execution/steps")
    return None if steps else Unjudged("`execution.steps` is empty", "/execution/steps")


def _member(holder: dict[str, Any], name: str, pointer: str) -> Unjudged | None:
    """Return what an object has in the place of a member, None if it has the member."""
    if name in holder:
        return None
    what = f"`{pointer[1:]}`" if pointer else "the section"
    near = did_you_mean(name, holder)
    if near is not None:
        return Unjudged(f"{what} has `{near[:_SHOWN]}` and no `{name}`", f"{pointer}/{escaped(near)}", True, name)
    return Unjudged(f"{what} has no `{name}`, {_listed(holder)}", pointer, at_key=bool(pointer))


def _listed(members: Iterable[str]) -> str:
    names = [f"`{name[:_SHOWN]}`" for name in members]
    if not names:
        return "and no other member"
    return f"only {', '.join(names[:_LISTED])}" + (", ..." if len(names) > _LISTED else "")
