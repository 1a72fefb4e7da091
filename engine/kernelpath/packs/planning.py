"""Put the cells that a question needs in order: each after what it reads, so that nothing has to be said of order.

A node of the graph is what is computed in one go: a value, the rows of a table, stages that are asked for the rows of
one table together, or a pass of a flow. Stages come in the order in which the pack lists them, and each node as late as
something first needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from kernelpath.diagnostics import ERROR, Diagnostic, Span
from kernelpath.packs.cells import circle_words
from kernelpath.packs.model import (
    Check,
    Flow,
    Items,
    Pack,
    Place,
    Plan,
    Question,
    Scope,
    Stage,
    Step,
    Term,
    Text,
    Value,
)
from kernelpath.packs.passing import needed_before, passed_stages
from kernelpath.packs.reads import gives, rule_names, text_names

REQUEST = "request"
FINDINGS = "findings"
#: The most values, tables and stages each of which needs the next, and the most questions.
MOST_IN_A_ROW = 200
MOST_QUESTIONS_IN_A_ROW = 16


@dataclass(frozen=True, slots=True)
class Cell:
    """A node: its kind (`value`, `table`, `stages`, `pass`), its name, and for stages which, over which table."""

    kind: str
    name: str
    stages: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.kind == "stages":
            return f"stage {' and '.join(self.stages)}"
        return f"{self.kind} {self.name}"


def plans(pack: Pack, diagnostics: list[Diagnostic]) -> Pack:
    """Return the pack with the plan of each question; what no order can give is reported."""
    found = {}
    for question in pack.questions.values():
        planner = Planner(pack, question, diagnostics)
        found[question.name] = planner.plan()
    diagnostics.extend(_circles_of_questions(pack, found))
    if not diagnostics:  # a plan with a circle is not whole
        diagnostics.extend(_idle_stages(pack, found.values()))
        diagnostics.extend(_unknown_inputs(pack, found))
        diagnostics.extend(_not_passed(pack, found))
        diagnostics.extend(_asked_apart(pack, found))
    return replace(pack, plans=found)


@dataclass(slots=True)
class Planner:
    """Plans one question."""

    pack: Pack
    question: Question
    diagnostics: list[Diagnostic]
    asked: dict[str, Stage] = field(default_factory=dict)
    groups: dict[tuple[str, str], Cell] = field(default_factory=dict)
    order: list[Cell] = field(default_factory=list)
    done: set[Cell] = field(default_factory=set)
    guarded: dict[str, list[Stage]] = field(default_factory=dict)

    def plan(self) -> Plan:
        """Return the plan: what `when` needs, then the stages in their order, then what the answer needs."""
        question = self.question
        self._ask_stages()
        self._group()
        self._visit_all(self._read_by([question.when]))
        gate = len(self.order)
        for stage in self.asked.values():
            self._visit_all(self._cells_of_stage(stage.name))
        self._visit_all(self._read_by([question.answer, question.otherwise]))
        self._visit_all(self._read_by([*question.shows.values()]))  # it asks no stage that is not asked anyway
        planned = list(self.order)
        self._visit_all(self._cells())  # what this question does not need must not be a circle either
        self.order = planned
        steps = [self._step(cell) for cell in self.order]
        inputs = tuple(sorted(self._inputs()))
        return Plan(question.name, tuple(steps[:gate]), tuple(steps[gate:]), inputs)

    # Which stages are asked

    def _ask_stages(self) -> None:
        """Collect the stages that the question asks: those for it, and those that give what is needed."""
        wanted = {stage.name for stage in self.pack.stages.values() if self.question.name in stage.questions}
        waiting = [
            *self._stage_names(
                self._names_of_terms([self.question.when, self.question.answer, self.question.otherwise])
            )
        ]
        seen: set[str] = set()
        waiting += sorted(wanted)
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += self._stage_names(self._names_of_stage(self.pack.stages[name]))
        self.asked = {name: stage for name, stage in self.pack.stages.items() if name in seen}

    def _stage_names(self, names: Iterable[str]) -> list[str]:
        """Return the stages that give what these names need, directly or through values, tables and flows."""
        found, seen, waiting = [], set[str](), list(names)
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            giver = self._giver(name)
            if giver:
                found.append(giver.name)
            waiting += self._names_of_cell(name)
        return found

    def _giver(self, name: str) -> Stage | None:
        owner, _, column = name.rpartition(".")
        each = owner.partition(".")[0] if owner else REQUEST
        if column == "slots" and owner:
            return next((stage for stage in self.pack.stages.values() if each in stage.each), None)
        stages = self.pack.stages.values()
        return next((stage for stage in stages if each in stage.each and column in stage.gives), None)

    def _names_of_cell(self, name: str) -> list[str]:
        """Return what a value, a table or a pass reads by itself."""
        owner, rest = name.partition(".")[0], name.partition(".")[2]
        pack = self.pack
        if name in self.question.inputs:
            return list(self._names_of_terms([self.question.inputs[name]]))
        if name in pack.values:
            value = pack.values[name]
            given = list(value.ask.given.values()) if value.ask else []
            fields = [column.term for column in value.fields]
            return list(self._names_of_terms([value.term, value.when, value.otherwise, *given, *fields]))
        if owner in pack.items:
            return list(self._names_of_table(pack.items[owner]))
        if owner in pack.flows:
            return list(self._names_of_flow(pack.flows[owner], rest.partition(".")[0]))
        return []

    def _names_of_terms(self, terms: Iterable[Term | Text | None]) -> Iterator[str]:
        return text_names(terms)

    def _names_of_table(self, table: Items) -> Iterator[str]:
        yield from self._but(self._outer(table), self._names_of_terms([table.over, table.when]))
        source = self.pack.items.get(table.source or "")
        own = source.scope.own if source else frozenset[str]()
        yield from self._but(own, self._names_of_terms([column.term for column in table.columns]))
        yield from (name for name in (table.source, table.within, table.like) if name)

    def _outer(self, table: Items) -> frozenset[str]:
        outer = self.pack.items.get(table.within or "")
        return outer.scope.own if outer else frozenset()

    def _names_of_flow(self, flow: Flow, pass_: str) -> Iterator[str]:
        own = flow.scope.own | set(flow.scope.given)
        terms: list[Term | Text | None] = [*(term for _, term in flow.reads), flow.visits]
        if flow.parts:
            terms += [flow.parts.of, flow.parts.on, flow.parts.count]
        yield from self._but(own, self._names_of_terms(terms))
        yield flow.over
        found = flow.passes.get(pass_)
        if found:
            yield from self._names_of_terms(found.start.values())
            yield from (name for name in (found.start_from, found.carry) if name)

    def _names_of_stage(self, stage: Stage, over: str | None = None) -> Iterator[str]:
        """Return what a stage's rules read, and the tables and flows that it is asked for, or one of them alone."""
        scope = self.pack.scopes[stage.scope]
        own = scope.own | {name for rule in stage.rules if (name := gives(rule))}
        local = own if stage.each[0] == REQUEST else own | set(scope.given) | set(scope.whole)
        for rule in stage.rules:
            yield from self._but(local | {name for name, _ in rule.lets}, rule_names(rule))
        yield from (cell for each in stage.each for cell in self._whole_of(stage, each))
        if stage.each[0] != REQUEST:
            yield from (f"{stage.each[0]}.{name}" for name in self._given_elsewhere(stage, scope.given, own))
        for each in [over] if over else stage.each:
            named = scope if each == REQUEST else self._scope_over(each)
            yield from self._but(local | set(named.whole), self._names_of_terms([named.subject, named.at]))
        yield from self._names_of_terms([stage.when])
        for each in stage.each:
            if each in self.pack.flows:
                flow = self.pack.flows[each]
                yield from (name for pass_ in flow.passes for name in self._names_of_flow(flow, pass_))
            elif each != REQUEST:
                yield each

    def _scope_over(self, each: str) -> Scope:
        return self.pack.flows[each].scope if each in self.pack.flows else self.pack.items[each].scope

    def _whole_of(self, stage: Stage, each: str) -> Iterator[str]:
        """Yield the values of a table as a whole that a stage's rules read, or what a finding about a row names."""
        if each != REQUEST:
            scope = self._scope_over(each)
            read = {name for rule in stage.rules for name in rule_names(rule)}
            read |= set(self._names_of_terms([scope.subject, scope.at]))
            yield from (scope.whole[word] for word in sorted(read & set(scope.whole)))

    def _given_elsewhere(self, stage: Stage, given: Iterable[str], own: set[str] | frozenset[str]) -> list[str]:
        """Return the variables that the stage's rules read and another stage over the same rows gives."""
        read = {name for rule in stage.rules for name in rule_names(rule)}
        return sorted((read & set(given)) - own)

    @staticmethod
    def _but(own: Iterable[str], names: Iterator[str]) -> Iterator[str]:
        hidden = set(own)
        return (name for name in names if name not in hidden)

    # Which stages are asked together

    def _group(self) -> None:
        """Join stages over one table whose rows go through one after the other, if nothing has to come between."""
        last: dict[str, list[Stage]] = {}
        for stage in self.asked.values():
            for each in stage.each:
                self.groups[stage.name, each] = Cell("stages", each, (stage.name,))
            for rule in stage.rules if stage.each[0] == REQUEST else ():
                for name in rule.guards if isinstance(rule, Check) else ():
                    self._guard(name, stage)
        for stage in self.asked.values():
            for each in stage.each:
                group = last.get(each, [])
                joined = each not in (REQUEST, *self.pack.flows) and group and self._linked(stage, group, each)
                last[each] = [*group, stage] if joined else [stage]
                cell = Cell("stages", each, tuple(one.name for one in last[each]))
                for one in last[each]:
                    self.groups[one.name, each] = cell

    def _guard(self, name: str, stage: Stage) -> None:
        if stage not in self.guarded.setdefault(name, []):
            self.guarded[name].append(stage)

    def _linked(self, stage: Stage, group: Sequence[Stage], each: str) -> bool:
        if any(one.when for one in (*group, stage)):
            return False  # each is asked, or not, by itself
        if any(stage.name in needed_before(self.pack, one, each) for one in group):
            return False  # it belongs before the others
        names = {one.name for one in group}
        scope = self.pack.scopes[stage.scope]
        given = {name for one in group for name in one.gives}
        needs = bool(names & set(stage.after)) or bool(set(self._given_elsewhere(stage, scope.given, set())) & given)
        if not needs or len({self._is_shared(one, each) for one in (*group, stage)}) > 1:
            return False
        own = Cell("stages", each, (stage.name,))
        between = [cell for cell in self._deps_of_stage(stage, own) if not names & set(cell.stages)]
        return not any(self._leads_to(cell, names, each, set()) for cell in between)

    def _is_shared(self, stage: Stage, table: str) -> bool:
        """Return whether a stage is also asked for the table that this one is like."""
        like = self.pack.items[table].like
        return like is not None and like in stage.each

    def _leads_to(self, cell: Cell, names: set[str], each: str, seen: set[Cell]) -> bool:
        """Return whether a cell depends on one of these stages over a table."""
        waiting = [cell]
        while waiting:
            current = waiting.pop()
            if current in seen:
                continue
            seen.add(current)
            if current.kind == "stages" and current.name == each and names & set(current.stages):
                return True
            waiting += self._deps(current)
        return False

    # Dependencies

    def _cell_of(self, stage: Stage, each: str) -> Cell:
        return self.groups[stage.name, each]

    def _passes(self, flow: str) -> list[Cell]:
        return [Cell("pass", f"{flow}.{name}") for name in self.pack.flows[flow].passes]

    def _cells_of_stage(self, name: str) -> list[Cell]:
        """Return what must have run for a stage to have run, none if the question does not ask it."""
        name, _, table = name.partition(".")
        stage = self.asked.get(name)
        if stage is None:
            return []
        if table:
            return [self._cell_of(stage, table)]
        flows = [cell for each in stage.each if each in self.pack.flows for cell in self._passes(each)]
        return flows or [self._cell_of(stage, each) for each in stage.each]

    def _cells_of(self, name: str) -> list[Cell]:
        """Return the cells that a name stands for; a document, a constant or a given input has none."""
        owner, _, rest = name.partition(".")
        pack = self.pack
        if name == FINDINGS:
            return self._judging()
        if rest and owner in pack.flows:
            return [Cell("pass", f"{owner}.{rest.partition('.')[0]}")]
        if name in pack.values:
            return [Cell("value", name)]
        if owner in pack.items:
            given = self._giver(name) if rest else None
            return [self._cell_of(given, owner)] if given and given.name in self.asked else [Cell("table", owner)]
        giver = self._giver(name)
        if giver and giver.name in self.asked:
            return [self._cell_of(giver, REQUEST)]
        return []

    def _guards(self, names: Iterable[str], cell: Cell) -> list[Cell]:
        """Return the stages whose checks guard what a cell reads; of those that guard the same, the earlier ones."""
        found = []
        for name in names:
            guarding = self.guarded.get(name, [])
            own = [place for place, stage in enumerate(guarding) if stage.name in cell.stages]
            found += guarding[: own[0] if own else None]
        return [self._cell_of(stage, REQUEST) for stage in found]

    def _judging(self) -> list[Cell]:
        """Return all that reports findings, without what depends on findings itself."""
        cells = [cell for name in self.asked for cell in self._cells_of_stage(name)]
        cells += [
            Cell("value", name) for name, value in self.pack.values.items() if value.ask and self._is_needed(name)
        ]
        return [cell for cell in dict.fromkeys(cells) if not self._reads_findings(cell, set())]

    def _is_needed(self, name: str) -> bool:
        """Return whether the question's answer needs a value, or something that it asks does."""
        names = [*self._names_of_terms([self.question.when, self.question.answer, self.question.otherwise])]
        names += [each for stage in self.asked.values() for each in self._names_of_stage(stage)]
        seen, waiting = set[str](), names
        while waiting:
            current = waiting.pop()
            if current not in seen:
                seen.add(current)
                giver = self._giver(current)
                waiting += [*self._names_of_cell(current), *(self._names_of_stage(giver) if giver else ())]
        return name in seen

    def _reads_findings(self, cell: Cell, seen: set[Cell]) -> bool:
        waiting = [cell]
        while waiting:
            current = waiting.pop()
            if current in seen:
                continue
            seen.add(current)
            names = set(self._names_read(current))
            if FINDINGS in names:
                return True
            waiting += [other for name in names for other in self._cells_of(name)]
        return False

    def _names_read(self, cell: Cell) -> list[str]:
        if cell.kind == "stages":
            return [name for stage in cell.stages for name in self._names_of_stage(self.pack.stages[stage])]
        if cell.kind == "pass":
            owner, _, pass_ = cell.name.partition(".")
            flow = self.pack.flows[owner]
            stages = [stage for stage in self.asked.values() if owner in stage.each]
            names = [name for stage in stages for name in self._rule_names(stage)]
            return [*self._names_of_flow(flow, pass_), *names]
        return self._names_of_cell(cell.name)

    def _rule_names(self, stage: Stage) -> list[str]:
        """Return what the rules of a stage over visits read from outside."""
        scope = self.pack.scopes[stage.scope]
        own = scope.own | set(scope.given)
        found = [name for rule in stage.rules for name in self._but(own | {n for n, _ in rule.lets}, rule_names(rule))]
        return [*found, *self._names_of_terms([stage.when])]

    def _deps(self, cell: Cell) -> list[Cell]:
        """Return what must come before a cell, itself left out."""
        if cell.kind == "stages":
            found = [dep for name in cell.stages for dep in self._deps_of_stage(self.pack.stages[name], cell)]
        else:
            names = self._names_read(cell)
            found = [dep for name in names for dep in self._cells_of(name)]
            found += self._guards(names, cell)
            found += [dep for name in self._after(cell) for dep in self._cells_of_stage(name)]
        return [dep for dep in dict.fromkeys(found) if dep != cell]

    def _deps_of_stage(self, stage: Stage, cell: Cell) -> list[Cell]:
        others = set(stage.each) - {cell.name}
        names = [name for name in self._names_of_stage(stage, cell.name) if name.partition(".")[0] not in others]
        found = [dep for name in names for dep in self._cells_of(name)]
        found += self._guards(names, cell)
        found += [dep for name in stage.after for dep in self._after_stage(name, cell.name)]
        return [dep for dep in dict.fromkeys(found) if dep != cell]

    def _after_stage(self, name: str, each: str) -> list[Cell]:
        """Return the cells of a stage that another one is after; over the same table its rows alone count."""
        stage = self.asked.get(name)
        if stage is not None and each in stage.each and each not in self.pack.flows:
            return [self._cell_of(stage, each)]
        return self._cells_of_stage(name)

    def _after(self, cell: Cell) -> tuple[str, ...]:
        if cell.kind == "value":
            return () if cell.name in self.question.inputs else self.pack.values[cell.name].after
        if cell.kind == "table":
            return self.pack.items[cell.name].after
        owner = cell.name.partition(".")[0]
        return tuple(name for stage in self.asked.values() if owner in stage.each for name in stage.after)

    # Order

    def _visit_all(self, cells: Iterable[Cell]) -> None:
        for cell in cells:
            self._visit(cell, [])

    def _cells(self) -> list[Cell]:
        """Return all values and tables of the pack."""
        return [Cell("value", name) for name in self.pack.values] + [Cell("table", name) for name in self.pack.items]

    def _read_by(self, terms: Sequence[Term | None]) -> list[Cell]:
        return [cell for name in self._names_of_terms(terms) for cell in self._cells_of(name)]

    def _visit(self, cell: Cell, path: list[Cell]) -> None:
        if cell in self.done:
            return
        if cell in path:
            self._cycle([*path[path.index(cell) :], cell])
            return
        if len(path) >= MOST_IN_A_ROW:
            self._refuse_row(cell)
            return
        if self._reads_itself(cell):
            self._cycle([cell, cell])
            return
        for dep in self._deps(cell):
            self._visit(dep, [*path, cell])
        if cell not in self.done:
            self.done.add(cell)
            self.order.append(cell)

    def _refuse_row(self, cell: Cell) -> None:
        message = f"over {MOST_IN_A_ROW} values, tables and stages need each other in a row, up to this one"
        if not any(found.rule == "pack/row" for found in self.diagnostics):
            self.diagnostics.append(_fault("pack/row", message, self._place(cell), name=self._name(cell)))
        self.done.add(cell)

    def _reads_itself(self, cell: Cell) -> bool:
        """Return whether a cell reads what it gives, which other rows or visits have not left yet."""
        names = self._names_read(cell)
        if len(cell.stages) > 1:  # stages that are asked together read what the ones before them give
            names = [*self._names_of_terms([self.pack.stages[stage].when for stage in cell.stages])]
        return any(cell in self._cells_of(name) for name in names)

    def _cycle(self, path: list[Cell]) -> None:
        if not self.done.isdisjoint(path):
            return  # it is a part of a circle that was reported
        first = self._place(path[0])
        words = [f"{cell} ({_line(self._place(cell), first)})" for cell in path]
        found = _fault("pack/cycle", circle_words(words), first, name=self._name(path[0]))
        if found not in self.diagnostics:
            self.diagnostics.append(found)
        self.done |= set(path)

    @staticmethod
    def _name(cell: Cell) -> str:
        return cell.stages[0] if cell.stages else cell.name.partition(".")[0] if cell.kind == "pass" else cell.name

    def _place(self, cell: Cell) -> Place:
        pack = self.pack
        if cell.kind == "stages":
            return pack.stages[cell.stages[0]].place
        if cell.kind == "pass":
            return pack.flows[cell.name.partition(".")[0]].place
        return pack.values[cell.name].place if cell.kind == "value" else pack.items[cell.name].place

    # Steps

    def _step(self, cell: Cell) -> Step:
        if cell.kind == "stages":
            return self._stages_step(cell)
        if cell.kind == "pass":
            return self._pass_step(cell)
        if cell.kind == "table":
            table = self.pack.items[cell.name]
            own = {name for name in table.after if table.source and table.source in self._each_of(name)}
            return Step("table", cell.name, tuple(sorted(own)), table.source, self._whole(table.after, own))
        if cell.name in self.question.inputs:
            return Step("input", cell.name)
        return Step("value", cell.name, needs=self._whole(self.pack.values[cell.name].after, set()))

    def _each_of(self, stage: str) -> tuple[str, ...]:
        stage, _, table = stage.partition(".")
        return () if stage not in self.asked else (table,) if table else self.asked[stage].each

    def _whole(self, names: Iterable[str], rows: set[str]) -> tuple[str, ...]:
        """Return the stages that must not have failed at all: those of the question, without those that go by rows."""
        whole = dict.fromkeys(name.partition(".")[0] for name in names if name not in rows)
        return tuple(name for name in whole if name in self.asked)

    def _stages_step(self, cell: Cell) -> Step:
        stages = [self.pack.stages[name] for name in cell.stages]
        after = [name for stage in stages for name in stage.after if name not in cell.stages]
        rows = {name for name in after if cell.name != REQUEST and cell.name in self._each_of(name)}
        table = None if cell.name == REQUEST else cell.name
        keeps = tuple(name for stage in stages for name in stage.gives if self._is_kept(cell, name))
        return Step("stages", cell.name, cell.stages, table, self._whole(after, rows), keeps)

    def _is_kept(self, cell: Cell, name: str) -> bool:
        """Return whether something reads what is given: of a table, or of one like it, which takes it over."""
        if cell.name == REQUEST:
            return name in self._all_names()
        alike = [cell.name, *(table.name for table in self.pack.items.values() if table.like == cell.name)]
        return any(f"{each}.{name}" in self._all_names() for each in alike)

    def _pass_step(self, cell: Cell) -> Step:
        flow = cell.name.partition(".")[0]
        stages = self._in_turn([name for name, stage in self.asked.items() if flow in stage.each], flow)
        over = self.pack.flows[flow].over
        after = [name for stage in stages for name in self.pack.stages[stage].after]
        lineage = self._lineage(over)
        rows = {name for name in after if lineage & set(self._each_of(name))}
        keeps = tuple(
            dict.fromkeys(
                name
                for stage in stages
                for name in self.pack.stages[stage].gives
                if f"{cell.name}.{name}" in self._all_names()
            )
        )
        slots = ("slots",) if f"{cell.name}.slots" in self._all_names() else ()
        return Step("pass", cell.name, stages, over, self._whole(after, rows), (*keeps, *slots))

    def _in_turn(self, names: list[str], flow: str) -> tuple[str, ...]:
        """Return the stages over a flow, each behind those that a visit must have passed; a circle is reported."""
        needed = {name: needed_before(self.pack, self.pack.stages[name], flow).keys() & set(names) for name in names}
        found: list[str] = []
        while rest := [name for name in names if name not in found]:
            free = next((name for name in rest if needed[name] <= set(found)), None)
            if free is None:
                self._cycle([Cell("stages", flow, (name,)) for name in (*rest, rest[0])])
                return tuple(names)
            found.append(free)
        return tuple(found)

    def _lineage(self, table: str) -> set[str]:
        """Return the tables whose rows a table's rows are made of, and itself."""
        found: set[str] = set()
        current: str | None = table
        while current is not None and current not in found:
            found.add(current)
            current = self.pack.items[current].source
        return found

    def _all_names(self) -> set[str]:
        """Return all names that something in the plan reads."""
        if not self._names:
            question = self.question
            terms = [question.when, question.answer, question.otherwise, *question.shows.values()]
            self._names.update(self._names_of_terms(terms))
            for cell in self.order:
                self._names.update(self._names_read(cell))
        return self._names

    _names: set[str] = field(default_factory=set)

    def _inputs(self) -> Iterator[str]:
        """Yield the documents and inputs that the plan reads."""
        for name in self._all_names():
            if name in self.pack.documents or (name in self.pack.values and self.pack.values[name].input):
                yield name


