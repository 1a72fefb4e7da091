"""Rewrite the kernel table of a graph, and the kernels of its steps, as a pack's transforms say.

A graph is never changed in place. A transform that changes nothing gives the very graph back, also if it stored
kernels that no step got.
"""

from __future__ import annotations

from types import SimpleNamespace

from kernelpath.execution_graph.tuples import changed_steps, steps_of
from kernelpath.language import EvaluationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from kernelpath.execution_graph.rewrites import Assigned, Edit, Kernel, Rewrites, Row, Steps, Transform

    Graph = dict[str, Any]


class Missing(Exception):
    """A step that a transform cannot do without is not there."""


def rewrite(graph: Graph, names: Sequence[str], holds: Mapping[str, bool], rewrites: Rewrites) -> SimpleNamespace:
    """Return the graph after transforms in their order, whether it is another one, and which steps were missing."""
    made = graph
    for name in names:
        if name not in rewrites.transforms:
            known = ", ".join(f"`{each}`" for each in rewrites.transforms)
            raise EvaluationError(f"unknown transform `{name}`; known are {known}")
        try:
            made = Rewriting(made, holds, rewrites).transformed(rewrites.transforms[name])
        except Missing as missing:
            return SimpleNamespace(graph=graph, changed=False, missing=[str(missing)])
    return SimpleNamespace(graph=made, changed=made is not graph, missing=[])


