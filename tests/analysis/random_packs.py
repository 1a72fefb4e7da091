"""Small random packs over finite domains: rules of mixed severities, some that guard, in stages with and without order.

Every pack has one question, `look`, which is asked of rows; what a row may be is finite, so that each can be tried.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from analysis.planted import add_rule

DOMAINS: dict[str, tuple[Any, ...]] = {
    "shade": (None, "red", "green", "blue"),
    "other": ("red", "green", "blue"),
    "full": (False, True),
    "there": (False, True),
    "size": (-1, 0, 1, 2, 3, 4, 9),
}
#: The members that finite types cover, so that what never happens is known to be found.
FINITE = ("shade", "other", "full")
COLOURS = DOMAINS["other"]
#: The variables that rules may give.
GIVEN = ("tint", "paint")
HEADER = """summary: A random pack.
uses: javascript
vocabularies: {colour: {values: [red, green, blue]}}
documents: {rows: {type: list<json>}, flag: {type: bool}}
items:
  parts:
    of: rows
    as: part
    fields: {mark: {type: 'colour?', is: colour(text(raw.shade))}, whole: raw.full == true}
  boxes:
    of: rows
    as: box
    index: place
    subject: '{place}'
    fields:
      shade: {type: 'colour?', is: colour(text(raw.shade))}
      other: {type: colour, is: colour(text(raw.other)) ?? "red"}
      full: raw.full == true
      size: int(number(raw.size))
      inner: {type: 'Part?', is: 'if raw.there == true then parts[place] else null'}
questions: {look: {given: [rows, flag], answer: '1'}}
"""


@dataclass(frozen=True)
class Stage:
    """A stage to be written: what it is after, the condition under which it is asked, and what it gives."""

    after: list[str]
    when: str | None
    gives: list[str]


@dataclass(frozen=True)
class Draft:
    """A pack to be written: its stages, and its rules by their paths."""

    stages: dict[str, Stage]
    rules: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write the pack into a new folder."""
        folder.mkdir(parents=True)
        lines = [f"  {name}: {{each: boxes{self._more(stage)}}}" for name, stage in self.stages.items()]
        (folder / "pack.yaml").write_text(HEADER + "\n".join(["stages:", *lines]) + "\n", encoding="utf-8")
        for identity, body in self.rules.items():
            add_rule(folder, identity, body)
        return folder

    @staticmethod
    def _more(stage: Stage) -> str:
        after = f", after: [{', '.join(stage.after)}]" if stage.after else ""
        gives = ", ".join(f"{name}: 'colour?'" for name in stage.gives)
        return after + (f", when: {stage.when}" if stage.when else "") + (f", gives: {{{gives}}}" if gives else "")


def inputs() -> Iterator[dict[str, Any]]:
    """Yield every row that a pack may be asked about."""
    for values in product(*DOMAINS.values()):
        yield dict(zip(DOMAINS, values, strict=True))