def _idle_stages(pack: Pack, found: Iterable[Plan]) -> Iterator[Diagnostic]:
    """Yield the stages that no question asks: their rules would never be looked at."""
    if not pack.questions:
        return
    asked = {name for plan in found for step in (*plan.gate, *plan.steps) for name in step.stages}
    for stage in pack.stages.values():
        own = any(rule.identity.startswith(f"{pack.name}/") for rule in stage.rules)  # a base's stage may lie idle
        if stage.name not in asked and own:
            message = f"no question asks stage `{stage.name}`, so its rules are never looked at"
            yield _fault("pack/idle-stage", message, stage.place, "name a question under `for`", stage.name)


def _unknown_inputs(pack: Pack, found: dict[str, Plan]) -> Iterator[Diagnostic]:
    """Yield the documents that a question reads and is not given."""
    for name, plan in found.items():
        question = pack.questions[name]
        for each in plan.inputs:
            document = pack.documents.get(each)
            if (
                document is not None
                and each not in question.given
                and not document.optional
                and document.resource is None
            ):
                message = f"question `{name}` reads document `{each}`, which it is not given"
                yield _fault("pack/given", message, question.place, f"add `{each}` to its `given`", name)


def _not_passed(pack: Pack, found: dict[str, Plan]) -> Iterator[Diagnostic]:
    """Yield the stages that a question asks without one before: its rules rely on what that one made sure of rows."""
    for name, plan in found.items():
        asked = {stage for step in (*plan.gate, *plan.steps) for stage in step.stages}
        for stage in (pack.stages[each] for each in pack.stages if each in asked):
            for earlier in passed_stages(pack, stage):
                if earlier.name not in asked and earlier.rules:
                    message = f"question `{name}` asks stage `{stage.name}`, but not stage `{earlier.name}` before it"
                    help_text = f"name `{name}` under `for` of stage `{earlier.name}`"
                    yield _fault("pack/after", message, stage.place, help_text, stage.name)


