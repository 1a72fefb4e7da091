"""Say of a section that no rule judged what it was taken for, and what would have been judged."""

from __future__ import annotations

from kernelpath.diagnostics import did_you_mean
from kernelpath.graph.locate import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

GRAPH = "an execution graph, which is a list of steps under `execution.steps`"
_SHOWN = 60  # characters of a name or a text that a message quotes
_LISTED = 6  # members that a message lists


class Unjudged:
    """What there is in the place of a graph, where it is, and what would have been judged.

    `pointer` leads from the section; `at_key` says that it is the member's name that matters, not its value.
    """

    def __init__(self, found: str, pointer: str = "", at_key: bool = False, meant: str | None = None) -> None:
        self.message = f"nothing was judged: {found}"
        self.pointer = pointer
        self.at_key = at_key
        self.meant = meant

    def help(self, pack: str, schema: Any) -> str:
        """Return what a pack would have judged, after what was probably meant."""
        wanted = f"{GRAPH}, of schema `{schema}`" if isinstance(schema, str) else GRAPH
        meant = f"did you mean `{self.meant}`? " if self.meant else ""
        return f"{meant}pack `{pack}` judges {wanted}"


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
    return _member(section, "execution", "") or _graph(section["execution"])


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


def recognise_document(document: dict[str, Any], members: Iterable[str]) -> tuple[str, str | None]:
    """Return what an object is that is not a manifest, and the name that one of its members was meant to have.

    `members` are those by which a manifest or a section of one is known.
    """
    if {"session", "executionPatch"} & document.keys():
        return "this is an overlay, not a manifest", None
    if "id" in document and {"decode", "prefill", "steps"} & document.keys():
        return "this is a kernel path, not a manifest", None
    meant = next((name for name in members if did_you_mean(name, document)), None)
    return "this is neither a manifest nor an inference section", meant


def json_kind(value: Any) -> str:
    """Return what kind of JSON value something is, as one says it.

    >>> json_kind([1]), json_kind(None), json_kind(True)
    ('a list', 'null', 'true')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = ((list, "a list"), (str, "a string"), (dict, "an object"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "a number")
