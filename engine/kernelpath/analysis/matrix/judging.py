"""Ask a question of every combination of documents; combinations of equal content are asked once."""

from __future__ import annotations

import gc
import json
from dataclasses import dataclass
from itertools import product
from typing import Any

from kernelpath.diagnostics import ERROR, Diagnostic
from kernelpath.evaluate.remembering import Memory
from kernelpath.evaluate.report import was_judged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kernelpath.evaluate.compiled import CompiledPack

PASSES, FAILS, UNJUDGED = "passes", "fails", "not judged"
NOTHING = "matrix/not-judged"


@dataclass(frozen=True, slots=True)
class Entry:
    """One document of an axis: what it is called, and its value or the faults for which there is none.

    Entries with one `key` have equal values.
    """

    label: str
    value: Any = None
    key: str = ""
    faults: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Axis:
    """The documents that one name of the pack stands for in turn."""

    name: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a combination of documents comes to: its errors in the order of the stages, and what the question shows."""

    says: str
    errors: tuple[Diagnostic, ...]
    shown: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """A combination of documents by their labels, and what it comes to."""

    labels: Mapping[str, str]
    verdict: Verdict

    @property
    def stopped(self) -> Diagnostic | None:
        """The first error, which is what stops it."""
        return self.verdict.errors[0] if self.verdict.errors else None


@dataclass(frozen=True, slots=True)
class Matrix:
    """The cells, those of the last axis next to each other; `asked` counts the combinations of distinct content."""

    pack: str
    question: str
    axes: tuple[Axis, ...]
    cells: tuple[Cell, ...]
    asked: int

    def count(self, says: str) -> int:
        """Return how many cells have a verdict."""
        return sum(cell.verdict.says == says for cell in self.cells)


def key_of(value: Any) -> str:
    """Return a text that two JSON values share if they are equal, the order of members included."""
    return json.dumps(value, separators=(",", ":"))


def judged_matrix(pack: CompiledPack, question: str, axes: Sequence[Axis], given: Mapping[str, Any]) -> Matrix:
    """Return what a question gives for each combination; `given` are the documents that all of them share.

    A document with faults gives cells that are not judged, with these faults.
    """
    asking = _Asking(pack, question, [axis.name for axis in axes], given)
    collecting = gc.isenabled()
    gc.disable()  # questions make many objects and no cycles
    try:
        cells = tuple(asking.cell(combination) for combination in product(*(axis.entries for axis in axes)))
    finally:
        if collecting:
            gc.enable()
    return Matrix(str(pack.meta["name"]), question, tuple(axes), cells, len(asking.known))


class _Asking:
    """Asks about one combination after another; those of one file, which come together, share a memory."""

    def __init__(self, pack: CompiledPack, question: str, names: Sequence[str], given: Mapping[str, Any]) -> None:
        self.pack = pack
        self.question = question
        self.names = names
        self.given = given
        self.known: dict[tuple[str, ...], Verdict] = {}
        self.first: Entry | None = None
        self.memory = Memory(pack)

    def cell(self, combination: Sequence[Entry]) -> Cell:
        """Return the cell of a combination, asked only if none of the same content was."""
        labels = {name: entry.label for name, entry in zip(self.names, combination, strict=True)}
        faults = tuple(fault for entry in combination for fault in entry.faults)
        if faults:
            return Cell(labels, Verdict(UNJUDGED, faults, {}))
        key = tuple(entry.key for entry in combination)
        if key not in self.known:
            if combination[0] is not self.first:  # files have little in common
                self.first, self.memory = combination[0], Memory(self.pack)
            values = {name: entry.value for name, entry in zip(self.names, combination, strict=True)}
            self.known[key] = _verdict(self.memory, self.question, {**self.given, **values})
        return Cell(labels, self.known[key])


def _verdict(memory: Memory, question: str, values: Mapping[str, Any]) -> Verdict:
    pack, outcome = memory.pack, memory.ask(question, values)
    report = outcome.report
    errors = tuple(found for found in report.diagnostics if found.severity == ERROR)
    if not was_judged(report.ok, outcome.value, report.asked):
        message = f"question `{question}` of pack `{pack.meta['name']}` asks no rule of this"
        return Verdict(UNJUDGED, (Diagnostic(NOTHING, (), ERROR, message),), outcome.shown())
    return Verdict(PASSES if report.ok else FAILS, errors, outcome.shown())