def _asked_apart(pack: Pack, found: dict[str, Plan]) -> Iterator[Diagnostic]:
    """Yield the stages that read what another one gives to a row, but are not asked together with it."""
    seen: set[tuple[str, str]] = set()
    for step in (step for plan in found.values() for step in (*plan.gate, *plan.steps) if step.table):
        for stage in (pack.stages[name] for name in step.stages):
            for other, names in needed_before(pack, stage, str(step.table)).items():
                if names and other not in step.stages and (stage.name, other) not in seen:
                    seen.add((stage.name, other))
                    read = sorted(names)[0]
                    message = f"stage `{stage.name}` reads `{read}` of each row, but is not asked together with"
                    message += f" stage `{other}`, which gives it"
                    help_text = "give both no `when`, and let nothing between them need what the first one gives"
                    yield _fault("pack/apart", message, stage.place, help_text, stage.name)


def _circles_of_questions(pack: Pack, found: dict[str, Plan]) -> Iterator[Diagnostic]:
    """Yield the questions that ask themselves, directly or through others."""
    asks: dict[str, list[tuple[str, Value]]] = {}
    for name, plan in found.items():
        values = [pack.values[step.name] for step in (*plan.gate, *plan.steps) if step.kind == "value"]
        asks[name] = [(value.ask.question, value) for value in values if value.ask]
    done: set[str] = set()
    for name in asks:
        circles = list(_circle_from(name, asks, [], done))
        yield from circles
        if any(found.rule == "pack/row" for found in circles):
            return


