"""Read a pack: every file of its chain, every type and expression checked, all mistakes reported in one go."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kernelpath.diagnostics import ERROR, Diagnostic, did_you_mean
from kernelpath.diagnostics.render.printable import printable
from kernelpath.language import BOOL, STRING, Checked, Names, Type
from kernelpath.language.types import JSON, UNKNOWN, fits, optional
from kernelpath.packs import documents
from kernelpath.packs.availability import gaps
from kernelpath.packs.declarations import Declarations, items_at, mapping_at, mapping_of
from kernelpath.packs.documents import Node, Scalar, to_plain
from kernelpath.packs.files import (
    Layer,
    PackErrors,
    PackFiles,
    RuleFile,
    read_chain,
    read_pack_files,
    rule_files,
    stray_files,
)
from kernelpath.packs.model import Flow, Pack, Parts, RecordField, RecordShape, Rule, Scope, Stage, Term
from kernelpath.packs.passing import Passages, declared_passages, guarantees, lasting
from kernelpath.packs.programs import ProgramReader
from kernelpath.packs.rules import RuleNode, RuleReader, ordered, read_rule_nodes
from kernelpath.packs.shape import control_characters, validate
from kernelpath.packs.terms import place_of
from kernelpath.resources import resource

NAME = re.compile(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*")
SECTIONS = (
    "vocabularies",
    "records",
    "constants",
    "functions",
    "values",
    "scopes",
    "stages",
    "flows",
    "programs",
    "fragments",
    "decisions",
    "fixes",
)

@cache
def pack_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of pack.yaml, which editors use too."""
    schema: Mapping[str, Any] = json.loads(resource("grammars", "pack.schema.json").read_text(encoding="utf-8"))
    return schema


def read_pack(folder: Path, files: PackFiles | None = None) -> Pack:
    """Return a checked pack; raises PackErrors with every mistake in its files.

    `files` are the folder's files where they were read already.
    """
    read = files or read_pack_files(folder)
    try:
        chain = read_chain(read)
    except PackErrors as errors:
        raise _with_rule_files(errors.diagnostics, rule_files(read.layers[0])) from None
    shape = [found for layer in chain for found in _misshapen(layer)]
    shape += [found for layer in read.layers for found in stray_files(layer)]
    if shape:
        raise _with_rule_files(shape, [file for layer in chain for file in layer.rules])
    return PackReader(chain, read.digest).read()


def _misshapen(layer: Layer) -> Iterator[Diagnostic]:
    """Yield what is wrong with the shape of a pack's pack.yaml."""
    yield from validate(layer.root, pack_schema())
    yield from control_characters(layer.root)


def _with_rule_files(found: Sequence[Diagnostic], files: Sequence[RuleFile]) -> PackErrors:
    """Return what is wrong with a pack whose pack.yaml says too little to check its rules: their shape is told too."""
    diagnostics = list(found)
    read_rule_nodes(files, diagnostics)
    return PackErrors(sorted(set_of(diagnostics), key=_place))


