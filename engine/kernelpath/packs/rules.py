"""Read rule files: their kind, and their expressions against what the rules of their stage see."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from kernelpath.diagnostics import Diagnostic, did_you_mean
from kernelpath.language import BOOL, STRING, Checked, Names, Type
from kernelpath.language.types import JSON, UNKNOWN, Optional, Record, required
from kernelpath.packs import documents
from kernelpath.packs.documents import DocumentErrors, Node, Scalar, read_yaml, to_plain
from kernelpath.packs.files import PackErrors, RuleFile, rule_source
from kernelpath.packs.model import Candidate, Check, Resolve, Rule, Scope, Term, Text, Transition
from kernelpath.packs.reads import gives
from kernelpath.packs.shape import control_characters, validate
from kernelpath.packs.tables import TableReader, check_always
from kernelpath.packs.terms import TermReader, check_rule_place, place_of
from kernelpath.resources import resource

KINDS = ("check", "resolve", "transition", "table")


@cache
def rule_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of rule files, which editors use too."""
    schema: Mapping[str, Any] = json.loads(resource("grammars", "rule.schema.json").read_text(encoding="utf-8"))
    return schema


@dataclass(frozen=True, slots=True)
class RuleNode:
    """A rule file whose YAML has the shape of a rule, not checked yet."""

    file: RuleFile
    root: documents.Mapping
    kind: str
    severity: str = "error"


def read_rule_nodes(files: Sequence[RuleFile], diagnostics: list[Diagnostic]) -> list[RuleNode]:
    """Return the rule files that have the shape of a rule; what is wrong with the others is collected."""
    nodes = []
    for file in files:
        try:
            root = read_yaml(rule_source(file))
        except (DocumentErrors, PackErrors) as errors:
            diagnostics.extend(errors.diagnostics)
            continue
        node = _shaped(file, root, diagnostics)
        if node:
            nodes.append(node)
    return nodes


def _shaped(file: RuleFile, root: Node, diagnostics: list[Diagnostic]) -> RuleNode | None:
    kinds = [kind for kind in KINDS if isinstance(root, documents.Mapping) and kind in root]
    schema = rule_schema()
    if len(kinds) == 1:  # the file says which kind it is, so its faults are told against that kind alone
        schema = next(part for part in schema["oneOf"] if part["title"] == kinds[0])
    found = [*validate(root, schema), *control_characters(root)]
    diagnostics.extend(found)
    if found or not isinstance(root, documents.Mapping):
        return None
    return RuleNode(file, root, kinds[0], str(to_plain(root["severity"])) if "severity" in root else "error")


