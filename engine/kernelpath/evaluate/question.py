"""Answer a question: compute the cells of its plan in order, and ask the stages' rules.

A cell is computed only if all that it reads is there and the stages that it needs did not fail; otherwise it is
missing, and so is what reads it. So each fault is reported once, where it is.
"""

from __future__ import annotations

from types import MappingProxyType

from kernelpath.evaluate.report import Report
from kernelpath.evaluate.slots import Slots
from kernelpath.graph.fresh import fresh
from kernelpath.language import EvaluationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from kernelpath.evaluate.compiled import CompiledPack
    from kernelpath.evaluate.walk import Blame

    StepData = Mapping[str, Any]

#: The one item that the rules of the request are asked for.
ONE = (None,)
#: The kinds of steps that ask rules.
ASKING = ("stages", "pass")
#: The cell that holds what was found so far.
FINDINGS = "findings"


class Outcome:
    """What a question gives: its answer (None if an error took it away), what was found, and the cells.

    `inner` are the outcomes of the questions that it asked itself.
    """

    __slots__ = ("cells", "inner", "report", "run", "value")

    def __init__(self, value: Any, report: Report, run: QuestionRun) -> None:
        self.value = value
        self.report = report
        self.cells = run.cells
        self.inner = run.inner
        self.run = run

    def shown(self) -> dict[str, Any]:
        """Return what the question shows besides its answer, null where an error took away what that needs.

        What the questions that it asked show comes first; of equal names the outer one counts, unless it is null.
        """
        found: dict[str, Any] = {}
        for outcome in self.inner:
            found |= outcome.shown()
        for name, term in self.run.question["shows"].items():
            value = self.run.shown(term)
            if value is not None or name not in found:
                found[name] = value
        return found


def ask(pack: CompiledPack, name: str, given: Mapping[str, Any]) -> Outcome:
    """Ask a question of a pack with documents and inputs; an optional document that is not given is null."""
    return QuestionRun(pack, name, given).straight() or QuestionRun(pack, name, given).run()