class Rewriting:
    """One transform at work on one graph: `kernels` and `graph` are what it made so far."""

    def __init__(self, source: Graph, holds: Mapping[str, bool], rewrites: Rewrites) -> None:
        self.source = source
        self.holds = holds
        self.rewrites = rewrites
        self.kernels: dict[str, Kernel] = dict(source["kernels"])
        self.graph: Graph = {**source, "kernels": self.kernels}

    def transformed(self, transform: Transform) -> Graph:
        """Return the graph after a transform: the source itself if it does not apply, or changes nothing."""
        if not self._applies(transform):
            return self.source
        changed = False
        for edit in transform.edits:
            changed = (self._apply(edit.apply) if edit.apply else self._edit(edit)) or changed
        return self.graph if changed else self.source

    def _applies(self, transform: Transform) -> bool:
        if not all(self.holds[name] for name in transform.when):
            return False
        files = {kernel.get("kernel") for kernel in self.kernels.values()} if transform.unless_files else ()
        if not transform.unless_files.isdisjoint(files):
            return False
        needed = transform.needs_files
        return needed is None or any(kernel.get("kernel") in needed for kernel in self.kernels.values())

    def _apply(self, name: str) -> bool:
        made = Rewriting(self.graph, self.holds, self.rewrites).transformed(self.rewrites.transforms[name])
        changed = made is not self.graph
        if changed:
            self.graph, self.kernels = made, made["kernels"]
        return changed

    def _edit(self, edit: Edit) -> bool:
        if (edit.when and not self.holds[edit.when]) or (edit.unless and self.holds[edit.unless]):
            return False
        source = self.source["kernels"] if edit.source else self.kernels
        keys = self._keys(edit)
        if edit.needed and not any(key in source for key in keys):
            raise Missing(", ".join(sorted(edit.find.ops or ()) if edit.find else ()))
        derived = {
            key: made for key in keys if key in source and (made := self._derived(edit.derive, key, source[key]))
        }
        if edit.suffix is None:
            self.kernels.update(derived)
            return bool(derived)
        stored = {key: self._store(key + edit.suffix, kernel) for key, kernel in derived.items()}
        assigned = [self._assign(each, stored) for each in edit.assign] if stored else []
        return any(assigned) or (edit.counts and bool(stored))

    def _keys(self, edit: Edit) -> list[str]:
        """Return the keys of the kernels that an edit finds, each once."""
        if edit.find is None:
            return [key for key, kernel in self.kernels.items() if not _is_spared(edit.spare, kernel)]
        found = self._used(self.source if edit.source else self.graph, edit.find)
        return found[:1] if edit.first else found

    def _used(self, graph: Graph, wanted: Steps) -> list[str]:
        """Return the kernel keys of steps, each once, in the order of first use."""
        ops = wanted.ops
        steps = (step for section in wanted.sections for step in steps_of(graph.get(section), wanted.groups))
        return list(dict.fromkeys(step[1] for step in steps if ops is None or step[0] in ops))

    def _store(self, wanted: str, kernel: Kernel) -> str:
        """Put a kernel into the table under a key that is free, and return the key."""
        key, number = wanted, 2
        while key in self.kernels:
            key, number = f"{wanted}_{number}", number + 1
        self.kernels[key] = kernel
        return key

    def _assign(self, assigned: Assigned, stored: dict[str, str]) -> bool:
        """Give steps their key, and return whether one has another than before."""
        found = next(reversed(stored))
        keys = {"new": stored[found], "found": found}
        ops, fixed = assigned.steps.ops, keys.get(assigned.key)

        def change(step: Sequence[Any]) -> Sequence[Any]:
            key = stored.get(step[1]) if fixed is None else fixed
            if key is None or key == step[1] or (ops is not None and step[0] not in ops):
                return step
            return [step[0], key, *step[2:]]

        changed = False
        for section in assigned.steps.sections:
            before = self.graph.get(section)
            after = changed_steps(before, change, assigned.steps.groups)
            if after is not before:
                self.graph[section] = after
                changed = True
        return changed

    # Kernels

    def _derived(self, rows: Sequence[Row], key: str, kernel: Kernel) -> dict[str, Any] | None:
        """Return the kernel that takes another's place by the first row that fits it, None if none does."""
        for row in rows:
            if self._fits(row, key, kernel):
                return self._made(row, kernel)
        return None

    def _fits(self, row: Row, key: str, kernel: Kernel) -> bool:
        file = kernel["kernel"]
        if row.files is not None and file not in row.files:
            return False
        if (row.prefixes and not file.startswith(row.prefixes)) or not file.endswith(row.suffix):
            return False
        if row.entries is not None and kernel.get("entry") not in row.entries:
            return False
        if row.when and not self.holds[row.when]:
            return False
        return (not row.used or self._is_used(key, row.used)) and not (row.unused and self._is_used(key, row.unused))

    def _is_used(self, key: str, sections: frozenset[str]) -> bool:
        steps = (step for section in sections for step in steps_of(self.graph.get(section), groups=False))
        return any(step[1] == key for step in steps)

    def _made(self, row: Row, kernel: Kernel) -> dict[str, Any]:
        if not row.to:
            kept = dict(kernel)
            if row.precision:
                kept["precision"] = {**(kernel.get("precision") or {}), **row.precision}
            return kept
        file = row.to.get(kernel["kernel"]) or row.to[""]
        entry = row.entry.get("") or row.entry.get(file) or kernel.get("entry")
        made = {**kernel, "kernel": file, "entry": entry, "digest": None}
        for name in row.drop:
            made.pop(name, None)
        precision = self._precision(kernel, file, row)
        if precision:
            made["precision"] = precision
        else:
            made.pop("precision", None)
        return made

    def _precision(self, kernel: Kernel, file: str, row: Row) -> dict[str, Any]:
        precision = {**(kernel.get("precision") or {}), **self.rewrites.precisions.get(file, {})}
        for prefix, part, named in self.rewrites.named:
            if file.startswith(prefix) and part in file:
                precision.update(named)
                break
        return {**precision, **row.precision}


def _is_spared(spare: Sequence[Mapping[str, Any]], kernel: Kernel) -> bool:
    """Return whether a kernel's precision has all members of one of the alternatives."""
    precision = kernel.get("precision") or {}
    return any(all(precision.get(name) == value for name, value in each.items()) for each in spare)
