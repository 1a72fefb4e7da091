"""Run a pack's program: its entries in order, over one workspace of named values.

An entry runs only if the stages that it needs passed and if every value that it reads is there; otherwise it is
skipped, and so are the entries that read what it would have given. So each fault is reported once, where it is.
"""

from __future__ import annotations

from kernelpath.evaluate.operations import OPERATIONS
from kernelpath.evaluate.report import Report
from kernelpath.evaluate.slots import Slots
from kernelpath.graph.fresh import fresh
from kernelpath.language import EvaluationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from kernelpath.diagnostics import Diagnostic
    from kernelpath.evaluate.compiled import CompiledPack
    from kernelpath.evaluate.walk import Blame

    EntryData = Mapping[str, Any]

#: The one item of a scope that has no items of its own.
ONE = (None,)


class Outcome:
    """What a program gives: its value (None where it found an error), its diagnostics, and its workspace."""

    __slots__ = ("report", "value", "workspace")

    def __init__(self, value: Any, report: Report, workspace: dict[str, Any]) -> None:
        self.value = value
        self.report = report
        self.workspace = workspace


class Finished(Exception):
    """A `return` entry ended the program."""


class ProgramRun:
    """One run of one program over a workspace; `shared` are the values that the programs it calls get too."""

    def __init__(
        self, pack: CompiledPack, program: Mapping[str, Any], workspace: dict[str, Any], shared: Mapping[str, Any]
    ) -> None:
        self.pack = pack
        self.program = program
        self.workspace = workspace
        self.shared = shared
        self.limits: Mapping[str, int] = pack.meta["limits"]
        self.report = Report()
        self.failed_items: dict[str, dict[int, Blame]] = {}
        self.gaps: dict[str, dict[int, Blame]] = {}
        self.passed_over: list[EntryData] = []
        self.walked: set[str] = set()

    def run(self) -> Outcome:
        """Run the entries and return the program's value, None if a rule found an error."""
        try:
            self._inputs()
            for entry in self.program["entries"]:
                self._entry(entry)
            value = self._value()
        except Finished as finished:
            value = finished.args[0]
        if self.passed_over or self.report.unasked:
            self._account()
        return Outcome(value, self.report, self.workspace)

    def _account(self) -> None:
        """Say which checks were not asked, and because of which errors."""
        from kernelpath.evaluate.unasked import Account, Unasked, checks_of, targets, together

        errors = [(found.rule, stage) for found, stage, _ in self.report.findings() if found.severity == "error"]
        missing = {name for entry in self.program["entries"] for name in targets(entry)} - self.workspace.keys()
        account, over = Account(errors, missing | self.gaps.keys()), {id(entry) for entry in self.passed_over}
        for entry in self.program["entries"]:
            because = account.take(entry, id(entry) in over)
            stages = [self.pack.meta["stages"][name] for name in entry["stages"] if name not in self.walked]
            checks = checks_of(stages) if id(entry) in over else ()
            if checks:
                self.report.unasked.append(Unasked(checks, because))
        self.report.unasked = together(self.report.unasked)

    def _value(self) -> Any:
        """Return what the program gives; one that passed, but whose value was never set, did not pass."""
        term = self.program["value"]
        unset = [name for name in term[1] if name not in self.workspace]
        if not self.report.ok and (unset or not self.program["always"]):
            return None
        try:
            if unset:
                raise EvaluationError(f"nothing set `{unset[0]}`, which the program gives")
            return self.pack.value(term, self.workspace)
        except EvaluationError as error:
            self._tell("value", "value", error)
            return None

    def _entry(self, entry: EntryData) -> None:
        try:
            if self._due(entry):
                getattr(self, "_" + entry["verb"])(entry)
                if self.limits:
                    self._hold_lengths()
        except EvaluationError as error:
            self._refuse(entry, error)

    def _inputs(self) -> None:
        try:
            self._hold_lengths()
        except EvaluationError as error:
            self._tell("inputs", "inputs", error)

    def _due(self, entry: EntryData) -> bool:
        """Return whether an entry's turn has come; one that lacks something is passed over, and so are its stages."""
        present = self.workspace.keys()
        when = entry["when"]
        if when and present >= entry["asks"] and not self.pack.value(when, self.workspace):
            return False
        if not (present >= entry["reads"] and self.report.passed(entry["needs"])) or self._gapped(entry):
            self.report.skipped.update(entry["stages"])
            self.passed_over.append(entry)
            return False
        return True

    def _hold_lengths(self) -> None:
        """Take away a list that is longer than its type allows: what goes over it counts on that; raises for it."""
        for name, limit in self.limits.items():
            items = self.workspace.get(name)
            if items is not None and len(items) > limit:
                del self.workspace[name]
                raise EvaluationError(f"`{name}` has {len(items):,} items, and its type has at most {limit:,}")

    def _gapped(self, entry: EntryData) -> bool:
        """Whether the entry reads records of which some are missing; flows alone know how to go on after a gap."""
        return bool(self.gaps) and entry["verb"] != "flow" and not self.gaps.keys().isdisjoint(entry["reads"])

    def _refuse(self, entry: EntryData, error: EvaluationError) -> None:
        """Report an entry that hit a limit of the language, such as nesting, on this input."""
        self._tell(entry["label"], entry["stages"][0] if entry["stages"] else entry["label"], error)

    def _tell(self, label: str, stage: str, error: EvaluationError) -> None:
        from kernelpath.diagnostics import Diagnostic

        self.report.add(Diagnostic(f"{self.pack.meta['name']}/{label}", (), "error", str(error)), stage)

    def _set(self, entry: EntryData) -> None:
        for name, term in entry["terms"]:
            self.workspace[name] = self.pack.value(term, self.workspace)

    def _return(self, entry: EntryData) -> None:
        raise Finished(self.pack.value(entry["value"], self.workspace))

    def _walk(self, entry: EntryData) -> None:
        data = entry["walk"]
        over = data["scope"]["over"]
        items = self.pack.value(over, self.workspace) if over else ONE
        self._count(data, items)
        collected: dict[str, list[Any]] = {name: [] for name in data["collects"]}
        reached = self.pack.function(data["function"])(items, 0, self.workspace, {}, collected)
        if reached == len(items) or self._carefully(entry, self.workspace, items, reached, None, collected):
            self._take(entry, collected)

    def _count(self, data: Mapping[str, Any], items: Sequence[Any]) -> None:
        self.walked.update(data["names"])
        if data["checks"]:
            self.report.asked += len(items)

    def _carefully(
        self,
        entry: EntryData,
        values: Mapping[str, Any],
        items: Sequence[Any],
        reached: int,
        slots: Slots | None,
        collected: dict[str, list[Any]],
    ) -> bool:
        """Go on where the fused function stopped, rule by rule; return whether every item has what is collected."""
        from kernelpath.evaluate.walk import Walk  # a request without faults never needs it

        walk = Walk(self.pack, entry["walk"], values, self.report, items, slots, collected)
        whole = walk.run(reached)
        for stage in entry["stages"]:
            self.failed_items.setdefault(stage, {}).update(walk.failed_items)
        return whole

    def _flow(self, entry: EntryData) -> None:
        given = {name: self.pack.value(term, self.workspace) for name, term in entry["with"]}
        slots = self._start(entry)
        values = {**self.workspace, **given}
        if entry["walk"]["flow"]["parts"]:
            slots = self._unroll(entry, values, slots)
        else:
            self._visit(entry, values, slots)
        if self.gaps:
            self._hold_back(entry)
        if entry["slots"]:
            self.workspace[entry["slots"]] = slots.values
            self.workspace[entry["slots"] + "?"] = slots

    def _hold_back(self, entry: EntryData) -> None:
        """Note that a flow did not visit the items of which an earlier fault left no record."""
        from kernelpath.evaluate.unasked import Unasked, checks_of

        checks = checks_of(entry["walk"]["stages"])
        for subject, because in self.gaps.get(entry["over"], {}).values() if checks else ():
            subjects = (subject,) if subject else ()
            self.report.unasked.append(Unasked(checks, because, subjects, onwards=True))

    def _visit(self, entry: EntryData, values: Mapping[str, Any], slots: Slots) -> None:
        """Run a flow over its items in the order of their list."""
        data, items = entry["walk"], values[entry["over"]]
        self._count(data, items)
        collected: dict[str, list[Any]] = {name: [] for name in data["collects"]}
        reached = 0
        if not slots.doubtful:
            reached = self.pack.function(data["function"])(items, 0, values, slots.values, collected)
        if reached == len(items) or self._carefully(entry, values, items, reached, slots, collected):
            self._take(entry, collected)

    def _unroll(self, entry: EntryData, values: Mapping[str, Any], slots: Slots) -> Slots:
        """Run a flow over its parts, and return the slots at its end."""
        from kernelpath.evaluate.unrolled import UNKNOWN, Unrolled  # packs whose flows are listed never need it

        items: Sequence[Any] = values[entry["over"]]
        self._count(entry["walk"], items)
        start = {**slots.values, **dict.fromkeys(slots.unknown, UNKNOWN)}
        unrolled = Unrolled(self.pack, entry["walk"], values, items, start, self._fresh(entry))
        unrolled.run(entry["settle"])
        unrolled.report_to(self.report, entry["stages"][0])
        gaps = any(item is None for item in items)
        if unrolled.whole and not gaps:
            self._take(entry, unrolled.collected())
        known = {key: value for key, value in unrolled.slots.items() if value is not UNKNOWN}
        return Slots(known, unrolled.slots.keys() - known.keys(), slots.poisoned or gaps)

    def _start(self, entry: EntryData) -> Slots:
        """Return the slots on entry: those that an earlier flow kept, unknown ones included, then the named values."""
        start, carry = entry["start"], entry["carry"]
        kept = self._kept(start if isinstance(start, str) else carry)
        if not isinstance(start, str):
            for name, value in self._fresh(entry).items():
                kept.write(name, value)
        return kept

    def _kept(self, name: str | None) -> Slots:
        if name is None:
            return Slots()
        kept: Slots = self.workspace[name + "?"]
        return Slots(dict(kept.values), set(kept.unknown), kept.poisoned)

    def _fresh(self, entry: EntryData) -> dict[str, Any]:
        """Return the named values that slots have whenever a flow begins anew."""
        start = entry["start"]
        return {} if isinstance(start, str) else {name: self.pack.value(term, self.workspace) for name, term in start}

    def _take(self, entry: EntryData, collected: Mapping[str, list[Any]]) -> None:
        """Put what a walk collected, of all items or of the last one, into the workspace."""
        for target, name in entry["collect"]:
            self.workspace[target] = collected[name]
        for target, name in entry["keep"]:
            self.workspace[target] = collected[name][-1]

    def _read(self, entry: EntryData) -> None:
        """Build records of the items; an item that failed one of the walked stages leaves a gap."""
        over = entry["over"]
        items = self.pack.value(over, self.workspace) if over else ONE
        failed: dict[int, Blame] = {}
        for stage in entry["walked"]:
            failed = self.failed_items.get(stage, {}) | failed
        records = self.pack.function(entry["function"])(items, failed, self.workspace)
        self.workspace[entry["into"]] = records if over else records[0]
        if failed:
            self.gaps[entry["into"]] = failed

    def _call(self, entry: EntryData) -> None:
        """Run another program on values of this one; its diagnostics become this one's, its pointers get a prefix."""
        inputs = {name: self.pack.value(term, self.workspace) for name, term in entry["with"]}
        outcome = self._program(entry["program"], {**self.shared, **inputs})
        for diagnostic in outcome.report.diagnostics:
            self.report.add(_moved(diagnostic, entry["prefix"]), entry["label"])
        self.report.asked += outcome.report.asked
        self.report.unasked += outcome.report.unasked
        if outcome.report.ok or entry["decision"]:
            self.workspace[entry["into"]] = outcome.value
        if entry["decision"]:
            self.workspace[entry["decision"]] = _first_decision(outcome.report)
        if entry["decisions"]:
            self.workspace[entry["decisions"]] = [
                decision
                for found in outcome.report.diagnostics
                if found.severity == "error"
                for decision in found.decisions
            ]

    def _program(self, name: str, values: Mapping[str, Any]) -> Outcome:
        return run_program(self.pack, name, values)

    def _judge(self, entry: EntryData) -> None:
        """Say of each named verdict whether it holds; none does where one of the named stages did not pass."""
        whole = self.report.passed(entry["of"])
        verdicts = {name: whole and name not in self.report.verdicts for name in entry["names"]}
        self.workspace[entry["into"]] = {**verdicts, "of": whole}

    def _run(self, entry: EntryData) -> None:
        operation: Callable[..., Mapping[str, Any]] = OPERATIONS[entry["operation"]]
        arguments = {name: self.pack.value(term, self.workspace) for name, term in entry["with"]}
        try:
            given = operation(entry["settings"], **arguments)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            # what rules give an operation has types only as far as the language has them
            told = f"operation `{entry['operation']}` cannot work on what it is given: {type(error).__name__} {error}"
            raise EvaluationError(told) from error
        for target, name in entry["into"]:
            self.workspace[target] = given[name]


