"""A pack reader that remembers: what an edit cannot have changed is not read or checked again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kernelpath.diagnostics import Diagnostic
from kernelpath.language import Checked, Type
from kernelpath.lsp.checking.terms import QuickTerms
from kernelpath.lsp.texts.files import Files
from kernelpath.packs.documents import DocumentErrors, Node
from kernelpath.packs.files import RuleFile
from kernelpath.packs.model import Flow, Pack, RecordShape, Rule, Scope, Stage
from kernelpath.packs.passing import guarantees
from kernelpath.packs.reading import PackReader
from kernelpath.packs.rules import RuleNode, RuleReader, _shaped, ordered

Found = list[Diagnostic]


class Same:
    """Objects that equal others only by being the same ones."""

    __slots__ = ("held",)

    def __init__(self, held: Iterable[Any]) -> None:
        self.held = tuple(held)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Same) or len(self.held) != len(other.held):
            return False
        return all(mine is its for mine, its in zip(self.held, other.held, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.held)))


@dataclass(frozen=True, slots=True)
class RuleKey:
    """All that a rule's check hangs on: its file, its scope's names, what earlier rules guarantee, and its slots."""

    node: Same
    names: Any
    known: Same
    slots: Type | None

    @property
    def facts(self) -> tuple[Checked, ...]:
        """What earlier rules guarantee."""
        return self.known.held


@dataclass(slots=True)
class Memory:
    """What the last reading found: rule files by path, and all that pack.yaml declares; `checked` counts rules."""

    nodes: dict[Path, tuple[Node, RuleNode | None, Found]] = field(default_factory=dict)
    rules: dict[Path, tuple[RuleKey, Rule | None, Found]] = field(default_factory=dict)
    declarations: tuple[list[Node], PackReader, Found] | None = None
    frame: tuple[Any, dict[Any, Any]] = (None, {})
    checked: int = 0


@dataclass(slots=True)
class IncrementalReader(PackReader):
    """Reads a pack whatever is wrong with it; the findings are in `terms.diagnostics`.

    INVARIANT: the findings are those of a reading from scratch; memory only saves time.
    """

    files: Files = field(default_factory=Files)
    memory: Memory = field(default_factory=Memory)
    terms: QuickTerms = field(default_factory=QuickTerms)
    scope_prints: dict[str, Any] = field(default_factory=dict)

    def read_all(self) -> Pack:
        """Return the pack as far as it can be read."""
        return PackReader.read(self)

    def _refuse(self) -> None:
        """An editor wants the rest of the pack, too."""

    def _read_types(self) -> None:
        known = self.memory.declarations
        roots: list[Node] = [layer.root for layer in self.chain]
        if known and len(known[0]) == len(roots) and all(a is b for a, b in zip(known[0], roots, strict=True)):
            self._take(known[1], known[2])
            return
        base = PackReader
        for read in (base._read_types, base._read_functions, base._read_values, base._read_scopes):
            read(self)
        self.memory.declarations = (roots, self, list(self.terms.diagnostics))
        self._declared()

    def _take(self, other: PackReader, found: Found) -> None:
        self.terms.vocabularies, self.terms.types = other.terms.vocabularies, other.terms.types
        self.terms.functions, self.record_types = other.terms.functions, other.record_types
        self.values, self.constants, self.scopes = other.values, other.constants, other.scopes
        self.terms.diagnostics.extend(found)
        self._declared()

    def _read_functions(self) -> None:
        """Declarations are read together, by `_read_types`."""

    def _read_values(self) -> None:
        """Declarations are read together, by `_read_types`."""

    def _read_scopes(self) -> None:
        """Declarations are read together, by `_read_types`."""

    def _declared(self) -> None:
        shared = fingerprint(self)
        self.scope_prints = {name: (shared, _scope_print(scope)) for name, scope in self.scopes.items()}

    def _rule_nodes(self) -> list[RuleNode]:
        files: dict[tuple[str, str], RuleFile] = {}
        for layer in self.chain:
            files |= {(file.stage, file.name): file for file in layer.rules}
            self._disable(layer, files)
        nodes = [self._node(file) for file in files.values()]
        self._forget({file.path for layer in self.chain for file in layer.rules})
        return [node for node in nodes if node]

    def _forget(self, kept: set[Path]) -> None:
        for memory in (self.memory.nodes, self.memory.rules):
            for path in memory.keys() - kept:
                del memory[path]

    def _node(self, file: RuleFile) -> RuleNode | None:
        try:
            root = self.files.tree(file.path)
        except DocumentErrors as errors:
            self.terms.diagnostics.extend(errors.diagnostics)
            return None
        known = self.memory.nodes.get(file.path)
        if known is None or known[0] is not root or (known[1] and known[1].file != file):
            found: Found = []
            node = _shaped(file, root, found)
            known = self.memory.nodes[file.path] = (root, node, found)
        self.terms.diagnostics.extend(known[2])
        return known[1]

    def _stage_rules(self, nodes: list[RuleNode], scope: Scope, passed: list[Checked]) -> list[Rule]:
        """As the reader it stands for does it, but each rule is checked only if something that it hangs on changed."""
        rules: list[Rule] = []
        slots = self._slots(nodes[0].file.stage) if nodes else None
        facts: list[tuple[float, Checked]] = [(-math.inf, checked) for checked in passed]
        for node in sorted(nodes, key=lambda node: (node.order, node.file.name)):
            if not self._rule_scope(node, scope):
                continue
            rule = self._rule(node, scope, [checked for order, checked in facts if order < node.order], slots)
            if rule:
                rules.append(rule)
                facts += [(node.order, checked) for checked in guarantees(rule)]
        return ordered(rules, scope, self.terms.diagnostics, {node.file.identity: node.root for node in nodes})

    def _rule(self, node: RuleNode, scope: Scope, facts: list[Checked], slots: Type | None) -> Rule | None:
        known = self.memory.rules.get(node.file.path)
        key = RuleKey(Same([node]), self.scope_prints[scope.name], Same(facts), slots)
        if known is None or known[0] != key:
            known = self.memory.rules[node.file.path] = self._checked(key, node, scope)
        self.terms.diagnostics.extend(known[2])
        return known[1]

    def _checked(self, key: RuleKey, node: RuleNode, scope: Scope) -> tuple[RuleKey, Rule | None, Found]:
        terms = replace(self.terms, diagnostics=[])
        rule = RuleReader(terms, node, scope, key.facts, key.slots).read()
        self.memory.checked += 1
        return key, rule, terms.diagnostics

    def _read_stages(self) -> dict[str, Stage]:
        stages = PackReader._read_stages(self)
        known = [checked for stage in stages.values() for rule in stage.rules for checked in guarantees(rule)]
        shapes = tuple((stage.name, stage.scope, stage.after) for stage in stages.values())
        key = (Same([layer.root for layer in self.chain]), shapes, Same(known))
        if self.memory.frame[0] != key:
            self.memory.frame = (key, {})
        return stages

    def _framed(self, name: Any, read: Any) -> Any:
        """Return what hangs on pack.yaml and the stages only, read again when one of them changed."""
        held = self.memory.frame[1]
        if name not in held:
            before = len(self.terms.diagnostics)
            value = read()
            held[name] = (value, self.terms.diagnostics[before:])
            del self.terms.diagnostics[before:]
        value, found = held[name]
        self.terms.diagnostics.extend(found)
        return value

    def _record(self, name: str, key: Any, node: Node, stages: Mapping[str, Stage]) -> RecordShape:
        read = PackReader._record
        shape: RecordShape = self._framed(("record", name), lambda: read(self, name, key, node, stages))
        return shape

    def _flow(self, name: str, node: Node, stages: Mapping[str, Stage]) -> Flow | None:
        flow: Flow | None = self._framed(("flow", name), lambda: PackReader._flow(self, name, node, stages))
        return flow

    def _read_programs(self, stages: Any, flows: Any, records: Any) -> Any:
        return self._framed("programs", lambda: PackReader._read_programs(self, stages, flows, records))


def fingerprint(reader: PackReader) -> tuple[Any, ...]:
    """Return what all expressions of a pack may name, as plain data: equal where nothing of it changed."""
    vocabularies = tuple((v.name, v.values, v.open) for v in reader.terms.vocabularies.values())
    records = tuple((name, _types(fields)) for name, fields in reader.record_types.items())
    functions = tuple((f.name, f.parameters, f.text) for f in reader.terms.functions.values())
    return vocabularies, records, functions


def _scope_print(scope: Scope) -> tuple[Any, ...]:
    return _types(scope.variables), _types(scope.given)


def _types(types: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(type_)) for name, type_ in types.items())