@dataclass(slots=True)
class PackReader(Declarations):
    """Reads the layers of a chain into one pack; a later layer's entries and rules replace an earlier one's."""

    def read(self) -> Pack:
        """Return the pack, or raise PackErrors."""
        self.sections = {name: self._merged(name) for name in SECTIONS}
        self._read_types()
        self._read_functions()
        self._read_values()
        self._read_scopes()
        stages = self._read_stages()
        records = {
            name: self._record(name, key, node, stages) for name, (key, node) in self.sections["records"].items()
        }
        flows = {
            name: flow for name, (_, node) in self.sections["flows"].items() if (flow := self._flow(name, node, stages))
        }
        programs = self._read_programs(stages, flows, records)
        last = self.chain[-1]
        pack = Pack(
            name=last.name,
            summary=str(to_plain(last.root["summary"])),
            digest=self.digest,
            vocabularies=self.terms.vocabularies,
            records=records,
            values=self.values,
            constants=self.constants,
            functions=self.terms.functions,
            scopes=self.scopes,
            stages=stages,
            flows=flows,
            programs=programs,
            fixes={name: to_plain(node) for name, (_, node) in self.sections["fixes"].items()},
            decisions={name: str(to_plain(node)) for name, (_, node) in self.sections["decisions"].items()},
            chain=tuple(layer.name for layer in self.chain),
        )
        if not self.terms.diagnostics:
            self.terms.diagnostics.extend(gaps(pack))
        self._refuse()
        return pack

    def _refuse(self) -> None:
        if self.terms.diagnostics:
            raise PackErrors(sorted(set_of(self.terms.diagnostics), key=_place))

    def _record(self, name: str, key: Scalar, node: Node, stages: Mapping[str, Stage]) -> RecordShape:
        mapping = mapping_of(node)
        scope = self._named(mapping, "scope", self.scopes, "scope") if "scope" in mapping else None
        after = self._after(mapping, scope, stages) if scope else []
        names = self.terms.names(self.scopes[scope].variables if scope else {})
        known = self._passed(after, f"read {name}", scope, stages) if scope else []
        entries = mapping_at(mapping, "fields").entries
        if "scope" not in mapping and any("value" in mapping_of(value) for _, value in entries):
            message = f"record `{name}` has no scope to read its fields from"
            self.terms.fault(key, "pack/record", message, "give its `scope`, or fields without `value`")
        fields = [  # where the scope is unknown, its fields are not to blame
            self._field(name, field_key, mapping_of(value), names if scope else None, known)
            for field_key, value in entries
        ]
        return RecordShape(name, tuple(fields), scope, tuple(after), _doc(mapping), place_of(key))

    def _field(
        self, record: str, key: Scalar, node: documents.Mapping, names: Names | None, known: list[Checked]
    ) -> RecordField:
        wanted = self.record_types[record][key.text]
        term = self.terms.term(node["value"], names, wanted, known) if names and "value" in node else None
        return RecordField(key.text, wanted, term, _doc(node), place_of(key))

    def _read_stages(self) -> dict[str, Stage]:
        nodes = self._rule_nodes()
        stages: dict[str, Stage] = {}
        for name, (key, node) in self.sections["stages"].items():
            mapping = mapping_of(node)
            scope = self._named(mapping, "scope", self.scopes, "scope")
            if scope:
                after = self._after(mapping, scope, stages)
                own = [rule for rule in nodes if rule.file.stage == name]
                passed = self._passed(after, name, scope, stages, _given_again(nodes, scope))
                rules = self._stage_rules(own, self.scopes[scope], passed)
                stages[name] = Stage(name, scope, _doc(mapping), tuple(rules), tuple(after), place_of(key))
        for rule in nodes:
            if not NAME.fullmatch(rule.file.name):
                message = f"`{printable(rule.file.name)}` is no name for a rule"
                help_text = "a name has letters and digits, with `-`, `_` or `.` between them"
                self.terms.fault(rule.root.entries[0][0], "pack/name", message, help_text)
            if rule.file.stage not in self.sections["stages"]:
                near = did_you_mean(rule.file.stage, self.sections["stages"])
                help_text = f"did you mean `{near}`?" if near else "declare it under `stages` in pack.yaml"
                message = f"the folder `{rule.file.stage}` is no stage of the pack"
                self.terms.fault(rule.root.entries[0][0], "pack/stage", message, help_text)
        return stages

    def _after(self, node: documents.Mapping, scope: str, stages: Mapping[str, Stage]) -> list[str]:
        """Return the stages that an item passed before it comes here: earlier ones of the same scope."""
        found = []
        for item in items_at(node, "after"):
            name = str(to_plain(item))
            if name in stages and stages[name].scope == scope:
                found.append(name)
            else:
                self.terms.fault(item, "pack/stage", f"`{name}` is no earlier stage of scope `{scope}`")
        return found

    def _passed(
        self, after: list[str], stage: str, scope: str, stages: Mapping[str, Stage], again: Set[str] = frozenset()
    ) -> list[Checked]:
        """Return what holds of the items of a stage, or of a record, because of the stages that they passed.

        `again` are the variables that several rules give.
        """
        ways = [(stages[name], self._passages().between(name, stage, self.scopes[scope])) for name in after]
        return [checked for earlier, passage in ways for checked in lasting(earlier.rules, passage, again)]

    def _passages(self) -> Passages:
        plain: dict[str, Any] = {
            section: {name: to_plain(node) for name, (_, node) in self.sections[section].items()}
            for section in ("programs", "fragments", "flows")
        }
        return declared_passages(plain["programs"].values(), plain["fragments"], plain["flows"])

    def _rule_nodes(self) -> list[RuleNode]:
        """Return the rules of the chain: of equal stage and name the last layer's, without disabled ones."""
        files: dict[tuple[str, str], RuleFile] = {}
        for layer in self.chain:
            files |= {(file.stage, file.name): file for file in layer.rules}
            self._disable(layer, files)
        return read_rule_nodes(list(files.values()), self.terms.diagnostics)

    def _disable(self, layer: Layer, files: dict[tuple[str, str], RuleFile]) -> None:
        for item in items_at(layer.root, "disable"):
            stage, _, name = str(to_plain(item)).partition("/")
            if (stage, name) not in files:
                known = [f"{other}/{rule}" for other, rule in files]
                self.terms.unknown(item, "rule", f"{stage}/{name}", known, "a rule goes by its stage and name")
            files.pop((stage, name), None)

    def _stage_rules(self, nodes: list[RuleNode], scope: Scope, passed: list[Checked]) -> list[Rule]:
        """Read a stage's rules; a `stop` check without condition holds for every rule of a later order."""
        rules: list[Rule] = []
        slots = self._slots(nodes[0].file.stage) if nodes else None
        facts: list[tuple[float, Checked]] = [(-math.inf, checked) for checked in passed]
        for node in sorted(nodes, key=lambda node: (node.order, node.file.name)):
            scope_name = self._rule_scope(node, scope)
            if not scope_name:
                continue
            known = [checked for order, checked in facts if order < node.order]
            rule = RuleReader(self.terms, node, scope, known, slots).read()
            if rule:
                rules.append(rule)
            if rule:
                facts += [(node.order, checked) for checked in guarantees(rule)]
        return ordered(rules, scope, self.terms.diagnostics, {node.file.identity: node.root for node in nodes})

    def _slots(self, stage: str) -> Type | None:
        """Return the type of what the slots of a stage's flow hold, None where no flow goes through the stage."""
        flows = [mapping_of(node) for _, node in self.sections["flows"].values()]
        for flow in flows:
            if to_plain(flow["stage"]) == stage:
                return self.terms.type(flow["slots"])
        astray = any(to_plain(flow["stage"]) not in self.sections["stages"] for flow in flows)
        return UNKNOWN if astray else None

    def _rule_scope(self, node: RuleNode, scope: Scope) -> bool:
        each = node.root["each"]
        if to_plain(each) == scope.name:
            return True
        name = str(to_plain(each))
        if name in self.scopes:
            message = f"rules of stage `{node.file.stage}` are for each `{scope.name}`, not each `{name}`"
            self.terms.fault(
                each, "pack/scope", message, f"write `each: {scope.name}`, or move the rule to another stage"
            )
        else:
            self._named(node.root, "each", self.scopes, "scope")
        return False

    def _flow(self, name: str, node: Node, stages: Mapping[str, Stage]) -> Flow | None:
        mapping = mapping_of(node)
        stage = self._named(mapping, "stage", self.sections["stages"], "stage")
        if stage is None or stage not in stages:
            return None
        scope = self.scopes[stages[stage].scope]
        names = self.terms.names(scope.variables)
        slots = self.terms.type(mapping["slots"])
        entries = mapping_at(mapping, "reads").entries
        reads = [(key.text, self._slot_read(key, value, scope, slots)) for key, value in entries]
        visits = self.terms.term(mapping["visits"], names, BOOL) if "visits" in mapping else None
        kept = tuple((variable, term) for variable, term in reads if term)
        order, parts = str(to_plain(mapping["order"])), self._parts(mapping, names)
        return Flow(name, stage, order, kept, visits, slots, parts, place_of(node))

    def _slot_read(self, key: Scalar, node: Node, scope: Scope, slots: Type) -> Term | None:
        """Return the name of the slot that a visit reads into a local of its scope."""
        local = scope.locals.get(key.text)
        if local is None:
            self.terms.unknown(key, "local", key.text, scope.locals, f"declare it in scope `{scope.name}`")
        elif not fits(optional(slots), local):
            message = f"slots hold `{slots}`, and `{key.text}` is `{local}`"
            help_text = f"a slot that nothing wrote is null: declare `{optional(slots)}`"
            self.terms.fault(key, "pack/flow", message, help_text)
        return self.terms.term(node, self.terms.names(scope.variables), STRING)

    def _parts(self, flow: documents.Mapping, names: Names) -> Parts | None:
        """Return the parts of an unrolled flow, None of a listed one."""
        unrolled = to_plain(flow["order"]) == "unrolled"
        if unrolled != ("parts" in flow):
            message = "an unrolled flow needs `parts`" if unrolled else "a listed flow has no `parts`"
            self.terms.fault(flow["order"], "pack/flow", message)
            return None
        if not unrolled:
            return None
        node = mapping_at(flow, "parts")
        plain: Any = to_plain(node)
        of, on = self.terms.term(node["of"], names), self.terms.term(node["on"], names, JSON)
        if self._named(node, "count", self.values, "value") is None or of is None or on is None:
            return None
        return Parts(of, tuple(plain["order"]), plain["repeated"], on, plain["count"], plain.get("split", {}))

    def _read_programs(
        self, stages: Mapping[str, Stage], flows: Mapping[str, Flow], records: Mapping[str, RecordShape]
    ) -> Any:
        reader = ProgramReader(self.terms, self.values, self.scopes, self.sections, stages, flows, records)
        programs = self.sections["programs"].items()
        read = {name: reader.program(name, mapping_of(node)) for name, (_, node) in programs}
        reader.refuse_calls()
        return read


def _doc(node: documents.Mapping) -> str:
    return str(to_plain(node["doc"])) if "doc" in node else ""


def _given_again(nodes: Sequence[RuleNode], scope: str) -> frozenset[str]:
    """Return the variables that several rules of a scope give."""
    given = Counter(to_plain(node.root[node.kind]) for node in nodes if _gives_in(node, scope))
    return frozenset(str(name) for name, count in given.items() if count > 1)


def _gives_in(node: RuleNode, scope: str) -> bool:
    return node.kind in ("resolve", "table") and to_plain(node.root["each"]) == scope


def set_of(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics without those that say the same at the same place."""
    seen: dict[tuple[Any, ...], Diagnostic] = {}
    for found in diagnostics:
        seen.setdefault((found.span, found.message), found)
    return list(seen.values())


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    span = diagnostic.span
    return (span.file, span.line, span.column) if span else ("", 0, 0)



__all__ = ["ERROR", "JSON", "PackReader", "pack_schema", "read_pack"]
