"""Turn a checked pack into one Python module, and plain data that says which of its functions is what.

The module has, for every rule, a function for each of its expressions (what `pack show --python` prints), and for the
stages that are asked together a fused function with all rules inlined (see `fused`). The data holds no objects of ours,
so that both can be marshalled and a cached pack costs one file to load.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelpath.diagnostics import ERROR, Diagnostic
from kernelpath.diagnostics.render.printable import printable
from kernelpath.language import Checked, Type
from kernelpath.language.ast import Call, Literal, Member, Name, walk
from kernelpath.language.types import ListOf, required
from kernelpath.packs.deciding import deciding
from kernelpath.packs.folders import PackErrors
from kernelpath.packs.fused import FusedWriter
from kernelpath.packs.model import (
    Check,
    Document,
    Flow,
    Pack,
    Part,
    Parts,
    Plan,
    Question,
    Resolve,
    Rule,
    Scope,
    Stage,
    Step,
    Table,
    Term,
    Text,
    Transition,
    Value,
)
from kernelpath.packs.passing import needed_before
from kernelpath.packs.planning import REQUEST
from kernelpath.packs.python_text import ExpressionWriter, identifier
from kernelpath.packs.row_text import RowsWriter, class_lines, class_name, record_lines
from kernelpath.packs.straight import straight_lines

HEADER = ["from itertools import islice", ""]
Data = dict[str, Any]
Walked = tuple[tuple[str, ...], str, tuple[str, ...]]


@dataclass(slots=True)
class Generated:
    """The text of a pack's module, and its data."""

    text: str
    data: Data


def generate(pack: Pack) -> Generated:
    """Return the module of a pack and its data."""
    return ModuleWriter(pack).write()


def _limit(type_: Type) -> int | None:
    """Return how many items a value of a type may have, None where any number."""
    inner = required(type_)
    return inner.limit if isinstance(inner, ListOf) else None


