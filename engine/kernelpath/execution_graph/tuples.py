"""Graphs whose steps are tuples `[op, kernel key, weights?]` in sections, alone or in groups of layers.

Nothing is changed in place: a section, group or step that a change touches is made again, all else is shared.
"""

from __future__ import annotations

from kernelpath.language.builtins.json import spread
from kernelpath.language.numerals import SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    Tuple = Sequence[Any]
    Graph = Mapping[str, Any]


def steps_of(entries: Any, groups: bool = True) -> Iterator[Tuple]:
    """Yield the steps of a section in the order of writing, those of groups too if they are asked for."""
    for entry in entries if isinstance(entries, (list, tuple)) else ():
        if isinstance(entry, dict):
            if groups:
                yield from steps_of(entry.get("steps"))
        else:
            yield entry


def changed_steps(entries: Any, change: Callable[[Tuple], Tuple], groups: bool = True) -> Any:
    """Return a section with each step as `change` returns it; the section itself if none is another one."""
    if not isinstance(entries, (list, tuple)):
        return entries
    made = [_changed(entry, change, groups) for entry in entries]
    return made if any(one is not other for one, other in zip(made, entries, strict=True)) else entries


def _changed(entry: Any, change: Callable[[Tuple], Tuple], groups: bool) -> Any:
    if not isinstance(entry, dict):
        return change(entry)
    steps = changed_steps(entry.get("steps"), change) if groups else entry.get("steps")
    return entry if steps is entry.get("steps") else {**entry, "steps": steps}


def patch_tuples(graph: Graph, added: Sequence[Any], sets: Sequence[Any], sections: Sequence[str]) -> dict[str, Any]:
    """Return a graph with kernels added to its table and the sets done in order; see `patched_tuples` of the library.

    Keys, ops, kernel keys and weights count without white space around them.
    """
    kernels = {**(graph.get("kernels") or {}), **{_word(each["key"]): each["kernel"] for each in added}}
    patched = {**graph, "kernels": {key: _with_constants(kernel) for key, kernel in kernels.items()}}
    for change in sets:
        for section in _sections_of(change.get("section"), sections):
            patched[section] = changed_steps(patched.get(section), _setter(change))
    return {name: value for name, value in patched.items() if name in graph or value is not None}


def _with_constants(kernel: Any) -> Any:
    """Return a kernel whose constants are an object: the reference takes whatever they are apart to copy them."""
    constants = kernel.get("constants")
    return kernel if isinstance(constants, dict) or not constants else {**kernel, "constants": spread(constants, None)}


def _word(value: str) -> str:
    return value.strip(SPACE)


def _sections_of(named: Any, sections: Sequence[str]) -> Sequence[str]:
    if named is None:
        return sections
    wanted = _word(named).lower()
    return [section for section in sections if section.lower() == wanted]


def _setter(change: Mapping[str, Any]) -> Callable[[Tuple], Tuple]:
    """Return what a set makes of a step."""
    op = _word(change["op"])
    key, weights = (_word(change[name]) if name in change else None for name in ("kernelKey", "weights"))

    def changed(step: Tuple) -> Tuple:
        if step[0] != op:
            return step
        made = [step[0], step[1] if key is None else key, *step[2:]]
        return made if weights is None else [*made[:2], weights]

    return changed