class Drafting:
    """Draws one pack.

    `finite` leaves numbers out. `records` lets rules read a record that may be missing, so that many packs are refused.
    In a `plain` one no stage has a condition, and each is after all before it.
    """

    def __init__(self, seed: int, *, finite: bool = False, records: bool = False, plain: bool = False) -> None:
        self.chance = random.Random(seed)
        self.finite, self.records, self.plain = finite, records, plain

    def draft(self) -> Draft:
        """Return the pack."""
        names = ["a", "b", "c"][: self.chance.choice([2, 3])]
        after = {name: [*self._followed(names[:at])] for at, name in enumerate(names)}
        rules = {}
        for name in names:
            for at in range(self.chance.randint(1, 3)):
                rules[f"{name}/r{at}"] = self._check()
        if self.records:
            rules[f"{self.chance.choice(['a', 'a', 'b'])}/guard"] = self._guard()
        givers = self._givers(names, rules)
        for variable, stage in givers.items():
            rules[f"{stage}/give-{variable}"] = self._giver(variable)
        stages = {name: self._stage(name, after[name], givers) for name in names}
        return Draft(dict(self._shuffled(stages)), rules)

    def _half(self) -> bool:
        return self.chance.random() < 0.5

    def _rarely(self) -> bool:
        return not self.plain and self.chance.random() < 0.2

    def _followed(self, names: list[str]) -> list[str]:
        """Return which of the earlier stages a stage is after."""
        return names if self.plain else [name for name in names if self.chance.random() < 0.7]

    def _stage(self, name: str, after: list[str], givers: dict[str, str]) -> Stage:
        given = [variable for variable, stage in givers.items() if stage == name]
        return Stage(after, self.chance.choice(["flag", "not flag"]) if self._rarely() else None, given)

    def _shuffled(self, stages: dict[str, Stage]) -> list[tuple[str, Stage]]:
        """Return the stages as they are written, which is often not the order in which they are asked."""
        listed = list(stages.items())
        if self._rarely():
            self.chance.shuffle(listed)
        return listed

    def _givers(self, names: list[str], rules: dict[str, str]) -> dict[str, str]:
        """Return the stage that gives each variable that rules read: most often the first one that reads it."""
        found = {}
        for variable in GIVEN:
            readers = [name for name in names if any(variable in rules[path] for path in rules if path[0] == name)]
            if readers:
                found[variable] = self.chance.choice(readers) if self._rarely() else readers[0]
        return found

    def _check(self) -> str:
        holds, when = self._condition(2), self._condition(1) if self._half() else ""
        guards = self._guarded(holds + when) if self._half() else []
        severity = "error" if guards else self.chance.choice(["error", "error", "warning", "note"])
        lines = [f"severity: {severity}", "message: no", f"check: '{holds}'"]
        lines += [f"when: '{when}'"] if when else []
        lines += [f"guards: [{', '.join(guards)}]"] if guards else []
        return "\n".join(lines)

    def _guarded(self, read: str) -> list[str]:
        """Return what a check guards: what it reads of what is given, else columns, or the row as a whole."""
        given = [variable for variable in GIVEN if variable in read]
        return given or self.chance.sample(["box.shade", "box.other", "box.full", "box.size", "box", "flag"], 2)

    def _guard(self) -> str:
        """Return a check, most often one that guards, without which the record cannot be read."""
        severity = self.chance.choice(["error", "error", "error", "warning"])
        more = " and box.full" if self._rarely() else ""
        lines = [f"severity: {severity}", "message: no", f"check: box.inner != null{more}"]
        guards = severity == "error" and self.chance.random() < 0.9
        return "\n".join([*lines, *(["guards: [box.inner]"] if guards else [])])

    def _giver(self, variable: str) -> str:
        if variable == "tint":
            candidates = [f"{{when: '{self._own(1)}', value: {self._colour()}}}" for _ in range(2)]
            last = ["{value: box.other}"] if self._half() else []
            return "\n".join(["resolve: tint", "first:", *(f"  - {each}" for each in [*candidates, *last])])
        rows = [f"{{when: '{self._own(1)}', value: {self._colour()}}}" for _ in range(2)]
        hit = self.chance.choice(["first", "unique"])
        return "\n".join(["table: paint", f"hit: {hit}", "rows:", *(f"  - {each}" for each in rows)])

    def _colour(self) -> str:
        return self.chance.choice(["box.other", "box.shade", "'\"red\"'", "'\"blue\"'"])

    def _condition(self, depth: int) -> str:
        if depth and self._half():
            word = self.chance.choice(["and", "or"])
            return f"({self._condition(depth - 1)} {word} {self._condition(depth - 1)})"
        given = [] if self._half() else [self._of_colour("tint"), self._of_colour("paint")]
        return self.chance.choice([*given, *self._atoms()])

    def _own(self, depth: int) -> str:
        """Return a condition on inputs alone."""
        if depth and self._half():
            return f"({self._own(depth - 1)} {self.chance.choice(['and', 'or'])} {self._own(depth - 1)})"
        return self.chance.choice(self._atoms())

    def _atoms(self) -> list[str]:
        colours = [self._of_colour(f"box.{name}") for name in ("shade", "other", "other")]
        atoms = ["box.full", "not box.full", *colours]
        if not self.finite:
            operator = self.chance.choice(["<", "<=", "==", ">"])
            atoms += [f"box.size {operator} {self.chance.randint(0, 3)}", "6 // (box.size - 2) > 0"]
        if self.records and self.chance.random() < 0.3:
            return ["box.inner.whole", 'box.inner.mark == "red"']
        return atoms

    def _of_colour(self, name: str) -> str:
        if name != "box.other" and self._half():
            return f"{name} {self.chance.choice(['==', '!='])} null"
        other = self.chance.choice([f'"{colour}"' for colour in COLOURS] + ["box.other"])
        return f"{name} {self.chance.choice(['==', '!='])} {other}"