def _circle_from(
    name: str, asks: dict[str, list[tuple[str, Value]]], path: list[tuple[str, Value]], done: set[str]
) -> Iterator[Diagnostic]:
    for asked, value in asks.get(name, ()) if name not in done else ():
        names = [name, *(each for each, _ in path)]
        if asked in names:
            circle = [*names[: names.index(asked) + 1][::-1], asked]
            message = circle_words([f"question `{each}`" for each in circle])
            yield _fault("pack/cycle", message, value.place, "ask another question", value.name)
        elif len(path) >= MOST_QUESTIONS_IN_A_ROW:
            message = f"questions ask each other over {MOST_QUESTIONS_IN_A_ROW} deep"
            yield _fault("pack/row", message, value.place, name=value.name)
        else:
            yield from _circle_from(asked, asks, [(name, value), *path], done)
    done.add(name)


def _line(place: Place, first: Place) -> str:
    return f"line {place.line}" + (f" of {place.file}" if place.file != first.file else "")


def _fault(code: str, message: str, place: Place, help_text: str | None = None, name: str = "") -> Diagnostic:
    """Return a mistake at the place of an entry, whose name is underlined."""
    width = len(name.rpartition(".")[2]) or 1
    span = Span(place.file, place.line, place.column, place.line, place.column + width)
    return Diagnostic(code, (), ERROR, message, span=span, help=help_text)
