"""Turn a checked pack into one Python module, and plain data that says which of its functions is what.

The module has, for every rule, a function for each of its expressions (what `pack show --python` prints), and for every
walk of a program a fused function with all rules inlined (see `sweep`). The data holds no objects of ours, so that both
can be marshalled and a cached pack costs one file to load.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelpath.diagnostics import ERROR, Diagnostic
from kernelpath.diagnostics.render.printable import printable
from kernelpath.language import Checked, Type
from kernelpath.language.types import ListOf, required
from kernelpath.packs.availability import outside, reads
from kernelpath.packs.deciding import deciding
from kernelpath.packs.folders import PackErrors
from kernelpath.packs.model import (
    Check,
    Entry,
    Flow,
    Pack,
    Parts,
    Program,
    RecordShape,
    Resolve,
    Rule,
    Scope,
    Stage,
    Table,
    Term,
    Text,
    Transition,
)
from kernelpath.packs.python_text import ExpressionWriter, identifier
from kernelpath.packs.record_text import class_lines, class_name, read_from_workspace, reader_lines, reader_name
from kernelpath.packs.sweep import SweepWriter

HEADER = ["from itertools import islice", ""]
Data = dict[str, Any]
Walked = tuple[tuple[str, ...], str | None, tuple[str, ...]]


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
    sweeps: dict[Walked, str] = field(default_factory=dict)
    flows: dict[str, Data] = field(default_factory=dict)
    claimed: set[str] = field(default_factory=set)

    def write(self) -> Generated:
        """Return the module's text and its data."""
        self.scopes = {name: self._scope(scope) for name, scope in self.pack.scopes.items()}
        self.stages = {name: [self._rule(rule) for rule in stage.rules] for name, stage in self.pack.stages.items()}
        records = {name: self._record(record) for name, record in self.pack.records.items()}
        programs = {name: self._program(program) for name, program in self.pack.programs.items()}
        data = {
            "name": self.pack.name,
            "summary": self.pack.summary,
            "digest": self.pack.digest,
            "constants": dict(self.pack.constants),
            "limits": {name: limit for name, type_ in self.pack.values.items() if (limit := _limit(type_)) is not None},
            "fixes": dict(self.pack.fixes),
            "vocabularies": {name: list(found.values) for name, found in self.pack.vocabularies.items()},
            "stages": self.stages,
            "records": records,
            "programs": programs,
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
            message = f"two names of the pack differ only in `-`, `_` and the like, or both come to `{name}`"
            raise PackErrors([Diagnostic("pack/names", (), ERROR, message, help="rename a rule, stage, scope or flow")])
        self.claimed.add(name)

    def _scope(self, scope: Scope) -> Data:
        name = f"scope__{identifier(scope.name)}"
        return {
            "name": scope.name,
            "item": scope.item,
            "index": scope.index,
            "over": self.term(f"{name}__over", scope.over),
            "subject": self.term(f"{name}__subject", scope.subject),
            "at": self.term(f"{name}__at", scope.at),
        }

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
            "verdicts": (),
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
            "stop": rule.stop,
            "verdicts": rule.verdicts,
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

    def _record(self, record: RecordShape) -> Data:
        """Write the class of a record, and the function that reads it where the engine builds it."""
        self._claim(class_name(record))
        self.lines += class_lines(record)
        if record.scope is not None:
            self.lines += reader_lines(record, self.pack.scopes[record.scope], self.expressions)
        names = [field_.name for field_ in record.fields]
        return {"fields": names, "function": None if record.scope is None else reader_name(record)}

    def _program(self, program: Program) -> Data:
        name = f"program__{identifier(program.name)}"
        read = {read for entry in program.entries for read, _ in reads(self.pack, entry)}
        return {
            "inputs": program.inputs,
            "outside": tuple(sorted(read & outside(self.pack))),
            "always": program.always,
            "entries": [self._entry(f"{name}__{place}", entry) for place, entry in enumerate(program.entries)],
            "value": self.term(f"{name}__value", program.value),
        }

    def _entry(self, name: str, entry: Entry) -> Data:
        terms = {key: self.term(f"{name}__{identifier(key)}", term) for key, term in entry.terms.items()}
        data: Data = {
            "verb": entry.verb,
            "label": entry.name,
            "needs": entry.needs,
            "stages": [],
            "when": self.term(f"{name}__when", entry.when),
        }
        data |= getattr(self, "_entry_" + entry.verb)(entry, terms)
        data["reads"] = self._reads(data, terms)
        data["asks"] = frozenset(data["when"][1]) if data["when"] else frozenset()
        return data

    def _reads(self, data: Data, terms: Mapping[str, Any]) -> frozenset[str]:
        """Return the workspace values that the entry cannot run without."""
        names = {parameter for _, parameters in terms.values() for parameter in parameters}
        if data["when"]:
            names |= set(data["when"][1])
        return frozenset(names | set(data.pop("also_reads", ())))

    def _entry_set(self, entry: Entry, terms: Mapping[str, Any]) -> Data:
        return {"terms": list(terms.items())}

    def _entry_return(self, entry: Entry, terms: Mapping[str, Any]) -> Data:
        return {"value": terms["return"]}

    def _entry_walk(self, entry: Entry, terms: Mapping[str, Any]) -> Data:
        names = entry.settings["walk"]
        stages = [names] if isinstance(names, str) else list(names)  # type: ignore[call-overload]
        return self._walked(entry, stages, None)

    def _entry_flow(self, entry: Entry, terms: Mapping[str, Any]) -> Data:
        flow = self.pack.flows[entry.name]
        data = self._walked(entry, [flow.stage], flow)
        start: Any = entry.settings["start"]
        over: Any = entry.settings["over"]
        data |= {
            "over": over,
            "carry": entry.settings.get("carry"),
            "settle": bool(entry.settings.get("settle", False)),
            "with": _under("with", terms),
            "start": start if isinstance(start, str) else _under("start", terms),
            "slots": next((target for target, name in data["keep"] if name == "slots"), None),
        }
        given = {name for name, _ in data["with"]}
        named = {
            over,
            start if isinstance(start, str) else None,
            data["carry"],
            flow.parts.count if flow.parts else None,
        }
        data["also_reads"] = (data["also_reads"] - given) | (named - {None})
        data["keep"] = [(target, name) for target, name in data["keep"] if name != "slots"]
        return data

    def _walked(self, entry: Entry, names: Sequence[str], flow: Flow | None) -> Data:
        stages = [self.pack.stages[name] for name in names]
        scope = self.pack.scopes[stages[0].scope]
        collect = _pairs(entry.settings.get("collect"))
        keep = _pairs(entry.settings.get("keep"))
        collected = tuple(dict.fromkeys(name for _, name in [*collect, *keep] if name != "slots"))
        sweep, needed = self._sweep(stages, scope, flow, collected)
        over = set(scope.over.checked.variables) if scope.over else set()
        walk = {
            "function": sweep,
            "scope": self.scopes[scope.name],
            "names": list(names),
            "stages": [self.stages[name] for name in names],
            "flow": self._flow(flow) if flow else None,
            "collects": collected,
            "checks": any(isinstance(rule, Check) for stage in stages for rule in stage.rules),
        }
        return {"walk": walk, "stages": list(names), "collect": collect, "keep": keep, "also_reads": needed | over}

    def _flow(self, flow: Flow) -> Data:
        """Write the functions of a flow, once however many entries go through it, and return its data."""
        if flow.name not in self.flows:
            name = f"flow__{identifier(flow.name)}"
            self.flows[flow.name] = {
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
            "count": parts.count,
            "split": dict(parts.split),
        }

    def _sweep(
        self, stages: Sequence[Stage], scope: Scope, flow: Flow | None, collected: tuple[str, ...]
    ) -> tuple[str, set[str]]:
        """Write the fused function of a walk once, and return its name and the workspace values that it reads."""
        key = (tuple(stage.name for stage in stages), flow.name if flow else None, collected)
        writer = SweepWriter("", stages, scope, flow, self.expressions)
        if key not in self.sweeps:
            parts = [flow.name if flow else "", *(stage.name for stage in stages), *collected]
            self.sweeps[key] = writer.name = f"walk__{'__'.join(identifier(part) for part in parts if part)}"
            self._claim(writer.name)
            self.lines += [*writer.function(collected), ""]
        return self.sweeps[key], set(writer.workspace_names())

    def _entry_read(self, entry: Entry, terms: Mapping[str, Any]) -> Data:
        record = self.pack.records[entry.name]
        scope = self.pack.scopes[record.scope or ""]
        over = set(scope.over.checked.variables) if scope.over else set()
        return {
            "function": reader_name(record),
            "over": self.scopes[scope.name]["over"],
            "walked": list(entry.settings.get("gaps", [])),  # type: ignore[call-overload]
            "into": entry.settings["into"],
            "also_reads": read_from_workspace(record, scope) | over,
        }

    def _entry_call(self, entry: Entry, terms: Mapping[str, Any]) -> Data:
        return {
            "program": entry.name,
            "with": _under("with", terms),
            "into": entry.settings["into"],
            "prefix": entry.settings.get("prefix", ""),
            "decision": entry.settings.get("decision"),
            "decisions": entry.settings.get("decisions"),
        }

    def _entry_run(self, entry: Entry, terms: Mapping[str, Any]) -> Data:
        return {
            "operation": entry.name,
            "with": _under("with", terms),
            "settings": entry.settings.get("settings", {}),
            "into": _pairs(entry.settings["into"]),
        }

    def _entry_judge(self, entry: Entry, terms: Mapping[str, Any]) -> Data:
        settings = entry.settings
        return {"names": settings["judge"], "of": settings.get("of", []), "into": settings["into"]}


def rule_function(rule: Rule) -> str:
    """Return the beginning of the names of a rule's functions."""
    return f"{identifier(rule.stage)}__{identifier(rule.name)}"


def _under(prefix: str, terms: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(key.removeprefix(prefix + " "), term) for key, term in terms.items() if key.startswith(prefix + " ")]


def _pairs(value: Any) -> list[tuple[str, str]]:
    return list(value.items()) if isinstance(value, Mapping) else []


__all__ = ["Generated", "ModuleWriter", "generate", "rule_function"]