class QuestionRun:
    """One run of one question over a table of named cells; `given` is handed on to the questions that it asks."""

    def __init__(self, pack: CompiledPack, name: str, given: Mapping[str, Any]) -> None:
        self.pack = pack
        self.question: Mapping[str, Any] = pack.meta["questions"][name]
        self.given = given
        documents = dict.fromkeys(pack.meta["documents"])
        self.cells: dict[str, Any] = {**self._constants(), **pack.data, **documents, **given}
        self.report = Report(pack.meta["order"])
        self.failed_rows: dict[tuple[str, str], dict[int, Blame]] = {}
        self.gaps: dict[str, dict[int, Blame]] = {}
        self.passed_over: list[StepData] = []
        self.walked: set[str] = set()
        self.inner: list[Outcome] = []
        self.limits: Mapping[str, int] = pack.meta["limits"]
        self._hold_given()

    def _constants(self) -> Mapping[str, Any]:
        return fresh(self.pack.meta["constants"])

    def _hold_given(self) -> None:
        for name in self.limits.keys() & self.given.keys():
            try:
                self._hold_length(name)
            except EvaluationError as error:
                self._report("given", "given", error)

    def _hold_length(self, name: str) -> None:
        """Take away a list that is longer than its type allows: what goes over it counts on that; raises for it."""
        limit, items = self.limits.get(name), self.cells.get(name)
        if limit is not None and items is not None and len(items) > limit:
            del self.cells[name]
            raise EvaluationError(f"`{name}` has {len(items):,} items, and its type has at most {limit:,}")

    def straight(self) -> Outcome | None:
        """Take the plan in one go; None if something is to be reported, so that it has to be taken step by step."""
        steps = (*self.question["gate"], *self.question["steps"])
        self.cells[FINDINGS] = []
        try:
            taken = self.pack.function(self.question["straight"])(self.cells, self.given, self, steps)
        except (EvaluationError, KeyError):  # what it is and where is said step by step
            return None
        if taken is None or not self.is_clean():
            return None
        applies, asked = taken
        self.report.asked += asked
        value = self._answer(applies)
        return Outcome(value, self.report, self) if self.is_clean() else None

    def take(self, step: StepData) -> bool:
        """Take one step as any other run does; return whether nothing was found so far."""
        self._step(step)
        return self.is_clean()

    def is_clean(self) -> bool:
        """Return whether nothing was found, skipped or passed over so far: no state but the cells."""
        report = self.report
        return not (
            report.diagnostics
            or report.failed
            or report.skipped
            or report.unasked
            or self.gaps
            or self.passed_over
            or any(self.failed_rows.values())
        )

    def run(self) -> Outcome:
        """Compute the cells, and return the answer; null without a word where the question does not apply."""
        applies = self._ask_all()
        value = self._answer(applies)
        if self.passed_over or self.report.unasked:
            self._account()
        self.report.sort()
        return Outcome(value, self.report, self)

    def _ask_all(self) -> Any:
        """Compute the cells; return whether the question applies."""
        for step in self.question["gate"]:
            self._step(step)
        applies = self._term(self.question["when"], True)
        if applies:
            for step in self.question["steps"]:
                self._step(step)
        return applies

    def _account(self) -> None:
        """Say which checks were not asked, and because of which errors."""
        from kernelpath.evaluate.unasked import Account, Unasked, checks_of, targets, together

        steps = [*self.question["gate"], *self.question["steps"]]
        errors = [(found.rule, stage) for found, stage, *_ in self.report.findings() if found.severity == "error"]
        missing = {name for step in steps for name in targets(step)} - self.cells.keys()
        account, over = Account(errors, missing | self.gaps.keys()), {id(step) for step in self.passed_over}
        for step in steps:
            because = account.take(step, id(step) in over)
            asked = step["stages"] if step["kind"] in ASKING and id(step) in over else ()
            checks = checks_of([self.pack.meta["stages"][name] for name in asked if name not in self.walked])
            if checks:
                self.report.unasked.append(Unasked(checks, because))
        self.report.unasked = together(self.report.unasked)

    def _answer(self, applies: Any) -> Any:
        """Return the answer; one that lacks a cell although nothing failed would be a pass that looked at nothing."""
        if not self.report.ok and not self.question["always"]:
            return None
        term = self.question["answer"] if applies else self.question["otherwise"]
        if term is None or applies is None:
            return None
        self._look_back(term[1])
        lacking = [name for name in term[1] if name not in self.cells]
        if lacking and not self.report.ok:
            return None
        try:
            if lacking:
                raise EvaluationError(f"`{lacking[0]}` is missing, though no rule failed")
            return self.pack.value(term, self.cells)
        except EvaluationError as error:
            self._report("answer", "answer", error)
            return None

    def shown(self, term: Any) -> Any:
        """Return the value of a term that is shown, None if something that it reads is missing."""
        self._look_back(term[1])
        if any(name not in self.cells for name in term[1]):
            return None
        try:
            return self.pack.value(term, self.cells)
        except EvaluationError:
            return None

    def _term(self, term: Any, otherwise: Any) -> Any:
        """Return a term's value: `otherwise` if there is no term, None if something that it reads is missing."""
        if term is None:
            return otherwise
        self._look_back(term[1])
        if any(name not in self.cells for name in term[1]):
            return None
        try:
            return self.pack.value(term, self.cells)
        except EvaluationError as error:
            self._report("when", "when", error)
            return None

    def _step(self, step: StepData) -> None:
        try:
            getattr(self, "_" + step["kind"])(step)
        except EvaluationError as error:
            self._refuse(step, error)

    def _refuse(self, step: StepData, error: EvaluationError) -> None:
        """Report a step that met a limit of the language, such as nesting, on this input."""
        stages = step["stages"]
        self._report(step["name"], stages[0] if stages else step["name"], error)
        self.report.skip(stages, step.get("table"))

    def _report(self, label: str, stage: str, error: EvaluationError) -> None:
        from kernelpath.diagnostics import Diagnostic

        self.report.add(Diagnostic(f"{self.pack.meta['name']}/{label}", (), "error", str(error)), stage)

    def _is_ready(self, step: StepData, reads: frozenset[str]) -> bool:
        """Return whether all that a step reads is there, whole, and the stages that it needs did not fail."""
        whole = not self.gaps or self.gaps.keys().isdisjoint(reads)
        return self.cells.keys() >= reads and whole and self.report.passed(step["needs"])

    # Values

    def _value(self, step: StepData) -> None:
        name = step["name"]
        if step["input"] and name in self.given:
            self.cells[name] = self.given[name]
            return
        when = step["when"]
        if when and self.cells.keys() >= set(when[1]) and not self.pack.value(when, self.cells):
            self.cells[name] = None
            return
        if (when is None or self.cells.keys() >= set(when[1])) and self._is_ready(step, self._reads(step)):
            self._compute(step)
        if name not in self.cells and step["otherwise"] and self.cells.keys() >= set(step["otherwise"][1]):
            self.cells[name] = self.pack.value(step["otherwise"], self.cells)
        if name not in self.cells:
            self.passed_over.append(step)

    def _input(self, step: StepData) -> None:
        """Set an input to what the question says it is."""
        if self.cells.keys() >= set(step["term"][1]):
            self.cells[step["name"]] = self.pack.value(step["term"], self.cells)

    def _reads(self, step: StepData) -> frozenset[str]:
        reads: frozenset[str] = step["reads"]
        self._look_back(reads)
        return reads

    def _look_back(self, reads: Collection[str]) -> None:
        """Give what reads the findings those that there are by now; the plan has put it after all that makes some."""
        if FINDINGS in reads:
            self.cells[FINDINGS] = self.report.as_records()

    def _compute(self, step: StepData) -> None:
        if step["ask"] is None:
            self.cells[step["name"]] = self.pack.value(step["term"], self.cells)
            self._hold_length(step["name"])
            return
        question, terms, places = step["ask"]
        given = {name: self.pack.value(term, self.cells) for name, term in terms}
        outcome = self._asked(question, {**self.given, **given})
        self.inner.append(outcome)
        self.report.take(outcome.report, places)
        if outcome.report.ok or self.pack.meta["questions"][question]["always"]:
            self.cells[step["name"]] = outcome.value
            self._hold_length(step["name"])

    def _asked(self, question: str, given: Mapping[str, Any]) -> Outcome:
        return ask(self.pack, question, given)

    # Tables

    def _table(self, step: StepData) -> None:
        """Make the rows of a table; a row that failed one of the stages before leaves a gap."""
        name = step["name"]
        when = step["when"]
        if when and self.cells.keys() >= set(when[1]) and not self.pack.value(when, self.cells):
            self._put_rows(step, [])
            return
        source, outer = step["source"], step["within"]
        wanted = step["reads"] | {table for table in (source, outer) if table}
        ready = self.cells.keys() >= wanted and self.report.passed(step["needs"]) and outer not in self.gaps
        if not (ready and self.gaps.keys().isdisjoint(step["reads"])):
            self.passed_over.append(step)
            return
        rows = self._rows_of(source) if source else self._listed(step)
        if step["made"]:
            failed = self._failed(step["stages"], source) | self._missing(source) if source else {}
            rows = self.pack.function(step["made"])(rows, failed, self.cells)
            if failed:
                self.gaps[name] = failed
        self._put_rows(step, rows)

    def _listed(self, step: StepData) -> list[Any]:
        outer = self._rows_of(step["within"]) if step["within"] else ()
        rows: list[Any] = self.pack.function(step["listed"])(outer, self.cells)
        return rows

    def _missing(self, table: str) -> dict[int, Blame]:
        """Return the gaps of a table: the rows that an earlier fault left out."""
        return self.gaps.get(table, {})

    def _failed(self, stages: Sequence[str], table: str) -> dict[int, Blame]:
        """Return the rows that failed one of the stages, each with what it failed first."""
        failed: dict[int, Blame] = {}
        for stage in stages:
            failed = self.failed_rows.get((stage, table), {}) | failed
        return failed

    def _put_rows(self, step: StepData, rows: Sequence[Any]) -> None:
        name = step["name"]
        self.cells[name] = rows
        if step["parts"] > 1:
            self.cells[name + " rows"] = rows
            self.cells[name] = [row if row is None else row[0] for row in rows]
        self._hold_length(name)

    def _rows_of(self, table: str) -> Any:
        return self.cells[table + " rows"] if table + " rows" in self.cells else self.cells[table]

    # Stages

    def _stages(self, step: StepData) -> None:
        cells = self.cells
        when = step["when"]
        table = step["table"]
        if when and cells.keys() >= step["asks"] and not self.pack.value(when, cells):
            self._leave_null(step, table)
            return
        reads = self._reads(step)
        ready = (cells.keys() >= step["asks"]) and (table is None or table in cells)
        if not (ready and self._is_ready(step, reads)):
            self._skip(step, table)
            return
        if table is not None and step["like"] and self._is_like(step, table):
            return
        self._ask(step, self._rows_of(table) if table else ONE, table)

    def _leave_null(self, step: StepData, table: str | None) -> None:
        """Let what a stage would give be null, for each row of a table, since the stage is not asked."""
        if table is None:
            self.cells.update(dict.fromkeys(step["nulls"]))
        elif table in self.cells:
            count = len(self.cells[table])
            self.cells.update({f"{table}.{name}": [None] * count for name in step["nulls"]})

    def _is_like(self, step: StepData, table: str) -> bool:
        """Return whether the rows are those of the table that this one is like: they were judged already."""
        like = step["like"]
        if self.cells.get(like) is not self.cells[table] and self.cells.get(like) != self.cells[table]:
            return False
        for stage in step["stages"]:
            self.failed_rows[stage, table] = self.failed_rows.get((stage, like), {})
        for name in step["keeps"]:
            if f"{like}.{name}" in self.cells:
                self.cells[f"{table}.{name}"] = self.cells[f"{like}.{name}"]
        return True

    def _ask(self, step: StepData, items: Sequence[Any], table: str | None) -> None:
        """Ask the stages' rules for each row: by the fused function until one fails, from there rule by rule."""
        walk = step["walk"]
        held = [self._failed(names, table) for names in step["rows"]] if table else []
        skipped = self._missing(table) if table else {}
        collected: dict[str, list[Any]] = {name: [] for name in walk["collects"]}
        reached = 0
        values = self._with_whole(walk["scope"], table)
        self._count(walk, items)
        if not skipped and not any(held):
            reached = self.pack.function(walk["function"])(items, 0, values, {}, collected)
        lost: set[str] = set()
        if reached < len(items):
            lost = self._carefully(step, values, items, reached, None, collected, skipped, held)
        self._keep(step, table, collected, lost)

    def _skip(self, step: StepData, table: str | None) -> None:
        self.report.skip(step["stages"], table)
        self.passed_over.append(step)

    def _count(self, walk: Mapping[str, Any], items: Sequence[Any]) -> None:
        self.walked.update(walk["names"])
        if walk["checks"]:
            self.report.asked += len(items)

    def _with_whole(self, scope: Mapping[str, Any], table: str | None) -> Mapping[str, Any]:
        """Return the cells, and under their own names the values of a table as a whole."""
        if not scope["whole"]:
            return self.cells
        whole = {name: self.cells[cell] for name, cell in scope["whole"].items() if cell in self.cells}
        return {**self.cells, **whole}

    def _keep(
        self, step: StepData, table: str | None, collected: Mapping[str, list[Any]], lost: Collection[str]
    ) -> None:
        """Keep what was collected of all rows: columns, and values of the request."""
        for name in step["keeps"]:
            if name in lost:
                continue
            if table is None:
                self.cells[name] = collected[name][-1]
            else:
                self.cells[f"{table}.{name}"] = collected[name]

    def _carefully(
        self,
        step: StepData,
        values: Mapping[str, Any],
        items: Sequence[Any],
        reached: int,
        slots: Slots | None,
        collected: dict[str, list[Any]],
        skipped: Mapping[int, Blame] = MappingProxyType({}),
        held: Sequence[Mapping[int, Blame]] = (),
    ) -> set[str]:
        """Go on where the fused function stopped, rule by rule; return what is kept that not every row has."""
        from kernelpath.evaluate.walk import Walk  # a request without faults never needs it

        name = step.get("pass", "")
        walk = Walk(self.pack, step["walk"], values, self.report, items, slots, collected, pass_name=name)
        walk.skip(skipped, held)
        walk.run(reached)
        table = step["name"] if step["kind"] == "stages" else step["over"]
        for place, stage in enumerate(step["stages"]):
            self.failed_rows.setdefault((stage, table), {}).update(walk.failed_rows(place))
        if step["kind"] == "stages" and step["table"] is None:
            for name in walk.failed_guards:
                self.cells.pop(name, None)
        return walk.lost

    # Flows

    def _pass(self, step: StepData) -> None:
        if not (self.cells.keys() >= step["reads"] and self.report.passed(step["needs"])):
            self._skip(step, step["over"])
            return
        if not self.gaps.keys().isdisjoint(step["reads"] - {step["over"]}):
            self._skip(step, step["over"])
            return
        values = self._with_whole(step["walk"]["scope"], step["over"])
        values = {**values, step["word"]: step["pass"]} if step["word"] else values
        slots = self.start(step)
        if step["walk"]["flow"]["parts"]:
            slots = self._unroll(step, values, slots)
        else:
            self._visit(step, values, slots)
        if self.gaps:
            self._hold_back(step)
        if step["slots"]:
            name = f"{step['name']}.slots"
            self.cells[name] = slots.values
            self.cells[name + "?"] = slots

    def _hold_back(self, step: StepData) -> None:
        """Note that a flow did not visit the rows of which an earlier fault left nothing."""
        from kernelpath.evaluate.unasked import Unasked, checks_of

        checks = checks_of(step["walk"]["stages"])
        for subject, because in self._missing(step["over"]).values() if checks else ():
            self.report.unasked.append(Unasked(checks, because, (subject,) if subject else (), onwards=True))

    def _visit(self, step: StepData, values: Mapping[str, Any], slots: Slots) -> None:
        """Visit the rows in the order of their list."""
        data, items = step["walk"], self._rows_of(step["over"])
        self._count(data, items)
        collected: dict[str, list[Any]] = {name: [] for name in data["collects"]}
        reached = 0
        if not slots.doubtful:
            reached = self.pack.function(data["function"])(items, 0, values, slots.values, collected)
        lost = set() if reached == len(items) else self._carefully(step, values, items, reached, slots, collected)
        self._keep_visits(step, collected, lost)

    def _keep_visits(
        self, step: StepData, collected: Mapping[str, list[Any]], lost: Collection[str] = frozenset()
    ) -> None:
        for name in step["keeps"]:
            if name not in lost:
                self.cells[f"{step['name']}.{name}"] = collected[name]

    def _unroll(self, step: StepData, values: Mapping[str, Any], slots: Slots) -> Slots:
        """Run a flow over its parts, and return the slots at its end."""
        from kernelpath.evaluate.unrolled import UNKNOWN, Unrolled  # packs whose flows are listed never need it

        items: Sequence[Any] = self._rows_of(step["over"])
        self._count(step["walk"], items)
        start = {**slots.values, **dict.fromkeys(slots.unknown, UNKNOWN)}
        unrolled = Unrolled(self.pack, step["walk"], values, items, start, self._fresh(step), step["pass"])
        unrolled.run(step["settles"])
        unrolled.report_to(self.report, step["stages"][0])
        gaps = any(item is None for item in items)
        if unrolled.whole and not gaps:
            self._keep_visits(step, unrolled.collected())
        known = {key: value for key, value in unrolled.slots.items() if value is not UNKNOWN}
        return Slots(known, unrolled.slots.keys() - known.keys(), slots.poisoned or gaps)

    def start(self, step: StepData) -> Slots:
        """Return the slots at the start: those that another pass left, unknown ones included, then the named values."""
        kept = self._left(step["start_from"] or step["carry"])
        for name, value in self._fresh(step).items():
            kept.write(name, value)
        return kept

    def _left(self, name: str | None) -> Slots:
        if name is None:
            return Slots()
        kept: Slots = self.cells[name + "?"]
        return Slots(dict(kept.values), set(kept.unknown), kept.poisoned)

    def _fresh(self, step: StepData) -> dict[str, Any]:
        """Return the named values that slots have whenever a pass begins."""
        return {name: self.pack.value(term, self.cells) for name, term in step["start"]}
