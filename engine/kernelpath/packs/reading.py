"""Read a pack: every file of its chain, every type and expression checked, all mistakes reported in one go."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from kernelpath.diagnostics import ERROR, Diagnostic, did_you_mean
from kernelpath.language import Checked, LanguageErrors, Names, Type, Vocabulary, check, parse
from kernelpath.language.types import INT, JSON, STRING, UNKNOWN, ListOf, Record
from kernelpath.packs import documents
from kernelpath.packs.documents import Node, Scalar, to_plain
from kernelpath.packs.files import Layer, PackErrors, RuleFile, content_digest, read_chain, rule_files
from kernelpath.packs.functions import Function, expand, refuse_loops
from kernelpath.packs.model import (
    Check,
    Flow,
    Pack,
    Parts,
    RecordField,
    RecordShape,
    Rule,
    Scope,
    Stage,
)
from kernelpath.packs.programs import ProgramReader
from kernelpath.packs.rules import RuleNode, RuleReader, ordered, read_rule_nodes
from kernelpath.packs.shape import validate
from kernelpath.packs.terms import TermReader, place_of
from kernelpath.resources import resource

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
)
Entries = dict[str, tuple[Scalar, Node]]


@cache
def pack_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of pack.yaml, which editors use too."""
    schema: Mapping[str, Any] = json.loads(resource("grammars", "pack.schema.json").read_text(encoding="utf-8"))
    return schema


def read_pack(folder: Path) -> Pack:
    """Return a checked pack; raises PackErrors with every mistake in its files."""
    try:
        chain = read_chain(folder)
    except PackErrors as errors:
        raise _with_rule_files(errors.diagnostics, rule_files(folder)) from None
    shape = [found for layer in chain for found in validate(layer.root, pack_schema())]
    if shape:
        raise _with_rule_files(shape, [file for layer in chain for file in layer.rules])
    return PackReader(chain, content_digest(folder)).read()


def _with_rule_files(found: Sequence[Diagnostic], files: Sequence[RuleFile]) -> PackErrors:
    """Return what is wrong with a pack whose pack.yaml says too little to check its rules: their shape is told too."""
    diagnostics = list(found)
    read_rule_nodes(files, diagnostics)
    return PackErrors(sorted(set_of(diagnostics), key=_place))


