"""Write the straight path of a question: one Python function that takes every step of its plan in turn.

It is the way of a request without any finding. Where a step would report something, or needs more than a function of
the pack, the path ends, and the question is asked step by step, as `evaluate.question` says what each step means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Data = Mapping[str, Any]
Lines = list[str]

#: The names that the functions have beside the cells: what `run.step` and `run.start` are asked for steps of the plan.
PARAMETERS = "cells, given, run, steps"


def straight_lines(name: str, question: Data, limits: Mapping[str, int]) -> Lines:
    """Return the text of a question's straight path.

    The function fills the cells and returns whether the question applies, and how many items were asked about; None
    where the path ends.
    """
    writer = _Writer(limits)
    body: Lines = ["asked = 0"]
    for place, step in enumerate(question["gate"]):
        body += writer.step(place, step)
    if question["when"]:
        body += [f"if not {_call(question['when'])}:", "    return False, asked"]
    for place, step in enumerate(question["steps"], len(question["gate"])):
        body += writer.step(place, step)
    body.append("return True, asked")
    return [f"def {name}({PARAMETERS}):", *(f"    {line}" for line in body), ""]


def _call(term: tuple[str, Sequence[str]]) -> str:
    """Return the call of a term's function with the cells that it reads."""
    function, parameters = term
    return f"{function}({', '.join(f'cells[{parameter!r}]' for parameter in parameters)})"


@dataclass(slots=True)
class _Writer:
    """Writes the steps of one plan; `wide` are the tables so far whose rows have several parts."""

    limits: Mapping[str, int]
    wide: set[str] = field(default_factory=set)

    def step(self, place: int, step: Data) -> Lines:
        """Return the lines of one step."""
        lines: Lines = list(getattr(self, "_" + step["kind"])(place, step))
        return lines

    def _value(self, place: int, step: Data) -> Iterator[str]:
        name = step["name"]
        if step["ask"]:
            yield from _taken(place)
            return
        made = [f"cells[{name!r}] = {_call(step['term'])}", *self._limited(name)]
        if step["when"]:
            made = [f"if {_call(step['when'])}:", *_indented(made), "else:", f"    cells[{name!r}] = None"]
        if step["input"]:
            made = [f"if {name!r} not in given:", *_indented(made)]
        yield from made

    def _input(self, place: int, step: Data) -> Iterator[str]:
        yield f"cells[{step['name']!r}] = {_call(step['term'])}"

    def _limited(self, name: str) -> Lines:
        """Return lines that end the path where a list is longer than its type allows."""
        if name not in self.limits:
            return []
        return [f"if cells[{name!r}] is not None and len(cells[{name!r}]) > {self.limits[name]}:", "    return None"]

    def _rows(self, table: str) -> str:
        return f"cells[{table + ' rows' if table in self.wide else table!r}]"

    def _table(self, place: int, step: Data) -> Iterator[str]:
        name = step["name"]
        rows = self._rows(step["source"]) if step["source"] else self._listed(step)
        if step["made"]:
            rows = f"{step['made']}({rows}, {{}}, cells)"
        if step["when"]:
            rows = f"{rows} if {_call(step['when'])} else []"
        if step["parts"] > 1:
            self.wide.add(name)
            yield f"cells[{name + ' rows'!r}] = rows = {rows}"
            yield f"cells[{name!r}] = [row if row is None else row[0] for row in rows]"
        else:
            yield f"cells[{name!r}] = {rows}"
        yield from self._limited(name)

    def _listed(self, step: Data) -> str:
        outer = self._rows(step["within"]) if step["within"] else "()"
        return f"{step['listed']}({outer}, cells)"

    def _stages(self, place: int, step: Data) -> Iterator[str]:
        lines = [*self._alike(step, [*self._asked(step, self._rows(step["table"]) if step["table"] else "(None,)")])]
        if step["when"]:
            nulls = [f"cells[{name!r}] = None" for name in step["nulls"]] or ["pass"]
            lines = [f"if {_call(step['when'])}:", *_indented(lines), "else:", *_indented(nulls)]
        yield from lines

    def _alike(self, step: Data, lines: Lines) -> Lines:
        """Return lines that take over what was said of equal rows of another table, and else ask."""
        table, like = step["table"], step["like"]
        if table is None or not like:
            return lines
        taken = [
            f"if {f'{like}.{name}'!r} in cells: cells[{f'{table}.{name}'!r}] = cells[{f'{like}.{name}'!r}]"
            for name in step["keeps"]
        ]
        same = f"cells.get({like!r}) is cells[{table!r}] or cells.get({like!r}) == cells[{table!r}]"
        return [f"if {same}:", *_indented(taken or ["pass"]), "else:", *_indented(lines)]

    def _asked(self, step: Data, rows: str) -> Iterator[str]:
        walk, table = step["walk"], step["table"]
        yield f"rows = {rows}"
        yield from _walked(walk, "cells", "{}")
        for name in step["keeps"]:
            if table is None:
                yield f"cells[{name!r}] = out[{name!r}][-1]"
            else:
                yield f"cells[{f'{table}.{name}'!r}] = out[{name!r}]"

    def _pass(self, place: int, step: Data) -> Iterator[str]:
        walk = step["walk"]
        if walk["flow"]["parts"]:
            yield from _taken(place)
            return
        yield f"slots = run.start(steps[{place}])"
        yield f"rows = {self._rows(step['over'])}"
        named = f"{{**cells, {step['word']!r}: {step['pass']!r}}}" if step["word"] else "cells"
        yield from _walked(walk, named, "slots.values")
        for name in step["keeps"]:
            yield f"cells[{step['name'] + '.' + name!r}] = out[{name!r}]"
        if step["slots"]:
            yield f"cells[{step['name'] + '.slots'!r}] = slots.values"
            yield f"cells[{step['name'] + '.slots?'!r}] = slots"


def _walked(walk: Data, cells: str, slots: str) -> Iterator[str]:
    """Yield lines that take `rows` through a fused function, and end the path where one of them fails a rule."""
    whole = ", ".join(f"{name!r}: cells[{cell!r}]" for name, cell in walk["scope"]["whole"].items())
    values = f"{{**{cells}, {whole}}}" if whole else cells
    out = ", ".join(f"{name!r}: []" for name in walk["collects"])
    yield f"out = {{{out}}}"
    yield f"if {walk['function']}(rows, 0, {values}, {slots}, out) != len(rows):"
    yield "    return None"
    if walk["checks"]:
        yield "asked += len(rows)"


def _taken(place: int) -> Lines:
    """Return lines that leave a step to the run, and end the path if it found something."""
    return [f"if not run.take(steps[{place}]):", "    return None"]


def _indented(lines: Sequence[str]) -> Lines:
    return [f"    {line}" for line in lines]
