"""Read rule files: their kind, their expressions against their scope, and their order in the stage."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from kernelpath.diagnostics import ERROR, Diagnostic, did_you_mean
from kernelpath.language import BOOL, STRING, Checked, Names, Type
from kernelpath.language.types import JSON, UNKNOWN, Optional
from kernelpath.packs import documents
from kernelpath.packs.declarations import items_at
from kernelpath.packs.documents import DocumentErrors, Node, Scalar, read_yaml, to_plain
from kernelpath.packs.files import PackErrors, RuleFile, rule_source
from kernelpath.packs.model import Candidate, Check, Resolve, Rule, Scope, Term, Text, Transition
from kernelpath.packs.reads import gives, variables_read
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
    order: float


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
    order = root.get("order")
    place = _float(order.value) if isinstance(order, Scalar) else math.inf
    if order is not None and not math.isfinite(place):
        message, help_text = "`order` is not a finite number", "leave it out, and the rule comes last"
        diagnostics.append(Diagnostic("pack/order", (), ERROR, message, span=order.span, help=help_text))
        return None
    return RuleNode(file, root, kinds[0], place)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


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
            "severity": self._plain("severity", "error"),
            "scope": self.scope.name,
            "order": self.node.order,
            "lets": tuple(lets),
            "when": when,
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
                if name.text in self.names.variables:
                    self.terms.fault(name, "pack/let", f"`{name.text}` is already a name here", "choose another name")
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
        parts |= {"fix": self._fix(), "stop": self._plain("stop", False)}
        if "at" in self.node.root:
            check_rule_place(self.terms, self.node.root["at"], self.scope)
        verdicts = items_at(self.node.root, "verdicts")
        parts |= {"verdicts": tuple(str(to_plain(node)) for node in verdicts)}
        parts |= {"verdict_places": tuple(map(place_of, verdicts))}
        if holds is None or message is None:
            return None
        return Check(**base, holds=holds, message=message, **parts)

    def _fix(self) -> Mapping[str, object] | None:
        """Return the edit that would make the rule hold; what it names must be a variable that the rule sees."""
        node = self.node.root.get("fix")
        for name in _named_in(node) if node is not None else ():
            if name.text not in self.names.variables:
                near = did_you_mean(name.text, self.names.variables)
                help_text = f"did you mean `{near}`?" if near else f"scope `{self.scope.name}` has no such variable"
                self.terms.fault(name, "pack/fix", f"unknown variable `{name.text}`", help_text)
        return None if node is None else to_plain(node)  # type: ignore[return-value]

    def _given_variable(self, key: str) -> Type | None:
        """Return the type of the variable that the rule gives, which the scope must declare under `given`."""
        node = self.node.root[key]
        name = to_plain(node)
        if isinstance(name, str) and name in self.scope.given:
            return self.scope.given[name]
        near = did_you_mean(str(name), self.scope.given)
        help_text = (
            f"did you mean `{near}`?" if near else f"declare it under `given` of scope `{self.scope.name}` in pack.yaml"
        )
        self.terms.fault(node, "pack/given", f"scope `{self.scope.name}` has no given variable `{name}`", help_text)
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
            message = f"stage `{self.node.file.stage}` has no flow, so there are no slots to change"
            key = self.node.root.key("transition") or node
            self.terms.fault(key, "pack/transition", message, "declare a flow of the stage in pack.yaml")
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


def ordered(
    rules: Sequence[Rule], scope: Scope, diagnostics: list[Diagnostic], places: Mapping[str, Node]
) -> list[Rule]:
    """Return a stage's rules in evaluation order: by `order`, then by name, a rule after those whose results it reads.

    Collects a cycle of resolutions, two rules that give the same variable, and a rule that reads a later one's result.
    """
    givers: dict[str, Rule] = {}
    for rule in sorted(rules, key=lambda rule: (rule.order, rule.name)):
        name = gives(rule)
        if name and name in givers:
            message = f"`{name}` is already given by rule `{givers[name].identity}`"
            help_text = "a variable has one rule: add a candidate there, or give another variable here"
            diagnostics.append(_fault("pack/given", message, _giving(places[rule.identity]), help_text))
        elif name:
            givers[name] = rule
    result: list[Rule] = []
    state = _Sorting(givers, scope, diagnostics, places, result)
    for rule in sorted(rules, key=lambda rule: (rule.order, rule.name)):
        state.place(rule, [])
    return result


@dataclass(slots=True)
class _Sorting:
    givers: Mapping[str, Rule]
    scope: Scope
    diagnostics: list[Diagnostic]
    places: Mapping[str, Node]
    result: list[Rule]
    done: set[str] = field(default_factory=set)

    def place(self, rule: Rule, path: list[Rule]) -> None:
        if rule.identity in self.done:
            return
        if rule in path:
            names = [gives(other) or other.name for other in [*path[path.index(rule) :], rule]]
            message = f"resolutions read each other in a circle: {' -> '.join(names)}"
            self.diagnostics.append(_fault("pack/resolution-cycle", message, _giving(self.places[rule.identity])))
            self.done.add(rule.identity)
            return
        for name in sorted(variables_read(rule) & set(self.givers)):
            giver = self.givers[name]
            if giver is not rule and giver.identity not in self.done:
                self._needed(rule, giver, name, [*path, rule])
        if rule.identity not in self.done:
            self.done.add(rule.identity)
            self.result.append(rule)

    def _needed(self, rule: Rule, giver: Rule, name: str, path: list[Rule]) -> None:
        before = len(self.diagnostics)
        self.place(giver, path)
        if len(self.diagnostics) == before and giver.order > rule.order:
            message = f"`{name}` is read here before rule `{giver.identity}` gives it"
            help_text = (
                f"give this rule an `order` over {giver.order:g}"
                if giver.order != math.inf
                else "give the other rule an `order`"
            )
            self.diagnostics.append(_fault("pack/order", message, _giving(self.places[rule.identity]), help_text))


def _giving(root: Node) -> Node:
    """Return where a rule says what it gives; its first key where it gives nothing."""
    assert isinstance(root, documents.Mapping)
    named = next((root[key] for key in ("resolve", "table") if key in root), None)
    return named or root.entries[0][0]


def _fault(code: str, message: str, node: Node, help_text: str | None = None) -> Diagnostic:
    return Diagnostic(code, (), ERROR, message, span=node.span, help=help_text)
