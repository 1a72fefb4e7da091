"""Small random packs over finite domains: rules of mixed severities, some that stop, in stages that follow each other.

Every pack has one program, `look`, whose inputs are all finite, so that each of them can be tried.
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
    "size": (0, 1, 2, 3),
}
#: The members that finite types cover, so that what never happens is known to be found.
FINITE = ("shade", "other", "full")
COLOURS = DOMAINS["other"]
HEADER = """summary: A random pack.
vocabularies: {colour: {values: [red, green, blue]}}
records:
  Part: {scope: whole, fields: {mark: {type: 'colour?', value: shade}, whole: {type: bool, value: full}}}
values:
  shade: {type: 'colour?'}
  other: {type: colour}
  full: {type: bool}
  there: {type: bool}
  size: {type: int}
  part: {type: Part}
  inner: {type: 'Part?'}
  reply: {type: json}
scopes:
  whole: {uses: [shade, full]}
  box:
    uses: [shade, other, full, size, inner]
    given: {tint: 'colour?', paint: 'colour?'}
"""


@dataclass(frozen=True)
class Draft:
    """A pack to be written: which stages follow which, what the entries of its program are, and its rules by path."""

    after: dict[str, list[str]]
    entries: list[str]
    rules: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write the pack into a new folder."""
        stages = [f"  {name}: {{scope: box, after: [{', '.join(names)}]}}" for name, names in self.after.items()]
        first = ["{read: Part, into: part}", "{set: {inner: 'if there then part else null', reply: 'null'}}"]
        run = [f"      - {entry}" for entry in [*first, *self.entries]]
        program = ["programs:", "  look:", "    inputs: [shade, other, full, there, size]", "    run:", *run]
        folder.mkdir(parents=True)
        text = HEADER + "\n".join(["stages:", *stages, *program, "    value: reply"]) + "\n"
        (folder / "pack.yaml").write_text(text, encoding="utf-8")
        for identity, body in self.rules.items():
            add_rule(folder, identity, body)
        return folder


def inputs() -> Iterator[dict[str, Any]]:
    """Yield every input of a pack's program."""
    for values in product(*DOMAINS.values()):
        yield dict(zip(DOMAINS, values, strict=True))


class Drafting:
    """Draws one pack.

    `finite` leaves numbers out. `records` lets rules read a record that may be missing, so that many packs are refused.
    In a `plain` one no entry has a condition, nothing changes on the way, and stages say what they follow.
    """

    def __init__(self, seed: int, *, finite: bool = False, records: bool = False, plain: bool = False) -> None:
        self.chance = random.Random(seed)
        self.finite, self.records, self.plain = finite, records, plain

    def draft(self) -> Draft:
        """Return the pack."""
        names = ["a", "b", "c"][: self.chance.choice([2, 3])]
        together = self._half()
        after = {name: [*self._followed(names[:at], together)] for at, name in enumerate(names)}
        rules = {}
        for name in names:
            for at in range(self.chance.randint(1, 3)):
                rules[f"{name}/r{at}"] = f"each: box\norder: {self.chance.choice([10, 20, 30])}\n{self._check()}"
        if self.records:
            rules[f"{self.chance.choice(['a', 'a', 'b'])}/guard"] = f"each: box\norder: 10\n{self._guard()}"
        for variable in self._given(names, rules):
            rules[f"{variable[0]}/give-{variable[1]}"] = f"each: box\norder: 5\n{self._giver(variable[1])}"
        return Draft(after, list(self._entries(names, after, together)), rules)

    def _half(self) -> bool:
        return self.chance.random() < 0.5

    def _followed(self, names: list[str], together: bool) -> list[str]:
        """Return which of the earlier stages a stage says that it follows."""
        return names if self.plain and together else [name for name in names if self.chance.random() < 0.8]

    def _entries(self, names: list[str], after: dict[str, list[str]], together: bool) -> Iterator[str]:
        if together:
            yield f"{{walk: [{', '.join(names)}]}}"
            return
        for name in names:
            condition = self.chance.choice(["full", 'other == "red"'])
            when = f", when: '{condition}'" if self._rarely() else ""
            yield f"{{walk: {name}, needs: [{', '.join(after[name])}]{when}}}"
            if self._rarely():
                change = self.chance.choice(["shade: other", "full: 'not full'", "other: shade ?? other"])
                yield f"{{set: {{{change}}}{when if self._half() else ''}}}"

    def _rarely(self) -> bool:
        return not self.plain and self.chance.random() < 0.2

    def _given(self, names: list[str], rules: dict[str, str]) -> list[tuple[str, str]]:
        """Return where each variable that rules read is given: in every stage that reads it."""
        return [
            (stage, variable)
            for variable in ("tint", "paint")
            for stage in names
            if any(variable in body for path, body in rules.items() if path.startswith(f"{stage}/"))
        ]

    def _check(self) -> str:
        severity = self.chance.choice(["error", "error", "warning", "note"])
        lines = [f"severity: {severity}", "message: no", f"check: '{self._condition(2)}'"]
        lines += [f"when: '{self._condition(1)}'"] if self._half() else []
        lines += ["stop: true"] if self._half() else []
        return "\n".join(lines)

    def _guard(self) -> str:
        """Return a check, most often one that stops, without which the record cannot be read."""
        severity = self.chance.choice(["error", "error", "error", "warning"])
        lines = [f"severity: {severity}", "message: no", f"check: inner != null{' and full' if self._rarely() else ''}"]
        return "\n".join([*lines, *(["stop: true"] if self.chance.random() < 0.9 else [])])

    def _giver(self, variable: str) -> str:
        if variable == "tint":
            candidates = [f"{{when: '{self._own(1)}', value: {self._colour()}}}" for _ in range(2)]
            last = ["{value: other}"] if self._half() else []
            return "\n".join(["resolve: tint", "first:", *(f"  - {each}" for each in [*candidates, *last])])
        rows = [f"{{when: '{self._own(1)}', value: {self._colour()}}}" for _ in range(2)]
        hit = self.chance.choice(["first", "unique"])
        return "\n".join(["table: paint", f"hit: {hit}", "rows:", *(f"  - {each}" for each in rows)])

    def _colour(self) -> str:
        return self.chance.choice(["other", "shade", "'\"red\"'", "'\"blue\"'"])

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
        atoms = ["full", "not full", self._of_colour("shade"), self._of_colour("other"), self._of_colour("other")]
        if not self.finite:
            operator = self.chance.choice(["<", "<=", "==", ">"])
            atoms += [f"size {operator} {self.chance.randint(0, 3)}", "6 // (size - 2) > 0"]
        if self.records and self.chance.random() < 0.3:
            return ["inner.whole", 'inner.mark == "red"']
        return atoms

    def _of_colour(self, name: str) -> str:
        if name != "other" and self._half():
            return f"{name} {self.chance.choice(['==', '!='])} null"
        other = self.chance.choice([f'"{colour}"' for colour in COLOURS] + ["other"])
        return f"{name} {self.chance.choice(['==', '!='])} {other}"