@dataclass(slots=True)
class PackReader:
    """Reads the layers of a chain into one pack; a later layer's entries and rules replace an earlier one's."""

    chain: list[Layer]
    digest: str
    terms: TermReader = field(default_factory=TermReader)
    sections: dict[str, Entries] = field(default_factory=dict)
    values: dict[str, Type] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    scopes: dict[str, Scope] = field(default_factory=dict)
    record_types: dict[str, dict[str, Type]] = field(default_factory=dict)

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
        self._refuse()
        last = self.chain[-1]
        return Pack(
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
            decisions={name: str(to_plain(node)) for name, (_, node) in self.sections["decisions"].items()},
            chain=tuple(layer.name for layer in self.chain),
        )

    def _refuse(self) -> None:
        if self.terms.diagnostics:
            raise PackErrors(sorted(set_of(self.terms.diagnostics), key=_place))

    def _merged(self, section: str) -> Entries:
        merged: Entries = {}
        for layer in self.chain:
            node = layer.root.get(section)
            if isinstance(node, documents.Mapping):
                merged |= {key.text: (key, value) for key, value in node.entries}
        return merged

    def _read_types(self) -> None:
        """Read vocabularies, then record types; records may name each other, so their fields are filled in second."""
        vocabularies = {}
        for name, (_, node) in self.sections["vocabularies"].items():
            plain: Any = to_plain(node)
            vocabularies[name] = Vocabulary(name, tuple(plain["values"]), bool(plain.get("open", False)))
        self.record_types = {name: {} for name in self.sections["records"]}
        types: dict[str, Type] = {**vocabularies}
        types |= {name: Record(name, fields) for name, fields in self.record_types.items()}
        self.terms.vocabularies, self.terms.types = vocabularies, types
        for name, (_, node) in self.sections["records"].items():
            for key, value in _mapping(node, "fields").entries:
                self.record_types[name][key.text] = self.terms.type(_mapping_of(value)["type"])

    def _read_functions(self) -> None:
        for name, (_, node) in self.sections["functions"].items():
            mapping = _mapping_of(node)
            parameters = {key.text: self.terms.type(value) for key, value in _mapping(node, "parameters").entries}
            body = mapping["value"]
            assert isinstance(body, Scalar)
            try:
                expression = expand(parse(body.text), self.terms.functions)
                refuse_loops(expression)
                check(expression, self.terms.names(parameters))
            except LanguageErrors as errors:
                self.terms.problems(body, errors.problems)
                continue
            doc = str(to_plain(mapping["doc"])) if "doc" in mapping else ""
            self.terms.functions[name] = Function(name, tuple(parameters), expression, doc, body.text)

    def _read_values(self) -> None:
        for name, (_, node) in self.sections["constants"].items():
            mapping = _mapping_of(node)
            self.values[name] = self.terms.type(mapping["type"])
            self.constants[name] = to_plain(mapping["value"])
        for name, (key, node) in self.sections["values"].items():
            if name in self.constants:
                self.terms.fault(key, "pack/value", f"`{name}` is already a constant")
            self.values[name] = self.terms.type(_mapping_of(node)["type"])

    def _read_scopes(self) -> None:
        for name, (_, node) in self.sections["scopes"].items():
            self.scopes[name] = self._scope(name, _mapping_of(node))

    def _scope(self, name: str, node: documents.Mapping) -> Scope:
        used = self._used(node)
        over = self.terms.term(_mapping(node, "over").entries[0][1], self._all_values()) if "over" in node else None
        item, item_type = self._item(node, over.checked.type if over else UNKNOWN)
        locals_ = self._typed(node, "locals")
        given = self._typed(node, "given")
        variables = used | locals_ | given
        if item:
            variables[item] = item_type
        index = str(to_plain(node["index"])) if "index" in node else None
        if index:
            variables[index] = INT
        names = self.terms.names(variables)
        texts = {key: self.terms.text(node[key], names) if key in node else None for key in ("subject", "at")}
        doc = str(to_plain(node["doc"])) if "doc" in node else ""
        return Scope(
            name, variables, given, locals_, item, over, index, texts["subject"], texts["at"], doc, place_of(node)
        )

    def _all_values(self) -> Names:
        return self.terms.names(self.values)

    def _used(self, node: documents.Mapping) -> dict[str, Type]:
        used: dict[str, Type] = {}
        for item in _sequence(node, "uses"):
            name = str(to_plain(item))
            if name in self.values:
                used[name] = self.values[name]
            else:
                near = did_you_mean(name, self.values)
                self.terms.fault(
                    item, "pack/value", f"there is no value `{name}`", f"did you mean `{near}`?" if near else None
                )
        return used

    def _typed(self, node: documents.Mapping, section: str) -> dict[str, Type]:
        return {key.text: self.terms.type(value) for key, value in _mapping(node, section).entries}

    def _item(self, node: documents.Mapping, over: Type) -> tuple[str | None, Type]:
        if "item" in node:
            key, value = _mapping(node, "item").entries[0]
            return key.text, self.terms.type(value)
        if "over" in node:
            key, value = _mapping(node, "over").entries[0]
            if isinstance(over, ListOf):
                return key.text, over.element
            if over is not UNKNOWN:
                self.terms.fault(value, "pack/scope", "a scope goes over a list")
            return key.text, UNKNOWN
        return None, UNKNOWN

    def _record(self, name: str, key: Scalar, node: Node, stages: Mapping[str, Stage]) -> RecordShape:
        mapping = _mapping_of(node)
        scope = self._named(mapping, "scope", self.scopes, "scope") if "scope" in mapping else None
        variables = dict(self.scopes[scope].variables) if scope else {}
        after = self._after(mapping, scope or "", stages)
        known = _passed(after, stages)
        fields = []
        for field_key, value in _mapping(mapping, "fields").entries:
            field_ = _mapping_of(value)
            wanted = self.record_types[name][field_key.text]
            term = (
                self.terms.term(field_["value"], self.terms.names(variables), wanted, known)
                if "value" in field_
                else None
            )
            doc = str(to_plain(field_["doc"])) if "doc" in field_ else ""
            fields.append(RecordField(field_key.text, wanted, term, doc, place_of(field_key)))
        doc = str(to_plain(mapping["doc"])) if "doc" in mapping else ""
        return RecordShape(name, tuple(fields), scope, tuple(after), doc, place_of(key))

    def _named(self, node: documents.Mapping, key: str, known: Mapping[str, Any], what: str) -> str | None:
        """Return the name that a key holds if it is known, else None after collecting the mistake."""
        name = str(to_plain(node[key]))
        if name in known:
            return name
        near = did_you_mean(name, known)
        help_text = f"did you mean `{near}`?" if near else f"known are {', '.join(sorted(known))}"
        self.terms.fault(node[key], f"pack/{what}", f"there is no {what} `{name}`", help_text)
        return None

    def _read_stages(self) -> dict[str, Stage]:
        nodes = self._rule_nodes()
        stages: dict[str, Stage] = {}
        for name, (key, node) in self.sections["stages"].items():
            mapping = _mapping_of(node)
            scope = self._named(mapping, "scope", self.scopes, "scope")
            if scope:
                after = self._after(mapping, scope, stages)
                own = [rule for rule in nodes if rule.file.stage == name]
                rules = self._stage_rules(own, self.scopes[scope], _passed(after, stages))
                doc = str(to_plain(mapping["doc"])) if "doc" in mapping else ""
                stages[name] = Stage(name, scope, doc, tuple(rules), tuple(after), place_of(key))
        for rule in nodes:
            if rule.file.stage not in self.sections["stages"]:
                near = did_you_mean(rule.file.stage, self.sections["stages"])
                help_text = f"did you mean `{near}`?" if near else "declare it under `stages` in pack.yaml"
                message = f"the folder `{rule.file.stage}` is no stage of the pack"
                self.terms.fault(rule.root.entries[0][0], "pack/stage", message, help_text)
        return stages

    def _after(self, node: documents.Mapping, scope: str, stages: Mapping[str, Stage]) -> list[str]:
        """Return the stages that an item passed before it comes here: earlier ones of the same scope."""
        found = []
        for item in _sequence(node, "after"):
            name = str(to_plain(item))
            if name in stages and stages[name].scope == scope:
                found.append(name)
            else:
                self.terms.fault(item, "pack/stage", f"`{name}` is no earlier stage of scope `{scope}`")
        return found

    def _rule_nodes(self) -> list[RuleNode]:
        """Return the rules of the chain: of equal stage and name the last layer's, without disabled ones."""
        files: dict[tuple[str, str], RuleFile] = {}
        for layer in self.chain:
            files |= {(file.stage, file.name): file for file in layer.rules}
            self._disable(layer, files)
        return read_rule_nodes(list(files.values()), self.terms.diagnostics)

    def _disable(self, layer: Layer, files: dict[tuple[str, str], RuleFile]) -> None:
        for item in _sequence(layer.root, "disable"):
            stage, _, name = str(to_plain(item)).partition("/")
            if (stage, name) not in files:
                near = did_you_mean(f"{stage}/{name}", [f"{s}/{n}" for s, n in files])
                self.terms.fault(
                    item,
                    "pack/disable",
                    f"there is no rule `{stage}/{name}`",
                    f"did you mean `{near}`?" if near else None,
                )
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
                facts += [(node.order, checked) for checked in _guarantees(rule)]
        return ordered(rules, scope, self.terms.diagnostics, {node.file.identity: node.root for node in nodes})

    def _slots(self, stage: str) -> Type | None:
        """Return the type of what the slots of a stage's flow hold, None where no flow goes through the stage."""
        for _, node in self.sections["flows"].values():
            flow = _mapping_of(node)
            if to_plain(flow["stage"]) == stage:
                return self.terms.type(flow["slots"])
        return None

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
        mapping = _mapping_of(node)
        stage = self._named(mapping, "stage", stages, "stage")
        if not stage:
            return None
        names = self.terms.names(self.scopes[stages[stage].scope].variables)
        reads = [(key.text, self.terms.term(value, names, STRING)) for key, value in _mapping(mapping, "reads").entries]
        visits = self.terms.term(mapping["visits"], names) if "visits" in mapping else None
        kept = tuple((variable, term) for variable, term in reads if term)
        parts = self._parts(mapping, names)
        return Flow(
            name,
            stage,
            str(to_plain(mapping["order"])),
            kept,
            visits,
            self.terms.type(mapping["slots"]),
            parts,
            place_of(node),
        )

    def _parts(self, flow: documents.Mapping, names: Names) -> Parts | None:
        """Return the parts of an unrolled flow, None of a listed one."""
        unrolled = to_plain(flow["order"]) == "unrolled"
        if unrolled != ("parts" in flow):
            message = "an unrolled flow needs `parts`" if unrolled else "a listed flow has no `parts`"
            self.terms.fault(flow["order"], "pack/flow", message)
            return None
        if not unrolled:
            return None
        node = _mapping(flow, "parts")
        plain: Any = to_plain(node)
        of, on = self.terms.term(node["of"], names), self.terms.term(node["on"], names, JSON)
        if self._named(node, "count", self.values, "value") is None or of is None or on is None:
            return None
        return Parts(of, tuple(plain["order"]), plain["repeated"], on, plain["count"], plain.get("split", {}))

    def _read_programs(
        self, stages: Mapping[str, Stage], flows: Mapping[str, Flow], records: Mapping[str, RecordShape]
    ) -> Any:
        reader = ProgramReader(
            self.terms,
            self.values,
            self.scopes,
            stages,
            flows,
            records,
            self.sections["programs"],
            self.sections["fragments"],
        )
        return {name: reader.program(name, _mapping_of(node)) for name, (_, node) in self.sections["programs"].items()}


