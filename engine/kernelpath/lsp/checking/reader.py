"""A pack reader that remembers: what an edit cannot have changed is not read or checked again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from kernelpath.diagnostics import Diagnostic
from kernelpath.language import Checked, Type
from kernelpath.language.types import ListOf, MapOf, Optional
from kernelpath.lsp.checking.terms import QuickTerms
from kernelpath.lsp.texts.files import Files
from kernelpath.packs.cells import CellReader
from kernelpath.packs.documents import DocumentErrors, Node
from kernelpath.packs.files import PackErrors, RuleFile
from kernelpath.packs.model import Pack, Question, Rule, Scope
from kernelpath.packs.reading import PackReader
from kernelpath.packs.rule_order import RuleSketch
from kernelpath.packs.rules import RuleNode, _shaped

Found = list[Diagnostic]
_NOT_DECLARED = ("chain", "digest", "terms")


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
    """All that a rule's check depends on: its file and level, its scope's names, what holds of its items, its slots."""

    root: Same
    file: RuleFile
    level: str
    names: Any
    known: Same
    slots: Type | None

    @property
    def facts(self) -> tuple[Checked, ...]:
        """What holds of every item that comes to the rule."""
        return self.known.held


@dataclass(slots=True)
class Memory:
    """What the last reading found: rule files by path, the order of each stage's rules, and all that is declared.

    `declarations` are the trees of the chain's pack.yaml files, what was read of them, and what is wrong with them;
    `checked` counts the rules that were checked so far.
    """

    nodes: dict[Path, tuple[Node, RuleNode | None, Found]] = field(default_factory=dict)
    rules: dict[Path, tuple[RuleKey, Rule | None, Found]] = field(default_factory=dict)
    orders: dict[str, tuple[Any, list[RuleSketch], Found]] = field(default_factory=dict)
    questions: tuple[Any, Mapping[str, Question], Found] | None = None
    declarations: tuple[list[Node], PackReader, Found] | None = None
    checked: int = 0


@dataclass(slots=True)
class IncrementalReader(PackReader):
    """Reads a pack whatever is wrong with it; the findings are in `terms.diagnostics`.

    INVARIANT: the findings are those of a reading from scratch; memory only saves time.
    """

    files: Files = field(default_factory=Files)
    memory: Memory = field(default_factory=Memory)
    terms: QuickTerms = field(default_factory=QuickTerms)
    shared: Any = None

    def read_all(self) -> Pack:
        """Return the pack as far as it can be read; one with faults has no plans."""
        return PackReader.read(self)

    def _refuse(self) -> None:
        """An editor wants the rest of the pack, too."""

    # Declarations

    def _refuse_shape(self) -> None:
        """Stop at a pack that `replace` gave another shape: nothing more can be read of it. Raises PackErrors."""
        before = len(self.terms.diagnostics)
        PackReader._refuse_shape(self)
        if len(self.terms.diagnostics) > before:
            raise PackErrors(self.terms.diagnostics)

    def _declare(self) -> None:
        roots: list[Node] = [layer.root for layer in self.chain]
        known = self.memory.declarations
        if known is None or Same(known[0]) != Same(roots):
            PackReader._declare(self)
            known = self.memory.declarations = (roots, self._copy(), list(self.terms.diagnostics))
        else:
            self._take(known[1])
            self.terms.diagnostics.extend(known[2])
        self.shared = fingerprint(self)

    def _copy(self) -> PackReader:
        """Return a reader with what is declared, which later steps of this one do not change."""
        made = IncrementalReader(self.chain, self.digest)
        made.terms = replace(self.terms, diagnostics=[])
        made._take(self)
        return made

    def _take(self, other: PackReader) -> None:
        for each in fields(CellReader):
            if each.name not in _NOT_DECLARED:
                setattr(self, each.name, copy(getattr(other, each.name)))
        terms, own = other.terms, self.terms.diagnostics
        self.terms = replace(terms, functions=dict(terms.functions), lost=set(terms.lost), diagnostics=own)  # type: ignore[assignment]

    def _read_questions(self) -> Mapping[str, Question]:  # type: ignore[override]
        """Questions depend on what is declared, and on the types of what stages give, which is declared, too."""
        assert self.memory.declarations is not None
        known = self.memory.questions
        if known is None or known[0] is not self.memory.declarations:
            before = len(self.terms.diagnostics)
            questions = PackReader._read_questions(self)
            found = self.terms.diagnostics[before:]
            known = self.memory.questions = (self.memory.declarations, questions, found)
        else:
            self.terms.diagnostics.extend(known[2])
        return known[1]

    # Rules

    def _read_nodes(self, files: list[RuleFile]) -> list[RuleNode]:
        self._forget({file.path for file in files})
        return [node for file in files if (node := self._node(file))]

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

    def _sketches(self, nodes: Sequence[RuleNode]) -> list[RuleSketch]:
        """Return the order of a stage's rules, found again only if a file of the stage or a name changed."""
        if not nodes:
            return []
        stage = nodes[0].file.stage
        key = (Same([node.root for node in nodes]), [(node.file, node.severity) for node in nodes], self.shared)
        known = self.memory.orders.get(stage)
        if known is None or known[0] != key:
            before = len(self.terms.diagnostics)
            sketches = PackReader._sketches(self, nodes)
            known = self.memory.orders[stage] = (key, sketches, self.terms.diagnostics[before:])
        else:
            self.terms.diagnostics.extend(known[2])
        return known[1]

    def _rule(self, sketch: RuleSketch, scope: Scope, facts: list[Checked], slots: Type | None) -> Rule | None:
        node = sketch.node
        names = (self.shared, scope.name, self._print(scope))
        key = RuleKey(Same([node.root]), node.file, node.severity, names, Same(facts), slots)
        known = self.memory.rules.get(node.file.path)
        if known is None or known[0] != key:
            known = self.memory.rules[node.file.path] = self._checked(key, sketch, scope)
        self.terms.diagnostics.extend(known[2])
        return known[1]

    def _checked(self, key: RuleKey, sketch: RuleSketch, scope: Scope) -> tuple[RuleKey, Rule | None, Found]:
        kept, self.terms.diagnostics = self.terms.diagnostics, []
        try:
            rule = PackReader._rule(self, sketch, scope, list(key.facts), key.slots)
            self.memory.checked += 1
            return key, rule, self.terms.diagnostics
        finally:
            self.terms.diagnostics = kept

    def _print(self, scope: Scope) -> tuple[Any, ...]:
        """Return what a scope's rules see beside the cells, as plain data."""
        own = {name: scope.variables[name] for name in (*scope.own, *scope.whole) if name in scope.variables}
        return _types(own), _types(scope.given)


def fingerprint(reader: PackReader) -> tuple[Any, ...]:
    """Return what all expressions of a pack may name, as plain data: equal where nothing of it changed."""
    vocabularies = tuple((v.name, v.values, v.open) for v in reader.terms.vocabularies.values())
    records = tuple((name, _types(fields)) for name, fields in reader.record_types.items())
    functions = tuple((f.name, f.parameters, f.text) for f in reader.terms.functions.values())
    owners, lost = tuple(reader.terms.owners.items()), tuple(sorted(reader.terms.lost))
    return vocabularies, records, functions, reader.terms.libraries, owners, lost, _types(reader.cells)


def _types(types: Mapping[str, Type]) -> tuple[tuple[str, str], ...]:
    return tuple((name, spelled(types[name])) for name in sorted(types))


def spelled(type_: Type) -> str:
    """Return a type with the limits of its lists, which bound what an expression may cost."""
    match type_:
        case ListOf(element, limit):
            return f"list<{spelled(element)}, {limit}>"
        case MapOf(value):
            return f"map<{spelled(value)}>"
        case Optional(inner):
            return f"{spelled(inner)}?"
    return str(type_)
