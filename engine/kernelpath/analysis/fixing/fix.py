"""Fix a graph: search the moves, prove what was found by compiling it anew, and say what it changes elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from kernelpath.analysis.fixing.moves import REMOVED, Form, Move, edited, moves
from kernelpath.analysis.fixing.partial import key, mend
from kernelpath.analysis.fixing.search import MOST_TRIALS, Found
from kernelpath.diagnostics import ERROR, Diagnostic
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.observe import Visit, observe
from kernelpath.evaluate.question import ask
from kernelpath.graph.locate import tokens
from kernelpath.packs.libraries import resource_kind

#: The shipped data that goes by the name of a catalogue.
CATALOGS = "catalogs"

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """A value of another step that the fix changes: which, in which visit, from what and to what."""

    step: str
    visit: str
    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What mends a graph.

    `found` is the search's own account; with moves, its `open` is what they leave. `patch` says the same as an overlay
    takes it, None where an overlay cannot; then the moves are edits of the manifest. `proven` says that the graph was
    compiled again with them and passes, but for what they leave, with no finding that was not there before; `changes`
    are the values of other steps that are different now.
    """

    found: Found
    graph: tuple[Any, ...]
    patch: Mapping[str, Any] | None
    proven: bool
    changes: tuple[Change, ...]
    before: tuple[Diagnostic, ...]


def fix(
    pack: CompiledPack,
    values: Values,
    most: int = MOST_TRIALS,
    others: Sequence[Values] = (),
    wrong: Collection[str] = (ERROR,),
) -> Fix:
    """Return the cheapest fix of a request; `values` are what the question is asked with, the catalogue included.

    `others` are further requests about the same graph, which must pass with the same edits. `wrong` are the severities
    of the findings that are to be mended. Raises ValueError if a pack declares no fixes.
    """
    declared = pack.meta["fixes"]
    if not declared:
        raise ValueError(f"pack `{pack.meta['name']}` declares no fixes")
    steps = edited_list(pack, values)
    requests = (values, *others)
    before = tuple(found for each in requests for found in _findings(pack, each, wrong))
    known = moves(declared, pack.meta["vocabularies"], steps, _pins(pack, values))
    form = Form.of(declared)
    place = declared["list"]

    def judge(graph: Sequence[Any]) -> Sequence[Diagnostic]:
        changed = [_changed(each, place, list(graph)) for each in requests]
        return [found for each in changed for found in _findings(pack, each, wrong)]

    found = mend(steps, known, judge, form, place.partition("#")[2], most)
    if found.moves is None:
        return Fix(found, tuple(steps), None, False, (), before)
    graph = edited(steps, found.moves, form)
    overlay = declared.get("patch")
    patch = overlay_patch(steps, found.moves, declared) if overlay and not _at(values, overlay) else None
    fixed = [_changed(each, overlay, patch) if patch else _changed(each, place, graph) for each in requests]
    proven = all(_holds(_findings(pack, each, wrong), before, found.open) for each in fixed)
    return Fix(found, tuple(graph), patch, proven, _changes(pack, values, fixed[0], found.moves), before)


def edited_list(pack: CompiledPack, values: Values) -> Sequence[Any]:
    """Return the list that fixes edit, empty where there is none."""
    steps = _at(values, pack.meta["fixes"]["list"])
    return steps if isinstance(steps, list) else []


def _path(place: str) -> list[str]:
    document, _, pointer = place.partition("#")
    return [document, *tokens(pointer)]


def _at(values: Values, place: str) -> Any:
    value: Any = values
    for name in _path(place):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _changed(values: Values, place: str, new: Any) -> Values:
    """Return the request with another value at a place; what was given stays as it is."""
    result: dict[str, Any] = dict(values)
    holder = result
    *parents, last = _path(place)
    for name in parents:
        inner = holder.get(name)
        holder[name] = dict(inner) if isinstance(inner, dict) else {}
        holder = holder[name]
    holder[last] = new
    return result


def _findings(pack: CompiledPack, values: Values, wrong: Collection[str] = (ERROR,)) -> Sequence[Diagnostic]:
    """Return what a request gives, with what is to be mended as errors."""
    found = ask(pack, pack.meta["fixes"]["question"], values).report.diagnostics
    return [replace(each, severity=ERROR) if each.severity in wrong else each for each in found]