def _guarantees(rule: Rule) -> list[Checked]:
    """Return what holds of an item that a rule let pass on."""
    sure = isinstance(rule, Check) and rule.stop and rule.when is None and not rule.lets
    return [rule.holds.checked] if sure and isinstance(rule, Check) else []


def _passed(names: list[str], stages: Mapping[str, Stage]) -> list[Checked]:
    return [checked for name in names for rule in stages[name].rules for checked in _guarantees(rule)]


def set_of(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics without those that say the same at the same place."""
    seen: dict[tuple[Any, ...], Diagnostic] = {}
    for found in diagnostics:
        seen.setdefault((found.span, found.message), found)
    return list(seen.values())


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    span = diagnostic.span
    return (span.file, span.line, span.column) if span else ("", 0, 0)


def _mapping_of(node: Node) -> documents.Mapping:
    assert isinstance(node, documents.Mapping)  # INVARIANT: pack.schema.json was checked before
    return node


def _mapping(node: Node, key: str) -> documents.Mapping:
    """Return the mapping under a key, an empty one where the key is absent."""
    value = _mapping_of(node).get(key)
    return _mapping_of(value) if value is not None else documents.Mapping((), node.source, node.start, node.start)


def _sequence(node: documents.Mapping, key: str) -> list[Node]:
    value = node.get(key)
    return list(value.items) if isinstance(value, documents.Sequence) else []


__all__ = ["ERROR", "JSON", "PackReader", "pack_schema", "read_pack"]