@dataclass(slots=True)
class RuleReader:
    """Reads one rule against its scope.

    `facts` are conditions that hold wherever the rule is evaluated; `slots` is what the slots of its stage's flow hold,
    None where the stage has no flow.
    """

    terms: TermReader
    node: RuleNode
    scope: Scope
    facts: Sequence[Checked]
    slots: Type | None = None
    names: Names = field(init=False)
    given: list[Checked] = field(init=False)

    def __post_init__(self) -> None:
        resolved = frozenset(self.scope.given)
        self.names = self.terms.names(self.scope.variables, resolved)
        self.given = list(self.facts)

    def read(self) -> Rule | None:
        """Return the rule, or None after collecting what is wrong with it."""
        before = len(self.terms.diagnostics)
        lets = self._lets()
        when = self._optional_term("when", BOOL)
        if when:
            self.given.append(when.checked)
        base = self._base(lets, when)
        rule = getattr(self, "_" + self.node.kind)(base)
        self._check_condition(rule)
        return rule if len(self.terms.diagnostics) == before else None

    def _check_condition(self, rule: Rule | None) -> None:
        """Refuse a condition on a rule whose variable cannot be null: where it does not hold, nothing gives one."""
        expected = self.scope.given.get(gives(rule) or "") if rule else None
        if rule and rule.when and expected and not isinstance(expected, Optional) and expected != JSON:
            message = f"`{gives(rule)}` is `{expected}`, but null where this does not hold"
            self.terms.fault(self.node.root["when"], "pack/given", message, f"declare it `{expected}?`")

    def _base(self, lets: list[tuple[str, Term]], when: Term | None) -> dict[str, Any]:
        root, file = self.node.root, self.node.file
        return {
            "identity": file.identity,
            "stage": file.stage,
            "name": file.name,
            "kind": self.node.kind,
            "place": place_of(root.key(self.node.kind) or root),
            "summary": self._plain("summary"),
            "why": self._plain("why"),
            "decisions": tuple(self._plain("decisions", [])),
            "severity": self.node.severity,
            "scope": self.scope.name,
            "lets": tuple(lets),
            "when": when,
            "tags": tuple(self._plain("tags", [])),
        }

    def _plain(self, key: str, default: Any = "") -> Any:
        node = self.node.root.get(key)
        return default if node is None else to_plain(node)

    def _optional_term(self, key: str, expected: Type | None) -> Term | None:
        node = self.node.root.get(key)
        return None if node is None else self.terms.term(node, self.names, expected, self.given)

    def _text(self, key: str) -> Text | None:
        node = self.node.root.get(key)
        return None if node is None else self.terms.text(node, self.names, self.given)

    def _lets(self) -> list[tuple[str, Term]]:
        """Read the rule's own names; each may use those above it, and none may hide a variable of the scope."""
        lets: list[tuple[str, Term]] = []
        for key in ("inputs", "let"):
            mapping = self.node.root.get(key)
            for name, value in mapping.entries if isinstance(mapping, documents.Mapping) else ():
                self.terms.refuse_word(name)
                if name.text in self.names.variables or name.text in self.terms.owners:
                    self.terms.fault(name, "pack/let", f"`{name.text}` is already a name here", "choose another name")
                    self.terms.lost.add(name.text)
                    self.names = replace(self.names, variables={**self.names.variables, name.text: UNKNOWN})
                    continue
                term = self.terms.term(value, self.names, None, self.given)
                if term:
                    lets.append((name.text, term))
                type_ = term.checked.type if term else UNKNOWN  # one fault gives one message
                self.names = replace(self.names, variables={**self.names.variables, name.text: type_})
        return lets

    def _check(self, base: dict[str, Any]) -> Rule | None:
        holds = self._optional_term("check", BOOL)
        message = self._text("message")
        parts: dict[str, Any] = {key: self._text(key) for key in ("help", "subject", "at")}
        fix, guards = self._fix(), tuple(self._plain("guards", []))
        if "at" in self.node.root:
            check_rule_place(self.terms, self.node.root["at"], self.scope)
        self._refuse_guards()
        if holds is None or message is None:
            return None
        if guards and self.node.severity != "error":
            help_text = "leave `guards` out, or let it be an error"
            message_text = "a check with `guards` is an error: what it guards is missing where it fails"
            self.terms.fault(self.node.root["guards"], "pack/guards", message_text, help_text)
        return Check(**base, holds=holds, message=message, **parts, fix=fix, guards=guards)

    def _fix(self) -> Mapping[str, object] | None:
        """Return the edit that would make the rule hold; what it names must be a variable that the rule sees."""
        node = self.node.root.get("fix")
        for name in _named_in(node) if node is not None else ():
            if name.text not in self.names.variables:
                near = did_you_mean(name.text, self.names.variables)
                help_text = f"did you mean `{near}`?" if near else "name what the rule reads, or a `let` of it"
                self.terms.fault(name, "pack/fix", f"unknown variable `{name.text}`", help_text)
        return None if node is None else to_plain(node)  # type: ignore[return-value]

    def _refuse_guards(self) -> None:
        """Refuse to guard what has no name here: no rule could read it."""
        node = self.node.root.get("guards")
        for item in node if isinstance(node, documents.Sequence) else ():
            root, *members = str(to_plain(item)).split(".")
            if root not in self.names.variables:
                self.terms.unknown(item, "name", root, self.names.variables)
                continue
            self._refuse_members(item, self.names.variables[root], members)

    def _refuse_members(self, node: Node, type_: Type, members: Sequence[str]) -> None:
        for member in members:
            record = required(type_)
            if not isinstance(record, Record):
                return
            if member not in record.fields:
                self.terms.unknown(node, f"field of `{record}`", member, record.fields)
                return
            type_ = record.fields[member]

    def _given_variable(self, key: str) -> Type | None:
        """Return the type of the variable that the rule gives, which the scope must declare under `given`."""
        node = self.node.root[key]
        name = to_plain(node)
        if isinstance(name, str) and name in self.scope.given:
            return self.scope.given[name]
        near = did_you_mean(str(name), self.scope.given)
        help_text = (
            f"did you mean `{near}`?"
            if near
            else f"declare it under `gives` of stage `{self.node.file.stage}` in pack.yaml"
        )
        self.terms.fault(node, "pack/given", f"stage `{self.node.file.stage}` gives no `{name}`", help_text)
        return None

    def _resolve(self, base: dict[str, Any]) -> Rule | None:
        expected = self._given_variable("resolve")
        first = self.node.root["first"]
        assert isinstance(first, documents.Sequence)
        candidates = [self._candidate(item, expected, len(first) == 1) for item in first]
        if any(candidate is None for candidate in candidates):
            return None
        check_always(self.terms, self.node.root, expected, [c.when for c in candidates if c], "candidate")
        return Resolve(**base, variable=self._plain("resolve"), candidates=tuple(c for c in candidates if c))

    def _candidate(self, node: Node, expected: Type | None, alone: bool) -> Candidate | None:
        assert isinstance(node, documents.Mapping)
        when = self.terms.term(node["when"], self.names, BOOL, self.given) if "when" in node else None
        if "when" in node and when is None:
            return None
        given = [*self.given, when.checked] if when else self.given
        value = self.terms.term(node["value"], self.names, expected, given)
        source = self._source(node, given)
        if value is None or source is None:
            return None
        return Candidate(when, value, source, place_of(node))

    def _source(self, node: documents.Mapping, given: Sequence[Checked]) -> Term | None:
        """Return the provenance of a candidate; one that says none is `derived`."""
        if "source" in node:
            return self.terms.term(node["source"], self.names, STRING, given)
        return Term(_DERIVED(), '"derived"', place_of(node))

    def _transition(self, base: dict[str, Any]) -> Rule | None:
        node = self.node.root["transition"]
        assert isinstance(node, documents.Mapping)
        if self.slots is None:
            message = f"stage `{self.node.file.stage}` is not asked for a flow, so there are no slots to change"
            key = self.node.root.key("transition") or node
            self.terms.fault(key, "pack/transition", message, "ask the stage for each visit of a flow, in pack.yaml")
        slot = self.terms.term(node["slot"], self.names, STRING, self.given)
        value = self.terms.term(node["holds"], self.names, self.slots, self.given)
        return Transition(**base, slot=slot, value=value) if slot and value else None

    def _table(self, base: dict[str, Any]) -> Rule | None:
        expected, hit = self._given_variable("table"), self._plain("hit", "first")
        return TableReader(self.terms, self.node.root, self.names, self.given, expected, hit).read(base)


def _named_in(fix: Node) -> list[Scalar]:
    """Return the texts in a fix: each is the name of a variable."""
    if isinstance(fix, documents.Mapping):
        return [name for _, value in fix.entries for name in _named_in(value)]
    return [fix] if isinstance(fix, Scalar) else []


@cache
def _DERIVED() -> Checked:
    from kernelpath.language import check, parse

    return check(parse('"derived"'), Names())