def _pins(pack: CompiledPack, values: Values) -> Mapping[str, Any]:
    """Return what a pin to each kernel says, of the catalogues among the documents that are given."""
    documents = pack.meta["documents"]
    shipped = [name for name, each in documents.items() if resource_kind(each["resource"] or "") == CATALOGS]
    given = [values[name] for name in shipped if name in values]
    return {
        key: {"id": kernel.reference, "version": kernel.version, "digest": kernel.digest}
        for catalog in given
        for key, kernel in catalog.items()
    }


def _holds(found: Sequence[Diagnostic], before: Sequence[Diagnostic], remaining: Sequence[Diagnostic]) -> bool:
    """Return whether a request compiles, but for what remains, with no finding that was not there before."""
    known, left = {key(each) for each in before}, {key(each) for each in remaining}
    return all(key(new) in (left if new.severity == ERROR else known) for new in found)


def overlay_patch(
    steps: Sequence[Any], chosen: Sequence[Move], declared: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return the moves as a patch that sets and adds, None where one of them is not for an overlay."""
    form = Form.of(declared)
    graph = edited(steps, chosen, form)
    known, present = form.by_name(steps), form.by_name(graph)
    sets: dict[str, dict[str, Any]] = {}
    for move in chosen:
        if move.add is not None:
            continue
        if not set(move.path[:1]) & set(declared.get("overlay", ())):
            return None
        member = move.path[0]
        change = sets.setdefault(move.anchor, {form.identity: move.anchor})
        change[member] = _set(change.get(member, present[move.anchor].get(member)), move)
    adds = _adds(graph, present.keys() - known.keys(), form)
    return {name: listed for name, listed in (("set", list(sets.values())), ("add", adds)) if listed}


def _set(member: Any, move: Move) -> Any:
    """Return a member as a set gives it: what is taken away is null, whether a pack merges or replaces."""
    if move.value is not REMOVED or len(move.path) == 1:
        return member
    return {**(member or {}), move.path[-1]: None}


def _adds(graph: Sequence[Any], added: Set[str], form: Form) -> list[Mapping[str, Any]]:
    """Return the added steps, each before the next step that was there."""
    adds: list[Mapping[str, Any]] = []
    waiting: list[Any] = []
    for step in graph:
        if form.name(step) in added:
            waiting.append(step)
            continue
        adds += [{"step": new, "insertBefore": step[form.identity]} for new in waiting]
        waiting = []
    return adds


def _changes(pack: CompiledPack, values: Values, fixed: Values, chosen: Sequence[Move]) -> tuple[Change, ...]:
    """Return the resolved values of steps without a move of their own that are different after the fix."""
    moved = {move.anchor for move in chosen if move.add is None}
    before, after = _resolved(pack, values), _resolved(pack, fixed)
    return tuple(
        Change(step, visit, name, before[step, visit, name], value)
        for (step, visit, name), value in after.items()
        if step not in moved and before.get((step, visit, name), value) != value
    )


def _resolved(pack: CompiledPack, values: Values) -> dict[tuple[str, str, str], str]:
    """Return what the flows resolve: by step, visit and variable; what a fault leaves open is not there."""
    found: dict[tuple[str, str, str], str] = {}
    for visit in observe(pack, pack.meta["fixes"]["question"], values, lambda item: item is not None).visits:
        if visit.data["flow"] is None:
            continue
        for rule in visit.rules:
            name = rule.get("variable")
            value = visit.walk.environment.get(name) if name and name not in visit.walk.tainted else None
            if isinstance(value, str):
                found[_subject(visit), ", ".join(map(str, visit.given.values())), str(name)] = value
    return found


def _subject(visit: Visit) -> str:
    """Return what findings about a visit name."""
    term = visit.data["scope"]["subject"]
    return str(visit.walk.pack.value(term, visit.walk.environment)) if term else ""


def shown(move: Move) -> str:
    """Return a move in words."""
    if move.add is not None:
        members = ", ".join(f"{name} {value}" for name, value in move.add.items() if isinstance(value, str))
        return f"insert before `{move.anchor}`: {members}"
    if not move.path:
        return f"remove `{move.anchor}`"
    path = ".".join(move.path)
    return (
        f"remove {path} of `{move.anchor}`"
        if move.value is REMOVED
        else f"set {path} of `{move.anchor}` to {_text(move.value)}"
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "what the catalogue gives" if isinstance(value, dict) else repr(value)