@dataclass(slots=True)
class ModuleWriter:
    """Writes a pack's module; every function is named after what it is of."""

    pack: Pack
    expressions: ExpressionWriter = field(default_factory=ExpressionWriter)
    lines: list[str] = field(default_factory=lambda: list(HEADER))
    scopes: dict[str, Data] = field(default_factory=dict)
    stages: dict[str, list[Data]] = field(default_factory=dict)
    fused: dict[Walked, tuple[str, frozenset[str]]] = field(default_factory=dict)
    flows: dict[str, Data] = field(default_factory=dict)
    cells: dict[str, Data] = field(default_factory=dict)
    claimed: set[str] = field(default_factory=set)

    @property
    def limits(self) -> dict[str, int]:
        """How many items the cells may have whose type says so."""
        return {name: limit for name, type_ in self.pack.cells.items() if (limit := _limit(type_)) is not None}

    def write(self) -> Generated:
        """Return the module's text and its data."""
        pack = self.pack
        for record in pack.records.values():
            self._claim(class_name(record.name))
            self.lines += class_lines(record)
        named = {**{name: table.scope for name, table in pack.items.items()}, **pack.scopes}
        self.scopes = {name: self._scope(name, scope) for name, scope in named.items()}
        self.stages = {name: [self._rule(rule) for rule in stage.rules] for name, stage in pack.stages.items()}
        questions = {name: self._question(question) for name, question in pack.questions.items()}
        data = {
            "name": pack.name,
            "summary": pack.summary,
            "digest": pack.digest,
            "libraries": pack.libraries,
            "constants": {name: value for name, value in pack.constants.items() if name not in pack.data},
            "data": dict(pack.data),
            "limits": self.limits,
            "fixes": dict(pack.fixes),
            "vocabularies": {name: list(found.values) for name, found in pack.vocabularies.items()},
            "documents": {name: self._document(document) for name, document in pack.documents.items()},
            "inputs": [name for name, value in pack.values.items() if value.input],
            "stages": self.stages,
            "scopes": self.scopes,
            "order": list(pack.stages),
            "records": {name: list(record.fields) for name, record in pack.records.items()},
            "questions": questions,
        }
        return Generated("\n".join(self.lines) + "\n", data)

    def term(self, name: str, term: Term | Text | None) -> Any:
        """Write a term's own function and return its name and parameters; None for no term."""
        return self._function(name, term.checked) if term else None

    def _function(self, name: str, checked: Any) -> tuple[str, tuple[str, ...]]:
        self._claim(name)
        self.lines += self.expressions.function(name, checked)
        return name, tuple(self.expressions.parameters(checked))

    def _claim(self, name: str) -> None:
        """Refuse a pack in which two functions would have one name, and one would stand for both."""
        if name in self.claimed:
            message = f"two names of the pack differ only in `-`, `_` and the like, or both become `{name}`"
            raise PackErrors([Diagnostic("pack/names", (), ERROR, message, help="rename a rule, stage, scope or flow")])
        self.claimed.add(name)

    def _scope(self, name: str, scope: Scope) -> Data:
        start = f"scope__{identifier(name)}"
        return {
            "name": scope.name,
            "whole": dict(scope.whole),
            "row": scope.row,
            "index": scope.index,
            "subject": self.term(f"{start}__subject", scope.subject),
            "at": self.term(f"{start}__at", scope.at),
        }

    def _document(self, document: Document) -> Data:
        name = f"document__{identifier(document.name)}"
        part, instead = document.part, document.instead
        return {
            "doc": document.doc,
            "optional": document.optional,
            "recognise": self.term(f"{name}__recognise", document.recognise),
            "resembles": self.term(f"{name}__resembles", document.resembles),
            "members": _members(document),
            "part": self._part(name, part) if part else None,
            "completed": self.term(f"{name}__completed", document.completed),
            "named": document.named,
            "options": dict(document.options),
            "holds": dict(document.holds),
            "instead": (self.term(f"{name}__instead", instead.when), instead.of, instead.at) if instead else None,
            "resource": document.resource,
            "over": document.over,
        }

    def _part(self, name: str, part: Part) -> Data:
        return {
            "when": self.term(f"{name}__part", part.when),
            "resembles": self.term(f"{name}__part_resembles", part.resembles),
            "at": part.at,
        }

    def _guarded(self, rule: Rule) -> tuple[str, ...]:
        """Return the paths that checks of its stage guard and that a rule reads."""
        stage = self.pack.stages[rule.stage]
        guards = {path for other in stage.rules if isinstance(other, Check) for path in other.guards}
        return tuple(sorted(guards & set(rule.paths))) if guards else ()

    def _rule(self, rule: Rule) -> Data:
        name = rule_function(rule)
        self.lines += [f"# {printable(' '.join(f'{rule.identity}: {rule.summary}'.split()))}", ""]
        data: Data = {
            "id": rule.identity,
            "stage": rule.stage,
            "kind": rule.kind,
            "file": rule.place.file,
            "line": rule.place.line,
            "severity": rule.severity,
            "decisions": rule.decisions,
            "lets": [(let, self.term(f"{name}__{let}", term)) for let, term in rule.lets],
            "when": self.term(f"{name}__when", rule.when),
            "tags": rule.tags,
            "guards": (),
            "guarded": self._guarded(rule),
        }
        match rule:
            case Check():
                data |= self._check(name, rule)
            case Resolve():
                data |= self._resolve(name, rule)
            case Transition():
                data |= {
                    "slot": self.term(f"{name}__slot", rule.slot),
                    "value": self.term(f"{name}__holds", rule.value),
                }
            case Table():
                data |= self._table(name, rule)
        return data

    def _check(self, name: str, rule: Check) -> Data:
        parts = {key: self.term(f"{name}__{key}", getattr(rule, key)) for key in ("message", "help", "subject", "at")}
        return parts | {
            "holds": self.term(f"{name}__holds", rule.holds),
            "values": self._values(name, rule),
            "fix": rule.fix,
            "guards": rule.guards,
        }

    def _values(self, name: str, rule: Check) -> list[Any]:
        """Write a function for each value that decides a check: the parts of its condition that are no booleans."""
        terms = ([rule.when] if rule.when else []) + [rule.holds]
        shown: dict[str, Checked] = {}
        for term in terms:
            shown |= deciding(term.checked)
        return [
            (text, self._shown(f"{name}__value_{place}", checked))
            for place, (text, checked) in enumerate(shown.items())
        ]

    def _shown(self, name: str, checked: Checked) -> tuple[str, tuple[str, ...]]:
        function, parameters = self._function(name, checked)
        self.lines[-2] = f"    return shown_text({self.lines[-2].removeprefix('    return ')})"
        return function, parameters

    def _resolve(self, name: str, rule: Resolve) -> Data:
        candidates = [
            {key: self.term(f"{name}__{place}_{key}", getattr(candidate, key)) for key in ("when", "value", "source")}
            for place, candidate in enumerate(rule.candidates)
        ]
        return {"variable": rule.variable, "candidates": candidates}

    def _table(self, name: str, rule: Table) -> Data:
        rows = [
            {key: self.term(f"{name}__{place}_{key}", getattr(row, key)) for key in ("when", "value")}
            | {"path": row.path}
            for place, row in enumerate(rule.rows)
        ]
        return {"variable": rule.variable, "hit": rule.hit, "base": self.term(f"{name}__base", rule.base), "rows": rows}

    def _question(self, question: Question) -> Data:
        name = f"question__{identifier(question.name)}"
        plan = self.pack.plans[question.name]
        data = {
            "doc": question.doc,
            "given": question.given,
            "always": question.always,
            "request": dict(question.request),
            "gate": [self._step(step, question) for step in plan.gate],
            "steps": [self._step(step, question) for step in plan.steps],
            "inputs": plan.inputs,
            "needed": self._needed(question, plan),
            "when": self.term(f"{name}__when", question.when),
            "answer": self.term(f"{name}__answer", question.answer),
            "otherwise": self.term(f"{name}__otherwise", question.otherwise),
            "matrix": question.matrix,
            "shows": {word: self.term(f"{name}__shows_{word}", term) for word, term in question.shows.items()},
        }
        data["straight"] = f"{name}__straight"
        self._claim(data["straight"])
        self.lines += straight_lines(data["straight"], data, self.limits)
        return data

    def _needed(self, question: Question, plan: Plan) -> tuple[str, ...]:
        """Return the documents that the question cannot be asked without."""
        known = self.pack.documents
        given = [known[name] for name in question.given]
        return tuple(each.name for each in given if not each.optional and each.resource is None)

    def _step(self, step: Step, question: Question) -> Data:
        data: Data = {"kind": step.kind, "name": step.name, "stages": step.stages, "needs": step.needs}
        if step.kind == "input":
            name = f"question__{identifier(question.name)}__{identifier(step.name)}"
            return data | {"term": self.term(name, question.inputs[step.name])}
        data |= getattr(self, "_step_" + step.kind)(step)
        return data

    def _step_value(self, step: Step) -> Data:
        """Write a value's functions once, however many questions need it."""
        value = self.pack.values[step.name]
        if value.name not in self.cells:
            self.cells[value.name] = self._value_data(value)
        return self.cells[value.name]

    def _value_data(self, value: Value) -> Data:
        name = f"value__{identifier(value.name)}"
        ask = value.ask
        given = [(word, self.term(f"{name}__{word}", term)) for word, term in ask.given.items()] if ask else []
        terms = [value.term, *(ask.given.values() if ask else ()), *(column.term for column in value.fields)]
        return {
            "input": value.input,
            "term": self._record(name, value) if value.fields else self.term(name, value.term),
            "ask": (ask.question, given, dict(ask.places)) if ask else None,
            "when": self.term(f"{name}__when", value.when),
            "otherwise": self.term(f"{name}__otherwise", value.otherwise),
            "reads": frozenset(read for term in terms if term for read in term.checked.variables),
        }

    def _record(self, name: str, value: Value) -> tuple[str, tuple[str, ...]]:
        """Write the function that makes the record of a value with fields."""
        self._claim(name)
        reads = sorted({read for column in value.fields for read in column.term.checked.variables})
        self.lines += [*record_lines(name, value, reads, self.expressions), ""]
        return name, tuple(reads)

    def _step_table(self, step: Step) -> Data:
        table = self.pack.items[step.name]
        key = f"{table.name} table"
        if key not in self.cells:
            source = self.pack.items.get(table.source or "")
            outer = self.pack.items.get(table.within or "")
            writer = RowsWriter(table, source, outer, self.expressions)
            name = f"rows__{identifier(table.name)}"
            listed = made = None
            reads: set[str] = set()
            if table.over is not None:
                listed = name
                self._claim(listed)
                self.lines += writer.listed(listed)
                reads |= writer.list_reads()
            if table.record is not None:
                made = f"{name}__made"
                self._claim(made)
                self.lines += writer.made(made)
                reads |= writer.column_reads()
            self.cells[key] = {
                "listed": listed,
                "made": made,
                "source": table.source,
                "within": table.within,
                "like": table.like,
                "parts": len(table.scope.row),
                "when": self.term(f"{name}__when", table.when),
                "reads": frozenset(reads),
            }
        return self.cells[key]

    def _step_stages(self, step: Step) -> Data:
        stages = [self.pack.stages[name] for name in step.stages]
        scope = step.name if step.table else stages[0].scope
        function, reads = self._fused(stages, scope, None, step.keeps)
        when = stages[0].when
        table = self.pack.items.get(step.table or "")
        return {
            "table": step.table,
            "like": table.like if table and table.like in stages[0].each else None,
            "rows": self._by_rows(stages, step.table),
            "when": self.term(
                f"stage__{identifier(stages[0].name)}__{identifier(step.name)}__when__{len(self.lines)}", when
            ),
            "asks": frozenset(when.checked.variables) if when else frozenset(),
            "keeps": step.keeps,
            "nulls": tuple(stages[0].gives) if when else (),
            "reads": reads,
            "walk": self._walk(function, scope, stages, None, step.keeps),
        }

    def _scope_of(self, name: str) -> Scope:
        return self.pack.items[name].scope if name in self.pack.items else self.pack.scopes[name]

    def _by_rows(self, stages: Sequence[Stage], table: str | None) -> tuple[tuple[str, ...], ...]:
        """Return, for each stage, the stages over the same rows, asked before, that a row must have passed."""
        own = {stage.name for stage in stages}
        needed = (needed_before(self.pack, stage, table) if table else {} for stage in stages)
        return tuple(tuple(name for name in names if name not in own) for names in needed)

    def _walk(
        self, function: str, scope: str, stages: Sequence[Stage], flow: Data | None, keeps: tuple[str, ...]
    ) -> Data:
        return {
            "function": function,
            "checks": any(isinstance(rule, Check) for stage in stages for rule in stage.rules),
            "scope": self.scopes[scope],
            "names": [stage.name for stage in stages],
            "stages": [self.stages[stage.name] for stage in stages],
            "before": self._before(stages, scope) if len(stages) > 1 else ((),),
            "flow": flow,
            "collects": tuple(name for name in keeps if name != "slots"),
        }

    def _before(self, stages: Sequence[Stage], each: str) -> tuple[tuple[int, ...], ...]:
        """Return, for each stage, the places of those before it that a row must have passed to come to it."""
        places = {stage.name: place for place, stage in enumerate(stages)}
        found: list[set[int]] = []
        for place, stage in enumerate(stages):
            direct = {places[name] for name in needed_before(self.pack, stage, each) if places.get(name, place) < place}
            found.append(direct.union(*(found[before] for before in direct)))
        return tuple(tuple(sorted(before)) for before in found)

    def _step_pass(self, step: Step) -> Data:
        owner, _, name = step.name.partition(".")
        flow = self.pack.flows[owner]
        stages = [self.pack.stages[stage] for stage in step.stages]
        pass_ = flow.passes[name]
        keeps = tuple(each for each in step.keeps if each != "slots")
        function, reads = self._fused(stages, owner, flow, keeps)
        start = f"pass__{identifier(owner)}__{identifier(name)}"
        terms = [
            (slot, self.term(f"{start}__{identifier(slot)}__{at}", term))
            for at, (slot, term) in enumerate(pass_.start.items())
        ]
        named = {term for _, (_, read) in terms for term in read}
        named |= {each for each in (pass_.start_from, pass_.carry, flow.over) if each}
        named |= set(flow.parts.count.checked.variables) if flow.parts else set()
        return {
            "flow": owner,
            "pass": name,
            "word": flow.word,
            "over": flow.over,
            "start": terms,
            "start_from": pass_.start_from,
            "carry": pass_.carry,
            "settles": pass_.settles,
            "keeps": keeps,
            "slots": "slots" in step.keeps,
            "reads": (reads - ({flow.word} if flow.word else set())) | named,
            "walk": self._walk(function, owner, stages, self._flow(flow), keeps),
        }

    def _flow(self, flow: Flow) -> Data:
        """Write the functions of a flow once, however many passes go through it, and return its data."""
        if flow.name not in self.flows:
            name = f"flow__{identifier(flow.name)}"
            self.flows[flow.name] = {
                "name": flow.name,
                "visits": self.term(f"{name}__visits", flow.visits),
                "reads": [(variable, self.term(f"{name}__{variable}", term)) for variable, term in flow.reads],
                "parts": self._parts(name, flow.parts),
            }
        return self.flows[flow.name]

    def _parts(self, name: str, parts: Parts | None) -> Data | None:
        if parts is None:
            return None
        return {
            "of": self.term(f"{name}__of", parts.of),
            "on": self.term(f"{name}__on", parts.on),
            "order": parts.order,
            "repeated": parts.repeated,
            "count": self.term(f"{name}__count", parts.count),
            "split": dict(parts.split),
        }

    def _fused(
        self, stages: Sequence[Stage], scope: str, flow: Flow | None, collected: tuple[str, ...]
    ) -> tuple[str, frozenset[str]]:
        """Write the fused function of stages over rows once, and return its name and the cells that it reads."""
        key = (tuple(stage.name for stage in stages), scope, collected)
        if key not in self.fused:
            parts = [scope, *(stage.name for stage in stages), *collected]
            name = f"walk__{'__'.join(identifier(part) for part in parts)}"
            rows = self._scope_of(scope)
            writer = FusedWriter(name, stages, rows, flow, self.expressions)
            self._claim(name)
            self.lines += [*writer.function(collected), ""]
            reads = {rows.whole.get(read, read) for read in writer.workspace_names()}
            self.fused[key] = name, frozenset(reads)
        return self.fused[key]


def _members(document: Document) -> tuple[str, ...]:
    """Return the members of a file that it is recognised by, such as `jobs` of `has(file, "jobs")`."""
    found: dict[str, None] = {}
    part = document.part
    terms = [document.recognise, document.resembles, *([part.when, part.resembles] if part else [])]
    for node in (node for term in terms if term for node in walk(term.checked.expression)):
        match node:
            case Member(object=Name(name="file"), name=name):
                found[name] = None
            case Call(function="has", arguments=(Name(name="file"), Literal(value=str(name)))):
                found[name] = None
    return tuple(found)


def rule_function(rule: Rule) -> str:
    """Return the beginning of the names of a rule's functions."""
    return f"{identifier(rule.stage)}__{identifier(rule.name)}"


__all__ = ["REQUEST", "Generated", "Mapping", "ModuleWriter", "generate", "rule_function"]