def _moved(diagnostic: Diagnostic, prefix: str) -> Diagnostic:
    if not prefix or diagnostic.pointer is None:
        return diagnostic
    from dataclasses import replace

    return replace(diagnostic, pointer=prefix + diagnostic.pointer)


def _first_decision(report: Report) -> str | None:
    """Return the first decision that an error carries, empty where it carries none, None where there is no error."""
    first = next((found for found in report.diagnostics if found.severity == "error"), None)
    return None if first is None else next(iter(first.decisions), "")


def run_program(pack: CompiledPack, name: str, values: Mapping[str, Any]) -> Outcome:
    """Run the named program of a pack over the given workspace values; raises PackErrors as `program_of` does."""
    program = program_of(pack, name, values)
    workspace = {**fresh(pack.meta["constants"]), **values}
    return ProgramRun(pack, program, workspace, dict(values)).run()


def program_of(pack: CompiledPack, name: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a program that can be run over values; raises PackErrors if the pack lacks it, or they do not suffice."""
    program: Mapping[str, Any] | None = pack.meta["programs"].get(name)
    if program is None:
        raise _no_program(pack, name)
    missing = [value for value in (*program["outside"], *program["inputs"]) if value not in values]
    if missing:
        raise _never_set(name, missing)
    return program


def _no_program(pack: CompiledPack, name: str) -> Exception:
    from kernelpath.diagnostics import Diagnostic
    from kernelpath.packs.folders import PackErrors

    known = ", ".join(f"`{each}`" for each in pack.meta["programs"]) or "none"
    message = f"pack `{pack.meta['name']}` has no program `{name}`, so it cannot answer this"
    help_text = f"its programs are {known}; declare it under `programs`, or extend a pack that has it"
    return PackErrors([Diagnostic("pack/program", (), "error", message, help=help_text)])


def _never_set(program: str, names: list[str]) -> Exception:
    from kernelpath.diagnostics import Diagnostic
    from kernelpath.packs.folders import PackErrors

    message = f"nothing sets {', '.join(f'`{name}`' for name in names)}, which program `{program}` reads"
    return PackErrors([Diagnostic("pack/order", (), "error", message)])
